// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of a virtual-time run: everything in a scenario happens at an
 * absolute time, so that a process which starts late shifts nothing.
 *
 *   at now            print CLOCK_MONOTONIC in ns
 *   at NS COMMAND...  wait until then, become COMMAND
 *
 * It sleeps once and to the nanosecond (the default timer slack of 50 us is
 * ten times a link's delay); it never polls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL

int main(int argc, char **argv)
{
	struct timespec t;
	long long ns;

	if (argc == 2 && !strcmp(argv[1], "now")) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		printf("%lld\n", t.tv_sec * NS_PER_S + t.tv_nsec);
		return 0;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: at now | at NS COMMAND...\n");
		return 2;
	}
	ns = atoll(argv[1]);
	t.tv_sec = ns / NS_PER_S;
	t.tv_nsec = ns % NS_PER_S;
	prctl(PR_SET_TIMERSLACK, 1);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
	       EINTR)
		;
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
