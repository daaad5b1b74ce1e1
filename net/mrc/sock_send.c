// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg(2). The transport copies the bytes and sends them; here is what a
 * socket must do besides: flags, blocking, room, SIGPIPE.
 */
#include <linux/uio.h>

#include "sock.h"

/* More will follow at once: the last packet can wait for it. */
#define MRC_SEND_MORE	(MSG_MORE | MSG_BATCH)

#define MRC_SEND_FLAGS	(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_EOR | MSG_MORE | \
			 MSG_BATCH | MSG_WAITALL | MSG_SPLICE_PAGES | \
			 MSG_ZEROCOPY | MSG_CMSG_COMPAT)

/**
 * struct mrc_send - one call
 * @cookie: whose times are wanted
 * @timeo: how long it may yet wait, jiffies
 * @uarg: whom to tell when the user's pages are his own again (MSG_ZEROCOPY)
 * @zc: pages are sent as they are
 * @copied: some were not
 */
struct mrc_send {
	struct sockcm_cookie	cookie;
	long			timeo;
	struct ubuf_info	*uarg;
	bool			zc;
	bool			copied;
};

/* Control messages: only which times are wanted of this call. */
static int mrc_send_cmsg(struct sock *sk, struct msghdr *msg,
			 struct sockcm_cookie *cookie)
{
	struct cmsghdr *cmsg;
	int err;

	sockcm_init(cookie, sk);
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg) || cmsg->cmsg_level != SOL_SOCKET ||
		    (cmsg->cmsg_type != SO_TIMESTAMPING_OLD &&
		     cmsg->cmsg_type != SO_TIMESTAMPING_NEW))
			return -EINVAL;
		err = __sock_cmsg_send(sk, cmsg, cookie);
		if (err)
			return err;
	}
	return 0;
}

static int mrc_send_check(struct sock *sk, struct msghdr *msg,
			  struct sockcm_cookie *cookie)
{
	if (msg->msg_flags & ~MRC_SEND_FLAGS)
		return -EOPNOTSUPP;
	/* A message ends with its sendmsg(): nothing can be added. */
	if (sk->sk_type == SOCK_SEQPACKET && msg->msg_flags & MSG_MORE)
		return -EOPNOTSUPP;
	return mrc_send_cmsg(sk, msg, cookie);
}

static bool mrc_send_connected(const struct sock *sk)
{
	return (1 << sk->sk_state) & (TCPF_ESTABLISHED | TCPF_CLOSE_WAIT);
}

static int mrc_send_allowed(const struct sock *sk)
{
	return sk->sk_err || sk->sk_shutdown & SEND_SHUTDOWN ||
	       !mrc_send_connected(sk) ? -EPIPE : 0;
}

/* Packets that came while we copied: acknowledgments open the window. */
static void mrc_send_flush(struct sock *sk)
{
	if (!READ_ONCE(mrc_sk(sk)->qp.deferred))
		return;
	release_sock(sk);
	cond_resched();
	lock_sock(sk);
}

/* Nothing follows, whatever was said: the last packet need not wait. */
static void mrc_send_rest(struct sock *sk)
{
	struct mrc_qp *qp = &mrc_sk(sk)->qp;

	mrc_req_more(qp, false);
	mrc_req_push(qp);
}

/* The last packet is the one whose times @cookie may ask for. As for TCP, a
 * stream's key is the number of its last byte, of those since the option was
 * set; a message's is its own number.
 */
static void mrc_send_stamp(struct sock *sk, const struct sockcm_cookie *cookie)
{
	struct mrc_qp *qp = &mrc_sk(sk)->qp;
	u32 key;

	if (likely(!(cookie->tsflags & SOF_TIMESTAMPING_TX_RECORD_MASK)))
		return;
	if (sk->sk_type == SOCK_SEQPACKET)
		key = atomic_inc_return(&sk->sk_tskey) - 1;
	else
		key = (u32)qp->req.va_end - 1 - atomic_read(&sk->sk_tskey);
	mrc_req_stamp(qp, key, cookie->tsflags);
}

static int mrc_send_wait(struct sock *sk, long *timeo)
{
	set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	/* What waits for more takes the room that this waits for. */
	mrc_send_rest(sk);
	return sk_stream_wait_memory(sk, timeo);
}

/* Return as mrc_req_fill(). */
static int mrc_send_fill(struct sock *sk, struct msghdr *msg, size_t len,
			 struct mrc_send *how)
{
	struct mrc_qp *qp = &mrc_sk(sk)->qp;
	int n;

	if (how->zc) {
		n = mrc_req_fill_zc(qp, &msg->msg_iter, len, how->uarg);
		if (n != -EOPNOTSUPP)
			return n;
		how->copied = true;
	}
	return mrc_req_fill(qp, &msg->msg_iter, len);
}

static ssize_t mrc_send_stream(struct sock *sk, struct msghdr *msg,
			       struct mrc_send *how)
{
	struct mrc_qp *qp = &mrc_sk(sk)->qp;
	size_t chunk = mrc_req_chunk(qp);
	bool more = msg->msg_flags & MRC_SEND_MORE;
	ssize_t done = 0;
	int err = 0, n;

