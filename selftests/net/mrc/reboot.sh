#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The other end goes away: its process is killed, its host crashes and comes
# back, nobody listens, no route leads there.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

# outcome NAME RESULT FILE - what mrct said, and how long it took: $US
outcome() {
	local name result

	US=
	while read -r name result US; do
		[ "$name" != "$1" ] || break
	done <"$3"
	[ "${name:-} ${result:-}" = "$1 $2" ] ||
		fail "wanted: $1 $2" "got: $(<"$3")"
}

# try RESULT [PORT [ADDRESS]] - what connect says
try() {
	in_ns h1 mrct try "${3:-$H2}" "${2:-$PORT}" >"$TMP/try"
	outcome connect "$1" "$TMP/try"
}

# server KIND - at h2, on a new port
server() {
	PORT=$((PORT + 1))
	rm -f "$TMP/peer"
	spawn h2 mrct "$1" "$H2" "$PORT" >"$TMP/peer"
	SERVER=$PID
	wait_for 10 has_line "$TMP/peer" listening
}

not_listening() {
	mib_mark h1 h2
	try ECONNREFUSED 6999 && expect_mib h1 CmRejIn 1 &&
		expect_mib h2 CmRejOut 1
}

# The answer is the same from a host that has not seen us before
stopped_listening() {
	server eat || return
	try OK
	reap "$SERVER"
	try ECONNREFUSED
}

no_route() {
	mib_mark h1
	try ENETUNREACH 7000 fd00:6d::99 && expect_mib h1 CmReqOut 0 0
}

# It has not read all that was sent: its end is an abort
killed() {
	local waiter status=0 how

	server hold || return
	mib_mark h1 h2
	spawn h1 timeout $((30 * PATIENCE)) mrct wait "$H2" "$PORT" $((20000 * PATIENCE)) >"$TMP/wait"
	waiter=$PID
	wait_for 10 has_line "$TMP/wait" waiting || status=1
	kill -9 "$SERVER"
	ended "$waiter" || status=1
	wait "$SERVER" 2>/dev/null
	how=$(awk '{ print $2 }' "$TMP/wait" | sort -u | xargs)
	case $how in
	*ECONNRESET*) ;;
	*) fail "$(<"$TMP/wait")" || status=1 ;;
	esac
	expect_mib h1 CmAbortIn 1 1 || status=1
	expect_mib h1 ConnRetries 0 0 || status=1
	return $status
}

# A host crashes and is built again with the same addresses. The first packet
# on the old connection is answered by GONE; the port can be used at once.
rebooted() {
	local poker status=0

	server hold || return
	rm -f "$TMP/say" "$TMP/poke"
	mkfifo "$TMP/say"
	exec 8<>"$TMP/say"
	spawn_told h1 8 "$TMP/poke" timeout $((30 * PATIENCE)) mrct poke "$H2" "$PORT"
	poker=$PID
	wait_for 10 has_line "$TMP/poke" connected || status=1
	drop_anchors
	fabric host down h2
	wait "$SERVER" 2>/dev/null
	fabric host up h2
	warm_up || status=1
	mib_mark h1 h2
	echo >&8
	ended "$poker" || status=1
	exec 8<&-
	outcome poke ECONNRESET "$TMP/poke" || status=1
	# One packet, one answer; no timeout was needed
	expect_mib h1 DataOut 1 1 || status=1
	expect_mib h1 CmGoneIn 1 1 || status=1
	expect_mib h2 CmGoneOut 1 1 || status=1
	expect_mib h1 RtxOut 0 0 || status=1
	[ "${US:-0}" -le 200000 ] || fail "it took $US us" || status=1
	rebind || status=1
	[ $status = 0 ] || { mib_dump h1; mib_dump h2; }
	return $status
}

# The same port, the same pair of hosts
rebind() {
	rm -f "$TMP/peer"
	spawn h2 mrct eat "$H2" "$PORT" >"$TMP/peer"
	SERVER=$PID
	wait_for 10 has_line "$TMP/peer" listening && try OK
	reap "$SERVER"
	[ "${US:-}" ]
}

# It crashes in the middle of a transfer and stays away
crashed() {
	local waiter status=0

	server eat || return
	mib_mark h1
	spawn h1 timeout $((30 * PATIENCE)) mrct wait "$H2" "$PORT" 800 >"$TMP/wait"
	waiter=$PID
	wait_for 10 has_line "$TMP/wait" waiting || status=1
	drop_anchors
	fabric host down h2
	wait "$SERVER" 2>/dev/null
	ended "$waiter" || status=1
	grep -q ETIMEDOUT "$TMP/wait" || fail "$(<"$TMP/wait")" || status=1
	expect_mib h1 ConnRetries 1 1 || status=1
	fabric host up h2
	warm_up || status=1
	return $status
}

# In the middle of a transfer, and back before the budget is spent: what is
# outstanding is answered by GONE
crashed_and_back() {
	local waiter status=0

	server eat || return
	mib_mark h1
	spawn h1 timeout $((30 * PATIENCE)) mrct wait "$H2" "$PORT" $((20000 * PATIENCE)) >"$TMP/wait"
	waiter=$PID
	wait_for 10 has_line "$TMP/wait" waiting || status=1
	drop_anchors
	fabric host down h2
	wait "$SERVER" 2>/dev/null
	fabric host up h2
	ended "$waiter" || status=1
	grep -q ECONNRESET "$TMP/wait" || fail "$(<"$TMP/wait")" || status=1
	expect_mib h1 CmGoneIn 1 1 || status=1
	warm_up || status=1
	return $status
}

all() {
	run "$FABRIC: warm up" warm_up
	run "$FABRIC: nobody listens" not_listening
	run "$FABRIC: nobody listens any more" stopped_listening
	run "$FABRIC: no route" no_route
	run "$FABRIC: peer killed" killed
	run "$FABRIC: peer rebooted while the connection was idle" rebooted
	run "$FABRIC: peer crashed" crashed
	run "$FABRIC: peer rebooted in the middle of a transfer" \
		crashed_and_back
	run "$FABRIC: and a transfer afterwards" transfer 1048576
}

begin
on_both all
end
