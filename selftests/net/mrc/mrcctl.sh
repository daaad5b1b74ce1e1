#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mrcctl with the module: what it sets it shows, in text and in JSON; apply
# and export; SIDs; events; check.
#
#	   c1			one end of four cables, two planes used
#	p1 |  | p2  p3, p4
#	  cfar			answers neighbour solicitations for fe80::1
#
# Then two hosts back to back for what needs connections.

. "$(dirname "$0")/lib.sh"

tmp=$TMP

teardown()
{
	for ns in c1 cfar; do
		[ ! -e /run/netns/$ns ] || ip netns del $ns
	done
}

setup()
{
	teardown
	ip netns add c1
	ip netns add cfar
	ip -n c1 -b - <<-END
		link set lo up
		addr add fd00:6d::1/128 dev lo
		addr add fd00:6d::2/128 dev lo
	END
	for i in 1 2 3 4; do
		ip link add "p$i" netns c1 type veth peer name "f$i" netns cfar
		ip -n c1 link set "p$i" up
		ip -n cfar link set "f$i" up
		ip -n cfar addr add fe80::1/64 dev "f$i" nodad
	done
}

m()
{
	"$MRCCTL" -N c1 "$@"
}

equal()
{
	[ "$1" = "$2" ] ||
		fail "wanted: ${2//$'\n'/; }" "got: ${1//$'\n'/; }"
}

contains()
{
	[[ $1 == *"$2"* ]] || fail "no \"$2\" in: ${1//$'\n'/; }"
}

success()
{
	[ "$1" = 0 ] || fail "status $1 ${2//$'\n'/; }"
}

# is NAME GOT WANTED
is()
{
	run "$1" equal "$2" "$3"
}

# has NAME GOT PART
has()
{
	run "$1" contains "$2" "$3"
}

# ok STATUS NAME [OUTPUT]
ok()
{
	run "$2" success "$1" "${3:-}"
}

local_sids()
{
	ip -n c1 -6 route show table local proto 109 |
		sed 's/^local \([^ ]*\).*/\1/' | xargs
}

configure()
{
	m -b - <<-'END'
		node add fd00:6d::1
		pl a 1-2 dev p{p} via fe80::1 sid 5f00:0:d{p}::
		route add fd00:6d:1::/64 plane 1-2 usid 5f00::/32 path {p}01,1-20,{p}02,dst[120:8]+d00
		route add fd00:6d:2::/64 plane 1 plain via fe80::2 ecmp src fd00:6d::1
	END
}

shows()
{
	local sid

	configure
	ok "$?" "a batch with abbreviations and {p}"
	is "node show" "$(m node)" "node fd00:6d::1"
	has "plane show" "$(m plane show 2)" \
		"plane 2 dev p2 via fe80::1 sid 5f00:0:d2:: state up mtu 1500"
	is "route show" "$(m route)" \
"fd00:6d:1::/64 plane 1 usid 5f00::/32 path 101,1-20,102,dst[120:8]+d00
fd00:6d:1::/64 plane 2 usid 5f00::/32 path 201,1-20,202,dst[120:8]+d00
fd00:6d:2::/64 plane 1 plain ecmp via fe80::2 src fd00:6d::1"
	is "route show PREFIX plane N" "$(m route show fd00:6d:1::/64 plane 2)" \
		"fd00:6d:1::/64 plane 2 usid 5f00::/32 path 201,1-20,202,dst[120:8]+d00"
	has "route show -d counts paths" "$(m -d route show plane 2)" \
		"paths 32"
	is "-o joins lines" "$(m -o -s plane | wc -l)" 2
	is "SIDs are local" "$(local_sids)" "5f00:0:d1:: 5f00:0:d2::"
	sid=$(ip -n c1 -6 route get 5f00:0:d1::)
	has "so the kernel says" "$sid" "local 5f00:0:d1:: "
}

