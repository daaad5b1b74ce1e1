// SPDX-License-Identifier: GPL-2.0
/*
 * Which processes have a socket: /proc/PID/fd names its inode. Of others'
 * processes only root sees it.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mrcctl.h"

static struct sock_user *users;
static size_t n_users, room;

/* What a process calls itself is its own word: no control characters. */
static void printable(char *s)
{
	for (; *s; s++)
		if (!isprint((unsigned char)*s))
			*s = '?';
}

static void read_name(const char *pid, char *name, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	file = fopen(path, "r");
	if (!file || !fgets(name, size, file))
		*name = 0;
	if (file)
		fclose(file);
	name[strcspn(name, "\n")] = 0;
	if (!*name)
		snprintf(name, size, "?");
	printable(name);
}

/* Without memory the list is shorter. */
static void add(const char *pid, const char *name, const char *fd,
		uint64_t inode)
{
	struct sock_user *u = users;

	if (n_users == room) {
		u = realloc(users, (2 * room + 256) * sizeof(*users));
		if (!u)
			return;
		users = u;
		room = 2 * room + 256;
	}
	u = &users[n_users++];
	u->inode = inode;
	u->pid = atoi(pid);
	u->fd = atoi(fd);
	snprintf(u->name, sizeof(u->name), "%s", name);
}

static void scan_process(const char *pid)
{
	unsigned long long inode;
	char path[64], link[64], name[USER_NAME_LEN] = "";
	struct dirent *entry;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		n = readlinkat(dirfd(dir), entry->d_name, link,
			       sizeof(link) - 1);
		if (n <= 0)
			continue;
		link[n] = 0;
		if (sscanf(link, "socket:[%llu]", &inode) != 1)
			continue;
		if (!*name)
			read_name(pid, name, sizeof(name));
		add(pid, name, entry->d_name, inode);
	}
	closedir(dir);
}

static int compare(const void *a, const void *b)
{
	const struct sock_user *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->fd < y->fd ? -1 : x->fd > y->fd;
}

/**
 * users_scan() - look at all processes anew
 */
void users_scan(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	n_users = 0;
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			scan_process(entry->d_name);
	closedir(dir);
	if (n_users)
		qsort(users, n_users, sizeof(*users), compare);
}

/**
 * users_of() - processes that have a socket open
 * @inode: of the socket, 0 = of none
 * @n: gets how many
 *
 * Return: the first of them, or NULL.
 */
const struct sock_user *users_of(uint64_t inode, size_t *n)
{
	size_t low = 0, high = n_users, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (users[mid].inode < inode)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; inode && low + *n < n_users; (*n)++)
		if (users[low + *n].inode != inode)
			break;
	return *n ? &users[low] : NULL;
}
