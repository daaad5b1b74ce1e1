// SPDX-License-Identifier: GPL-2.0
/*
 * AF_MRC: the family, its sockets' life, and the calls that are not about
 * data. SOCK_STREAM and SOCK_SEQPACKET, protocol 0. Semantics and errno
 * values are TCP's wherever the condition is the same.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sockios.h>
#include <linux/swap.h>
#include <net/ip.h>

#include <asm/ioctls.h>

#include <trace/events/mrc.h>

#include "cm.h"
#include "compat.h"
#include "netlink.h"
#include "profile.h"

/* ---- memory accounting --------------------------------------------------- */

static atomic_long_t mrc_memory_allocated;
static DEFINE_PER_CPU(int, mrc_memory_per_cpu_fw_alloc);
static struct percpu_counter mrc_sockets_allocated;
static unsigned long mrc_memory_pressure;
/* Pages for all sockets: low, pressure, limit. As TCP: 3/4, 1 and 3/2 of an
 * eighth of the memory.
 */
static long mrc_sysctl_mem[3];
/* What a socket gets even under pressure, its default, its most; bytes. */
static int mrc_sysctl_wmem[3] = { PAGE_SIZE, MRC_SNDBUF_DEFAULT, INT_MAX };
static int mrc_sysctl_rmem[3] = { PAGE_SIZE, MRC_RCVBUF_DEFAULT, INT_MAX };

static void mrc_mem_init(void)
{
	long limit = max(nr_free_buffer_pages() / 8, 128UL);

	mrc_sysctl_mem[0] = limit / 4 * 3;
	mrc_sysctl_mem[1] = limit;
	mrc_sysctl_mem[2] = mrc_sysctl_mem[0] * 2;
}

static void mrc_enter_memory_pressure(struct sock *sk)
{
	WRITE_ONCE(mrc_memory_pressure, 1);
}

/* ---- state --------------------------------------------------------------- */

enum mrc_state mrc_state_of(int state)
{
	switch (state) {
	case TCP_LISTEN:
		return MRC_STATE_LISTEN;
	case TCP_SYN_SENT:
		return MRC_STATE_CONNECTING;
	case TCP_ESTABLISHED:
		return MRC_STATE_ESTABLISHED;
	case TCP_FIN_WAIT1:
		return MRC_STATE_FIN_SENT;
	case TCP_FIN_WAIT2:
		return MRC_STATE_FIN_DONE;
	case TCP_CLOSE_WAIT:
		return MRC_STATE_PEER_FIN;
	case TCP_CLOSING:
	case TCP_LAST_ACK:
		return MRC_STATE_BOTH_FIN;
	default:
		return MRC_STATE_CLOSED;
	}
}

static bool mrc_state_counts(int state)
{
	return state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT;
}

void mrc_set_state(struct sock *sk, int state)
{
	struct mrc_sock *msk = mrc_sk(sk);
	int old = sk->sk_state;

	if (mrc_state_counts(state) && !mrc_state_counts(old))
		MRC_INC(msk->qp.mnet, CURR_ESTAB);
	else if (!mrc_state_counts(state) && mrc_state_counts(old))
		MRC_DEC(msk->qp.mnet, CURR_ESTAB);
	if (state == TCP_CLOSE) {
		mrc_far_leave(msk);
		mrc_port_disconnect(msk);
		if (!(sk->sk_userlocks & SOCK_BINDPORT_LOCK) ||
		    sock_flag(sk, SOCK_DEAD))
			mrc_port_put(msk);
	}
	if (state != old)
		trace_mrc_conn_state(msk->qp.qpn.qpn, mrc_state_of(old),
				     mrc_state_of(state));
	/* Pairs with mrc_poll(): who sees the state sees what led to it. */
	smp_store_release(&sk->sk_state, state);
}

/* ---- timer --------------------------------------------------------------- */

static void mrc_sock_timer_run(struct mrc_sock *msk)
{
	if (msk->conn)
		mrc_active_timer(msk);
	else
		mrc_conn_timer(msk);
}

static enum hrtimer_restart mrc_sock_timer(struct hrtimer *timer)
{
	struct mrc_sock *msk = container_of(timer, struct mrc_sock, timer);
	struct sock *sk = &msk->sk;