json()
{
	local object

	for object in node plane route peer path sock net stats export; do
		m -j $object > "$tmp/out" &&
			python3 -m json.tool "$tmp/out" > /dev/null
		ok "$?" "$object: JSON is valid"
		m -j -p $object > "$tmp/pretty"
		python3 - "$tmp/out" "$tmp/pretty" <<-'END'
			import json, sys
			a, b = (json.load(open(f)) for f in sys.argv[1:])
			# counters may have moved
			sys.exit(type(a) is not type(b) or len(a) != len(b))
		END
		ok "$?" "$object: -p changes nothing but the looks"
	done
	is "JSON of a plane" "$(m -j plane show 1 | python3 -c '
import json, sys
p, = json.load(sys.stdin)
print(p["plane"], p["dev"], p["via"], p["sid"], p["admin_up"], p["state"],
      p["mtu"], type(p["tx_packets"]).__name__)')" \
		"1 p1 fe80::1 5f00:0:d1:: True up 1500 int"
	is "JSON of a route" "$(m -j route show fd00:6d:1::/64 plane 1)" \
		'[{"dst":"fd00:6d:1::/64","plane":1,"mode":"usid","block":"5f00::/32","path":"101,1-20,102,dst[120:8]+d00","paths":32}]'
	# shellcheck disable=SC2016 # for awk
	is "stats are those of /proc" "$(m -j stats | python3 -c '
import json, sys
print(*sorted(json.load(sys.stdin)))')" \
		"$(in_ns c1 awk '{ print $1 }' /proc/net/mrc/snmp |
		   LC_ALL=C sort | xargs)"
}

# What "route show" prints can be given to "route add"
text_round_trip()
{
	m route show > "$tmp/routes"
	sed 's/^\([^ ]*\) \(plane [0-9]*\).*/route del \1 \2/' "$tmp/routes" |
		m -b -
	is "routes are deleted" "$(m route)" ""
	sed 's/^/route add /' "$tmp/routes" | m -b -
	is "route show | route add" "$(m route)" "$(cat "$tmp/routes")"
}

created()
{
	m stats show PlaneCreated
}

apply_export()
{
	local before

	m export > "$tmp/a.json"
	before=$(created)
	m apply "$tmp/a.json"
	ok "$?" "apply what is there"
	is "it changes nothing" "$(m export)" "$(cat "$tmp/a.json")"
	is "not even for a moment" "$(created)" "$before"

	echo '{ "version": 1 }' | m apply -
	is "an empty file clears" "$(m node; m plane; m route; local_sids)" ""
	m net set evs 8
	m apply "$tmp/a.json"
	is "export and apply round-trip" "$(m export)" "$(cat "$tmp/a.json")"
	is "SIDs, too" "$(local_sids)" "5f00:0:d1:: 5f00:0:d2::"

	sed 's/"dev": "p2"/"dev": "p3"/; s/5f00:0:d1::/5f00:0:d9::/; s/1-20/1-8/
	     s/fe80::2/fe80::3/; s/"evs": 256/"evs": 64/' \
		"$tmp/a.json" > "$tmp/b.json"
	m apply "$tmp/b.json"
	is "differences are applied" "$(m export)" "$(cat "$tmp/b.json")"
	is "SIDs follow" "$(local_sids)" "5f00:0:d2:: 5f00:0:d9::"
	m apply "$tmp/a.json"
	is "and back" "$(m export)" "$(cat "$tmp/a.json")"
	apply_refused
	apply_cc
}

# One line for each: name, algorithm, parameters that are not the kernel's
ccs()
{
	m -j -d cc show | python3 -c '
import json, sys
std = {"target": 15, "target_min_ns": 6000, "increase": 100, "decrease": 80,
       "init": 4, "window": 0}
for cc in json.load(sys.stdin):
    if not cc["builtin"] or cc["default"]:
        print(cc["name"], cc["algorithm"],
              *(f"{k}={cc[k]}" for k in std if cc[k] != std[k]),
              *["default"] * cc["default"])'
}

