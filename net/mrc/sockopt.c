// SPDX-License-Identifier: GPL-2.0
/*
 * setsockopt(2) and getsockopt(2): level SOL_MRC, and of level SOL_SOCKET
 * what has no meaning here and must not be accepted silently.
 */
#include <linux/sockptr.h>
#include <linux/uaccess.h>

#include "profile.h"
#include "sock.h"

void mrc_apply_user_timeout(struct mrc_sock *msk)
{
	msk->qp.user_timeout = msk->user_timeout ?
			       (u64)msk->user_timeout * NSEC_PER_MSEC :
			       MRC_USER_TIMEOUT_NS;
}

static int mrc_set_sol_mrc(struct sock *sk, int optname, int val)
{
	struct mrc_sock *msk = mrc_sk(sk);

	switch (optname) {
	case MRC_USER_TIMEOUT:
		if (val < 0)
			return -EINVAL;
		msk->user_timeout = val;
		mrc_apply_user_timeout(msk);
		/* The end may be nearer now than the timer is armed for. */
		mrc_req_push(&msk->qp);
		return 0;
	case MRC_TAG:
		msk->tag = val;
		return 0;
	case MRC_NODELAY:
		if (val != 0 && val != 1)
			return -EINVAL;
		msk->qp.nodelay = val;
		mrc_req_push(&msk->qp);
		return 0;
	default:
		return -ENOPROTOOPT;
	}
}

/* Options that other families know. Return: 0 goes on to the generic code. */
static int mrc_set_sol_socket(int optname, sockptr_t optval,
			      unsigned int optlen)
{
	int val;

	switch (optname) {
	case SO_REUSEPORT:
	case SO_BINDTOIFINDEX:
		/* Off, which they are, can be said again. */
		if (optlen < sizeof(val))
			return -EINVAL;
		if (copy_from_sockptr(&val, optval, sizeof(val)))
			return -EFAULT;
		return val ? -EOPNOTSUPP : 0;
	case SO_BINDTODEVICE:
		return optlen ? -EOPNOTSUPP : 0;
	/* What the generic code would store and nobody would look at. */
	case SO_ATTACH_FILTER:
	case SO_ATTACH_BPF:
	case SO_ATTACH_REUSEPORT_CBPF:
	case SO_ATTACH_REUSEPORT_EBPF:
	case SO_MAX_PACING_RATE:
	case SO_RCVMARK:
	case SO_TXTIME:
		return -EOPNOTSUPP;
	default:
		return 0;
	}
}

/* The generic code knows which families can do it, and we are none of them. */
static int mrc_set_zerocopy(struct sock *sk, sockptr_t optval,
			    unsigned int optlen)
{
	int val;

	if (optlen < sizeof(val))
		return -EINVAL;
	if (copy_from_sockptr(&val, optval, sizeof(val)))
		return -EFAULT;
	if (val != 0 && val != 1)
		return -EINVAL;
	lock_sock(sk);
	sock_valbool_flag(sk, SOCK_ZEROCOPY, val);
	release_sock(sk);
	return 0;
}

/* SO_TIMESTAMPING: bytes are counted from here on, if it is now that they are to
 * be (the generic code thinks of messages).
 */
static int mrc_set_timestamping(struct socket *sock, int optname,
				sockptr_t optval, unsigned int optlen)
{
	struct sock *sk = sock->sk;
	u32 before = READ_ONCE(sk->sk_tsflags);
	int err;

	err = sock_setsockopt(sock, SOL_SOCKET, optname, optval, optlen);
	if (err || sk->sk_type == SOCK_SEQPACKET ||
	    !(READ_ONCE(sk->sk_tsflags) & ~before & SOF_TIMESTAMPING_OPT_ID))
		return err;
	lock_sock(sk);
	atomic_set(&sk->sk_tskey, (u32)mrc_sk(sk)->qp.req.va_end);
	release_sock(sk);
	return 0;
}

