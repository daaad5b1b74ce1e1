// SPDX-License-Identifier: GPL-2.0
/*
 * MRC_ACCEPT_TCP: a listener whose accept(2) also returns the connections of
 * a listening TCP socket. A program has one descriptor for both, which it can
 * poll, pass on, inherit and close like any other; what it accepts is a plain
 * TCP socket or one of AF_MRC. mrcrun(1) makes listeners of this kind.
 *
 * The TCP socket belongs to the listener from then on, until both are closed
 * together. So nobody who holds the listener needs to count references.
 */
#include <linux/file.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "sock.h"

/**
 * struct mrc_tcp - the TCP half of a listener
 * @file: the TCP socket, with a reference
 * @wait: in @from, wakes @to
 * @from: queue of the TCP socket
 * @to: queue of the listener
 * @sk: the listener
 *
 * Whoever sleeps on the listener, or has it in an epoll set, sleeps on its own
 * queue only, and may have done so before there was a TCP half.
 */
struct mrc_tcp {
	struct file		*file;
	wait_queue_entry_t	wait;
	wait_queue_head_t	*from;
	wait_queue_head_t	*to;
	struct sock		*sk;
};

/* The TCP listener, or NULL. Never changes again once it is set. */
static struct socket *mrc_tcp_of(const struct mrc_sock *msk)
{
	/* Pairs with mrc_accept_tcp_set(). */
	struct mrc_tcp *tcp = smp_load_acquire(&msk->tcp);

	return tcp ? sock_from_file(tcp->file) : NULL;
}

/* News of the TCP socket are news of the listener. Both queues have locks of
 * one class, and nobody takes them the other way round.
 */
static int mrc_tcp_wake(wait_queue_entry_t *wait, unsigned int mode, int sync,
			void *key)
{
	struct mrc_tcp *tcp = container_of(wait, struct mrc_tcp, wait);
	unsigned long flags;

	spin_lock_irqsave_nested(&tcp->to->lock, flags, SINGLE_DEPTH_NESTING);
	__wake_up_locked_key(tcp->to, TASK_INTERRUPTIBLE, key);
	spin_unlock_irqrestore(&tcp->to->lock, flags);
	sk_wake_async(tcp->sk, SOCK_WAKE_WAITD, POLL_IN);
	return 0;
}

static struct mrc_tcp *mrc_tcp_new(struct sock *sk, struct file *file)
{
	struct mrc_tcp *tcp = kzalloc(sizeof(*tcp), GFP_KERNEL_ACCOUNT);

	if (!tcp)
		return NULL;
	tcp->file = file;
	tcp->from = sk_sleep(sock_from_file(file)->sk);
	tcp->to = sk_sleep(sk);
	tcp->sk = sk;
	init_waitqueue_func_entry(&tcp->wait, mrc_tcp_wake);
	return tcp;
}

static bool mrc_tcp_listens(const struct sock *sk)
{
	return READ_ONCE(sk->sk_state) == TCP_LISTEN;
}

static int mrc_tcp_check(const struct sock *sk, const struct socket *tcp)
{
	if (!tcp)
		return -ENOTSOCK;
	if (!sk_is_tcp(tcp->sk) || !net_eq(sock_net(tcp->sk), sock_net(sk)) ||
	    !mrc_tcp_listens(tcp->sk) || sk->sk_type != SOCK_STREAM)
		return -EINVAL;
	return 0;
}

/**
 * mrc_accept_tcp_set() - setsockopt(2) of MRC_ACCEPT_TCP
 * @sk: a listener, stream
 * @fd: a listening TCP socket of the same network namespace
 *
 * Context: process, takes the socket lock.
 * Return: 0; -EBADF, -ENOTSOCK, -ENOMEM; -EINVAL if one of them does not listen
 *	or is of the wrong kind; -EBUSY if @sk has one already.
 */
int mrc_accept_tcp_set(struct sock *sk, int fd)
{
	struct mrc_sock *msk = mrc_sk(sk);
	struct file *file = fget(fd);
	struct mrc_tcp *tcp = NULL;
	int err;

	if (!file)
		return -EBADF;
	err = mrc_tcp_check(sk, sock_from_file(file));
	if (err)
		goto out;
	err = -ENOMEM;
	tcp = mrc_tcp_new(sk, file);
	if (!tcp)
		goto out;
	err = -EINVAL;
	lock_sock(sk);
	if (msk->tcp) {
		err = -EBUSY;
	} else if (sk->sk_state == TCP_LISTEN) {
		/* Pairs with mrc_tcp_of(). */
		smp_store_release(&msk->tcp, tcp);
		err = 0;
	}
	release_sock(sk);
	if (!err) {
		/* There may be connections already. */
		add_wait_queue(tcp->from, &tcp->wait);
		sk->sk_state_change(sk);
		return 0;
	}
out:
	kfree(tcp);
	fput(file);
	return err;
}