# Congestion controls: those that are not in the file go, also the default;
# parameters that it does not name are the kernel's.
apply_cc()
{
	local out old

	old=$(ccs)
	m cc add short algorithm nscc target 10 default
	m cc add wide algorithm fixed window 4194304
	m export > "$tmp/cc.json"
	m apply "$tmp/a.json"
	is "apply deletes congestion controls, also the default" "$(ccs)" "$old"
	m apply "$tmp/cc.json"
	is "and adds them" "$(m export)" "$(cat "$tmp/cc.json")"
	sed 's/"cc": \[/"cc": [ { "name": "new", "algorithm": "nscc", "init": 8 },/
	     s/"target": 10/"target": 20/; s/\("cc_default": \)"short"/\1"new"/' \
		"$tmp/cc.json" > "$tmp/b.json"
	m apply "$tmp/b.json"
	is "changes them, and the default" "$(ccs)" \
		$'short nscc target=20\nwide fixed window=4194304\nnew nscc init=8 default'
	out=$(sed 's/"name": "new"/"name": "none"/' "$tmp/b.json" |
	      m apply - 2>&1)
	is "one that is built in stays as it is" "$out" \
		"Error: cc none: Profile is built in: add one of another name."
	out=$(sed 's/\("cc_default": \)"new"/\1"gone"/' "$tmp/b.json" |
	      m apply - 2>&1)
	is "none is the default that is not there" "$out" \
		"Error: cc_default gone: No profile of that name."
	is "and that is undone" "$(ccs)" \
		$'short nscc target=20\nwide fixed window=4194304\nnew nscc init=8 default'
	m apply "$tmp/a.json"
	is "all as before" "$(m export)" "$(cat "$tmp/a.json")"
}

# The kernel refuses the last step: all is as it was
apply_refused()
{
	local out

	sed 's/"dev": "p2"/"dev": "p3"/; s/5f00:0:d1::/5f00:0:d9::/
	     s/"evs": 256/"evs": 64/; s/"fe80::2"/"ff02::2"/' \
		"$tmp/a.json" > "$tmp/b.json"
	out=$(m apply "$tmp/b.json" 2>&1)
	is "apply fails with status 2" "$?" 2
	is "it names the object" "$out" \
		"Error: route fd00:6d:2::/64 plane 1: Gateway is not a unicast address."
	is "and undoes the rest" "$(m export)" "$(cat "$tmp/a.json")"
	is "with the SIDs" "$(local_sids)" "5f00:0:d1:: 5f00:0:d2::"

	sed '/"routes"/,$ s/"plane": 2/"plane": 3/' "$tmp/a.json" > "$tmp/b.json"
	out=$(m apply "$tmp/b.json" 2>&1)
	has "a route without its plane" "$out" "there is no plane 3."
	is "changes nothing" "$(m export)" "$(cat "$tmp/a.json")"

	m plane del 2
	out=$(m export 2>&1 > "$tmp/b.json")
	has "a route that waits for its plane is left out" "$out" \
		"Warning: left out: route "
	m apply "$tmp/b.json"
	is "what is left can be applied" "$(m export)" "$(cat "$tmp/b.json")"
	m apply "$tmp/a.json"
	is "and all of it again" "$(m export)" "$(cat "$tmp/a.json")"
}

sids()
{
	m plane set 1 sid 5f00:0:d2::
	is "two planes may share a SID" "$(local_sids)" "5f00:0:d2::"
	m plane set 1 sid none
	is "it stays while one has it" "$(local_sids)" "5f00:0:d2::"
	m plane set 2 sid none
	is "and goes with the last" "$(local_sids)" ""
	ip -n c1 addr add 5f00:0:d7::/128 dev lo
	m plane set 1 sid 5f00:0:d7::
	m plane set 1 sid none
	has "an address of others stays" \
		"$(ip -n c1 -6 route get 5f00:0:d7::)" "local 5f00:0:d7:: "
	m apply "$tmp/a.json"
	is "set back" "$(m export)" "$(cat "$tmp/a.json")"
}

batches()
{
	local out

	out=$(m -b - 2>&1 <<-END
		net set evs 32
		plane del 9
		net set evs 16
	END
	)
	is "a batch ends at an error" "$?" 2
	has "it says where" "$out" "Command failed -:2"
	has "what was before it is done" "$(m net)" " evs 32 "
	m -force -b - > /dev/null 2>&1 <<-END
		plane del 9
		net set evs 256
	END
	is "-force: the status is that of the error" "$?" 2
	has "-force goes on" "$(m net)" " evs 256 "
}

