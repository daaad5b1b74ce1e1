#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Configuration errors: each is refused with its own text and changes nothing.
#
#	   c1			one namespace is enough
#	p1 |  | p2		two ends of cables; p3 has no IPv6, p4 is spare
#	   cfar
#
# Requests that mrcctl itself refuses (tools/mrcctl/test_cli.sh) go to the
# kernel through nlraw.py, as any program may send them.

. "$(dirname "$0")/lib.sh"

nlraw=$LIB_DIR/nlraw.py

m()
{
	"$MRCCTL" -N c1 "$@"
}

teardown()
{
	for ns in c1 cfar cbusy clong; do
		[ ! -e /run/netns/$ns ] || ip netns del $ns
	done
}

setup()
{
	teardown
	ip netns add c1
	ip netns add cfar
	ip -n c1 -b - <<-END
		link set lo up
		addr add fd00:6d::1/128 dev lo
		addr add fd00:6d::2/128 dev lo
	END
	for i in 1 2 3 4; do
		ip link add "p$i" netns c1 type veth peer name "f$i" netns cfar
		ip -n c1 link set "p$i" up
		ip -n cfar link set "f$i" up
	done
	ip -n c1 link set p3 mtu 1200
	m -b - <<-END
		node add fd00:6d::1
		plane add 1 dev p1 via fe80::1 sid 5f00:0:d1::
		plane add 2 dev p2
		profile add used evs 1-4
		cc add mine algorithm nscc target 30
		route add fd00:6d:1::/64 plane 1 plain profile used
		route add fd00:6d:2::/64 plane 2 usid 5f00::/32 path 1,1-4 via fe80::1
	END
}

# Everything a refused request could have changed, with mrcctl's own routes
state()
{
	m export
	m -d cc show
	ip -n c1 -6 route show table local proto 109
}

unchanged()
{
	[ "$(state)" = "$before" ] || fail "something was changed"
}

refusal()
{
	local text=$1 out status
	shift

	out=$(m "$@" 2>&1)
	status=$?
	[ "$status" = 2 ] || fail "status $status" || return
	[ "$out" = "Error: $text." ] || fail "it says: $out" || return
	unchanged
}

# refused TEXT COMMAND... - mrcctl fails with these words of the kernel
refused()
{
	run "${*:2}: $1" refusal "$@"
}

raw_refusal()
{
	local want=$1 out
	shift

	# One program for all: to start it takes longer than to ask
	[ -n "${RAW_PID:-}" ] || coproc RAW { in_ns c1 "$nlraw" - 2>&1; }
	printf '%q ' "$@" >&"${RAW[1]}"
	echo >&"${RAW[1]}"
	read -r -t 30 out <&"${RAW[0]}"
	[ "$out" = "$want" ] || fail "it says: $out" || return
	unchanged
}

# raw ERRNO TEXT COMMAND ATTRIBUTE... - so does the kernel
raw()
{
	run "${*:3}: $1 $2" raw_refusal "$1 $2" "${@:3}"
}

nodes()
{
	local a

	for a in :: ::1 fe80::1 ff02::1 ::ffff:192.0.2.1; do
		refused "Not a routable unicast address" node add $a
	done
	refused "Not an address of this host; add it to lo first" \
		node add fd00:6d::9
	refused "Node address exists" node add fd00:6d::1
	refused "No such node address" node del fd00:6d::2
	raw EINVAL "Address is missing" NODE_ADD
	raw EINVAL "Address is missing" NODE_DEL
}

