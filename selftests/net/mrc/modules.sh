#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module's own life, and namespaces of users that are not root.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

loaded_again() {
	load_module && module_loaded
}

# A socket, even one that does nothing, holds the module
socket_holds() {
	local holder status=0

	rm -f "$TMP/local"
	mrct local >"$TMP/local" &
	holder=$!
	wait_for 10 has_line "$TMP/local" open || status=1
	! rmmod mrc 2>"$TMP/why" || fail "unloaded under a socket" || status=1
	grep -q "in use" "$TMP/why" || fail "$(<"$TMP/why")" || status=1
	reap "$holder"
	wait_for 10 rmmod_quiet || status=1
	loaded_again || status=1
	return $status
}

# Planes, nodes and routes do not hold it
configuration_does_not() {
	fabric b2b
	FABRIC=b2b
	warm_up || return
	rmmod mrc || fail "configuration holds the module" || return
	loaded_again || return
	fabric down
}

# A connection does; once both ends are closed it goes soon, late packets or
# not
connection_holds() {
	local holder status=0

	fabric b2b
	FABRIC=b2b
	warm_up || return
	PORT=$((PORT + 1))
	rm -f "$TMP/peer"
	spawn h2 mrct hold "$H2" "$PORT" >"$TMP/peer"
	holder=$PID
	wait_for 10 has_line "$TMP/peer" listening || status=1
	in_ns h1 mrct try "$H2" "$PORT" >/dev/null || status=1
	! rmmod mrc 2>/dev/null || fail "unloaded under a connection" || status=1
	reap "$holder"
	wait_for 10 rmmod_quiet || fail "$(rmmod mrc 2>&1)" || status=1
	loaded_again || status=1
	fabric down
	return $status
}

# With packets under way
rmmod_in_traffic() {
	local status=0

	fabric b2b
	FABRIC=b2b
	warm_up || return
	fabric impair all all delay 20ms
	during arriving 300 || status=1
	wait_for 10 rmmod_quiet || fail "$(rmmod mrc 2>&1)" || status=1
	loaded_again || status=1
	fabric down
	return $status
}

# Loaded and unloaded many times, with and without namespaces
again_and_again() {
	for _ in 1 2 3 4 5; do
		rmmod mrc && ip netns add hx && load_module &&
			ip netns del hx || return
	done
}

# Somebody without any privilege makes namespaces, two hosts in them, planes
# between these, and a connection
user_namespace() {
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		timeout $((60 * PATIENCE)) unshare --user --map-root-user --net \
		"$LIB_DIR/lib_userns.sh" "$MRCCTL" >"$TMP/userns" 2>&1 ||
		fail "$(<"$TMP/userns")"
}

# The privileges of a user namespace end at its own
not_other_namespaces() {
	fabric b2b
	FABRIC=b2b
	in_ns h1 setpriv --reuid 65534 --regid 65534 --clear-groups \
		unshare --user --map-root-user \
		"$MRCCTL" plane set 1 down >"$TMP/why" 2>&1 &&
		fail "a user namespace configured another's planes" && return 1
	grep -q "not permitted" "$TMP/why" || fail "$(<"$TMP/why")" || return
	fabric down
}

begin
run "a socket holds the module" socket_holds
run "configuration does not" configuration_does_not
run "a connection holds it, not for long" connection_holds
run "unloaded right after traffic" rmmod_in_traffic
run "loaded and unloaded again and again" again_and_again
run "an unprivileged user's own hosts and planes" user_namespace
run "other namespaces' planes are not his" not_other_namespaces
end
