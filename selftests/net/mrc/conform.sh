#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Conformance: what programs may expect of SOCK_STREAM and SOCK_SEQPACKET. The
# programs conf_*.c have both ends of each connection; here they run with both
# in one host, then with the far end in h2 across a fabric of four planes, and,
# where the same is to hold, with TCP over lo: a test that TCP does not pass
# asks too much or too little. Documentation/networking/mrc-conformance.rst
# lists them beside those of AF_VSOCK and MPTCP.
#
#	   h1 === 4 planes, uSID === h2

. "$(dirname "$0")/lib.sh"

# conform PREFIX PROGRAM ARG...
conform() {
	local -x KTAP_PREFIX="$1: "
	local PROGRAM_TIME=240

	run_tap h1 "${@:2}"
}

# The table of mrc-errors.rst is the one that conf_errno prints. It is left
# in $LAB_OUT for tools/lab/errno-table.
errno_table() {
	local rst=$TOP/Documentation/networking/mrc-errors.rst

	in_ns h1 conf_errno -r fd00:6d::1 >"$TMP/table" || return
	[ -z "${LAB_OUT:-}" ] || cp "$TMP/table" "$LAB_OUT/errno-table"
	sed -n '/^\.\. errno begin/,/^\.\. errno end/p' "$rst" | sed '1d;$d' |
		diff - "$TMP/table" >"$TMP/diff" ||
		fail "run tools/lab/errno-table --write" "$(<"$TMP/diff")"
}

# everywhere PROGRAM - a program for AF_MRC alone
everywhere() {
	conform host "$1" mrc fd00:6d::1
	conform fabric "$1" mrc fd00:6d::2 /run/netns/h2
}

# as_tcp PROGRAM - and one that TCP must pass, too
as_tcp() {
	everywhere "$1"
	conform TCP "$1" tcp ::1
}

begin
fabric up --planes 4
as_tcp conf_stream
as_tcp conf_flow
as_tcp conf_life
as_tcp conf_xfer
everywhere conf_seqpacket
run_tap h1 conf_errno fd00:6d::1
run "errno: the table in the documents" errno_table
end