planes()
{
	refused "Plane exists" plane add 1 dev p4
	refused "Device is plane 1 already" plane add 3 dev p1
	refused "A loopback device cannot be a plane" plane add 3 dev lo
	refused "Device has no IPv6; its MTU must be 1280 or more" \
		plane add 3 dev p3
	refused "Gateway is not a unicast address" \
		plane add 3 dev p4 via ff02::2
	refused "Segment id is not a routable unicast address" \
		plane add 3 dev p4 sid fe80::d1
	refused "Gateway is not a unicast address" plane set 1 via ff02::2
	refused "Device is plane 2 already" plane set 1 dev p2
	refused "No plane of that number" plane set 3 down
	refused "No plane of that number" plane del 3
	refused "No plane of that number" plane show 3

	raw EINVAL "Plane number is missing" PLANE_ADD PLANE_IFINDEX=u32:1
	raw EINVAL "Device is missing" PLANE_ADD PLANE_NUMBER=u32:3
	raw ENODEV "No such device" PLANE_ADD PLANE_NUMBER=u32:3 \
		PLANE_IFINDEX=u32:99999
	raw ERANGE "integer out of range" PLANE_ADD PLANE_NUMBER=u32:33 \
		PLANE_IFINDEX=u32:1
	raw ERANGE "integer out of range" PLANE_ADD PLANE_NUMBER=u32:0 \
		PLANE_IFINDEX=u32:1
	raw EINVAL "Plane number is missing" PLANE_SET
	raw EINVAL "Plane number is missing" PLANE_DEL
	raw EINVAL "Plane number is missing" PLANE_GET
}

routes()
{
	local key="ROUTE_DST=ip6:fd00:6d:3:: ROUTE_DST_LEN=u32:64"
	local usid="ROUTE_PLANE=u32:1 ROUTE_MODE=u32:1"
	local block="ROUTE_BLOCK=ip6:5f00:: ROUTE_BLOCK_LEN=u32:32"
	local seg='ROUTE_SEGMENT={SEGMENT_TYPE=u32:0,SEGMENT_VALUE=u32:1}'

	refused "No plane of that number" \
		route add fd00:6d:3::/64 plane 3 plain via fe80::1
	refused "Route to that prefix exists on that plane" \
		route add fd00:6d:1::/64 plane 1 plain via fe80::9
	refused "Neither the route nor its plane has a gateway" \
		route add fd00:6d:3::/64 plane 2 plain
	refused "Gateway is not a unicast address" \
		route add fd00:6d:3::/64 plane 1 plain via ff02::1
	refused "Source is not a unicast address" \
		route add fd00:6d:3::/64 plane 1 plain src ff02::1
	refused "Destination is multicast" route add ff00::/64 plane 1 plain
	refused "No such route" route del fd00:6d:3::/64 plane 1
	refused "No such route" route del fd00:6d:1::/65 plane 1
	refused "No such route" route del fd00:6d:1::/64 plane 2

	# shellcheck disable=SC2086
	{
	raw EINVAL "Destination is missing" ROUTE_ADD
	raw EINVAL "Prefix length is missing" ROUTE_ADD ROUTE_DST=ip6:fd00::
	raw EINVAL "Plane number is missing" ROUTE_ADD $key
	raw EINVAL "Plane number is missing" ROUTE_DEL $key
	raw ERANGE "integer out of range" ROUTE_ADD ROUTE_DST=ip6:fd00:: \
		ROUTE_DST_LEN=u32:129 ROUTE_PLANE=u32:1
	raw EINVAL "Host bits of the destination are set" ROUTE_ADD \
		ROUTE_DST=ip6:fd00::1 ROUTE_DST_LEN=u32:64 ROUTE_PLANE=u32:1
	raw ERANGE "integer out of range" ROUTE_ADD $key ROUTE_PLANE=u32:1 \
		ROUTE_MODE=u32:3
	raw EINVAL "A plain route has neither block nor segments" ROUTE_ADD \
		$key ROUTE_PLANE=u32:1 $block
	raw EINVAL "A plain route has neither block nor segments" ROUTE_ADD \
		$key ROUTE_PLANE=u32:1 "$seg"
	raw EINVAL "Locator block is missing" ROUTE_ADD $key $usid
	raw EINVAL "Length of the locator block is missing" ROUTE_ADD $key \
		$usid ROUTE_BLOCK=ip6:5f00::
	raw EINVAL "The uSID block must have 32 bits" ROUTE_ADD $key $usid \
		ROUTE_BLOCK=ip6:5f00:: ROUTE_BLOCK_LEN=u32:48 "$seg"
	raw EINVAL "The uSID block has bits behind its length" ROUTE_ADD \
		$key $usid ROUTE_BLOCK=ip6:5f00:0:1:: ROUTE_BLOCK_LEN=u32:32 \
		"$seg"
	raw EINVAL "Path: a path without an SRH has 1 to 6 segments" \
		ROUTE_ADD $key $usid $block "$seg" "$seg" "$seg" "$seg" \
		"$seg" "$seg" "$seg"
	raw EINVAL "Path: a path with an SRH has 1 to 12 segments" ROUTE_ADD \
		$key ROUTE_PLANE=u32:1 ROUTE_MODE=u32:2 $block
	raw EINVAL "More segments than fit two addresses" ROUTE_ADD $key \
		ROUTE_PLANE=u32:1 ROUTE_MODE=u32:2 $block \
		"$seg" "$seg" "$seg" "$seg" "$seg" "$seg" "$seg" \
		"$seg" "$seg" "$seg" "$seg" "$seg" "$seg"
	raw EINVAL "ECMP is for plain routes" ROUTE_ADD $key \
		ROUTE_PLANE=u32:1 ROUTE_MODE=u32:2 $block "$seg" \
		ROUTE_ECMP=u32:1
	raw EINVAL "A segment needs a type and a value" ROUTE_ADD $key $usid \
		$block 'ROUTE_SEGMENT={SEGMENT_TYPE=u32:0}'
	raw EINVAL "A range of segments needs its last value" ROUTE_ADD $key \
		$usid $block \
		'ROUTE_SEGMENT={SEGMENT_TYPE=u32:1,SEGMENT_VALUE=u32:1}'
	raw EINVAL "Destination bits need an offset and a length" ROUTE_ADD \
		$key $usid $block \
		'ROUTE_SEGMENT={SEGMENT_TYPE=u32:2,SEGMENT_VALUE=u32:1}'
	raw EINVAL "ECMP is for plain routes" ROUTE_ADD $key $usid $block \
		"$seg" ROUTE_ECMP=u32:1
	}
	paths
}

