/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for test programs in C.
 *
 * A test is a function of checks; it fails with its first bad check, whose
 * line and values are printed. Nothing is counted that did not run.
 */
#ifndef _MRC_KTAP_H
#define _MRC_KTAP_H

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/**
 * struct ktap - a test
 * @name: what it shows
 * @fn: checks
 */
struct ktap {
	const char *name;
	void (*fn)(void);
};

static jmp_buf ktap_out;

#define KTAP_FAIL(...) do {						\
	printf("# line %d: ", __LINE__);				\
	printf(__VA_ARGS__);						\
	printf("\n");							\
	longjmp(ktap_out, 1);						\
} while (0)

/* @expr is true. */
#define CHECK(expr) do {						\
	if (!(expr))							\
		KTAP_FAIL("not so: %s (errno %s)", #expr,		\
			  strerrorname_np(errno));			\
} while (0)

/* Two numbers are equal. */
#define CHECK_EQ(expr, want) do {					\
	long long _got = (expr), _want = (want);			\
									\
	if (_got != _want)						\
		KTAP_FAIL("%s is %lld, not %lld (errno %s)", #expr,	\
			  _got, _want, strerrorname_np(errno));		\
} while (0)

/* A call fails with this errno. */
#define CHECK_ERR(expr, want) do {					\
	long long _got = (expr);					\
	int _errno = errno, _want = (want);				\
									\
	if (_got != -1)							\
		KTAP_FAIL("%s returns %lld, not %s", #expr, _got,	\
			  strerrorname_np(_want));			\
	if (_errno != _want)						\
		KTAP_FAIL("%s fails with %s, not %s", #expr,		\
			  strerrorname_np(_errno), strerrorname_np(_want)); \
} while (0)

/* Runs them all. Return: exit status. */
static inline int ktap_run(const struct ktap *tests, unsigned int n,
			   void (*clean)(void))
{
	/* static: longjmp() may take back what is in a register */
	static unsigned int failed, i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	for (i = 0; i < n; i++) {
		if (!setjmp(ktap_out)) {
			tests[i].fn();
			printf("ok %u - %s\n", i + 1, tests[i].name);
		} else {
			failed++;
			printf("not ok %u - %s\n", i + 1, tests[i].name);
		}
		clean();
	}
	printf("1..%u\n", n);
	return failed != 0;
}

#endif