# Is there a listener of generic netlink (16)? Groups are in the 4th column
listens_in()
{
	# shellcheck disable=SC2016 # for awk
	in_ns "$1" awk '
		$2 == 16 && $4 != "00000000" { found = 1 }
		END { exit !found }' /proc/net/netlink
}

# monitored NAME PATTERN - this event comes
monitored()
{
	run "event $1" wait_for 10 has_line "$tmp/events" "$2"
}

events()
{
	local pid

	spawn c1 "$MRCCTL" -j monitor plane-down plane-up >"$tmp/events"
	pid=$PID
	run "the monitor listens" wait_for 10 listens_in c1
	ip -n cfar link set f2 down
	monitored "plane-down" '"plane-down"'
	ip -n cfar link set f2 up
	ip -n cfar addr add fe80::1/64 dev f2 nodad
	monitored "plane-up" '"plane-up"'
	m plane set 1 down
	monitored "admin-down" '"plane":1.*"admin-down"'
	m plane set 1 up
	reap "$pid"
	is "events, in order, are JSON" "$(head -n 3 "$tmp/events" |
		python3 -c '
import json, sys
for line in sys.stdin:
	e = json.loads(line)
	print(e["event"], e["plane"], e["dev"], e["state"])')" \
"plane-down 2 p2 no-carrier
plane-up 2 p2 up
plane-down 1 p1 admin-down"
}

# finds WHAT LINE - a line of check
finds()
{
	has "check: $1" $'\n'"$(m check 2>&1)"$'\n' $'\n'"$2"
}

# plane_is NUMBER STATE - for wait_for
plane_is()
{
	[[ $(m plane show "$1") == *" state $2 "* ]]
}

checks()
{
	m route del fd00:6d:2::/64 plane 1
	m check > "$tmp/check"
	ok "$?" "check has no complaint" "$(cat "$tmp/check")"
	is "each line is ok" "$(grep -vc '^ok ' "$tmp/check")" 0
	m -j check | python3 -c '
import json, sys
sys.exit(any(f["level"] != "ok" for f in json.load(sys.stdin)))'
	ok "$?" "so is the JSON"

	ip -n cfar addr del fe80::1/64 dev f1
	ip -n c1 neigh flush dev p1
	finds "gateway" "error plane 1: gateway fe80::1 on p1: nobody answers for it"
	is "an error is status 2" "$(m check > /dev/null; echo $?)" 2
	ip -n cfar addr add fe80::1/64 dev f1 nodad

	ip -n c1 link set p2 mtu 1400
	finds "MTUs" "warn  MTUs differ, from 1400 on plane 2 to 1500 on plane 1"
	ip -n c1 link set p2 mtu 1500
	ip -n c1 -6 route del local 5f00:0:d2:: dev lo table local
	finds "SID" "error plane 2: SID 5f00:0:d2:: is not local"
	m plane set 2 sid 5f00:0:d2::
	m route del fd00:6d:1::/64 plane 2
	finds "missing route" "warn  fd00:6d:1::/64 has no route over plane 2"
	ip -n cfar link set f2 down
	run "plane 2 is down" wait_for 10 plane_is 2 no-carrier
	finds "carrier" "error plane 2 on p2 is not up: no-carrier"
	ip -n c1 addr del fd00:6d::1/128 dev lo
	finds "address" "error node fd00:6d::1 is not assigned"
}

# --- with connections ------------------------------------------------------

# json_of KEYS EXPRESSION WORDS... - of mrcctl -j in h1, as python
json_of()
{
	in_ns h1 "$MRCCTL" -j "${@:2}" | python3 -c "
import json, sys
d = json.load(sys.stdin)
print($1)"
}

# Has data gone over each plane of the one connection?
connected()
{
	[ "$(json_of 'len(d)' sock show state established)" = 1 ] &&
		[ "$(json_of 'all(p["sent"] for p in d)' path)" = True ]
}

