#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of mrcctl's command line, without the module: what is refused before
# the kernel is asked, with which words and exit status. TAP.
#
# Usage: test_cli.sh PATH-OF-MRCCTL

mrcctl=${1:-./mrcctl}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
no=0
failed=0

result()
{
	no=$((no + 1))
	if [ "$1" = 0 ]; then
		echo "ok $no - $2"
	else
		echo "not ok $no - $2"
		failed=$((failed + 1))
	fi
}

# expect STATUS TEXT COMMAND...: TEXT is part of the last line of the output
expect()
{
	local want=$1 text=$2 out status
	shift 2

	out=$("$mrcctl" "$@" 2>&1 < /dev/null)
	status=$?
	[ $status = "$want" ] && [[ ${out##*$'\n'} == *"$text"* ]]
	local good=$?
	[ $good = 0 ] || echo "# status $status: $out"
	result $good "mrcctl $*: $text"
}

# expect_file STATUS TEXT FILE-CONTENT: of mrcctl apply
expect_file()
{
	printf '%s\n' "$3" > "$tmp/file.json"
	expect "$1" "$2" apply "$tmp/file.json"
}

echo "TAP version 13"

# objects and commands
expect 1 '-V[ersion]'
expect 0 '-V[ersion]' help
expect 0 '-V[ersion]' -h
expect 0 'mrcctl 0.' -V
expect 0 'mrcctl 0.' --Version
expect 1 'option "-x" is unknown' -x
expect 1 'object "frob" is unknown' frob
expect 1 '"p" may be one of plane, path' p
expect 1 '"n" may be one of node, net' n
expect 1 'plane command "frob" is unknown' plane frob
expect 0 'becomes the plane' plane help
expect 0 "the plane's number" pl h
expect 1 'what is "x"?' node show x
expect 2 'network namespace "no-such-netns"' -N no-such-netns node
expect 1 'network namespace is missing' -N
expect 1 'file name is missing' -b
expect 2 'no-such-file: No such file' -b "$tmp/no-such-file"

# nodes and planes
expect 1 'address is missing.' node add
expect 1 '"10.0.0.1" is not an IPv6 address.' node add 10.0.0.1
expect 1 'plane number is missing.' plane add
expect 1 '"0" is not a plane (1-32)' plane add 0 dev lo
expect 1 '"33" is not a plane' plane add 33 dev lo
expect 1 'dev is missing.' plane add 1
expect 1 'device is missing.' plane add 1 dev
expect 2 'there is no device "no-such-dev".' plane add 1 dev no-such-dev
expect 1 'is too long for a device' plane add 1 dev 0123456789abcdef
expect 1 '"x" is not an IPv6 address' plane add 1 dev lo via x
expect 1 'what is "sideways"?' plane add 1 dev lo sideways
expect 1 'nothing to set.' plane set 1
expect 1 'what is "frob"?' plane set 1 frob
expect 2 'plane 2: there is no device "no2".' plane add 2-3 dev 'no{p}'
expect 2 'plane 10: there is no device "no10".' plane add 10,11 dev 'no{p}'

# routes
expect 1 'prefix is missing.' route add
expect 1 'plane is missing.' route add fd00::/64
expect 1 'plane number is missing.' route add fd00::/64 plane
expect 1 'plain or usid is missing.' route add fd00::/64 plane 1
expect 1 '"fd00::1/64" has bits set behind /64.' route add fd00::1/64 plane 1 plain
expect 1 'uSID block is missing.' route add fd00::/64 plane 1 usid
expect 1 'a uSID route needs a path.' route add fd00::/64 plane 1 usid 5f00::/32
expect 1 'is no segment: HEX' route add fd00::/64 plane 1 usid 5f00::/32 path 1,x
expect 1 '7 segments need "srh", without it there are 6 at most.' route add fd00::/64 plane 1 usid 5f00::/32 path 1,2,3,4,5,6,7
expect 1 'has more than 12 segments' route add fd00::/64 plane 1 usid 5f00::/32 srh path 1,2,3,4,5,6,7,8,9,a,b,c,d
expect 1 'a uSID route needs a path.' route add fd00::/64 plane 1 usid 5f00::/32 srh
expect 1 'the uSID block is 32 bits long, not 48.' route add fd00::/64 plane 1 usid 5f00::/48 path 1
expect 1 'ecmp is for plain routes only.' route add fd00::/64 plane 1 usid 5f00::/32 path 1 ecmp
expect 1 'a plain route has neither block nor path.' route add fd00::/64 plane 1 plain path 1
expect 1 'what is "foo"?' route del fd00::/64 plane 1 foo

# congestion controls
expect 1 'name is missing.' cc add
expect 1 'a name has 1 to 15 characters.' cc add 0123456789abcdef algorithm nscc
expect 1 'algorithm is missing.' cc add x
expect 1 'algorithm is missing.' cc add x algorithm
expect 1 'target is missing.' cc add x algorithm nscc target
expect 1 '0 is not in 1-1000.' cc add x algorithm nscc target 0
expect 1 '101 is not in 1-100.' cc set x decrease 101
expect 1 'name is missing.' cc del

# profiles
expect 1 'name is missing.' profile add
expect 1 "a profile's name has 1 to 15 characters." profile add 0123456789abcdef evs 1
expect 1 'evs or fields is missing.' profile add x
expect 1 'list of EVs is missing.' profile add x evs
expect 1 '"" is no EV or EV-EV.' profile add x evs 1,
expect 1 '"2-1" is no EV or EV-EV.' profile add x evs 2-1
expect 1 '"4294967296" is no EV or EV-EV.' profile add x evs 4294967296
expect 1 'these are more than 1024 EVs.' profile add x evs 1-1025
expect 1 'these are more than 1024 EVs.' profile add x evs 0-0xffffffff
expect 1 'fields is missing.' profile add x fields
expect 1 '"0" is no field: WIDTH' profile add x fields 0
expect 1 '"33" is no field: WIDTH' profile add x fields 33
expect 1 '"4:16" is no field: WIDTH' profile add x fields 4:16
expect 1 '"4:3-2" is no field: WIDTH' profile add x fields 4:3-2
expect 1 '"4:1-2@3" is no field: WIDTH' profile add x fields 4:1-2@3
expect 1 '"4/16" is no field: WIDTH' profile add x fields 4/16
expect 1 '"4x" is no field: WIDTH' profile add x fields 4x
expect 1 'has 33 bits, more than 32.' profile add x fields 32,1
expect 1 'has more than 8 fields.' profile add x fields 1,1,1,1,1,1,1,1,1
expect 1 'name of a profile is missing.' route add fd00::/64 plane 1 plain profile

# sockets, settings, paths, events
expect 1 'QPN is missing.' sock abort qpn
expect 1 '2 is not in 3-16777215.' sock abort qpn 2
expect 1 'qpn or local is missing.' sock abort
expect 1 'peer is missing.' sock abort local '[::1]:1'
expect 1 '"::1:1" is not [ADDRESS]:PORT.' sock abort local ::1:1
expect 1 '"open" is none of closed, listen' sock show state open
expect 1 'nothing to set.' net set
expect 1 '"mtu" is no setting.' net set mtu 1
expect 1 'icrc: "1" is none of off, on.' net set icrc 1
expect 1 'udp-port: 65536 is not in 1-65535.' net set udp-port 65536
expect 1 'dscp-data: 64 is not in 0-63.' net set dscp-data 64
expect 1 'evs is missing' net set evs
expect 1 '"dead" is none of good, bad, denied, skip.' path show state dead
expect 1 '"den" may be one of denied, deny' path den
expect 1 'peer is missing.' path deny
expect 1 '"x" is not an IPv6 address.' path deny x
expect 1 'plane is missing.' path deny fd00::2 path 1
expect 1 'path or outer is missing, or both are given.' path deny fd00::2 plane 1
expect 1 'path or outer is missing, or both are given.' path deny fd00::2 plane 1 path 1 outer 5f00::1
expect 1 '65536 is not in 0-65535.' path deny fd00::2 plane 1 path 65536
expect 1 'a state is for "path set".' path deny fd00::2 plane 1 path 1 state bad
expect 1 'force is for "path deny" and "path set".' path allow fd00::2 plane 1 path 1 force
expect 1 'state is missing.' path set fd00::2 plane 1
expect 1 'a path is denied by "path deny".' path set fd00::2 plane 1 state denied
expect 1 'a path is set by its number.' path set fd00::2 plane 1 outer 5f00::1 state bad
expect 1 '"x" is not an IPv6 address.' path denied x
expect 0 'STATE := { good | bad | denied | skip }' path help
expect 1 '"frob" is no event.' monitor frob

# probes
expect 1 'peer is missing.' probe
expect 1 '0 is not in 1-1000000.' probe fd00::2 count 0
expect 1 'what is "frob"?' probe fd00::2 frob
expect 1 '"0" is not a plane (1-32)' probe fd00::2 plane 0
expect 1 '60001 is not in 1-60000.' probe fd00::2 timeout 60001
expect 0 'whatever their state.' probe help
expect 1 'peer is missing.' trace
expect 1 'plane is missing.' trace fd00::2 path 1
expect 1 'path is missing.' trace fd00::2 plane 1
expect 0 'which hop of a source route fails.' trace help
expect 1 'interval is missing.' linkmap interval
expect 1 'what is "frob"?' linkmap frob
expect 0 'good ones, too.' linkmap help

# apply: everything is checked before anything is done
expect 1 'file name is missing.' apply
expect 2 'no-such-file: ' apply "$tmp/no-such-file"
expect_file 2 'file.json:2:' '{ "version": 1,
	nodes }'
expect_file 2 'duplicate' '{ "version": 1, "version": 1 }'
expect_file 2 '"version" is missing.' '{ }'
expect_file 2 '"version" is not in 1-1.' '{ "version": 2 }'
expect_file 2 'what is "plains"?' '{ "version": 1, "plains": [] }'
expect_file 2 '"nodes" is no array.' '{ "version": 1, "nodes": {} }'
expect_file 2 'nodes[1]: "x" is not an IPv6 address.' \
	'{ "version": 1, "nodes": [ "fd00::1", "x" ] }'
expect_file 2 'nodes[1]: the same as nodes[0].' \
	'{ "version": 1, "nodes": [ "fd00::1", "fd00:0::1" ] }'
expect_file 2 'nodes[0]: fe80::1 cannot be a node address.' \
	'{ "version": 1, "nodes": [ "fe80::1" ] }'
expect_file 2 'planes[0]: "plane" is missing.' \
	'{ "version": 1, "planes": [ { "dev": "lo" } ] }'
expect_file 2 'planes[0]: "plane" is not in 1-32.' \
	'{ "version": 1, "planes": [ { "plane": 33, "dev": "lo" } ] }'
expect_file 2 'planes[0]: there is no device "no-such-dev".' \
	'{ "version": 1, "planes": [ { "plane": 1, "dev": "no-such-dev" } ] }'
expect_file 2 'planes[1]: plane 1 is also planes[0].' \
	'{ "version": 1, "planes": [ { "plane": 1, "dev": "lo" }, { "plane": 1, "dev": "lo" } ] }'
expect_file 2 'planes[1]: device lo is also of planes[0].' \
	'{ "version": 1, "planes": [ { "plane": 1, "dev": "lo" }, { "plane": 2, "dev": "lo" } ] }'
expect_file 2 'planes[0]: what is "mtu"?' \
	'{ "version": 1, "planes": [ { "plane": 1, "dev": "lo", "mtu": 1500 } ] }'
expect_file 2 'routes[0] fd00::/64: "slow" is none of plain, usid, srh.' \
	'{ "version": 1, "routes": [ { "dst": "fd00::/64", "plane": 1, "mode": "slow" } ] }'
expect_file 2 'routes[0] fd00::/64: a uSID route needs a path.' \
	'{ "version": 1, "routes": [ { "dst": "fd00::/64", "plane": 1, "mode": "usid", "block": "5f00::/32" } ] }'
expect_file 2 'routes[0] and routes[2] are both to fd00::/64 over plane 1.' \
	'{ "version": 1, "planes": [ { "plane": 1, "dev": "lo" } ], "routes": [
	{ "dst": "fd00::/64", "plane": 1, "mode": "plain" },
	{ "dst": "fd01::/64", "plane": 1, "mode": "plain" },
	{ "dst": "fd00::/64", "plane": 1, "mode": "plain", "ecmp": true } ] }'
