// SPDX-License-Identifier: GPL-2.0
/*
 * -N NETNS: run in another network namespace.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mrcctl.h"

#define NETNS_DIR	"/var/run/netns"

/**
 * netns_enter() - move the process into a network namespace
 * @name: as ip-netns(8) knows it, or a path such as /proc/PID/ns/net
 *
 * Return: an exit code
 */
int netns_enter(const char *name)
{
	char path[PATH_MAX];
	int fd, ret;

	if (strchr(name, '/'))
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", NETNS_DIR, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_fail("network namespace \"%s\": %s", name,
				strerror(errno));
	ret = setns(fd, CLONE_NEWNET);
	if (ret)
		ret = err_fail("network namespace \"%s\": %s", name,
			       strerror(errno));
	close(fd);
	return ret;
}