# What srv6.c says of a path that is well formed and makes no sense
paths()
{
	local add="ROUTE_ADD ROUTE_DST=ip6:fd00:6d:3:: ROUTE_DST_LEN=u32:64
		ROUTE_PLANE=u32:1 ROUTE_MODE=u32:1 ROUTE_BLOCK=ip6:5f00::
		ROUTE_BLOCK_LEN=u32:32"

	# shellcheck disable=SC2086
	{
	raw EINVAL "Path: a path without an SRH has 1 to 6 segments" $add
	raw EINVAL "Path: range ends before it begins" $add \
		'ROUTE_SEGMENT={SEGMENT_TYPE=u32:1,SEGMENT_VALUE=u32:2,SEGMENT_LAST=u32:1}'
	raw EINVAL "Path: more than 32767 paths" $add \
		'ROUTE_SEGMENT={SEGMENT_TYPE=u32:1,SEGMENT_VALUE=u32:1,SEGMENT_LAST=u32:0x8000}'
	raw EINVAL "Path: bits beyond the end of the address" $add \
		'ROUTE_SEGMENT={SEGMENT_TYPE=u32:2,SEGMENT_VALUE=u32:0,SEGMENT_OFFSET=u32:120,SEGMENT_BITS=u32:16}'
	raw EINVAL "Path: base plus bits do not fit in 16 bits" $add \
		'ROUTE_SEGMENT={SEGMENT_TYPE=u32:2,SEGMENT_VALUE=u32:0xff01,SEGMENT_OFFSET=u32:120,SEGMENT_BITS=u32:8}'
	}
}

# Three are built in, and one is "mine".
congestion_full()
{
	local i out

	for i in {1..60}; do
		echo "cc add p$i algorithm nscc"
	done | m -b - || return
	out=$(m cc add x algorithm nscc 2>&1)
	[ "$out" = "Error: Too many profiles." ] || fail "$out" || return
	for i in {1..60}; do
		echo "cc del p$i"
	done | m -b - || return
	unchanged
}

