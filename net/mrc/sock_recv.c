// SPDX-License-Identifier: GPL-2.0
/*
 * recvmsg(2). The transport's reader copies; here are flags, waiting, and
 * what a reader is told when there is nothing to read.
 */
#include "sock.h"

#define MRC_RECV_FLAGS	(MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC | MSG_WAITALL | \
			 MSG_NOSIGNAL | MSG_ERRQUEUE | MSG_CMSG_CLOEXEC | \
			 MSG_CMSG_COMPAT)

/* More to read than @seen? Lockless where the reader's lock is not held. */
static bool mrc_recv_has_more(const struct sock *sk, u64 seen)
{
	return mrc_reader_ready(&mrc_sk(sk)->qp) > seen;
}

/* Is there more, or an end of it? */
static bool mrc_recv_wakes(const struct sock *sk, u64 seen)
{
	return mrc_recv_has_more(sk, seen) || READ_ONCE(sk->sk_err) ||
	       READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN ||
	       READ_ONCE(sk->sk_state) == TCP_CLOSE;
}

/* Sleeps until then. */
static void mrc_recv_sleep(struct sock *sk, long *timeo, u64 seen)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(sk_sleep(sk), &wait);
	sk_set_bit(SOCKWQ_ASYNC_WAITDATA, sk);
	sk_wait_event(sk, timeo, mrc_recv_wakes(sk, seen), &wait);
	sk_clear_bit(SOCKWQ_ASYNC_WAITDATA, sk);
	remove_wait_queue(sk_sleep(sk), &wait);
}

/*
 * Nothing (more) can be read now. Return: 1 look again; 0 the end of the
 * stream; or a negative errno.
 */
static int mrc_recv_wait(struct sock *sk, long *timeo, u64 seen)
{
	if (mrc_recv_has_more(sk, seen))
		return 1;
	if (sock_flag(sk, SOCK_DONE))
		return 0;
	if (sk->sk_err)
		return sock_error(sk);
	if (sk->sk_shutdown & RCV_SHUTDOWN)
		return 0;
	if (sk->sk_state == TCP_CLOSE)
		return -ENOTCONN;
	if (!*timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	mrc_recv_sleep(sk, timeo, seen);
	return 1;
}

/* May a read that has something already wait for more? */
static bool mrc_recv_may_wait(const struct sock *sk, long timeo)
{
	return !sk->sk_err && sk->sk_state != TCP_CLOSE &&
	       !(sk->sk_shutdown & RCV_SHUTDOWN) && timeo &&
	       !signal_pending(current);
}

static ssize_t mrc_recv_stream(struct sock *sk, struct msghdr *msg, size_t len,
			       int flags, long timeo, struct sk_buff **last)
{
	size_t target = sock_rcvlowat(sk, flags & MSG_WAITALL, len);
	struct mrc_qp *qp = &mrc_sk(sk)->qp;
	/* -1 if there is no SO_PEEK_OFF */
	int skip = max(sk_peek_offset(sk, flags), 0), n, err;
	bool peek = flags & MSG_PEEK;
	ssize_t done = 0;

	/* Of nothing, as TCP: as soon as there is something, or an error. */
	while (!len && !mrc_recv_has_more(sk, 0)) {
		err = mrc_recv_wait(sk, &timeo, 0);
		if (err <= 0)
			return err;
	}
	while (done < len) {
		n = mrc_reader_stream(qp, msg, len - done, flags,
				      peek ? skip + done : 0, last);
		if (n < 0)
			return done ?: n;
		done += n;
		if (!peek && n) {
			sk_peek_offset_bwd(sk, n);
			mrc_rsp_window(qp);
		}
		if (done >= target ||
		    (done && !mrc_recv_may_wait(sk, timeo)))
			break;
		err = mrc_recv_wait(sk, &timeo, peek ? skip + done : 0);
		if (err <= 0)
			return done ?: err;
	}
	if (peek)
		sk_peek_offset_fwd(sk, done);
	return done;
}

static ssize_t mrc_recv_message(struct sock *sk, struct msghdr *msg,
				size_t len, int flags, long timeo,
				struct sk_buff **last)
{
	struct mrc_qp *qp = &mrc_sk(sk)->qp;
	size_t copied = 0;
	int n, err;

	for (;;) {
		n = mrc_reader_message(qp, msg, len, flags, &copied, last);
		if (n != -EAGAIN)
			break;
		err = mrc_recv_wait(sk, &timeo, 0);
		if (err <= 0)
			return err;
	}
	if (n < 0)
		return n;
	if (!(flags & MSG_PEEK))
		mrc_rsp_window(qp);
	return flags & MSG_TRUNC ? n : copied;
}

/* When did what was read arrive? */
static bool mrc_recv_times(const struct sock *sk)
{
	return sock_flag(sk, SOCK_RCVTSTAMP) ||
	       sock_flag(sk, SOCK_TIMESTAMPING_RX_SOFTWARE);
}

int mrc_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
		int flags)
{
	struct sock *sk = sock->sk;
	struct sk_buff *skb = NULL, **last;
	ssize_t n = -ENOTCONN;
	long timeo;

	if (flags & ~MRC_RECV_FLAGS)
		return -EOPNOTSUPP;
	if (flags & MSG_ERRQUEUE)
		return sock_recv_errqueue(sk, msg, len, SOL_MRC, MRC_RECVERR);
	timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	last = mrc_recv_times(sk) ? &skb : NULL;
	lock_sock(sk);
	if (sk->sk_state == TCP_LISTEN)
		goto out;
	if (sk->sk_type == SOCK_SEQPACKET)
		n = mrc_recv_message(sk, msg, len, flags, timeo, last);
	else
		n = mrc_recv_stream(sk, msg, len, flags, timeo, last);
	if (skb && n >= 0)
		sock_recv_timestamp(msg, sk, skb);
	consume_skb(skb);
out:
	release_sock(sk);
	return n;
}

/* A mark that the window cannot reach would never be reached. */
int mrc_set_rcvlowat(struct sock *sk, int val)
{
	u64 most = mrc_rsp_window_of(READ_ONCE(sk->sk_rcvbuf)) / 2;

	WRITE_ONCE(sk->sk_rcvlowat, (int)min_t(u64, val, most) ?: 1);
	return 0;
}

/* Lockless, for poll. Data that fills the buffer is enough, whatever
 * SO_RCVLOWAT says: no more can come.
 */
bool mrc_readable(const struct sock *sk)
{
	u64 ready = mrc_reader_ready(&mrc_sk(sk)->qp);

	if (!ready || sk->sk_type == SOCK_SEQPACKET)
		return ready;
	return ready >= READ_ONCE(sk->sk_rcvlowat) ||
	       atomic_read(&sk->sk_rmem_alloc) > READ_ONCE(sk->sk_rcvbuf);
}
