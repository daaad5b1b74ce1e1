#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run by modules.sh as root of a user namespace that an unprivileged user has
# made, in a network namespace of its own: makes another one, two planes
# between the two, and moves data.
#
#	lib_userns.sh MRCCTL

set -eu
mrcctl=$1
PATH=$(cd "$(dirname "$0")" && pwd -P):$PATH
exec 3<> <(:)

# The other host is where this process is
unshare --net sleep infinity &
far=$!
trap 'kill $far' EXIT
in_far() { nsenter --target "$far" --net "$@"; }

until [ "$(readlink "/proc/$far/ns/net")" != "$(readlink /proc/self/ns/net)" ]
do
	read -r -t 0.02 -u 3 || true
done

for p in 1 2; do
	ip link add "p$p" type veth peer name "p$p" netns "$far"
done
in_far ip link set lo up
ip link set lo up
in_far ip addr add fd00:6d::2/128 dev lo
ip addr add fd00:6d::1/128 dev lo
for p in 1 2; do
	in_far ip link set "p$p" up
	ip link set "p$p" up
	in_far ip addr add fe80::2/64 dev "p$p" nodad
	ip addr add fe80::1/64 dev "p$p" nodad
done
in_far "$mrcctl" -b - <<-'END'
	node add fd00:6d::2
	plane add 1-2 dev p{p} via fe80::1
	route add fd00:6d::1/128 plane 1-2 plain
END
"$mrcctl" -b - <<-'END'
	node add fd00:6d::1
	plane add 1-2 dev p{p} via fe80::2
	route add fd00:6d::2/128 plane 1-2 plain
END

# Both loops of "-l" and "-c" have time limits of their own
exec 4< <(in_far mrcx -l fd00:6d::2 7000 -v -w 30)
read -r line <&4
[ "$line" = listening ]
mrcx -c fd00:6d::2 7000 -s 1m -w 30
while read -r line <&4; do
	echo "$line"
	[[ $line != "ok "*" rx=1048576 "* ]] || exit 0
done
exit 1