congestion()
{
	refused "Profile of that name exists" cc add mine algorithm nscc
	refused "Profile of that name exists" cc add nscc algorithm nscc
	refused "No congestion control of that name" cc add x algorithm cubic
	refused "No congestion control of that name" cc set mine algorithm cubic
	refused "Profile is built in: add one of another name" \
		cc set nscc algorithm fixed
	refused "Profile is built in: add one of another name" \
		cc set fixed window 65536
	refused "Profile is built in" cc del none
	refused "Profile \"default\" is whichever is the default" \
		cc add default algorithm nscc
	refused "Parameters need an algorithm" cc set mine target 10
	refused "No profile of that name" cc set x algorithm nscc
	refused "No profile of that name" cc del x
	raw EINVAL "Name is missing" CC_ADD
	raw EINVAL "Name is missing" CC_SET
	raw EINVAL "Name is missing" CC_DEL
	raw EINVAL "A profile's name has 1 to 15 characters" CC_ADD \
		CC_NAME=str: CC_ALGORITHM=str:nscc
	raw EINVAL "A profile needs an algorithm" CC_ADD CC_NAME=str:x
	raw ERANGE "integer out of range" CC_ADD CC_NAME=str:x CC_ALGORITHM=str:nscc \
		CC_DECREASE=u32:101
	run "no more than 64 congestion controls" congestion_full
}

profiles()
{
	local explicit="PROFILE_NAME=str:x PROFILE_KIND=u32:0"
	local generated="PROFILE_NAME=str:x PROFILE_KIND=u32:1"
	local w=EV_FIELD_WIDTH f

	refused "Profile of that name exists" profile add used evs 1
	refused 'Profile "auto" is built in' profile add auto evs 1
	refused 'Profile "auto" is built in' profile set auto evs 1
	refused 'Profile "auto" is built in' profile del auto
	refused "No profile of that name" profile set none evs 1
	refused "No profile of that name" profile del none
	refused "Profile is in use, by 1" profile del used
	refused "No profile of that name" \
		route add fd00:6d:3::/64 plane 1 plain profile none
	refused "List: an EV has no source port, its low 16 bits are 0" \
		profile add x evs 1,0x10000
	refused "List: an EV has no source port, its low 16 bits are 0" \
		profile set used evs 0
	refused "List: an EV is listed twice" profile add x evs 3,1-4
	refused "Fields: no EV has a source port, its low 16 bits are 0" \
		profile add x fields 16,16:0

	# shellcheck disable=SC2086
	{
	raw EINVAL "Name is missing" PROFILE_ADD
	raw EINVAL "Name is missing" PROFILE_SET
	raw EINVAL "Name is missing" PROFILE_DEL
	raw EINVAL "Kind of profile is missing" PROFILE_ADD PROFILE_NAME=str:x
	raw EINVAL "A profile's name has 1 to 15 characters" PROFILE_ADD \
		PROFILE_NAME=str: PROFILE_KIND=u32:0 PROFILE_EVS=hex:01000000
	raw EINVAL "An explicit profile needs a list of EVs" PROFILE_ADD \
		$explicit
	raw EINVAL "An explicit profile needs a list of EVs" PROFILE_ADD \
		$explicit PROFILE_EVS=hex:0100
	raw EINVAL "List: no EV" PROFILE_ADD $explicit PROFILE_EVS=hex:
	raw EINVAL "Fields: a generated EV has 1 to 8 fields" PROFILE_ADD \
		$generated
	raw EINVAL "A field needs a width" PROFILE_ADD $generated \
		'PROFILE_FIELD={EV_FIELD_INIT=u32:1}'
	raw ERANGE "integer out of range" PROFILE_ADD $generated \
		"PROFILE_FIELD={$w=u32:33}"
	raw EINVAL "Fields: the fields have more than 32 bits together" \
		PROFILE_ADD $generated "PROFILE_FIELD={$w=u32:32}" \
		"PROFILE_FIELD={$w=u32:1}"
	raw EINVAL "Fields: a value does not fit the width of its field" \
		PROFILE_ADD $generated \
		"PROFILE_FIELD={$w=u32:4,EV_FIELD_MAX_VALUE=u32:16}"
	raw EINVAL "Fields: the minimum of a field is above its maximum" \
		PROFILE_ADD $generated \
		"PROFILE_FIELD={$w=u32:4,EV_FIELD_MIN_VALUE=u32:3,EV_FIELD_MAX_VALUE=u32:2}"
	raw EINVAL "Fields: the initial value of a field is not between minimum and maximum" \
		PROFILE_ADD $generated \
		"PROFILE_FIELD={$w=u32:4,EV_FIELD_MIN_VALUE=u32:3,EV_FIELD_INIT=u32:2}"
	f="PROFILE_FIELD={$w=u32:1}"
	raw EINVAL "A generated EV has at most 8 fields" PROFILE_ADD \
		$generated $f $f $f $f $f $f $f $f $f
	}
}

