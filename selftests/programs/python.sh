#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Python: servers and clients of asyncio and socketserver, on IPv6 and IPv4.

. "$(dirname "$0")/lib.sh"

# echo_of MODULE LISTEN-ADDRESS TARGET PORT - 4 streams of 4 MB each
echo_of() {
	local server status=0

	mrc_spawn h2 python3 "$TEST_DIR/echo.py" serve "$1" "$2" "$4"
	server=$PID
	await_listener h2 "$4" &&
		during h1 $((4 << 20)) mrc h1 python3 "$TEST_DIR/echo.py" \
			send "$1" "$3" "$4" 4 4 &&
		over_mrc h1 $((16 << 20)) && over_mrc h2 $((16 << 20)) &&
		no_tcp h1 connect || status=1
	reap "$server"
	return $status
}

TEST_DIR=${TEST_DIR:-$(dirname "$0")}
begin_programs
run "asyncio" echo_of asyncio :: "$H2" 7001
run "asyncio, IPv4" echo_of asyncio 0.0.0.0 "$H2_V4" 7002
run "socketserver" echo_of socketserver :: "$H2" 7003
run "socketserver, IPv4" echo_of socketserver 0.0.0.0 "$H2_V4" 7004
end
