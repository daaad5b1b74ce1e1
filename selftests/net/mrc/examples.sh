#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The programs of examples/ do what they say. MRC_EXAMPLES="PROGRAM..." are
# further clients with the same arguments, those in other languages for
# instance, which need their compilers.
#
#	   h1 === 4 planes, uSID === h2: an echo server

. "$(dirname "$0")/lib.sh"

EX=$TOP/examples
TEXT='across four planes'

# echoes COMMAND... - a client that gets back what it sends
echoes() {
	in_ns h1 "$@" fd00:6d::2 4242 "$TEXT" >"$TMP/said" 2>&1 &&
		grep -qx "$TEXT" "$TMP/said" ||
		fail "$(<"$TMP/said")"
}

knows_planes() {
	grep -q '^4 of 4 planes are good$' "$TMP/said" || fail "$(<"$TMP/said")"
}

listens() {
	"$MRCCTL" -N h2 sock show | grep -q "listen .*:4242"
}

begin
fabric up --planes 4
spawn h2 "$EX/mrc_server" 4242 >"$TMP/server"
server=$PID
run "C: the server listens" wait_for 10 listens
run "C: the client" echoes "$EX/mrc_client"
run "C: what MRC_INFO knows" knows_planes
run "Python: a socket object" echoes python3 "$EX/mrc_client.py"
for program in ${MRC_EXAMPLES:-}; do
	run "${program##*/}" echoes "$program"
done
run "C: the server has seen them" grep -q '^fd00:6d::1 port ' "$TMP/server"
reap "$server"
end