/* Takes @profile, with the user's reference, unless the socket has begun. */
static int mrc_sock_profile(struct sock *sk, struct mrc_profile *profile)
{
	struct mrc_sock *msk = mrc_sk(sk);
	int err = 0;

	lock_sock(sk);
	if (sk->sk_state == TCP_CLOSE && msk->qp.state == MRC_QP_IDLE)
		swap(msk->profile, profile);
	else
		err = -EISCONN;
	release_sock(sk);
	mrc_profile_put(profile);
	return err;
}

/* A name of up to @size bytes, with or without the terminating 0. */
static int mrc_copy_name(char *name, size_t size, sockptr_t optval,
			 unsigned int optlen)
{
	memset(name, 0, size);
	if (!optlen || optlen > size)
		return -EINVAL;
	if (copy_from_sockptr(name, optval, optlen))
		return -EFAULT;
	return strnlen(name, size) == size ? -EINVAL : 0;
}

static int mrc_set_profile(struct sock *sk, sockptr_t optval,
			   unsigned int optlen)
{
	struct mrc_net *mnet = mrc_net(sock_net(sk));
	struct mrc_profile *profile = NULL;
	char name[MRC_PROFILE_NAME];
	int err;

	err = mrc_copy_name(name, sizeof(name), optval, optlen);
	if (err)
		return err;
	if (strcmp(name, MRC_PROFILE_AUTO)) {
		mutex_lock(&mnet->conf_lock);
		profile = mrc_profile_find(mnet, name);
		if (!profile)
			err = -ENOENT;
		mrc_profile_get(profile);
		mutex_unlock(&mnet->conf_lock);
	}
	return err ?: mrc_sock_profile(sk, profile);
}

static int mrc_set_congestion(struct sock *sk, sockptr_t optval,
			      unsigned int optlen)
{
	struct mrc_cc_profile *p = NULL;
	struct mrc_sock *msk = mrc_sk(sk);
	char name[MRC_CC_NAME];
	int err;

	err = mrc_copy_name(name, sizeof(name), optval, optlen);
	if (err)
		return err;
	if (strcmp(name, MRC_CC_AUTO)) {
		p = mrc_cc_profile_get(msk->qp.mnet, name);
		if (!p)
			return -ENOENT;
	}
	lock_sock(sk);
	if (sk->sk_state == TCP_CLOSE && msk->qp.state == MRC_QP_IDLE)
		swap(msk->qp.cc_profile, p);
	else
		err = -EISCONN;
	release_sock(sk);
	mrc_cc_profile_put(p);
	return err;
}

static int mrc_setsockopt_socket(struct socket *sock, int optname,
				 sockptr_t optval, unsigned int optlen)
{
	int err;

	err = mrc_set_sol_socket(optname, optval, optlen) ?:
	      sock_setsockopt(sock, SOL_SOCKET, optname, optval, optlen);
	if (!err && mrc_accept_tcp_get(sock->sk))
		err = mrc_accept_tcp_setsockopt(sock->sk, SOL_SOCKET, optname,
						optval, optlen);
	return err;
}

int mrc_setsockopt(struct socket *sock, int level, int optname,
		   sockptr_t optval, unsigned int optlen)
{
	struct sock *sk = sock->sk;
	int val, err;

	if (level == SOL_SOCKET && (optname == SO_TIMESTAMPING_OLD ||
				    optname == SO_TIMESTAMPING_NEW))
		return mrc_set_timestamping(sock, optname, optval, optlen);
	if (level == SOL_SOCKET && optname == SO_ZEROCOPY)
		return mrc_set_zerocopy(sk, optval, optlen);
	if (level == SOL_SOCKET)
		return mrc_setsockopt_socket(sock, optname, optval, optlen);
	if (level != SOL_MRC)
		return mrc_accept_tcp_setsockopt(sk, level, optname, optval,
						 optlen);
	if (optname == MRC_EV_PROFILE)
		return mrc_set_profile(sk, optval, optlen);
	if (optname == MRC_CONGESTION)
		return mrc_set_congestion(sk, optval, optlen);
	if (optname != MRC_USER_TIMEOUT && optname != MRC_NODELAY &&
	    optname != MRC_ACCEPT_TCP && optname != MRC_TAG)
		return -ENOPROTOOPT;
	if (optlen < sizeof(val))
		return -EINVAL;
	if (copy_from_sockptr(&val, optval, sizeof(val)))
		return -EFAULT;
	if (optname == MRC_ACCEPT_TCP)
		return mrc_accept_tcp_set(sk, val);
	lock_sock(sk);
	err = mrc_set_sol_mrc(sk, optname, val);
	release_sock(sk);
	return err;
}

