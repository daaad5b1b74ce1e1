// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's TCG that counts the instructions executed, by the address
 * of the translated block they are in. "count.so,out=FILE" writes a line
 * "ADDRESS INSTRUCTIONS" for each when the machine ends.
 *
 * Unlike samples taken by the guest itself it costs the guest nothing and sees
 * code that runs with interrupts off. Blocks do not cross functions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

/* QEMU loads no plugin that does not say which interface it was made for. */
EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* Open addressing; an entry never moves, since translated code adds to it. A
 * boot of Debian's kernel and a run take a quarter of a million.
 */
#define HASH_BITS	22
#define HASH_SIZE	(1U << HASH_BITS)

static struct block {
	uint64_t addr;
	uint64_t count;
} *blocks;

static unsigned int n_blocks;
static const char *path;

static struct block *find(uint64_t addr)
{
	unsigned int i = (addr * 0x9e3779b97f4a7c15ULL) >> (64 - HASH_BITS);

	while (blocks[i].addr && blocks[i].addr != addr)
		i = (i + 1) % HASH_SIZE;
	if (!blocks[i].addr && ++n_blocks > HASH_SIZE / 2) {
		fprintf(stderr, "count: too many blocks\n");
		exit(1);
	}
	blocks[i].addr = addr;
	return &blocks[i];
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct block *block = find(qemu_plugin_tb_vaddr(tb));

	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 &block->count,
						 qemu_plugin_tb_n_insns(tb));
}

static void done(qemu_plugin_id_t id, void *data)
{
	FILE *file = fopen(path, "w");
	unsigned int i;

	if (!file) {
		perror(path);
		return;
	}
	for (i = 0; i < HASH_SIZE; i++)
		if (blocks[i].count)
			fprintf(file, "%llx %llu\n",
				(unsigned long long)blocks[i].addr,
				(unsigned long long)blocks[i].count);
	fclose(file);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
			       const struct qemu_info *info, int argc,
			       char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "count: out=FILE\n");
		return -1;
	}
	path = argv[0] + 4;
	blocks = calloc(HASH_SIZE, sizeof(*blocks));
	if (!blocks)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, done, NULL);
	return 0;
}
