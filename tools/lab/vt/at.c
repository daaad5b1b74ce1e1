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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "now")) {
		printf("%lld\n", now());
		return 0;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: at now | at NS COMMAND...\n");
		return 2;
	}
	prctl(PR_SET_TIMERSLACK, 1);
	sleep_until(atoll(argv[1]));
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
