// SPDX-License-Identifier: GPL-2.0
/*
 * Error messages. All of them begin with "Error: " and end in a full stop, as
 * iproute2's do; err_context() puts the name of an object in between.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

static char context[256];

static void err_print(const char *what, const char *fmt, va_list ap)
{
	char msg[1024];
	size_t len;

	vsnprintf(msg, sizeof(msg), fmt, ap);
	len = strlen(msg);
	/* what is on stdout belongs in front of it when both are one file */
	fflush(stdout);
	fprintf(stderr, "%s: %s%s%s%s\n", what, context,
		context[0] ? ": " : "", msg,
		len && strchr(".?", msg[len - 1]) ? "" : ".");
}

/**
 * err_context() - name the object that messages are about
 * @fmt: printf format; "" for none
 */
void err_context(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
}

/**
 * err_usage() - say what is wrong with the command
 * @fmt: printf format
 *
 * Return: EX_USAGE_ERR
 */
int err_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_print("Error", fmt, ap);
	va_end(ap);
	return EX_USAGE_ERR;
}

/**
 * err_fail() - say why a right command failed
 * @fmt: printf format
 *
 * Return: EX_FAIL
 */
int err_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_print("Error", fmt, ap);
	va_end(ap);
	return EX_FAIL;
}

/* Says what a user should know of a command that has succeeded. */
void err_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_print("Warning", fmt, ap);
	va_end(ap);
}

/**
 * xrealloc() - resize an array or die
 * @p: the array, NULL for a new one
 * @n: number of elements
 * @size: of one element
 *
 * Return: the array
 */
void *xrealloc(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n ? n : 1, size);
	if (!p) {
		fprintf(stderr, "Error: out of memory.\n");
		exit(EX_FAIL);
	}
	return p;
}

char *xstrdup(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(xrealloc(NULL, len, 1), s, len);
}