static int mrc_get_info(struct sock *sk, char __user *optval,
			int __user *optlen, int len)
{
	struct mrc_qp *qp = &mrc_sk(sk)->qp;
	struct mrc_info info = {};

	lock_sock(sk);
	if (qp->state != MRC_QP_IDLE)
		mrc_qp_info(qp, &info);
	info.mrc_info_state = mrc_state_of(sk->sk_state);
	if (sk->sk_type == SOCK_SEQPACKET)
		info.mrc_info_flags |= MRC_INFO_F_SEQPACKET;
	release_sock(sk);
	len = min_t(int, len, sizeof(info));
	if (put_user(len, optlen) || copy_to_user(optval, &info, len))
		return -EFAULT;
	return 0;
}

/* MRC_EV_PROFILE, MRC_CONGESTION */
static int mrc_get_name(struct sock *sk, int optname, char __user *optval,
			int __user *optlen, int len)
{
	struct mrc_sock *msk = mrc_sk(sk);
	char name[MRC_PROFILE_NAME];

	static_assert(MRC_CC_NAME == MRC_PROFILE_NAME);
	lock_sock(sk);
	if (optname == MRC_EV_PROFILE)
		strscpy(name, msk->profile ? msk->profile->name :
					     MRC_PROFILE_AUTO);
	else
		strscpy(name, msk->qp.cc_profile ? msk->qp.cc_profile->name :
						   MRC_CC_AUTO);
	release_sock(sk);
	len = min_t(int, len, strlen(name) + 1);
	if (put_user(len, optlen) || copy_to_user(optval, name, len))
		return -EFAULT;
	return 0;
}

static int mrc_get_int(struct sock *sk, int optname, int *val)
{
	struct mrc_sock *msk = mrc_sk(sk);
	int err = 0;

	lock_sock(sk);
	switch (optname) {
	case MRC_USER_TIMEOUT:
		*val = msk->user_timeout;
		break;
	case MRC_NODELAY:
		*val = msk->qp.nodelay;
		break;
	case MRC_ACCEPT_TCP:
		*val = mrc_accept_tcp_get(sk);
		break;
	case MRC_TAG:
		*val = msk->tag;
		break;
	case MRC_MAX_MSG:
		*val = msk->qp.p.tx_max_msg;
		if (msk->qp.state == MRC_QP_IDLE)
			err = -ENOTCONN;
		break;
	default:
		err = -ENOPROTOOPT;
	}
	release_sock(sk);
	return err;
}

int mrc_getsockopt(struct socket *sock, int level, int optname,
		   char __user *optval, int __user *optlen)
{
	int val, len, err;

	if (level != SOL_MRC)
		return -ENOPROTOOPT;
	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	if (optname == MRC_INFO)
		return mrc_get_info(sock->sk, optval, optlen, len);
	if (optname == MRC_EV_PROFILE || optname == MRC_CONGESTION)
		return mrc_get_name(sock->sk, optname, optval, optlen, len);
	err = mrc_get_int(sock->sk, optname, &val);
	if (err)
		return err;
	len = min_t(int, len, sizeof(val));
	if (put_user(len, optlen) || copy_to_user(optval, &val, len))
		return -EFAULT;
	return 0;
}
