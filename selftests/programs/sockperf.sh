#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# sockperf: round trips over TCP's API, recv(2) and epoll, and a stream of
# messages at a rate.

. "$(dirname "$0")/lib.sh"

# sockperf NAME SERVER-OPTION... -- CLIENT-OPTION...
sockperf_run() {
	local server status=0 options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	mrc_spawn h2 sockperf server "${options[@]}" \
		>"$TMP/server" 2>&1
	server=$PID
	await_listener h2 11111 &&
		during h1 200000 mrc h1 sockperf "$@" --tcp -p 11111 \
			-t 6 --msg-size 1000 >"$TMP/out" 2>&1 &&
		grep -qE 'Summary: ' "$TMP/out" &&
		note "$(grep Summary "$TMP/out" | sed 's/\x1b[^m]*m//g')" &&
		! grep -qi 'error' "$TMP/out" &&
		over_mrc h1 300000 && no_tcp h1 connect || {
		fail "$(tail -n 5 "$TMP/out")"
		status=1
	}
	kill -INT "$server"
	wait_for 20 gone "$server" || status=1
	return $status
}

AT=(--tcp -i 0.0.0.0 -p 11111)
begin_programs
run "ping-pong" sockperf_run "${AT[@]}" -- ping-pong -i "$H2_V4"
echo "T:0.0.0.0:11111" >"$TMP/feed"
run "ping-pong, the server in epoll" \
	sockperf_run -f "$TMP/feed" -F epoll -- ping-pong -i "$H2_V4"
run "500 messages a second" \
	sockperf_run "${AT[@]}" -- under-load -i "$H2_V4" --mps 500
end