	/* Queued it holds none, see mrc_destruct(). */
	if (!refcount_inc_not_zero(&sk->sk_refcnt))
		return HRTIMER_NORESTART;
	bh_lock_sock(sk);
	/* Armed again while we waited for the lock: that one will run. */
	if (!hrtimer_is_queued(timer)) {
		if (sock_owned_by_user(sk))
			set_bit(MRC_DEFER_TIMER, &msk->deferred);
		else
			mrc_sock_timer_run(msk);
	}
	bh_unlock_sock(sk);
	sock_put(sk);
	return HRTIMER_NORESTART;
}

void mrc_sock_timer_arm(struct mrc_sock *msk, u64 ns)
{
	clear_bit(MRC_DEFER_TIMER, &msk->deferred);
	hrtimer_start(&msk->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_SOFT);
}

void mrc_sock_timer_stop(struct mrc_sock *msk)
{
	clear_bit(MRC_DEFER_TIMER, &msk->deferred);
	hrtimer_try_to_cancel(&msk->timer);
}

static void mrc_release_cb(struct sock *sk)
{
	struct mrc_sock *msk = mrc_sk(sk);

	mrc_qp_release(&msk->qp);
	if (test_and_clear_bit(MRC_DEFER_TIMER, &msk->deferred))
		mrc_sock_timer_run(msk);
}

/* ---- life ---------------------------------------------------------------- */

/* Softirq, after a grace period: nobody else knows the socket. */
static void mrc_destruct(struct sock *sk)
{
	struct mrc_sock *msk = mrc_sk(sk);
	struct mrc_cm_net *cm = mrc_cm_net(sock_net(sk));

	hrtimer_cancel(&msk->timer);
	mrc_qp_destroy(&msk->qp);
	mrc_profile_put(msk->profile);
	__skb_queue_purge(&sk->sk_receive_queue);
	__skb_queue_purge(&sk->sk_error_queue);
	sk_mem_reclaim_final(sk);
	WARN_ON_ONCE(atomic_read(&sk->sk_rmem_alloc));
	WARN_ON_ONCE(sk->sk_wmem_queued);
	WARN_ON_ONCE(sk->sk_forward_alloc);
	WARN_ON_ONCE(msk->bind || msk->in_far || msk->in_tuples);
	if (msk->diag_id)
		xa_erase_bh(&cm->socks, msk->diag_id);
	sk_sockets_allocated_dec(sk);
	sock_prot_inuse_add(sock_net(sk), &mrc_prot, -1);
	MRC_INC(cm->mnet, SOCK_FREED);
}

int mrc_sock_setup(struct sock *sk, struct mrc_net *mnet, gfp_t gfp)
{
	struct mrc_cm_net *cm = mrc_cm_net(sock_net(sk));
	struct mrc_sock *msk = mrc_sk(sk);

	spin_lock_init(&msk->accept_lock);
	INIT_LIST_HEAD(&msk->accept_q);
	INIT_LIST_HEAD(&msk->accept_node);
	hrtimer_setup(&msk->timer, mrc_sock_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	sock_prot_inuse_add(sock_net(sk), &mrc_prot, 1);
	MRC_INC(mnet, SOCK_CREATED);
	return xa_alloc_bh(&cm->socks, &msk->diag_id, msk, xa_limit_32b, gfp);
}

int mrc_sock_refuses(const struct sock *sk)
{
	/* A connection uses all planes: no device is its own. */
	return READ_ONCE(sk->sk_bound_dev_if) || sk->sk_reuseport ?
	       -EOPNOTSUPP : 0;
}

static const struct proto_ops mrc_stream_ops;
static const struct proto_ops mrc_seqpacket_ops;

static int mrc_create(struct net *net, struct socket *sock, int protocol,
		      int kern)
{
	struct mrc_sock *msk;
	struct sock *sk;
	int err;

	if (sock->type == SOCK_STREAM)
		sock->ops = &mrc_stream_ops;
	else if (sock->type == SOCK_SEQPACKET)
		sock->ops = &mrc_seqpacket_ops;
	else
		return -ESOCKTNOSUPPORT;
	if (protocol)
		return -EPROTONOSUPPORT;
	sk = sk_alloc(net, AF_MRC, GFP_KERNEL, &mrc_prot, kern);
	if (!sk)
		return -ENOBUFS;
	sock_init_data(sock, sk);
	msk = mrc_sk(sk);
	sk->sk_destruct = mrc_destruct;
	sk->sk_write_space = mrc_write_space;
	sk->sk_sndbuf = MRC_SNDBUF_DEFAULT;
	sk->sk_rcvbuf = MRC_RCVBUF_DEFAULT;
	sk->sk_state = TCP_CLOSE;
	sock_set_flag(sk, SOCK_RCU_FREE);
	set_bit(SOCK_CUSTOM_SOCKOPT, &sock->flags);
	set_bit(SOCK_SUPPORT_ZC, &sock->flags);
	sk_sockets_allocated_inc(sk);
	mrc_qp_init(&msk->qp, sk, mrc_net(net));
	err = mrc_sock_setup(sk, mrc_net(net), GFP_KERNEL);
	if (err) {
		sock_orphan(sk);
		sock->sk = NULL;
		sock_put(sk);
		return -ENOBUFS;
	}
	return 0;
}

static int mrc_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	long timeout = 0;

	if (!sk)
		return 0;
	if (sock_flag(sk, SOCK_LINGER) && !(current->flags & PF_EXITING))
		timeout = sk->sk_lingertime;
	lock_sock(sk);
	mrc_conn_close(sk, timeout);
	release_sock(sk);
	mrc_accept_tcp_release(mrc_sk(sk));
	sock->sk = NULL;
	sock_put(sk);
	return 0;
}