expect_file 2 'profiles[0]: either "evs" or "fields" is needed.' \
	'{ "version": 1, "profiles": [ { "name": "x" } ] }'
expect_file 2 'profiles[0]: "x" is no EV or EV-EV.' \
	'{ "version": 1, "profiles": [ { "name": "x", "evs": "x" } ] }'
expect_file 2 'profiles[1]: the same name as profiles[0].' \
	'{ "version": 1, "profiles": [ { "name": "x", "evs": "1" }, { "name": "x", "fields": "8" } ] }'
expect_file 2 'cc[0]: "algorithm" is missing.' \
	'{ "version": 1, "cc": [ { "name": "x" } ] }'
expect_file 2 'cc[0]: "name" has 1 to 15 characters.' \
	'{ "version": 1, "cc": [ { "name": "", "algorithm": "nscc" } ] }'
expect_file 2 'cc[0]: what is "target-min"?' \
	'{ "version": 1, "cc": [ { "name": "x", "algorithm": "nscc", "target-min": 5000 } ] }'
expect_file 2 'cc[0]: "decrease" is not in 1-100.' \
	'{ "version": 1, "cc": [ { "name": "x", "algorithm": "nscc", "decrease": 101 } ] }'
expect_file 2 'cc[0]: this is no object.' '{ "version": 1, "cc": [ "nscc" ] }'
expect_file 2 'cc[1]: the same name as cc[0].' \
	'{ "version": 1, "cc": [ { "name": "x", "algorithm": "nscc" }, { "name": "x", "algorithm": "fixed" } ] }'
