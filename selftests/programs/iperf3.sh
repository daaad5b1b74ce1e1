#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# iperf3: four streams, the other way, both ways, IPv4. A rate is set, so that
# there is time to cut a plane on a fast machine, too.

. "$(dirname "$0")/lib.sh"

MIB_BYTES=$((1 << 20))

# bytes KEY - what the report of the client says
bytes() { jq "[.end.$1.bytes] | add" "$TMP/report"; }

# client TARGET OPTION... - a line of the report's errors, if there is one
client() {
	mrc h1 iperf3 -c "$1" -J "${@:2}" >"$TMP/report"
}

# transfer SENDER MIB TARGET OPTION... - and SENDER has sent most of it: at the
# end the receiver closes with some of it on the way
transfer() {
	local host=$1 mib=$2

	shift 2
	during "$host" $((mib * MIB_BYTES / 4)) client "$1" -n "${mib}M" \
		"${@:2}" || fail "$(jq -r '.error // empty' "$TMP/report")" ||
		return
	over_mrc "$host" $((mib * MIB_BYTES * 3 / 4)) || return
	note "$(jq -r '.end.sum_received.bits_per_second / 1e6 | floor' \
		"$TMP/report") Mbit/s, $(bytes sum_received) bytes received"
	no_tcp h1 'connect'
}

both_ways() {
	transfer h1 32 "$H2" --bidir -b 80M || return
	over_mrc h2 $((16 * MIB_BYTES))
}

begin_programs
mrc_spawn h2 iperf3 -s >"$TMP/server"
run "the server listens" await_listener h2 5201
run "four streams" transfer h1 48 "$H2" -P 4 -b 40M
run "four streams, to the client" transfer h2 48 "$H2" -P 4 -R -b 40M
run "both ways" both_ways
run "IPv4" transfer h1 32 "$H2_V4" -b 160M
reap "$PID"
end