/* ---- addresses ----------------------------------------------------------- */

void mrc_sockaddr_put(struct sockaddr_mrc *out, const struct in6_addr *addr,
		      u16 port)
{
	memset(out, 0, sizeof(*out));
	out->smrc_family = AF_MRC;
	out->smrc_port = htons(port);
	out->smrc_addr = *addr;
}

static int mrc_sockaddr_check(const struct sockaddr_mrc *a, int len)
{
	if (len < (int)sizeof(*a))
		return -EINVAL;
	if (a->smrc_family != AF_MRC)
		return -EAFNOSUPPORT;
	if (a->smrc_flowinfo || a->smrc_scope_id)
		return -EINVAL;
	return 0;
}

static int mrc_bind_check(struct sock *sk, const struct sockaddr_mrc *a)
{
	const struct in6_addr *addr = &a->smrc_addr;
	u16 port = ntohs(a->smrc_port);
	struct net *net = sock_net(sk);
	bool ours;

	if (ipv6_addr_is_multicast(addr))
		return -EINVAL;
	if (port && inet_port_requires_bind_service(net, port) &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return -EACCES;
	if (ipv6_addr_any(addr))
		return 0;
	rcu_read_lock();
	ours = mrc_node_is_ours(mrc_net(net), addr);
	rcu_read_unlock();
	return ours ? 0 : -EADDRNOTAVAIL;
}

static int mrc_bind(struct socket *sock, struct sockaddr_unsized *uaddr,
		    int len)
{
	const struct sockaddr_mrc *a = (const struct sockaddr_mrc *)uaddr;
	struct sock *sk = sock->sk;
	struct mrc_sock *msk = mrc_sk(sk);
	int err;

	err = mrc_sockaddr_check(a, len) ?: mrc_bind_check(sk, a);
	if (err)
		return err;
	lock_sock(sk);
	err = -EINVAL;
	if (sk->sk_state != TCP_CLOSE || msk->bind)
		goto out;
	err = mrc_sock_refuses(sk) ?:
	      mrc_port_bind(msk, &a->smrc_addr, ntohs(a->smrc_port));
	if (err)
		goto out;
	if (!ipv6_addr_any(&a->smrc_addr))
		sk->sk_userlocks |= SOCK_BINDADDR_LOCK;
	if (a->smrc_port)
		sk->sk_userlocks |= SOCK_BINDPORT_LOCK;
out:
	release_sock(sk);
	return err;
}

static int mrc_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct sockaddr_mrc *a = (struct sockaddr_mrc *)uaddr;
	struct sock *sk = sock->sk;
	struct mrc_sock *msk = mrc_sk(sk);
	int err = 0;

	/* accept(2) asks its listener's family, see mrc_accept_tcp(). */
	if (sk->sk_family != AF_MRC)
		return READ_ONCE(sock->ops)->getname(sock, uaddr, peer);
	lock_sock(sk);
	if (!peer)
		mrc_sockaddr_put(a, &msk->t.local, msk->t.lport);
	else if ((1 << sk->sk_state) &
		 (TCPF_CLOSE | TCPF_SYN_SENT | TCPF_LISTEN))
		err = -ENOTCONN;
	else
		mrc_sockaddr_put(a, &msk->t.remote, msk->t.rport);
	release_sock(sk);
	return err ?: sizeof(*a);
}

