// SPDX-License-Identifier: GPL-2.0
/*
 * An echo server over MRC: whatever a client sends goes back to it.
 *
 *   mrc_server PORT
 *
 * cc -o mrc_server mrc_server.c
 */
#include <arpa/inet.h>
#include <err.h>
#include <linux/mrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void echo(int fd)
{
	char buf[65536];
	ssize_t n, done, m;

	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0) {
		for (done = 0; done < n; done += m) {
			m = send(fd, buf + done, n - done, MSG_NOSIGNAL);
			if (m < 0)
				err(1, "send");
		}
	}
	if (n < 0)
		warn("recv");
	close(fd);		/* its end of stream, after all that was sent */
}

int main(int argc, char **argv)
{
	struct sockaddr_mrc a = { .smrc_family = AF_MRC }, peer;
	socklen_t len = sizeof(peer);
	char name[INET6_ADDRSTRLEN];
	int lfd, fd;

	if (argc != 2)
		errx(2, "usage: mrc_server PORT");
	a.smrc_port = htons(atoi(argv[1]));	/* all node addresses */
	lfd = socket(AF_MRC, SOCK_STREAM, 0);
	if (lfd < 0)
		err(1, "socket (is mrc.ko loaded?)");
	setsockopt(lfd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (bind(lfd, (struct sockaddr *)&a, sizeof(a)) || listen(lfd, 16))
		err(1, "port %s", argv[1]);
	while ((fd = accept(lfd, (struct sockaddr *)&peer, &len)) >= 0) {
		inet_ntop(AF_INET6, &peer.smrc_addr, name, sizeof(name));
		printf("%s port %u\n", name, ntohs(peer.smrc_port));
		fflush(stdout);
		echo(fd);
	}
	err(1, "accept");
}