/* getsockopt(2) of it: the family of the TCP listener, 0 if there is none. */
int mrc_accept_tcp_get(const struct sock *sk)
{
	struct socket *tcp = mrc_tcp_of(mrc_sk(sk));

	return tcp ? tcp->sk->sk_family : 0;
}

/**
 * mrc_accept_tcp_poll() - is there a TCP connection to accept?
 * @sk: the listener
 *
 * Context: any that may sleep; takes no lock.
 * Return: EPOLLIN | EPOLLRDNORM or 0.
 */
__poll_t mrc_accept_tcp_poll(const struct sock *sk)
{
	struct socket *tcp = mrc_tcp_of(mrc_sk(sk));
	__poll_t mask;

	if (!tcp)
		return 0;
	mask = tcp->ops->poll(tcp->file, tcp, NULL);
	/* Somebody else may have ended it (ss -K): that is no connection. */
	return mrc_tcp_listens(tcp->sk) ? mask & (EPOLLIN | EPOLLRDNORM) : 0;
}

/**
 * mrc_accept_tcp() - accept a TCP connection, if there is one
 * @sk: the listener
 * @newsock: becomes a socket of TCP
 * @arg: as for accept; never waits
 *
 * Context: process, no lock of @sk.
 * Return: 0, -EAGAIN, or what TCP says.
 */
int mrc_accept_tcp(const struct sock *sk, struct socket *newsock,
		   const struct proto_accept_arg *arg)
{
	struct proto_accept_arg tcp_arg = {
		.flags	= arg->flags | O_NONBLOCK,
		.kern	= arg->kern,
	};
	struct socket *tcp = mrc_tcp_of(mrc_sk(sk));
	const struct proto_ops *ops;
	int err;

	if (!tcp || !mrc_tcp_listens(tcp->sk))
		return -EAGAIN;
	ops = tcp->ops;
	err = ops->accept(tcp, newsock, &tcp_arg);
	if (err)
		return err;
	/* The caller took a reference on our module for the new socket. The
	 * listener it works on has another.
	 */
	__module_get(ops->owner);
	module_put(newsock->ops->owner);
	WRITE_ONCE(newsock->ops, ops);
	return 0;
}

/* listen(2) once more: with another backlog, or after shutdown(2). */
int mrc_accept_tcp_listen(const struct sock *sk, int backlog)
{
	struct socket *tcp = mrc_tcp_of(mrc_sk(sk));

	return tcp ? tcp->ops->listen(tcp, backlog) : 0;
}

void mrc_accept_tcp_shutdown(const struct sock *sk, int how)
{
	struct socket *tcp = mrc_tcp_of(mrc_sk(sk));

	if (tcp)
		tcp->ops->shutdown(tcp, how);
}

/**
 * mrc_accept_tcp_setsockopt() - options that accepted TCP sockets inherit
 * @sk: the listener
 * @level: any but SOL_MRC
 * @optname: see setsockopt(2)
 * @optval: see setsockopt(2)
 * @optlen: see setsockopt(2)
 *
 * Return: 0, what TCP says, or -ENOPROTOOPT if there is no TCP listener.
 */
int mrc_accept_tcp_setsockopt(const struct sock *sk, int level, int optname,
			      sockptr_t optval, unsigned int optlen)
{
	struct socket *tcp = mrc_tcp_of(mrc_sk(sk));

	if (!tcp)
		return -ENOPROTOOPT;
	if (level == SOL_SOCKET)
		return sock_setsockopt(tcp, level, optname, optval, optlen);
	return tcp->ops->setsockopt(tcp, level, optname, optval, optlen);
}

/* The listener is closed, and nobody else knows it any more; its queue is still
 * there.
 */
void mrc_accept_tcp_release(struct mrc_sock *msk)
{
	struct mrc_tcp *tcp = msk->tcp;

	if (!tcp)
		return;
	msk->tcp = NULL;
	remove_wait_queue(tcp->from, &tcp->wait);
	fput(tcp->file);
	kfree(tcp);
}
