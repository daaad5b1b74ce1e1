#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mrcctl with the module: what it sets it shows, in text and in JSON; apply
# and export; SIDs; events; check.
#
#	   h1			one end of four cables, two planes used
#	p1 |  | p2  p3, p4
#	  far			answers neighbour solicitations for fe80::1

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

tmp=$(mktemp -d)
on_exit rm -rf "$tmp"

setup()
{
	ip netns add h1
	ip netns add far
	ip -n h1 link set lo up
	ip -n h1 addr add fd00:6d::1/128 dev lo
	ip -n h1 addr add fd00:6d::2/128 dev lo
	for i in 1 2 3 4; do
		ip link add "p$i" netns h1 type veth peer name "f$i" netns far
		ip -n h1 link set "p$i" up
		ip -n far link set "f$i" up
		ip -n far addr add fe80::1/64 dev "f$i" nodad
	done
}

m()
{
	mrcctl -N h1 "$@"
}

# is WHAT GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "wanted: $3"$'\n'"got: $2"
	fi
}

# has WHAT GOT PART
has()
{
	if [[ $2 == *"$3"* ]]; then
		pass "$1"
	else
		fail "$1" "no \"$3\" in: $2"
	fi
}

local_sids()
{
	ip -n h1 -6 route show table local proto 109 |
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
	result "$?" "a batch with abbreviations and {p}"
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
	sid=$(ip -n h1 -6 route get 5f00:0:d1::)
	has "so the kernel says" "$sid" "local 5f00:0:d1:: "
}

json()
{
	local object

	for object in node plane route peer path sock net stats export; do
		m -j $object > "$tmp/out" &&
			python3 -m json.tool "$tmp/out" > /dev/null
		result "$?" "$object: JSON is valid"
		m -j -p $object > "$tmp/pretty"
		python3 - "$tmp/out" "$tmp/pretty" <<-'END'
			import json, sys
			a, b = (json.load(open(f)) for f in sys.argv[1:])
			# counters may have moved
			sys.exit(type(a) is not type(b) or len(a) != len(b))
		END
		result "$?" "$object: -p changes nothing but the looks"
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
		"$(ip netns exec h1 awk '{ print $1 }' /proc/net/mrc/snmp |
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
	result "$?" "apply what is there"
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
}

sids()
{
	m plane set 1 sid 5f00:0:d2::
	is "two planes may share a SID" "$(local_sids)" "5f00:0:d2::"
	m plane set 1 sid none
	is "it stays while one has it" "$(local_sids)" "5f00:0:d2::"
	m plane set 2 sid none
	is "and goes with the last" "$(local_sids)" ""
	ip -n h1 addr add 5f00:0:d7::/128 dev lo
	m plane set 1 sid 5f00:0:d7::
	m plane set 1 sid none
	has "an address of others stays" \
		"$(ip -n h1 -6 route get 5f00:0:d7::)" "local 5f00:0:d7:: "
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

# Is there a listener of generic netlink (16) in h1? Groups are the 4th column
listens()
{
	# shellcheck disable=SC2016 # for awk
	ip netns exec h1 awk '
		$2 == 16 && $4 != "00000000" { found = 1 }
		END { exit !found }' /proc/net/netlink
}

events()
{
	local pid

	mrcctl_bg "$tmp/events" -N h1 -j monitor plane-down plane-up
	pid=$!
	wait_for "the monitor listens" listens
	ip -n far link set f2 down
	wait_for "plane-down" grep -q '"plane-down"' "$tmp/events"
	ip -n far link set f2 up
	ip -n far addr add fe80::1/64 dev f2 nodad
	wait_for "plane-up" grep -q '"plane-up"' "$tmp/events"
	m plane set 1 down
	wait_for "admin-down" grep -q '"plane":1.*"admin-down"' "$tmp/events"
	m plane set 1 up
	kill "$pid"
	wait "$pid" 2> /dev/null
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

checks()
{
	m route del fd00:6d:2::/64 plane 1
	m check > "$tmp/check"
	result "$?" "check has no complaint" "$(cat "$tmp/check")"
	is "each line is ok" "$(grep -vc '^ok ' "$tmp/check")" 0
	m -j check | python3 -c '
import json, sys
sys.exit(any(f["level"] != "ok" for f in json.load(sys.stdin)))'
	result "$?" "so is the JSON"

	ip -n far addr del fe80::1/64 dev f1
	ip -n h1 neigh flush dev p1
	finds "gateway" "error plane 1: gateway fe80::1 on p1: nobody answers for it"
	is "an error is status 2" "$(m check > /dev/null; echo $?)" 2
	ip -n far addr add fe80::1/64 dev f1 nodad

	ip -n h1 link set p2 mtu 1400
	finds "MTUs" "warn  MTUs differ, from 1400 on plane 2 to 1500 on plane 1"
	ip -n h1 link set p2 mtu 1500
	ip -n h1 -6 route del local 5f00:0:d2:: dev lo table local
	finds "SID" "error plane 2: SID 5f00:0:d2:: is not local"
	m plane set 2 sid 5f00:0:d2::
	m route del fd00:6d:1::/64 plane 2
	finds "missing route" "warn  fd00:6d:1::/64 has no route over plane 2"
	ip -n far link set f2 down
	wait_for "plane 2 is down" sh -c \
		"'$MRCCTL' -N h1 plane show 2 | grep -q no-carrier"
	finds "carrier" "error plane 2 on p2 is not up: no-carrier"
	ip -n h1 addr del fd00:6d::1/128 dev lo
	finds "address" "error node fd00:6d::1 is not assigned"
}

setup
shows
json
text_round_trip
apply_export
sids
batches
events
checks
