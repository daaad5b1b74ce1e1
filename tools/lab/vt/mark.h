/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks in a program that a plugin of QEMU sees (tools/lab/cpu/count.c):
 * instructions that do nothing, and that no compiler makes.
 */
#ifndef _VT_MARK_H
#define _VT_MARK_H

/* nopl disp32(%rax) */
#define MARK_BEGIN	"\x0f\x1f\x80MRC1"
#define MARK_END	"\x0f\x1f\x80MRC2"
#define MARK_SIZE	7

static inline void mark_begin(void)
{
	__asm__ volatile(".ascii \"" MARK_BEGIN "\"" ::: "memory");
}

static inline void mark_end(void)
{
	__asm__ volatile(".ascii \"" MARK_END "\"" ::: "memory");
}

#endif
