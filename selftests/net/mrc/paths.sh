#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# EVs, paths and what they cost: the way back is probed at its pace, whatever
# the number of connections, and no answer is a stranger's.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

SIZE=33554432
PACKETS=$((SIZE / 4096))

# timed COMMAND... - whole seconds that it took, rounded up, into $seconds
timed() {
	local start=${EPOCHREALTIME/./} status=0

	"$@" || status=1
	seconds=$(((${EPOCHREALTIME/./} - start) / 1000000 + 1))
	return $status
}

# One probe of the way back per 400 packets, and one a second: h2 receives and
# sends no data
rev_pace() {
	local limit

	mib_mark h1 h2
	timed transfer $SIZE || return
	limit=$((PACKETS / 400 + seconds + 1))
	mib_since h2 EpRev
	note "$MIB probes of the way back in $seconds s"
	expect_mib h2 EpRev 1 $limit || return
	# h1's own data proves its ways
	expect_mib h1 EpRev 0 $((seconds + 1)) || return
	expect_mib h1 DropProbeId 0 0 && expect_mib h2 DropProbeId 0 0
}

# many N BYTES - so many connections at once, each sends so much
many() {
	local receiver status=0

	PORT=$((PORT + 1))
	rm -f "$TMP/recv"
	spawn h2 mrcx -l "$H2" "$PORT" -n "$1" -v -m lt -w "$TRANSFER_TIME" \
		>"$TMP/recv"
	receiver=$PID
	wait_for 10 has_line "$TMP/recv" listening || status=1
	[ $status != 0 ] ||
		in_ns h1 mrcx -c "$H2" "$PORT" -n "$1" -m lt -s "$2" \
			-w "$TRANSFER_TIME" >"$TMP/send" || status=1
	[ $status = 0 ] || reap "$receiver"
	ended "$receiver" || status=1
	[ $status = 0 ] || note "receiver: $(tail -n 1 "$TMP/recv")" \
		"sender: $(tail -n 1 "$TMP/send")"
	return $status
}

# probes N - of both hosts and of either direction while N connections together
# send 8,000 packets: the same bound for one and for many
probes() {
	local limit n

	mib_mark h1 h2
	timed many "$1" $((8000 * 4096 / $1)) || return
	mib_since h1 EpRev
	n=$MIB
	mib_since h2 EpRev
	note "$1 connections: $n and $MIB ways back probed in $seconds s"
	limit=$((8000 / 400 + seconds + 1))
	expect_mib h1 EpRev 0 $limit || return
	expect_mib h2 EpRev 1 $limit || return
	# Nothing else asks but a path that was late
	for n in h1 h2; do
		mib_since $n PathBad PathKept EpRev EpLost
		expect_mib $n EpReqOut 0 $((MIB * 2)) || return
	done
}

all() {
	run "$FABRIC: warm up" warm_up
	run "$FABRIC: the way back is probed at its pace" rev_pace
	run "$FABRIC: probes of one connection" probes 1
	run "$FABRIC: 500 connections probe no more" probes 500
}

begin
on_both all
end
