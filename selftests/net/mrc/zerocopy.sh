#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Data that is not copied, and io_uring: what zerocopy.c and uring.c check on
# connections of a host to itself, with and without ICRCs; and transfers between
# two hosts, over source routes on two planes.
#
#	   h1 ===== h2		fabric: 2 planes, a leaf and a spine each

. "$(dirname "$0")/lib.sh"

H2=fd00:6d::2
PORT=7000

# From h1 to h2, whose bytes arrive, and whose pages are the sender's again
across() {
	local receiver status=0

	PORT=$((PORT + 1))
	rm -f "$TMP/recv"
	spawn h2 zerocopy recv $H2 $PORT >"$TMP/recv" 2>&1
	receiver=$PID
	wait_for 10 has_line "$TMP/recv" listening || status=1
	in_ns h1 zerocopy send $H2 $PORT || status=1
	wait "$receiver" || status=1
	[ $status = 0 ] || note "$(cat "$TMP/recv")"
	return $status
}

# Every packet by itself, cut from what we sent as one
single() {
	fabric bursts off
	across || return
	fabric bursts on
}

lossy() {
	fabric impair all all loss 2%
	mib_mark h1
	across || return
	expect_mib h1 RtxOut 1 || return
	fabric impair all all clear
}

# shellcheck disable=SC2119 # its argument is none of ours
begin
fabric up --planes 2 --t0 1 --t1 1
run_tap h1 zerocopy fd00:6d::1
run_tap h1 uring fd00:6d::1
run "between hosts: in bursts" across
run "between hosts: packet by packet" single
run "between hosts: with losses" lossy
"$MRCCTL" -N h1 net set icrc on
KTAP_PREFIX="ICRC: " run_tap h1 zerocopy fd00:6d::1
run "ICRC: between hosts: in bursts" across
run "ICRC: between hosts: packet by packet" single
run "ICRC: between hosts: with losses" lossy
end
