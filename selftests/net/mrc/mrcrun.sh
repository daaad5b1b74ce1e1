#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mrcrun: what a program sees that it has started (mrcrunt.c, on connections
# of a host to itself), what it says of programs that it cannot reach, and one
# transfer between two hosts that only MRC connects.
#
#	   h1 ======== h2	two planes, back to back

. "$(dirname "$0")/lib.sh"

MRCRUN=$TOP/tools/mrcrun/mrcrun
RULES="10.9.0.0/24 = fd00:6d::/120, :7777 = tcp"

# says STATUS PATTERN COMMAND... - it ends so and its messages match
says() {
	local want=$1 pattern=$2 status=0

	shift 2
	"$@" >"$TMP/out" 2>&1 || status=$?
	[ $status -eq "$want" ] || fail "$* ended with $status: $(<"$TMP/out")" ||
		return
	[ -z "$pattern" ] || has_line "$TMP/out" "$pattern" || fail "$*: $(<"$TMP/out")"
}

wrong_rules() {
	local rule

	for rule in "10.0.0.0/24" "10.0.0.0/33 = tcp" "10.0.0.0/24 = fd00::/64" \
		    "fd00::/64 = fd01::/64" "10.0.0.1/24 = fd00::/120" \
		    ":0 = tcp" ":9-8 = tcp" ":80 = fd00::1" "x = tcp" \
		    "10.0.0.1 = 10.0.0.2"; do
		says 125 '^Error: --map: ' "$MRCRUN" -m "$rule" true || return
	done
	says 125 '^Error: .*/none: ' "$MRCRUN" -f "$TMP/none" true
}

good_rules() {
	printf '%s\n' '# all of them' '' '10.0.0.0/24=fd00:6d::' \
		'10.1.0.7 = fd00:6d::7 , fd00::/16=tcp' ':1-5 = tcp # low' \
		>"$TMP/rules"
	says 0 '' "$MRCRUN" -f "$TMP/rules" true
}

# What it runs is a copy, so that it may be made setuid
out_of_reach() {
	local user=(setpriv --reuid=65534 --regid=65534 --clear-groups)

	echo 'int main(void) { return 7; }' >"$TMP/p.c"
	echo '__attribute__((section(".go.buildinfo"))) int go = 1;' >"$TMP/g.c"
	cc -static -o "$TMP/static" "$TMP/p.c" &&
		cc -o "$TMP/plain" "$TMP/p.c" &&
		cc -o "$TMP/go" "$TMP/p.c" "$TMP/g.c" &&
		cp "$TMP/plain" "$TMP/setuid" || return
	chmod 755 "$TMP" "$TMP/plain" && chmod 4755 "$TMP/setuid"
	printf '#!%s\n' "$TMP/static" >"$TMP/script"
	chmod 755 "$TMP/script"
	says 7 '' "$MRCRUN" "$TMP/plain" &&
	says 0 'can be reached' "$MRCRUN" -c "$TMP/plain" &&
	says 125 '^Error: .*statically' "$MRCRUN" "$TMP/static" &&
	says 7 '^Warning: .*Go' "$MRCRUN" "$TMP/go" &&
	says 125 '^Error: .*statically' "$MRCRUN" "$TMP/script" &&
	says 125 '^Error: .*statically' "$MRCRUN" -c "$TMP/static" &&
	says 7 '^Warning: .*statically' "$MRCRUN" --force "$TMP/static" &&
	says 125 '^Error: .*setuid' "${user[@]}" "$MRCRUN" "$TMP/setuid" &&
	says 7 '' "$MRCRUN" "$TMP/setuid" &&
	says 127 '^Error: ' "$MRCRUN" "$TMP/absent" &&
	says 126 '^Error: ' "$MRCRUN" "$TMP/p.c"
}

# between HOST-ADDRESS LISTEN-ADDRESS - a line from h1 to a server on h2
between() {
	local server status=0

	rm -f "$TMP/got"
	spawn h2 "$MRCRUN" -m "$RULES" -o "$TMP/h2.log" python3 -c '
import socket, sys
s = socket.create_server((sys.argv[1], 4000),
                         family=socket.AF_INET6 if ":" in sys.argv[1]
                         else socket.AF_INET)
print("listening", flush=True)
c, who = s.accept()
print(who[0], c.recv(100).decode(), flush=True)
' "$2" >"$TMP/got"
	server=$PID
	wait_for 20 has_line "$TMP/got" listening || status=1
	mib_mark h1
	in_ns h1 "$MRCRUN" -v -m "$RULES" python3 -c '
import socket, sys
socket.create_connection((sys.argv[1], 4000)).sendall(b"hello")
' "$1" 2>"$TMP/h1.log" || status=1
	wait "$server" || status=1
	has_line "$TMP/got" "^$3 hello" || fail "h2 got: $(<"$TMP/got")" ||
		status=1
	expect_mib h1 DataOutBytes 5 5 || status=1
	has_line "$TMP/h1.log" "^mrcrun: python3.*connect to .*:4000: MRC$" ||
		fail "h1 said: $(<"$TMP/h1.log")" || status=1
	has_line "$TMP/h2.log" "listen on .*:4000: MRC and TCP$" &&
		has_line "$TMP/h2.log" "accept from .*$3.*: MRC$" ||
		fail "h2 said: $(<"$TMP/h2.log")" || status=1
	return $status
}

without_module() { says 0 '' "$MRCRUN" true; }

begin
run "without the module" without_module
run "rules that are none" wrong_rules
run "rules" good_rules
run "programs that it cannot reach" out_of_reach
fabric b2b --planes 2
take_results mrcrunt < <(in_ns h1 "$MRCRUN" -m "$RULES" mrcrunt)
run "between two hosts" between fd00:6d::2 :: fd00:6d::1
run "between two hosts, IPv4" between 10.9.0.2 0.0.0.0 10.9.0.1
end
