#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every plane and every spine carries its share: by the counters of switches
# and by a capture, not by what the module says of itself. And packets travel
# in bursts.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

SIZE=16777216
PACKETS=$((SIZE / 4096))

# counters - of all ports: "switch port packets", received
counters() {
	fabric counters | awk '{
		n = split($0, w, /[^a-z0-9_]+/)
		for (i = 3; i < n; i++)
			if (w[i] == "rx") print w[2], port, w[i + 1]
			else if (w[i] == "rx_bytes") port = w[i - 1] }'
}

# counted COMMAND... - run it; $TMP/count has what each port received
counted() {
	counters >"$TMP/before"
	"$@" || return
	counters >"$TMP/after"
	paste -d ' ' "$TMP/before" "$TMP/after" |
		awk '{ print $1, $2, $6 - $3 }' >"$TMP/count"
}

# got SWITCH PORT
got() { awk -v s="$1" -v p="$2" '$1 == s && $2 == p { print $3 }' "$TMP/count"; }

# Packets that plane $1 took from h1
plane_got() {
	if [ "$FABRIC" = b2b ]; then
		got wire "h1p$1"
	else
		got "p${1}t01" h1
	fi
}

equal_planes() {
	local p n status=0

	counted transfer $SIZE || status=1
	for p in 1 2 3 4; do
		n=$(plane_got $p)
		# A quarter, 2 points more or less, of all data; besides, some
		# probes and the handshake
		[ "$n" -ge $((PACKETS * 23 / 100)) ] &&
			[ "$n" -le $((PACKETS * 27 / 100)) ] ||
			fail "plane $p took $n of $PACKETS packets" || status=1
	done
	return $status
}

equal_always() {
	local status=0 worst

	capture h1 "$TMP/pcap" -Q out || return
	transfer $SIZE || status=1
	capture_end all_captured || status=1
	[ $status = 0 ] || return
	worst=$(python3 "$LIB_DIR/capture.py" spread "$TMP/pcap" 1000)
	awk -v w="$worst" 'BEGIN { exit !(w <= 5) }' ||
		fail "a share was off by $worst points" || status=1
	return $status
}

all_captured() {
	[ "$(python3 "$LIB_DIR/capture.py" planes "$TMP/pcap" |
		awk '{ n += $2 } END { print n }')" -ge $PACKETS ]
}

# Four spines in each plane: each path carries something like its share
all_spines() {
	local p j n status=0

	counted transfer $SIZE || status=1
	for p in 1 2 3 4; do
		for j in 1 2 3 4; do
			n=$(got "p${p}t1$j" t01)
			[ "$n" -ge $((PACKETS / 16 / 2)) ] &&
				[ "$n" -le $((PACKETS / 16 * 2)) ] ||
				fail "spine $j of plane $p took $n packets" ||
				status=1
		done
	done
	return $status
}

all() {
	run "$FABRIC: warm up" warm_up
	run "$FABRIC: more than four packets in a burst" in_bursts $SIZE
	fabric bursts off
	run "$FABRIC: each plane takes a quarter" equal_planes
	run "$FABRIC: and so it does of any 1,000 packets" equal_always
}

begin
on_both all
FABRIC=usid
fabric up --t1 4
run "four spines: warm up" warm_up 16
fabric bursts off
run "four spines: every path is used" all_spines
fabric down
end
