#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hostile packets: each wrong in one place, all keys known. Each is counted
# under its own name and gets the answer the design names; the connection at
# which they aim goes on. See hostile.py, which does the work on the cables.

. "$(dirname "$0")/lib.sh"

server="" client=""

# Two programs that talk while the forger works: what goes into the FIFO at h1
# comes back from h2 into a file.
talk() {
	mkfifo "$TMP/fifo"
	spawn h2 mrcx -l fd00:6d::2 7000 -e -m poll -w 600 >"$TMP/server"
	server=$PID
	wait_for 10 has_line "$TMP/server" listening || return
	spawn h1 mrcx -c fd00:6d::2 7000 -m block -C 500 \
		-i "$TMP/fifo" -o "$TMP/echo" -w 600
	client=$PID
}

# Each line of the forger is a test of its own
forge() {
	local line name
	local -x PYTHONUNBUFFERED=1

	while read -r line; do
		name=${line#not }
		name=${name#ok }
		case $line in
		"ok "*) run "${name%% #*}" true ;;
		*) run "${name%% #*}" fail "${line#*# }" ;;
		esac
	done < <(in_ns wire python3 "$LIB_DIR/hostile.py" "$TMP/fifo" \
		 "$TMP/echo" 2>&1)
}

begin
fabric b2b --planes 4
run "a connection that echoes" talk && forge
# No NACK of these had the key, or was about what is outstanding
run "nobody has made the sender believe in trims" peer_trims h1 false
run "the sender ends well" reap "$client"
run "the echo ends well" reap "$server"
end
