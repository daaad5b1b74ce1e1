# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For the tests of faults, after lib.sh: transfers from h1 to h2 that are
# verified, and things that happen in the middle of one.

# shellcheck disable=SC2034 # for the tests
H1=fd00:6d::1
H2=fd00:6d::2
PORT=7000

# Both ends of a transfer must have ended well by then, whatever happened
TRANSFER_TIME=${TRANSFER_TIME:-$((60 * PATIENCE))}

# ended PID - its status; a time limit has killed it if it does not end
ended() {
	local status=0

	wait "$1" || status=$?
	return $status
}

# spawn_told NAMESPACE FD OUTPUT COMMAND... - like spawn, with FD as standard
# input. (What a function is given as that does not reach its background jobs.)
spawn_told() {
	nsenter --net="/run/netns/$1" "${@:4}" <&"$2" >"$3" 2>&1 &
	PID=$!
}

# Options of both ends of a transfer
BOTH=()

# transfer SIZE [OPTION...] - from h1 to h2, each byte checked; options of the
# sender's mrcx
transfer() {
	local receiver status=0

	PORT=$((PORT + 1))
	rm -f "$TMP/recv"
	spawn h2 mrcx -l "$H2" "$PORT" -v -w "$TRANSFER_TIME" "${BOTH[@]}" \
		>"$TMP/recv"
	receiver=$PID
	wait_for 10 has_line "$TMP/recv" listening || status=1
	[ $status != 0 ] ||
		in_ns h1 mrcx -c "$H2" "$PORT" -w "$TRANSFER_TIME" \
			"${BOTH[@]}" -s "$@" >"$TMP/send" || status=1
	[ $status = 0 ] || reap "$receiver"
	ended "$receiver" || status=1
	[ $status = 0 ] || note "receiver: $(tail -n 1 "$TMP/recv")" \
		"sender: $(tail -n 1 "$TMP/send")"
	return $status
}

# with_fixed COMMAND... - COMMAND, with a window at h1 that follows nothing: an
# emulated host takes its time, and NSCC that for a queue
with_fixed() {
	local status=0

	"$MRCCTL" -N h1 cc set fixed default || return
	"$@" || status=1
	"$MRCCTL" -N h1 cc set nscc default || return
	return $status
}

# in_bursts SIZE - a transfer, of which more than four packets came in each skb
# received, on average; in so many: SKBS
in_bursts() {
	local packets

	mib_mark h1 h2
	# The writer must be ahead of the wire
	with_fixed transfer "$1" -C 4m || return
	mib_since h2 DataIn
	packets=$MIB
	mib_since h2 BurstIn
	SKBS=$MIB
	note "$packets packets came in $SKBS skbs"
	[ "$packets" -gt $((4 * SKBS)) ] ||
		{ mib_dump h1; mib_dump h2; fail "too few packets in an skb"; }
}

# during COMMAND... - run COMMAND in this shell while data flows from h1 to h2,
# which it does for as long as that takes; every byte is checked. Fails if
# COMMAND does. The sender's EVs are those of the profile PUMP_PROFILE.
during() {
	local receiver sender status=0

	PORT=$((PORT + 1))
	rm -f "$TMP/recv" "$TMP/send" "$TMP/stop"
	mkfifo "$TMP/stop"
	exec 9<>"$TMP/stop"
	mib_get h2 DataIn
	spawn h2 timeout "$TRANSFER_TIME" mrct drain "$H2" "$PORT" \
		>"$TMP/recv" 2>&1
	receiver=$PID
	wait_for 10 has_line "$TMP/recv" listening || status=1
	spawn_told h1 9 "$TMP/send" timeout "$TRANSFER_TIME" \
		mrct pump "$H2" "$PORT" ${PUMP_PROFILE:+"$PUMP_PROFILE"}
	sender=$PID
	wait_for 10 mib_reached h2 DataIn $((MIB + 200)) || status=1
	[ $status != 0 ] || "$@" || status=1
	echo >&9
	ended "$sender" || status=1
	ended "$receiver" || status=1
	exec 9<&-
	[ $status != 0 ] || same_bytes || status=1
	[ $status = 0 ] || note "sender: $(tail -n 1 "$TMP/send")" \
		"receiver: $(tail -n 1 "$TMP/recv")"
	return $status
}

# What was sent is what has arrived
same_bytes() {
	local sent got

	sent=$(sed -n 's/^pump OK //p' "$TMP/send")
	got=$(sed -n 's/^drain EOF //p' "$TMP/recv")
	[ -n "$sent" ] && [ "$sent" = "$got" ]
}

# arriving N - data goes on arriving at h2: N packets more than now
arriving() {
	mib_get h2 DataIn
	wait_for 20 mib_reached h2 DataIn $((MIB + $1))
}

mib_reached() {
	mib_get "$1" "$2"
	[ "$MIB" -ge "$3" ]
}

# good_paths HOST N - for wait_for: N paths from HOST to the other are in use
good_paths() {
	local n remote=$H1

	[ "$1" != h1 ] || remote=$H2
	n=$("$MRCCTL" -N "$1" path show "$remote" | grep -c ' state good ')
	[ "$n" -eq "$2" ]
}

# A host whose links have just come up is not heard for a moment
answers() {
	in_ns h1 mrct try "$H2" 6998 >"$TMP/try" ||
		grep -q ECONNREFUSED "$TMP/try"
}

# Paths are probed often while there is data, and seldom when not
all_good() {
	wait_for 30 good_paths h1 "$1" && wait_for 30 good_paths h2 "$1"
}

# warm_up [PATHS] - the fabric as a test wants to find it: every neighbour
# resolved, which may take a second when a link has just come up; and what was
# found bad in the meantime is good again
warm_up() {
	local paths=${1:-8}

	[ "$FABRIC" = usid ] || paths=4
	wait_for 20 answers || return
	during all_good "$paths" || fail "$("$MRCCTL" -s -N h1 path show)"
}

# capture NAMESPACE FILE [TCPDUMP-ARG...] - of all its ports
capture() {
	rm -f "$2" "$TMP/tcpdump"
	spawn "$1" tcpdump -i any -p -n -s 200 -B 65536 --immediate-mode \
		-U -w "$2" "${@:3}" 2>"$TMP/tcpdump"
	CAPTURE=$PID
	wait_for 10 has_line "$TMP/tcpdump" 'listening on'
}

# capture_end COMMAND... - when that succeeds all of interest is in the file.
# Fails if the kernel has lost packets.
capture_end() {
	local status=0

	wait_for 20 "$@" || status=1
	kill "$CAPTURE" && ended "$CAPTURE" || status=1
	grep -q '^0 packets dropped by kernel' "$TMP/tcpdump" ||
		fail "$(<"$TMP/tcpdump")" || status=1
	return $status
}
