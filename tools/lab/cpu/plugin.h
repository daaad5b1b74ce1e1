/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What count.c needs of QEMU's include/qemu/qemu-plugin.h, version 1 of the
 * interface: Debian 12 and 13 have no package with it.
 */
#ifndef _CPU_PLUGIN_H
#define _CPU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION	1

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_info;

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64,
};

typedef void (*tb_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*data_cb_t)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_cb_t cb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb,
					      enum qemu_plugin_op op,
					      void *ptr, uint64_t imm);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, data_cb_t cb,
				    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

#endif