# h1 sends zeros to h2 until the window is closed
connect()
{
	spawn h2 "$LIB_DIR/mrcfile" recv fd00:6d::2 5000 /dev/null \
		>"$tmp/recv" 2>&1
	receiver=$PID
	wait_for 10 has_line "$tmp/recv" listening || return
	spawn h1 "$LIB_DIR/mrcfile" send fd00:6d::2 5000 /dev/zero \
		>"$tmp/send" 2>&1
	sender=$PID
	wait_for 10 connected || return
	kill -STOP "$receiver"
}

aborted()
{
	kill -CONT "$receiver"
	wait_for 10 gone "$sender" || return
	wait_for 10 gone "$receiver" || return
	contains "$(<"$tmp/send")" "Software caused connection abort" || return
	contains "$(<"$tmp/recv")" "Connection reset by peer"
}

connections()
{
	local qpn

	run "a connection" connect
	is "sock show" "$(json_of '[(s["type"], s["state"], s["local"],
		s["peer"], s["peer_port"], s["planes"], s["icrc"], s["uid"])
		for s in d]' sock)" \
		"[('stream', 'established', 'fd00:6d::1', 'fd00:6d::2', 5000, [1, 2, 3, 4], False, 0)]"
	is "sock show: who has it" "$(json_of '[(u["name"], u["pid"] > 1,
		u["fd"] > 2) for u in d[0]["users"]]' sock show state established)" \
		"[('mrcfile', True, True)]"
	has "sock show: who has it, text" "$(in_ns h1 "$MRCCTL" sock)" \
		' users:(("mrcfile",pid='
	has "sock show, text" "$(in_ns h1 "$MRCCTL" sock show peer fd00:6d::2)" \
		"stream established [fd00:6d::1]:"
	has "a listener" "$(in_ns h2 "$MRCCTL" sock show state listen; \
		in_ns h2 "$MRCCTL" sock)" "[fd00:6d::2]:5000"
	is "peer show" "$(json_of '[(p["peer"], p["local"], p["planes"],
		p["planes_good"], p["connections"]) for p in d]' peer)" \
		"[('fd00:6d::2', 'fd00:6d::1', [1, 2, 3, 4], [1, 2, 3, 4], 1)]"
	is "path show" "$(json_of '[(p["plane"], p["state"], p["evs_good"] > 0,
		p["sent"] > 0) for p in d]' path show fd00:6d::2)" \
		"[(1, 'good', True, True), (2, 'good', True, True), (3, 'good', True, True), (4, 'good', True, True)]"
	is "path show plane 2" "$(json_of '[p["plane"] for p in d]' \
		path show plane 2)" "[2]"
	is "path show state bad" "$(json_of 'd' path show state bad)" "[]"
	is "path show of a stranger" "$(json_of 'd' path show fd00:6d::9)" "[]"
	is "both ends name one another" \
		"$(json_of '[s["peer_qpn"] for s in d]' sock)" \
		"$(in_ns h2 "$MRCCTL" -j sock show state established |
		   python3 -c 'import json, sys
print([s["qpn"] for s in json.load(sys.stdin)])')"

	spawn h1 "$MRCCTL" -j monitor conn-failed >"$tmp/events"
	run "the monitor listens" wait_for 10 listens_in h1
	qpn=$(json_of 'd[0]["qpn"]' sock)
	in_ns h1 "$MRCCTL" sock abort qpn "$qpn"
	ok "$?" "sock abort qpn"
	run "its user and the peer's are told" aborted
	run "event conn-failed" wait_for 10 has_line "$tmp/events" \
		"\"conn-failed\".*\"qpn\":$qpn,"
	reap "$PID"
	abort_by_ends
}

abort_by_ends()
{
	local port

	run "another connection" connect
	port=$(json_of 'd[0]["local_port"]' sock show state established)
	in_ns h1 "$MRCCTL" sock abort local "[fd00:6d::1]:$port" \
		peer "[fd00:6d::2]:5000"
	ok "$?" "sock abort by both ends"
	run "both users are told" aborted
}

begin
setup
shows
json
text_round_trip
apply_export
sids
batches
events
checks
teardown
fabric b2b --planes 4
connections
end