expect_file 2 '"cc_default" is no string.' '{ "version": 1, "cc_default": 1 }'
expect_file 2 '"cc_default" has 1 to 15 characters.' \
	'{ "version": 1, "cc_default": "0123456789abcdef" }'
expect_file 2 'denied[0]: "peer" is missing.' \
	'{ "version": 1, "denied": [ { "plane": 1, "path": 0 } ] }'
expect_file 2 'denied[0]: needs either "outer" or "path".' \
	'{ "version": 1, "denied": [ { "peer": "fd00::2", "plane": 1 } ] }'
expect_file 2 'denied[0]: needs either "outer" or "path".' \
	'{ "version": 1, "denied": [ { "peer": "fd00::2", "plane": 1, "path": 0, "outer": "5f00::1" } ] }'
expect_file 2 'denied[0]: "path" is not in 0-65535.' \
	'{ "version": 1, "denied": [ { "peer": "fd00::2", "plane": 1, "path": 65536 } ] }'
expect_file 2 'denied[0]: what is "why"?' \
	'{ "version": 1, "denied": [ { "peer": "fd00::2", "plane": 1, "path": 0, "why": 1 } ] }'
expect_file 2 'net: what is "mtu"?' '{ "version": 1, "net": { "mtu": 1 } }'
expect_file 2 'net: "evs" is not in 1-1024.' \
	'{ "version": 1, "net": { "evs": 0 } }'
expect_file 2 'net: "icrc" is neither true nor false.' \
	'{ "version": 1, "net": { "icrc": 1 } }'

# batches: comments, joined lines, quotes, and on which line it went wrong
cat > "$tmp/batch" <<-'END'
	# a comment

	help   # another
	plane set \
	    1
	node add 'x y'
END
expect 1 "Command failed $tmp/batch:5" -b "$tmp/batch"
expect 1 "Command failed $tmp/batch:6" -force -b "$tmp/batch"
"$mrcctl" -force -b "$tmp/batch" 2>&1 | grep -q '"x y" is not an IPv6 address'
result $? "quotes keep words together"
printf 'help' > "$tmp/batch"
expect 0 '-V[ersion]' -b "$tmp/batch"
echo 'node add x' | "$mrcctl" -b - 2>&1 | grep -q 'Command failed -:1'
result $? "a batch on standard input"

echo "1..$no"
[ $failed = 0 ]