/* ---- connect(2) ---------------------------------------------------------- */

static int mrc_connect_start(struct sock *sk, const struct sockaddr_mrc *a)
{
	struct mrc_sock *msk = mrc_sk(sk);
	struct in6_addr remote = a->smrc_addr;
	bool any = false;
	int err;

	if (ipv6_addr_is_multicast(&remote))
		return -ENETUNREACH;
	if (!a->smrc_port)
		return -ECONNREFUSED;
	err = mrc_sock_refuses(sk);
	if (err)
		return err;
	if (ipv6_addr_any(&remote)) {
		/* As for IP, the unspecified address is this host. */
		rcu_read_lock();
		any = !mrc_node_first(msk->qp.mnet, &remote);
		rcu_read_unlock();
	}
	if (any)
		return -EADDRNOTAVAIL;
	if (!(sk->sk_userlocks & SOCK_BINDADDR_LOCK))
		msk->t.local = in6addr_any;
	msk->t.remote = remote;
	msk->t.rport = ntohs(a->smrc_port);
	/* What an earlier connection left is none of this one's. */
	WRITE_ONCE(sk->sk_err, 0);
	err = mrc_active_start(msk);
	if (err) {
		if (!(sk->sk_userlocks & SOCK_BINDADDR_LOCK))
			msk->t.local = in6addr_any;
		msk->t.remote = in6addr_any;
		msk->t.rport = 0;
	}
	return err;
}

