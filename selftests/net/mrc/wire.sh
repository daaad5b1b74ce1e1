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

# sock HOST FIELD - of the connection, not the listener
sock() {
	"$MRCCTL" -N "$1" -j -d -s sock show | python3 -c '
import json, sys
s, = (s for s in json.load(sys.stdin) if "peer_qpn" in s)
print(s[sys.argv[1]])' "$2"
}

acknowledged() {
	[ "$(sock h1 sndq)" = 0 ] && [ "$(sock h2 bytes_received)" = $BYTES ]
}

# A connection that has moved BYTES, captured at h1; both ends stay, and
# nothing is under way any more
captured() {
	PORT=$((PORT + 1))
	rm -f "$TMP/peer" "$TMP/say" "$TMP/poke"
	segmentation off || return
	spawn h2 timeout 60 mrct hold $H2 $PORT >"$TMP/peer"
	HOLD=$PID
	wait_for 10 has_line "$TMP/peer" listening || return
	capture h1 "$TMP/pcap" || return
	mkfifo "$TMP/say"
	exec 9<>"$TMP/say"
	spawn_told h1 "$TMP/poke" timeout 60 mrct poke $H2 $PORT $BYTES
	POKE=$PID
	wait_for 10 has_line "$TMP/poke" connected || return
	echo >&9
	wait_for 10 acknowledged && capture_end last_sack
}

# The SACK for all of it is in the capture
last_sack() {
	python3 "$LIB_DIR/capture.py" sack "$TMP/pcap" "$(sock h1 qpn)" \
		>"$TMP/sack" 2>/dev/null && [ "$(field next_va)" = $BYTES ]
}

# same WHAT A B
same() {
	[ "$2" = "$3" ] || fail "$1: $2 and $3"
}

tshark_reads() {
	tshark -r "$TMP/pcap" -T fields -E separator=' ' \
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

# field NAME - of the SACK
field() { python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$TMP/sack" "$1"; }

sack_by_hand() {
	local qpn status=0

	qpn=$(sock h1 qpn)
	last_sack || fail "no SACK in the capture" || return
	same "PSN in BTH and cack" "$(field psn)" "$(field cack)" || status=1
	same "cack and what h1 has acknowledged" \
		$((($(field cack) + 1) & 0xffffff)) "$(sock h1 snd_una)" ||
		status=1
	same "cack and what h2 waits for" \
		$((($(field cack) + 1) & 0xffffff)) "$(sock h2 rcv_nxt)" ||
		status=1
	same "low half of the sender's QPN" "$(field spdcid)" \
		$(($(sock h2 qpn) & 0xffff)) || status=1
	same "low half of the receiver's QPN" "$(field dpdcid)" \
		$((qpn & 0xffff)) || status=1
	same "next VA" "$(field next_va)" $BYTES || status=1
	same "bytes in units of 256" "$(field rcvd)" \
		$(((BYTES + 255) / 256 * 256)) || status=1
	same "MPR" "$(field mpr)" "$(sock h1 mpr)" || status=1
	same "window of the receiver" "$(field window)" "$(sock h2 rcv_wnd)" ||
		status=1
	same "window as the sender knows it" "$(field window)" \
		"$(sock h1 snd_wnd)" || status=1
	return $status
}

finished() {
	reap "$POKE"
	reap "$HOLD"
	exec 9<&-
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
