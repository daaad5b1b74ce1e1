// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's TCG that counts the instructions executed between two
 * marks, by the address of the translated block they are in. The marks are
 * no-ops that a program executes (tools/lab/vt/mark.h). "count.so,out=FILE" appends to FILE
 * at each second mark a line "END" and a line "ADDRESS INSTRUCTIONS" for each
 * block.
 *
 * Unlike samples taken by the guest itself it costs the guest nothing and sees
 * code that runs with interrupts off. Blocks do not cross functions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../vt/mark.h"
#include "plugin.h"

/* QEMU loads no plugin that does not say which interface it was made for. */
EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* Open addressing; an entry never moves, since translated code adds to it. A
 * boot of Debian's kernel and a run take a quarter of a million.
 */
#define HASH_BITS	22
#define HASH_SIZE	(4U << 20)

static struct block {
	uint64_t addr;
	uint64_t count;
} *blocks;

static unsigned int n_blocks;
static FILE *file;

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

static void begin(unsigned int cpu, void *data)
{
	unsigned int i;

	for (i = 0; i < HASH_SIZE; i++)
		blocks[i].count = 0;
}

static void end(unsigned int cpu, void *data)
{
	unsigned int i;

	for (i = 0; i < HASH_SIZE; i++)
		if (blocks[i].count)
			fprintf(file, "%llx %llu\n",
				(unsigned long long)blocks[i].addr,
				(unsigned long long)blocks[i].count);
	fprintf(file, "END\n");
	fflush(file);
}

/* Calls @cb whenever @insn is executed, if it is @mark. */
static void watch(struct qemu_plugin_insn *insn, const char *mark, insn_cb_t cb)
{
	if (qemu_plugin_insn_size(insn) != MARK_SIZE ||
	    memcmp(qemu_plugin_insn_data(insn), mark, MARK_SIZE))
		return;
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS,
					       NULL);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct block *block = find(qemu_plugin_tb_vaddr(tb));
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn;

	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 &block->count, n);
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		watch(insn, MARK_BEGIN, begin);
		watch(insn, MARK_END, end);
	}
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
			       const struct qemu_info *info, int argc,
			       char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "count: out=FILE\n");
		return -1;
	}
	file = fopen(argv[0] + 4, "w");
	if (!file) {
		perror(argv[0] + 4);
		return -1;
	}
	blocks = calloc(HASH_SIZE, sizeof(*blocks));
	if (!blocks)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