static long mrc_connect_wait(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(sk_sleep(sk), &wait);
	while (sk->sk_state == TCP_SYN_SENT) {
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
		if (signal_pending(current) || !timeo)
			break;
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return timeo;
}

/* An attempt is on its way, begun now or earlier. */
static int mrc_connect_finish(struct socket *sock, int flags, int err)
{
	struct sock *sk = sock->sk;
	long timeo = sock_sndtimeo(sk, flags & O_NONBLOCK);

	if (sk->sk_state == TCP_SYN_SENT) {
		if (!timeo)
			return err;
		timeo = mrc_connect_wait(sk, timeo);
		if (sk->sk_state == TCP_SYN_SENT)
			return signal_pending(current) ?
			       sock_intr_errno(timeo) : err;
	}
	if (sk->sk_state == TCP_CLOSE) {
		err = sock_error(sk) ?: -ECONNABORTED;
		sock->state = SS_UNCONNECTED;
		mrc_conn_disconnect(sk);
		return err;
	}
	sock->state = SS_CONNECTED;
	return 0;
}

static int mrc_connect_locked(struct socket *sock,
			      const struct sockaddr_mrc *a, int len, int flags)
{
	struct sock *sk = sock->sk;
	int err;

	if (a->smrc_family == AF_UNSPEC) {
		mrc_conn_disconnect(sk);
		sock->state = SS_UNCONNECTED;
		return 0;
	}
	switch (sock->state) {
	case SS_CONNECTED:
		return -EISCONN;
	case SS_CONNECTING:
		return mrc_connect_finish(sock, flags, -EALREADY);
	case SS_UNCONNECTED:
		if (sk->sk_state != TCP_CLOSE)
			return -EISCONN;
		err = mrc_sockaddr_check(a, len) ?: mrc_connect_start(sk, a);
		if (err)
			return err;
		sock->state = SS_CONNECTING;
		return mrc_connect_finish(sock, flags, -EINPROGRESS);
	default:
		return -EINVAL;
	}
}

static int mrc_connect(struct socket *sock, struct sockaddr_unsized *uaddr,
		       int len, int flags)
{
	struct sock *sk = sock->sk;
	int err;

	if (len < (int)sizeof(sa_family_t))
		return -EINVAL;
	if (((const struct sockaddr_mrc *)uaddr)->smrc_family == AF_UNSPEC)
		mrc_accept_tcp_shutdown(sk, SHUT_RDWR);
	lock_sock(sk);
	err = mrc_connect_locked(sock, (const struct sockaddr_mrc *)uaddr, len,
				 flags);
	release_sock(sk);
	return err;
}

/* ---- listen(2), accept(2) ------------------------------------------------ */

static int mrc_listen(struct socket *sock, int backlog)
{
	struct sock *sk = sock->sk;
	int err = -EINVAL;

	lock_sock(sk);
	if (sock->state == SS_UNCONNECTED &&
	    (sk->sk_state == TCP_CLOSE || sk->sk_state == TCP_LISTEN))
		err = mrc_sock_refuses(sk) ?: mrc_listen_start(sk, backlog);
	release_sock(sk);
	return err ?: mrc_accept_tcp_listen(sk, backlog);
}

static bool mrc_accept_ready(struct sock *sk)
{
	return mrc_listen_ready(sk) || mrc_accept_tcp_poll(sk);
}

/* Until there is a connection to accept. Socket lock held. A connection wakes
 * one sleeper, of whatever kind it is, who may take either.
 */
static int mrc_accept_wait(struct sock *sk, long *timeo)
{
	DEFINE_WAIT(wait);
	int err = 0;

	for (;;) {
		prepare_to_wait_exclusive(sk_sleep(sk), &wait,
					  TASK_INTERRUPTIBLE);
		if (sk->sk_state != TCP_LISTEN)
			err = -EINVAL;
		else if (mrc_accept_ready(sk))
			break;
		else if (!*timeo)
			err = -EAGAIN;
		else if (signal_pending(current))
			err = sock_intr_errno(*timeo);
		if (err)
			break;
		release_sock(sk);
		*timeo = schedule_timeout(*timeo);
		lock_sock(sk);
	}
	finish_wait(sk_sleep(sk), &wait);
	return err;
}

/* The next connection of the listener into @child, or one of TCP into
 * @newsock; turn by turn if there are both. Socket lock held.
 */
static int mrc_accept_next(struct sock *sk, struct socket *newsock,
			   struct proto_accept_arg *arg, struct sock **child)
{
	struct mrc_sock *msk = mrc_sk(sk);
	int err;

	*child = NULL;
	msk->tcp_turn = !msk->tcp_turn;
	if (!msk->tcp_turn)
		*child = mrc_listen_next(sk);
	if (*child || !mrc_accept_tcp_poll(sk))
		goto out;
	release_sock(sk);
	err = mrc_accept_tcp(sk, newsock, arg);
	lock_sock(sk);
	if (err != -EAGAIN)
		return err;
out:
	if (!*child)
		*child = mrc_listen_next(sk);
	return *child ? 0 : -EAGAIN;
}

static int mrc_accept(struct socket *sock, struct socket *newsock,
		      struct proto_accept_arg *arg)
{
	struct sock *sk = sock->sk, *child = NULL;
	long timeo;
	int err;

	timeo = sock_rcvtimeo(sk, arg->flags & O_NONBLOCK);
	lock_sock(sk);
	do {
		err = mrc_accept_wait(sk, &timeo);
		if (err)
			break;
		err = mrc_accept_next(sk, newsock, arg, &child);
	} while (err == -EAGAIN);
	arg->is_empty = !mrc_accept_ready(sk);
	release_sock(sk);
	if (err || !child)
		return err;

	lock_sock(child);
	sock_graft(child, newsock);
	set_bit(SOCK_CUSTOM_SOCKOPT, &newsock->flags);
	set_bit(SOCK_SUPPORT_ZC, &newsock->flags);
	newsock->state = SS_CONNECTED;
	release_sock(child);
	return 0;
}

/* ---- shutdown(2), poll(2), ioctl(2) -------------------------------------- */

static int mrc_shutdown_locked(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	int err = 0;

	switch (sk->sk_state) {
	case TCP_CLOSE:
		return -ENOTCONN;
	case TCP_LISTEN:
		if (!(how & RCV_SHUTDOWN))
			return 0;
		fallthrough;
	case TCP_SYN_SENT:
		mrc_conn_disconnect(sk);
		sock->state = SS_UNCONNECTED;
		return 0;
	default:
		if (how & SEND_SHUTDOWN)
			err = mrc_conn_fin(mrc_sk(sk));
		if (!err)
			WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | how);
		return err;
	}
}

