#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The programs that the README shows do what it says: each sends its line to a
# server on the other host.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

# block LANGUAGE - its only block in the README, with addresses of the fabric
block() {
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$TOP/README.md" | sed '/^```/d' |
		sed "s/fd00:6d::b/$H2/; s/4242/$PORT/"
}

# says COMMAND... - it runs on h1, and h2 receives its line
says() {
	local receiver status=0

	rm -f "$TMP/got"
	spawn h2 mrcfile recv :: "$PORT" "$TMP/got" >"$TMP/recv" 2>&1
	receiver=$PID
	wait_for 10 has_line "$TMP/recv" listening || status=1
	in_ns h1 "$@" || status=1
	ended "$receiver" || status=1
	[ "$(<"$TMP/got")" = hello ] || fail "h2 got: $(<"$TMP/got")"
	return $status
}

in_c() {
	block c >"$TMP/client.c"
	cc -Wall -Werror -I"$TOP/include/uapi" -o "$TMP/client" \
		"$TMP/client.c" && says "$TMP/client"
}

in_python() {
	block python >"$TMP/client.py"
	says python3 "$TMP/client.py"
}

begin
fabric b2b

run "a client in C" in_c
run "a client in Python" in_python
fabric down
end
