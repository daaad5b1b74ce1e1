/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for test programs in C.
 *
 * A test is a function of checks; it fails with its first bad check, whose
 * line and values are printed. Nothing is counted that did not run. KTAP_PREFIX
 * goes in front of each name; with TEST_ONLY=PATTERN only those tests run whose
 * name, with the prefix, matches.
 */
#ifndef _MRC_KTAP_H
#define _MRC_KTAP_H

#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
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

/* One test. Return: whether it passed. */
static inline int ktap_one(void (*fn)(void))
{
	if (setjmp(ktap_out))
		return 0;
	fn();
	return 1;
}

/* Runs them. Return: exit status. */
static inline int ktap_run(const struct ktap *tests, unsigned int n,
			   void (*clean)(void))
{
	const char *prefix = getenv("KTAP_PREFIX") ?: "";
	const char *only = getenv("TEST_ONLY") ?: "*";
	unsigned int failed = 0, ran = 0, i;
	char name[256];

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	for (i = 0; i < n; i++) {
		int good;

		snprintf(name, sizeof(name), "%s%s", prefix, tests[i].name);
		if (fnmatch(only, name, 0))
			continue;
		good = ktap_one(tests[i].fn);
		failed += !good;
		printf("%s %u - %s\n", good ? "ok" : "not ok", ++ran, name);
		clean();
	}
	printf("1..%u\n", ran);
	return failed != 0;
}

#endif