static int mrc_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	int err;

	/* SHUT_RD, SHUT_WR, SHUT_RDWR to RCV_SHUTDOWN, SEND_SHUTDOWN, both */
	how++;
	if (!how || how & ~SHUTDOWN_MASK)
		return -EINVAL;
	mrc_accept_tcp_shutdown(sk, how - 1);
	lock_sock(sk);
	err = mrc_shutdown_locked(sock, how);
	/* Whoever sleeps on the socket looks again. */
	sk->sk_state_change(sk);
	release_sock(sk);
	return err;
}

static __poll_t mrc_poll_write(struct sock *sk)
{
	if (sk_stream_is_writeable(sk))
		return EPOLLOUT | EPOLLWRNORM;
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk);
	set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	/* Pairs with mrc_write_space(): room that came before the bit was set
	 * wakes nobody.
	 */
	smp_mb__after_atomic();
	return sk_stream_is_writeable(sk) ? EPOLLOUT | EPOLLWRNORM : 0;
}

static __poll_t mrc_poll(struct file *file, struct socket *sock,
			 poll_table *wait)
{
	struct sock *sk = sock->sk;
	u8 shutdown, state;
	__poll_t mask = 0;

	sock_poll_wait(file, sock, wait);
	/* Pairs with mrc_set_state(). */
	state = smp_load_acquire(&sk->sk_state);
	if (state == TCP_LISTEN)
		return (mrc_listen_ready(sk) ? EPOLLIN | EPOLLRDNORM : 0) |
		       mrc_accept_tcp_poll(sk);
	shutdown = READ_ONCE(sk->sk_shutdown);
	if (shutdown == SHUTDOWN_MASK || state == TCP_CLOSE)
		mask |= EPOLLHUP;
	if (shutdown & RCV_SHUTDOWN)
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	if (state != TCP_SYN_SENT) {
		if (mrc_readable(sk))
			mask |= EPOLLIN | EPOLLRDNORM;
		if (shutdown & SEND_SHUTDOWN)
			mask |= EPOLLOUT | EPOLLWRNORM;
		else
			mask |= mrc_poll_write(sk);
	}
	/* sk_err is written before the state that goes with it. */
	smp_rmb();
	if (READ_ONCE(sk->sk_err) ||
	    !skb_queue_empty_lockless(&sk->sk_error_queue))
		mask |= EPOLLERR | (sock_flag(sk, SOCK_SELECT_ERR_QUEUE) ?
				    EPOLLPRI : 0);
	return mask;
}

static int mrc_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct sock *sk = sock->sk;
	u64 n;

	if (cmd != SIOCINQ && cmd != SIOCOUTQ)
		return -ENOIOCTLCMD;
	lock_sock(sk);
	if (sk->sk_state == TCP_LISTEN) {
		release_sock(sk);
		return -EINVAL;
	}
	if (cmd == SIOCINQ)
		n = mrc_reader_inq(&mrc_sk(sk)->qp);
	else
		n = mrc_req_outq(&mrc_sk(sk)->qp);
	release_sock(sk);
	return put_user((int)min_t(u64, n, INT_MAX), (int __user *)arg);
}

/* ---- family -------------------------------------------------------------- */

static void mrc_keepalive(struct sock *sk, int on)
{
	mrc_qp_keepalive(&mrc_sk(sk)->qp, on);
}