settings()
{
	refused "The UDP port cannot change while there is a node" \
		net set udp-port 5000
	refused "The minimum of active EVs is above the number of EVs" \
		net set evs 8 ev-min-active 9
	refused "A DSCP of trimmed packets is used for others too" \
		net set dscp-trimmed 1
	refused "A DSCP of trimmed packets is used for others too" \
		net set dscp-trimmed 12
	refused "A DSCP of trimmed packets is used for others too" \
		net set dscp-ctl 11
	raw ERANGE "integer out of range" NET_SET NET_UDP_PORT=u32:0
	raw ERANGE "integer out of range" NET_SET NET_EVS=u32:0
	raw ERANGE "integer out of range" NET_SET NET_EVS=u32:1025
	raw ERANGE "integer out of range" NET_SET NET_DSCP_DATA=u32:64
	raw ERANGE "integer out of range" NET_SET NET_ICRC=u32:2
	raw EINVAL "Unknown attribute type" NET_SET 99=u32:1
}

sockets()
{
	refused "No such connection" sock abort qpn 3
	refused "No such connection" \
		sock abort local '[fd00:6d::1]:1' peer '[fd00:6d::2]:2'
	raw EINVAL "Local address is missing" SOCK_ABORT
	raw EINVAL "Local port is missing" SOCK_ABORT \
		SOCK_LOCAL=ip6:fd00:6d::1
	raw EINVAL "Peer's address is missing" SOCK_ABORT \
		SOCK_LOCAL=ip6:fd00:6d::1 SOCK_LOCAL_PORT=u32:1
	raw EINVAL "Peer's port is missing" SOCK_ABORT \
		SOCK_LOCAL=ip6:fd00:6d::1 SOCK_LOCAL_PORT=u32:1 \
		SOCK_REMOTE=ip6:fd00:6d::2
	raw ERANGE "integer out of range" SOCK_ABORT SOCK_QPN=u32:2
}

busy()
{
	"$MRCCTL" -N cbusy "$@" 2>&1
}

# Somebody else has the port: the first node of a namespace cannot be
port_taken()
{
	local out

	ip netns add cbusy
	ip -n cbusy link set lo up
	ip -n cbusy addr add fd00:6d::7/128 dev lo
	spawn cbusy python3 -c '
import signal, socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 4791))
print("bound", flush=True)
signal.pause()' >"$TMP/bound"
	wait_for 10 has_line "$TMP/bound" bound || return
	out=$(busy node add fd00:6d::7)
	[ "$out" = "Error: Cannot bind UDP port 4791." ] ||
		fail "it says: $out" || return
	[ -z "$(busy node)" ] || fail "there is a node" || return
	out=$(busy check)
	[[ $out == *"error UDP port 4791: Address already in use"* ]] ||
		fail "check: ${out//$'\n'/; }" || return
	reap "$PID"
	busy node add fd00:6d::7 || fail "nor when the port is free"
}

paths()
{
	local peer=REMOTE=ip6:fd00:6d:1::1 usid=REMOTE=ip6:fd00:6d:2::1 p o k s

	peer=PATH_$peer usid=PATH_$usid
	p=PATH_PLANE=u32 o=PATH_OUTER=ip6 k=PATH_INDEX=u32 s=PATH_STATE=u32
	for cmd in PATH_DENY PATH_ALLOW; do
		raw EINVAL "Peer's address is missing" $cmd $p:1 $k:0
		raw EINVAL "Plane number is missing" $cmd $peer $k:0
		raw EINVAL "A path is named by its number or its address" \
			$cmd $peer $p:1
		raw EINVAL "A path is named by its number or its address" \
			$cmd $peer $p:1 $k:0 $o:5f00::1
		raw EINVAL "This is not the address of a source route" \
			$cmd $peer $p:1 $o:::1
		raw EINVAL "This is not the address of a source route" \
			$cmd $peer $p:1 $o:ff02::1
		raw ENETUNREACH "No route to the peer over that plane" \
			$cmd $peer $p:2 $k:0
		raw ENOENT "The route has no path of that number" \
			$cmd $peer $p:1 $k:4
		raw ENOENT "The route has no path of that number" \
			$cmd $usid $p:2 $k:4
	done
	raw ENOENT "The path is not denied" PATH_ALLOW $usid $p:2 $k:3
	raw ENOENT "The path is not denied" \
		PATH_ALLOW $usid $p:2 $o:5f00:0:1:1::
	m path deny fd00:6d:2::1 plane 2 path 3
	before=$(state)
	raw EEXIST "The path is denied already" PATH_DENY $usid $p:2 $k:3
	raw EEXIST "The path is denied already" \
		PATH_DENY $usid $p:2 $o:5f00:0:1:4::
	m path allow fd00:6d:2::1 plane 2 outer 5f00:0:1:4::
	before=$(state)
	raw EINVAL "Peer's address is missing" PATH_SET $p:1 $s:0
	raw EINVAL "Plane number is missing" PATH_SET $peer $s:0
	raw EINVAL "State is missing" PATH_SET $peer $p:1
	raw EINVAL "A path is denied by path-deny" PATH_SET $peer $p:1 $s:2
	raw ENOENT "No such peer" PATH_SET $peer $p:1 $s:0
}

