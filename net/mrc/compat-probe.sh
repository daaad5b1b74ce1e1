#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What does the kernel offer? Compile a few lines for each question and
# print a #define for each yes. Versions are not asked: features come to
# stable kernels and distributions out of order. Run by Kbuild as
#   compat-probe.sh COMPILER FLAG...

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
names=

cc=$1
shift
flags=$(printf "'%s' " "$@")

# ask NAME - does standard input compile? All questions run at once.
ask() {
	a_name=$1
	names="$names $a_name"
	cat >"$tmp/$a_name.c"
	(
		eval "set -- $flags"
		"$cc" "$@" -DMODULE -Wno-error \
			-Werror=implicit-function-declaration \
			-Werror=incompatible-pointer-types \
			-fsyntax-only "$tmp/$a_name.c" \
			>/dev/null 2>&1 && : >"$tmp/$a_name.yes"
	) &
}

# The questions must be able to come out as "yes" and as "no": these two do
# on every kernel that can be built against.
ask SANE <<'EOF'
#include <net/sock.h>
int mrc_probe(struct sock *sk) { return sk->sk_state; }
EOF
ask INSANE <<'EOF'
#include <net/sock.h>
int mrc_probe(struct sock *sk) { return sk->no_such_member; }
EOF

# 6.13: replaces hrtimer_init(), which 6.15 removes
ask HRTIMER_SETUP <<'EOF'
#include <linux/hrtimer.h>
void mrc_probe(struct hrtimer *t,
	       enum hrtimer_restart (*f)(struct hrtimer *))
{ hrtimer_setup(t, f, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT); }
EOF

# 6.16: replaces from_timer()
ask TIMER_CONTAINER_OF <<'EOF'
#include <linux/timer.h>
#ifndef timer_container_of
#error no
#endif
EOF

# 6.19: the address argument of bind and connect
ask SOCKADDR_UNSIZED <<'EOF'
#include <linux/net.h>
int mrc_probe(struct socket *s, struct sockaddr_unsized *a, int len);
struct proto_ops mrc_ops = { .bind = mrc_probe };
EOF

# 6.15: memory of a device may be meant
ask ZEROCOPY_DEVMEM <<'EOF'
#include <linux/skbuff.h>
struct ubuf_info *mrc_probe(struct sock *sk)
{ return msg_zerocopy_realloc(sk, 1, NULL, false); }
EOF

wait
if [ ! -f "$tmp/SANE.yes" ] || [ -f "$tmp/INSANE.yes" ]; then
	eval "set -- $flags"
	"$cc" "$@" -DMODULE -fsyntax-only "$tmp/SANE.c" >&2
	echo "compat-probe.sh: cannot compile against this kernel" >&2
	exit 1
fi
echo "/* Made by compat-probe.sh: what this kernel offers. */"
for name in $names; do
	case $name in
	SANE | INSANE) continue ;;
	esac
	if [ -f "$tmp/$name.yes" ]; then
		echo "#define MRC_HAVE_$name 1"
	else
		echo "/* no $name */"
	fi
done
