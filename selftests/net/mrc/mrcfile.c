// SPDX-License-Identifier: GPL-2.0
/*
 * Send a file over one MRC connection.
 *
 *   mrcfile recv ADDR PORT FILE [BYTES:COMMAND]...
 *   mrcfile send ADDR PORT FILE
 *
 * recv takes one connection and writes what comes to FILE. Once BYTES have
 * arrived it runs COMMAND with a shell, and while that runs it reads slowly,
 * so that the transfer is still going on when COMMAND has done its work; that
 * it was is part of the verdict. It says "listening" when it does.
 *
 * "make demo" breaks things this way, at a number of bytes and not at a time.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <linux/mrc.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNK		(64 * 1024)
#define SLOW_CHUNK	(8 * 1024)	/* while a command runs, */
#define SLOW_MS		5		/* each so many ms */

/* A command to be run at a number of bytes. */
struct hook {
	unsigned long long at;
	const char *command;
};

static char buf[CHUNK];

static struct sockaddr_mrc to_sockaddr(const char *addr, const char *port)
{
	struct sockaddr_mrc sa = {
		.smrc_family	= AF_MRC,
		.smrc_port	= htons(atoi(port)),
	};

	if (inet_pton(AF_INET6, addr, &sa.smrc_addr) != 1)
		errx(2, "%s is no IPv6 address", addr);
	return sa;
}

static int open_socket(void)
{
	int fd = socket(AF_MRC, SOCK_STREAM, 0);

	if (fd < 0)
		err(1, "socket");
	return fd;
}

static void write_all(int fd, const char *p, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0)
			err(1, "write");
		p += n;
		len -= n;
	}
}

static int do_send(const char *addr, const char *port, const char *file)
{
	struct sockaddr_mrc sa = to_sockaddr(addr, port);
	int in, fd = open_socket();
	ssize_t n;
	char c;

	in = open(file, O_RDONLY);
	if (in < 0)
		err(1, "%s", file);
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		err(1, "connect to %s", addr);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		write_all(fd, buf, n);
	if (n < 0)
		err(1, "%s", file);
	/* The end of the stream, and the receiver's: it has everything. */
	if (shutdown(fd, SHUT_WR))
		err(1, "shutdown");
	n = read(fd, &c, 1);
	if (n < 0)
		err(1, "waiting for the end");
	if (n)
		errx(1, "the receiver talks back");
	return 0;
}

static pid_t start(const char *command, int *pidfd)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	*pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (*pidfd < 0)
		err(1, "pidfd_open");
	return pid;
}

/* Has the command ended? Waits for that, but not for long. */
static bool ended(pid_t pid, int pidfd, const char *command)
{
	struct pollfd pfd = { .fd = pidfd, .events = POLLIN };
	int status;

	if (!poll(&pfd, 1, SLOW_MS))
		return false;
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	close(pidfd);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		errx(1, "failed: %s", command);
	return true;
}

static unsigned long long take(int fd, int out, const struct hook *hook,
			       int n_hooks)
{
	unsigned long long total = 0;
	int i = 0, pidfd = -1;
	pid_t pid = 0;
	ssize_t n;

	while ((n = read(fd, buf, pid ? SLOW_CHUNK : CHUNK)) > 0) {
		write_all(out, buf, n);
		total += n;
		if (pid && ended(pid, pidfd, hook[i].command)) {
			pid = 0;
			i++;
		}
		if (!pid && i < n_hooks && total >= hook[i].at)
			pid = start(hook[i].command, &pidfd);
	}
	if (n < 0)
		err(1, "read after %llu bytes", total);
	if (i < n_hooks)
		errx(1, "the transfer was over before this was done: %s",
		     hook[i].command);
	return total;
}

static int do_recv(const char *addr, const char *port, const char *file,
		   const struct hook *hook, int n_hooks)
{
	struct sockaddr_mrc sa = to_sockaddr(addr, port);
	int fd, out, lfd = open_socket();
	unsigned long long total;

	out = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (out < 0)
		err(1, "%s", file);
	if (bind(lfd, (struct sockaddr *)&sa, sizeof(sa)))
		err(1, "bind to %s", addr);
	if (listen(lfd, 1))
		err(1, "listen");
	puts("listening");
	fflush(stdout);
	fd = accept(lfd, NULL, NULL);
	if (fd < 0)
		err(1, "accept");
	total = take(fd, out, hook, n_hooks);
	printf("%llu bytes have arrived\n", total);
	return close(out) || close(fd) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct hook hook[8];
	int i, n = argc - 5;
	char *end;

	if (argc == 5 && !strcmp(argv[1], "send"))
		return do_send(argv[2], argv[3], argv[4]);
	if (argc < 5 || n > 8 || strcmp(argv[1], "recv")) {
		fprintf(stderr,
			"usage: mrcfile recv ADDR PORT FILE [BYTES:COMMAND]...\n"
			"       mrcfile send ADDR PORT FILE\n");
		return 2;
	}
	for (i = 0; i < n; i++) {
		hook[i].at = strtoull(argv[5 + i], &end, 10);
		if (*end != ':')
			errx(2, "%s is not BYTES:COMMAND", argv[5 + i]);
		hook[i].command = end + 1;
	}
	return do_recv(argv[2], argv[3], argv[4], hook, n);
}