probes()
{
	local peer=PROBE_REMOTE=ip6:fd00:6d:1::1 p=PROBE_PLANE=u32
	local o=PROBE_OUTER=ip6 k=PROBE_INDEX=u32 l=PROBE_LOCAL=ip6

	raw EINVAL "A probe goes to a peer or around a loop" PROBE $p:1 $k:0
	raw EINVAL "A probe goes to a peer or around a loop" \
		PROBE $peer $p:1 $k:0 $o:5f00::1
	raw EINVAL "Plane number is missing" PROBE $peer $k:0
	raw EINVAL "Path number is missing" PROBE $peer $p:1
	raw EINVAL "The unspecified address is no peer" \
		PROBE PROBE_REMOTE=ip6::: $p:1 $k:0
	raw ENETUNREACH "No route to the peer" \
		PROBE PROBE_REMOTE=ip6:fd00:6d:9::1 $p:1 $k:0
	raw EADDRNOTAVAIL "No node address to probe from" \
		PROBE $peer $p:1 $k:0 $l:fd00:6d::9
	raw ENOENT "No such path" PROBE $peer $p:2 $k:0
	raw ENOENT "No such path" PROBE $peer $p:1 $k:4
	raw ENOENT "No plane of that number" PROBE $p:9 $o:5f00:0:1:d1::
	raw EINVAL "The plane has no SID to come back to" \
		PROBE $p:2 $o:5f00:0:1:d1::
	raw EINVAL "This is not the address of a source route" \
		PROBE $p:1 $o:ff02::1
	raw EADDRNOTAVAIL "No node address to probe from" \
		PROBE $p:1 $o:5f00:0:1:d1:: $l:fd00:6d::9
	m plane set 1 down
	before=$(state)
	raw ENETDOWN "The plane is down" PROBE $peer $p:1 $k:0
	raw ENETDOWN "The plane is down" PROBE $p:1 $o:5f00:0:1:d1::
	m plane set 1 up
	before=$(state)
}

