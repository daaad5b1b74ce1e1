/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MRCRUN_REACH_H
#define MRCRUN_REACH_H

#include <stddef.h>

enum reach {
	REACH_ALL,	/* a preload reaches its calls */
	REACH_PART,	/* it makes some system calls by itself */
	REACH_NONE,
};

/* Where execvp(3) would find @program. Return: the path in @path, or NULL */
const char *reach_find(const char *program, char *path, size_t size);
/* Does a preload reach the program at @path, or the interpreter of the
 * script? Return: the verdict, its reason in @why.
 */
enum reach reach_of(const char *path, char *why, size_t size);

#endif
