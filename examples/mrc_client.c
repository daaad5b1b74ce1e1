// SPDX-License-Identifier: GPL-2.0
/*
 * Sends a line to an echo server over MRC and prints what comes back, and how
 * it went.
 *
 *   mrc_client ADDRESS PORT TEXT
 *
 * cc -o mrc_client mrc_client.c
 */
#include <arpa/inet.h>
#include <err.h>
#include <linux/mrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_mrc a = { .smrc_family = AF_MRC };
	struct mrc_info info = {};
	socklen_t len = sizeof(info);
	char buf[4096];
	ssize_t n;
	int fd;

	if (argc != 4 || inet_pton(AF_INET6, argv[1], &a.smrc_addr) != 1)
		errx(2, "usage: mrc_client ADDRESS PORT TEXT");
	a.smrc_port = htons(atoi(argv[2]));
	fd = socket(AF_MRC, SOCK_STREAM, 0);
	if (fd < 0)
		err(1, "socket (is mrc.ko loaded?)");
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
		err(1, "%s port %s", argv[1], argv[2]);
	if (send(fd, argv[3], strlen(argv[3]), MSG_NOSIGNAL) < 0)
		err(1, "send");
	if (getsockopt(fd, SOL_MRC, MRC_INFO, &info, &len))
		err(1, "MRC_INFO");
	shutdown(fd, SHUT_WR);		/* the server sees the end of it */
	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		fwrite(buf, 1, n, stdout);
	if (n < 0)
		err(1, "recv");
	printf("\n%d of %d planes are good\n",
	       __builtin_popcount(info.mrc_info_planes_good),
	       __builtin_popcount(info.mrc_info_planes));
	close(fd);
	return 0;
}