# The longest list fits the first message of a dump on a socket that has not
# received anything, by which the kernel would know how much may come at once.
# In a namespace without any other profile, which would come first.
long_list()
{
	local n

	ip netns add clong || return
	"$MRCCTL" -N clong profile add long evs 1-1024 || return
	n=$(in_ns clong python3 - "$LIB_DIR" <<-'EOF'
		import socket, struct, sys
		sys.path.insert(0, sys.argv[1])
		import nlraw as nl

		def sock():
		    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
		    s.bind((0, 0))
		    return s

		found = nl.talk(sock(), nl.GENL_ID_CTRL, nl.CTRL_CMD_GETFAMILY,
		                nl.attribute(nl.CTRL_ATTR_FAMILY_NAME, b"mrc\0"))
		family = nl.attributes(found[0][0])[nl.CTRL_ATTR_FAMILY_ID]
		family = struct.unpack("=H", family[:2])[0]
		s = sock()
		s.send(struct.pack("=IHHIIBBH", 20, family, 0x301, 1, 0,
		                   nl.NAMES["MRC_CMD_PROFILE_GET"], 1, 0))
		longest = done = 0
		while not done:
		    data = s.recv(65536)
		    while data:
		        length, what = struct.unpack_from("=IH", data)
		        attrs = nl.attributes(data[20:length])
		        evs = attrs.get(nl.NAMES["MRC_A_PROFILE_EVS"], b"")
		        done = what == 3
		        if not done:
		            longest = max(longest, len(evs) // 4)
		        data = data[(length + 3) & ~3:]
		print(longest)
		EOF
	)
	ip netns del clong
	[ "$n" = 1024 ] || fail "of 1024 EVs $n came"
}

# The kernel takes so many in a second and no more, and says so
probe_flood()
{
	local n

	n=$(yes "PROBE PROBE_REMOTE=ip6:fd00:6d:1::1 PROBE_PLANE=u32:1 PROBE_INDEX=u32:0 PROBE_TIMEOUT=u32:60000" |
	    head -n 1100 | in_ns c1 "$nlraw" - | sort | uniq -c)
	[[ $n == *"EBUSY Too many probes are out"* ||
	   $n == *"EAGAIN Too many probes in a second"* ]] || fail "$n" || return
	# All of a socket that is closed are forgotten: there is room again
	in_ns c1 "$nlraw" PROBE PROBE_REMOTE=ip6:fd00:6d:1::1 \
		PROBE_PLANE=u32:1 PROBE_INDEX=u32:0 >"$TMP/one"
	wait_for 5 one_probe || fail "$(<"$TMP/one")"
}

one_probe()
{
	[ "$(in_ns c1 "$nlraw" PROBE PROBE_REMOTE=ip6:fd00:6d:1::1 \
		PROBE_PLANE=u32:1 PROBE_INDEX=u32:0)" = 0 ]
}

# nobody COMMAND... - mrcctl without privileges
nobody()
{
	in_ns c1 setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$MRCCTL" "$@" 2>&1
}

not_permitted()
{
	local out

	out=$(nobody "$@")
	[ "$out" = "Error: Operation not permitted." ] ||
		fail "it says: $out" || return
	unchanged
}

may_look()
{
	local out

	out=$(nobody "$1" show) || fail "$out"
}

permissions()
{
	local cmd

	while read -r cmd; do
		# shellcheck disable=SC2086 # words
		run "without privileges: $cmd" not_permitted $cmd
	done <<-END
		node add fd00:6d::2
		node del fd00:6d::1
		plane add 3 dev p4
		plane set 1 down
		plane del 1
		route add fd00:6d:3::/64 plane 1 plain
		route del fd00:6d:1::/64 plane 1
		profile add x evs 1
		profile set used evs 1
		profile del used
		cc add x algorithm nscc
		cc set none default
		cc del mine
		net set evs 8
		sock abort qpn 3
		path deny fd00:6d:1::1 plane 1 path 0
		path allow fd00:6d:1::1 plane 1 path 0
		path set fd00:6d:1::1 plane 1 state good
		probe fd00:6d:1::1
	END
	for cmd in node plane route profile peer path sock net cc stats; do
		run "without privileges: $cmd show" may_look $cmd
	done
}

# The owner of a user namespace configures the network namespaces it owns
user_namespace()
{
	local out

	# shellcheck disable=SC2016 # for the shell inside
	out=$(setpriv --reuid 65534 --regid 65534 --clear-groups \
	      unshare --user --map-root-user --net sh -c '
		ip link set lo up
		ip addr add fd00:6d::5/128 dev lo
		ip link add p1 type veth peer name f1
		ip link set p1 up
		"$1" -b - <<-END && "$1" route
			node add fd00:6d::5
			plane add 1 dev p1 via fe80::1 sid 5f00:0:d5::
			route add fd00:6d::6/128 plane 1 plain
			plane set 1 down
			net set evs 16
		END' sh "$MRCCTL" 2>&1)
	[ "$out" = "fd00:6d::6/128 plane 1 plain" ] ||
		fail "${out//$'\n'/; }"
}

begin
setup
before=$(state)
nodes
planes
routes
profiles
congestion
settings
sockets
paths
run "a list of 1024 EVs in the first message of a dump" long_list
probes
run "a flood of probes" probe_flood
permissions
run "the UDP port is taken" port_taken
run "unprivileged user namespace with its own plane" user_namespace
[ -z "${RAW_PID:-}" ] || reap "$RAW_PID"
teardown
end
