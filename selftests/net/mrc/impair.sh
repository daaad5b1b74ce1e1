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

# Memory is in pieces: what a page fragment gets is a page, and a packet with its
# headers is longer
pieces() {
	local status=0

	sysctl -qw net.core.high_order_alloc_disable=1 || return
	transfer $SIZE || status=1
	sysctl -qw net.core.high_order_alloc_disable=0
	return $status
}

# NSCC would take 2 ms above the lowest round trip for a queue, and hardly send
# two packets at a time.
reordered() {
	local status=0

	"$MRCCTL" -N h1 cc set fixed default || return
	impaired delay 2ms reorder 20% || status=1
	"$MRCCTL" -N h1 cc set nscc default || return
	[ $status = 0 ] || return
	expect_mib h2 OooIn $((PACKETS / 20)) || return
	# What was called lost came late, and that was seen
	expect_mib h1 RtxUndo 1 || { mib_dump h1; mib_dump h2; return 1; }
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
	run "$FABRIC: no memory of more than two pages in one piece" pieces
	run "$FABRIC: 0.1 % loss" lost 0.1% 0
	run "$FABRIC: 1 % loss" lost 1% $((PACKETS / 1000))
	run "$FABRIC: 5 % loss" lost 5% $((PACKETS / 50))
	run "$FABRIC: reordering" reordered
	run "$FABRIC: duplication" duplicated
	run "$FABRIC: broken headers" header
	run "$FABRIC: broken payload" payload
}

begin
on_both all
end