	while (msg_data_left(msg)) {
		err = mrc_send_allowed(sk);
		if (err)
			break;
		n = mrc_send_fill(sk, msg, min_t(size_t, msg_data_left(msg),
						 chunk), how);
		if (n > 0) {
			done += n;
			if (!msg_data_left(msg))
				mrc_send_stamp(sk, &how->cookie);
			qp->req.coming = min(msg_data_left(msg), U32_MAX);
			mrc_req_more(qp, more || msg_data_left(msg));
			mrc_req_push(qp);
			mrc_send_flush(sk);
			continue;
		}
		err = n;
		if (err != -EAGAIN && err != -ENOMEM)
			break;
		err = mrc_send_wait(sk, &how->timeo);
		if (err)
			break;
	}
	qp->req.coming = 0;
	if (err && done)
		mrc_send_stamp(sk, &how->cookie);
	if (err)
		mrc_send_rest(sk);
	return done ?: err;
}

/* A message goes as a whole or not at all. It may exceed what is left of the
 * send buffer, or else small buffers could never send large messages; it
 * waits only until the buffer is not full.
 */
static ssize_t mrc_send_message(struct sock *sk, struct msghdr *msg,
				size_t len, struct mrc_send *how)
{
	struct mrc_qp *qp = &mrc_sk(sk)->qp;
	struct iov_iter start = msg->msg_iter;
	int err;

	for (;;) {
		err = mrc_send_allowed(sk);
		if (err)
			return err;
		if (len > qp->p.tx_max_msg)
			return -EMSGSIZE;
		err = -ENOMEM;
		if (sk_stream_memory_free(sk)) {
			msg->msg_iter = start;
			err = mrc_req_message(qp, &msg->msg_iter, len,
					      msg->msg_flags & MSG_EOR);
		}
		if (err != -ENOMEM)
			break;
		err = mrc_send_wait(sk, &how->timeo);
		if (err)
			return err;
	}
	if (err)
		return err;
	mrc_send_stamp(sk, &how->cookie);
	mrc_req_push(qp);
	return len;
}

/* splice(2), sendfile(2): nothing follows what went with MSG_MORE. */
void mrc_splice_eof(struct socket *sock)
{
	struct sock *sk = sock->sk;

	lock_sock(sk);
	mrc_send_rest(sk);
	release_sock(sk);
}

/* Which pages go as they are: the user's if he said so and the socket may, or
 * those of a file or a pipe, unless there are so few bytes that they are better
 * added to a packet. Messages are copied.
 */
static int mrc_send_pages(struct sock *sk, const struct msghdr *msg, size_t len,
			  struct mrc_send *how)
{
	how->zc = sk->sk_type == SOCK_STREAM &&
		  msg->msg_flags & MSG_SPLICE_PAGES &&
		  len >= mrc_sk(sk)->qp.p.payload;
	if (!(msg->msg_flags & MSG_ZEROCOPY) || !len)
		return 0;
	if (msg->msg_ubuf) {
		how->uarg = msg->msg_ubuf;
	} else if (sock_flag(sk, SOCK_ZEROCOPY)) {
		how->uarg = mrc_zc_begin(sk, len);
		if (!how->uarg)
			return -ENOBUFS;
	}
	how->copied = sk->sk_type == SOCK_SEQPACKET;
	how->zc = how->uarg && !how->copied;
	return 0;
}

/* The call is over; packets have references of their own to whom to tell. A
 * caller that brought him holds one himself.
 */
static void mrc_send_pages_end(const struct msghdr *msg, struct mrc_send *how,
			       ssize_t n)
{
	if (!how->uarg || msg->msg_ubuf)
		return;
	if (n <= 0)
		net_zcopy_put_abort(how->uarg, true);
	else
		how->uarg->ops->complete(NULL, how->uarg, !how->copied);
}

static ssize_t mrc_send_locked(struct sock *sk, struct msghdr *msg, size_t len,
			       struct mrc_send *how)
{
	ssize_t n;

	if (!mrc_send_connected(sk)) {
		n = sk_stream_wait_connect(sk, &how->timeo);
		if (n)
			return n;
	}
	sk_clear_bit(SOCKWQ_ASYNC_NOSPACE, sk);
	n = mrc_send_pages(sk, msg, len, how);
	if (n)
		return n;
	if (sk->sk_type == SOCK_SEQPACKET)
		n = mrc_send_message(sk, msg, len, how);
	else
		n = mrc_send_stream(sk, msg, how);
	mrc_send_pages_end(msg, how, n);
	return n;
}

int mrc_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	struct mrc_send how = {};
	ssize_t n;

	n = mrc_send_check(sk, msg, &how.cookie);
	if (n)
		return n;
	how.timeo = sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT);
	lock_sock(sk);
	n = mrc_send_locked(sk, msg, len, &how);
	if (n < 0) {
		/* Nothing is queued, so no acknowledgment will wake whoever
		 * now waits for an edge.
		 */
		if (n == -EAGAIN && mrc_req_drained(&mrc_sk(sk)->qp))
			sk->sk_write_space(sk);
		n = sk_stream_error(sk, msg->msg_flags, n);
	}
	release_sock(sk);
	return n;
}

/* Called after acknowledgments, often: only who asked for room is woken. */
void mrc_write_space(struct sock *sk)
{
	struct socket *sock = sk->sk_socket;
	struct socket_wq *wq;

	/* Pairs with mrc_poll_write(). */
	smp_mb();
	if (!sock || !test_bit(SOCK_NOSPACE, &sock->flags) ||
	    !sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sock->flags);
	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_poll(&wq->wait, EPOLLOUT | EPOLLWRNORM |
						      EPOLLWRBAND);
	if (wq && wq->fasync_list && !(sk->sk_shutdown & SEND_SHUTDOWN))
		sock_wake_async(wq, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}
