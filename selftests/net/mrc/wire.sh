#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The wire as others read it: Wireshark dissects our BTH as RoCEv2, and a SACK
# decoded by hand (capture.py) says what both ends say of their connection.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

BYTES=300001

# segmentation on|off - whether h1 sends single packets, for a capture there
segmentation() {
	local p

	for p in 1 2 3 4; do
		in_ns h1 ethtool -K p$p tx-udp-segmentation "$1" gso "$1" \
			>/dev/null 2>&1 || return
	done
}

# What both ends say of the connection, in files
ask_both() {
	"$MRCCTL" -N h1 -j -d sock show >"$TMP/h1" &&
		"$MRCCTL" -N h2 -j -d sock show >"$TMP/h2"
}

# Does the newest SACK of the capture say the same?
agree() {
	ask_both && python3 "$LIB_DIR/capture.py" sack "$TMP/pcap" \
		"$TMP/h1" "$TMP/h2" $BYTES >"$TMP/differ" 2>&1
}

# A connection that moves BYTES, captured at h1. In the end nothing is under
# way, and both ends stay.
captured() {
	PORT=$((PORT + 1))
	rm -f "$TMP/peer" "$TMP/say" "$TMP/poke"
	segmentation off || return
	spawn h2 timeout $((60 * PATIENCE)) mrct hold "$H2" "$PORT" >"$TMP/peer"
	HOLD=$PID
	wait_for 10 has_line "$TMP/peer" listening || return
	capture h1 "$TMP/pcap" || return
	mkfifo "$TMP/say"
	exec 8<>"$TMP/say"
	spawn_told h1 8 "$TMP/poke" timeout $((60 * PATIENCE)) mrct poke "$H2" "$PORT" $BYTES
	POKE=$PID
	wait_for 10 has_line "$TMP/poke" connected || return
	echo >&8
	capture_end agree
}

tshark_reads() {
	# Every port: the source ports are entropy values and may be those of
	# well-known protocols, which Wireshark prefers to a higher one
	tshark -r "$TMP/pcap" -d udp.port==1-65535,infiniband \
		-Y infiniband.bth -T fields -E separator=' ' \
		-e infiniband.bth.opcode -e infiniband.bth.destqp \
		-e infiniband.bth.psn 2>/dev/null |
		while read -r op qp psn; do echo "$op $((qp)) $psn"; done \
		>"$TMP/theirs"
	python3 "$LIB_DIR/capture.py" bth "$TMP/pcap" >"$TMP/ours"
	[ "$(grep -c '^202 ' "$TMP/ours")" -ge 74 ] ||
		fail "$(wc -l <"$TMP/ours") packets captured" || return
	[ "$(grep -c '^220 ' "$TMP/ours")" -ge 2 ] || fail "no SACK" || return
	cmp "$TMP/ours" "$TMP/theirs" ||
		fail "$(diff "$TMP/ours" "$TMP/theirs" | head -n 5)"
}

sack_by_hand() {
	agree || fail "$(<"$TMP/differ")"
}

finished() {
	reap "$POKE"
	reap "$HOLD"
	exec 8<&-
	segmentation on
}

all() {
	run "$FABRIC: warm up" warm_up
	run "$FABRIC: a connection is captured" captured
	run "$FABRIC: Wireshark reads opcode, destination QP, PSN" tshark_reads
	run "$FABRIC: a SACK read by hand says what both ends say" sack_by_hand
	finished
}

begin
on_both all
end
