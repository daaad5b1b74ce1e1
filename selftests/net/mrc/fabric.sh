#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The fabric proves itself without MRC: TCP over the kernel's own SRv6
# reaches the other host by the path its carrier names, the switches' counters
# say so, and each kind of fault does what its name says.

. "$(dirname "$0")/lib.sh"

# tcp BYTES [SECONDS] - h1 to h2 (over plane 4, see stack_seg6), verified
tcp() {
	local server status=0

	rm -f "$TMP/ready"
	spawn h2 python3 "$LIB_DIR/tcp.py" recv "$TMP/ready" "$1"
	server=$PID
	wait_for 10 has_line "$TMP/ready" ready &&
		in_ns h1 timeout "${2:-20}" python3 "$LIB_DIR/tcp.py" send "$1" ||
		status=1
	reap "$server"
	return $status
}

# packets NAMESPACE PORT rx|tx - from the fabric's own counters
packets() {
	in_ns "$1" cat "/proc/net/dev" |
	awk -v port="$2" -v dir="$3" '{ sub(/:/, " ") }
		$1 == port { print dir == "rx" ? $3 : $11 }'
}

by_path() {
	local spine1 spine2 other

	spine1=$(packets p4t11 t01 rx)
	spine2=$(packets p4t12 t01 rx)
	other=$(packets p1t11 t01 rx)
	tcp 1000000 || fail "no TCP over the fabric" || return
	spine1=$(($(packets p4t11 t01 rx) - spine1))
	spine2=$(($(packets p4t12 t01 rx) - spine2))
	other=$(($(packets p1t11 t01 rx) - other))
	[ $spine1 -ge 10 ] || fail "the named spine saw $spine1 packets" || return
	[ $spine2 -le 3 ] || fail "the other spine saw $spine2 packets" || return
	[ $other -le 3 ] || fail "another plane saw $other packets"
}

counters_are_json() {
	fabric counters | python3 -c '
import json, sys
c = json.load(sys.stdin)
assert len(c) == 18, len(c)
assert set(c["p4t11"]) == {"t01", "t02"}, c["p4t11"]
assert set(c["h1"]) == {"p1", "p2", "p3", "p4"}, c["h1"]'
}

# Nothing passes while it is broken, and all does when it is mended
breaks() {
	fabric link "$1" 4 "$3" ${4:+"$4"}
	! tcp 1000 2 || fail "TCP passed in spite of \"$1\"" || return
	fabric link "$2" 4 "$3" ${4:+"$4"}
	# The kernel may take a moment to believe in a carrier
	wait_for 10 tcp 100000 5 || fail "no TCP after \"$2\""
}

# flags WORD - has p4 of h1 this flag?
flags() { [[ $(ip -n h1 -o link show p4) == *[,\<]"$1"[,\>]* ]]; }

carrier_follows() {
	fabric link down 4 h1
	wait_for 5 flags NO-CARRIER || return
	fabric link up 4 h1
	wait_for 5 flags LOWER_UP || return
	wait_for 10 tcp 100000 5 || fail "no TCP after the link came back"
}

# datagrams N - from h1; INTACT and BROKEN say what h2 got
datagrams() {
	local server

	rm -f "$TMP/ready" "$TMP/count"
	spawn h2 python3 "$LIB_DIR/tcp.py" count "$TMP/ready" >"$TMP/count"
	server=$PID
	wait_for 10 has_line "$TMP/ready" ready &&
		in_ns h1 python3 "$LIB_DIR/tcp.py" datagrams "$1" &&
		wait_for 30 gone "$server" || {
			reap "$server"
			return 1
		}
	read -r INTACT BROKEN <"$TMP/count"
}

loses() {
	fabric impair 4 h2 loss 20%
	datagrams 1000 || return
	fabric impair 4 h2 clear
	[ "$INTACT" -ge 700 ] && [ "$INTACT" -le 890 ] ||
		fail "$INTACT of 1000 arrived with loss 20%" || return
	datagrams 200 || return
	[ "$INTACT" = 200 ] || fail "$INTACT of 200 arrived without loss"
}

corrupts() {
	local errors

	errors=$(in_ns h2 nstat -asz Udp6InCsumErrors |
		 awk '/Csum/ { print $2 }')
	fabric impair 4 h2 "$1" 5
	datagrams 1000 || return
	fabric impair 4 h2 clear
	errors=$(($(in_ns h2 nstat -asz Udp6InCsumErrors |
		    awk '/Csum/ { print $2 }') - errors))
	[ "$BROKEN" = 0 ] || fail "$BROKEN broken datagrams got through" || return
	[ "$INTACT" -ge 680 ] && [ "$INTACT" -le 900 ] ||
		fail "$INTACT of 1000 arrived intact" || return
	[ "$1" = corrupt-header ] || [ "$errors" -ge 100 ] ||
		fail "only $errors checksum errors"
}

host_again() {
	fabric host down h2
	[ ! -e /run/netns/h2 ] || fail "h2 is still there" || return
	fabric host up h2
	tcp 100000 || fail "no TCP after the host came back"
}

begin --no-module
fabric up --stack seg6
run "uSID: TCP takes the path its carrier names" by_path
run "counters of all switches are JSON" counters_are_json
run "a black hole on a leaf-spine link swallows" \
	breaks blackhole repair t01 t11
run "a black hole on a host's link swallows" breaks blackhole repair h2
run "a leaf-spine link goes down and comes up" breaks down up t01 t11
run "a host's carrier follows the link" carrier_follows
run "a host disappears and is built again" host_again
fabric down
fabric b2b --stack seg6
run "back to back: TCP" tcp 1000000
run "back to back: a black hole swallows" breaks blackhole repair h2
run "back to back: a link goes down and comes up" breaks down up h1
run "back to back: loss is per packet" loses
run "back to back: a broken payload fails the checksum" \
	corrupts corrupt-payload
run "back to back: broken headers get nothing through" \
	corrupts corrupt-header
end
