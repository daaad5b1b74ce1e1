#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Bad links: loss, reordering, duplication, corruption on all planes, in both
# directions. All bytes arrive, the impairment did happen, and what had to be
# sent again was.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

SIZE=4194304
PACKETS=$((SIZE / 4096))

# impaired IMPAIRMENT... - a transfer over it; it remains until the next
impaired() {
	local status=0

	fabric impair all all "$@"
	mib_mark h1 h2
	transfer $SIZE || status=1
	[ $status = 0 ] || { mib_dump h1; mib_dump h2; }
	return $status
}

# Packets sent again were missing: the receiver counts them as such, and at
# least so many of all
lost() {
	impaired loss "$1" || return
	[ "$2" = 0 ] || expect_mib h1 RtxOut "$2" || return
	expect_mib h2 DataIn $PACKETS
}

# Nothing is lost: what a hasty timer has sent again had arrived
healthy() {
	mib_mark h1 h2
	transfer $SIZE || return
	expect_mib h2 DataIn $PACKETS || return
	mib_since h1 RtxOut
	expect_mib h2 DropDup "$MIB" "$MIB" || { mib_dump h1; return 1; }
}

# fill_window BYTES - of a receiver that does not read
fill_window() {
	local receiver sender status=0

	PORT=$((PORT + 1))
	rm -f "$TMP/recv"
	spawn h2 mrcx -l "$H2" "$PORT" -v -W "$1" >"$TMP/recv" 2>&1
	receiver=$PID
	wait_for 10 has_line "$TMP/recv" listening || status=1
	kill -STOP "$receiver"
	mib_mark h1
	spawn h1 mrcx -c "$H2" "$PORT" -s 1m -C 1m >"$TMP/send" 2>&1
	sender=$PID
	wait_for 10 mib_grew h1 ProbeOutWindow || status=1
	expect_mib h1 DataOutBytes "$1" "$1" || status=1
	kill "$sender" "$receiver"
	kill -CONT "$receiver"
	reap "$sender"
	reap "$receiver"
	return $status
}

# rest_of_window BYTES - a window that is no whole number of bursts: what is left
# of it waits for a SACK, but not for one that has to be asked for by a probe. A
# host that is busy may be late once, not always.
rest_of_window() {
	for _ in 1 2 3; do
		with_fixed fill_window "$1" || return
		! mib_grew h1 ProbeOutTail 0 0 || break
	done
	expect_mib h1 ProbeOutTail 0 0
}

# Memory is in pieces: what a page fragment gets is a page, and a packet with its
# headers is longer
pieces() {
	local status=0

	sysctl -qw net.core.high_order_alloc_disable=1 || return
	transfer $SIZE || status=1
	sysctl -qw net.core.high_order_alloc_disable=0
	return $status
}

# 2 ms above the lowest round trip would be a queue to NSCC, too.
reordered() {
	with_fixed impaired delay 2ms reorder 20% || return
	expect_mib h2 OooIn $((PACKETS / 20)) || return
	# What was called lost came late, and that was seen
	expect_mib h1 RtxUndo 1 || { mib_dump h1; mib_dump h2; return 1; }
}

# longer DELAY - all ways become longer by twice as much, far beyond the timeout
# of a short way: packets are called lost until the first round trip is over, not
# in each, what was sent twice is not much, and the delay is known then
longer() {
	local size=$((SIZE / 4))

	impaired delay 1us || return
	fabric impair all all delay "$1"
	mib_mark h1 h2
	transfer $size && expect_mib h1 Timeouts 0 $((size / 4096 / 8)) &&
		expect_mib h2 DropDup 0 $((size / 4096 / 4)) &&
		"$MRCCTL" -N h1 path show "$H2" |
			grep -qE ' rtt [1-9][0-9]{1,2}(\.[0-9]+)?ms' && return
	note "$("$MRCCTL" -N h1 path show "$H2")"
	mib_dump h1
	mib_dump h2
	return 1
}

# shorter - and short again: nothing is sent twice for that
shorter() {
	impaired delay 1us || return
	expect_mib h2 DropDup 0 $((PACKETS / 40)) || mib_dump h1
}

duplicated() {
	impaired duplicate 10% || return
	expect_mib h2 DropDup $((PACKETS / 40)) &&
		expect_mib h2 DataIn $PACKETS $((PACKETS + 8))
}

# A bit anywhere in the headers of one packet in 20: what still reaches us is
# dropped, most of it for its checksum
header() {
	impaired corrupt-header 20 || return
	expect_mib h1 RtxOut $((PACKETS / 100))
}

payload() {
	impaired corrupt-payload 20 || return
	expect_mib h2 DropCsum $((PACKETS / 100)) &&
		expect_mib h1 RtxOut $((PACKETS / 100))
}

all() {
	run "$FABRIC: warm up" warm_up
	run "$FABRIC: nothing is lost over a healthy fabric" healthy
	run "$FABRIC: the rest of a window" rest_of_window 81920
	run "$FABRIC: no memory of more than two pages in one piece" pieces
	run "$FABRIC: 0.1 % loss" lost 0.1% 0
	run "$FABRIC: 1 % loss" lost 1% $((PACKETS / 1000))
	run "$FABRIC: 5 % loss" lost 5% $((PACKETS / 50))
	run "$FABRIC: reordering" reordered
	run "$FABRIC: the way becomes longer" longer 20ms
	run "$FABRIC: the way becomes longer still" longer 40ms
	run "$FABRIC: the way becomes shorter" shorter
	run "$FABRIC: duplication" duplicated
	run "$FABRIC: broken headers" header
	run "$FABRIC: broken payload" payload
}

begin
on_both all
end