struct proto mrc_prot = {
	.name			= "MRC",
	.owner			= THIS_MODULE,
	.obj_size		= sizeof(struct mrc_sock),
	.slab_flags		= SLAB_ACCOUNT,
	.release_cb		= mrc_release_cb,
	.keepalive		= mrc_keepalive,
	.memory_allocated	= &mrc_memory_allocated,
	.per_cpu_fw_alloc	= &mrc_memory_per_cpu_fw_alloc,
	.sockets_allocated	= &mrc_sockets_allocated,
	.memory_pressure	= &mrc_memory_pressure,
	.enter_memory_pressure	= mrc_enter_memory_pressure,
	.sysctl_mem		= mrc_sysctl_mem,
	.sysctl_wmem		= mrc_sysctl_wmem,
	.sysctl_rmem		= mrc_sysctl_rmem,
	.max_header		= MRC_HEADROOM,
};

#define MRC_COMMON_OPS				\
	.family		= PF_MRC,		\
	.owner		= THIS_MODULE,		\
	.release	= mrc_release,		\
	.bind		= mrc_bind,		\
	.connect	= mrc_connect,		\
	.socketpair	= sock_no_socketpair,	\
	.accept		= mrc_accept,		\
	.getname	= mrc_getname,		\
	.poll		= mrc_poll,		\
	.ioctl		= mrc_ioctl,		\
	.gettstamp	= sock_gettstamp,	\
	.listen		= mrc_listen,		\
	.shutdown	= mrc_shutdown,		\
	.setsockopt	= mrc_setsockopt,	\
	.getsockopt	= mrc_getsockopt,	\
	.sendmsg	= mrc_sendmsg,		\
	.recvmsg	= mrc_recvmsg,		\
	.mmap		= sock_no_mmap

static const struct proto_ops mrc_stream_ops = {
	MRC_COMMON_OPS,
	.splice_eof	= mrc_splice_eof,
	.set_peek_off	= sk_set_peek_off,
	.set_rcvlowat	= mrc_set_rcvlowat,
};

static const struct proto_ops mrc_seqpacket_ops = {
	MRC_COMMON_OPS,
};

static const struct net_proto_family mrc_family = {
	.family	= PF_MRC,
	.create	= mrc_create,
	.owner	= THIS_MODULE,
};

/* Above all floors: from here on there are sockets. */
static int __init mrc_family_init(void)
{
	int err;

	mrc_mem_init();
	err = percpu_counter_init(&mrc_sockets_allocated, 0, GFP_KERNEL);
	if (err)
		return err;
	err = proto_register(&mrc_prot, 1);
	if (err)
		goto err_counter;
	err = sock_register(&mrc_family);
	if (err == -EEXIST)
		pr_err("mrc: socket family %d is taken by another module; build MRC and its programs with -DAF_MRC=n for a free n\n",
		       PF_MRC);
	if (err)
		goto err_proto;
	err = mrc_sock_diag_init();
	if (err)
		goto err_family;
	return 0;

err_family:
	sock_unregister(PF_MRC);
err_proto:
	proto_unregister(&mrc_prot);
err_counter:
	percpu_counter_destroy(&mrc_sockets_allocated);
	return err;
}

static void mrc_family_exit(void)
{
	mrc_sock_diag_exit();
	sock_unregister(PF_MRC);
	proto_unregister(&mrc_prot);
	percpu_counter_destroy(&mrc_sockets_allocated);
}

static int __init mrc_module_init(void)
{
	int err;

	err = mrc_paths_init();
	if (err)
		return err;
	err = mrc_transport_init();
	if (err)
		goto err_paths;
	err = mrc_cm_init();
	if (err)
		goto err_transport;
	err = mrc_netlink_init();
	if (err)
		goto err_cm;
	err = mrc_family_init();
	if (err)
		goto err_netlink;
	return 0;

err_netlink:
	mrc_netlink_exit();
err_cm:
	mrc_cm_exit();
err_transport:
	mrc_transport_exit();
err_paths:
	mrc_paths_exit();
	rcu_barrier();
	return err;
}

static void __exit mrc_module_exit(void)
{
	mrc_family_exit();
	mrc_netlink_exit();
	mrc_cm_exit();
	mrc_transport_exit();
	mrc_paths_exit();
	rcu_barrier();
}

module_init(mrc_module_init);
module_exit(mrc_module_exit);

MODULE_DESCRIPTION("Multipath Reliable Connection sockets (AF_MRC)");
MODULE_LICENSE("GPL");
MODULE_ALIAS_NETPROTO(PF_MRC);
