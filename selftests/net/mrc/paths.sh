#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# EVs, their profiles, paths and what they cost: the way back is probed at its pace, whatever
# the number of connections, and no answer is a stranger's. Source routes with
# a segment routing header, short and long. ICMP errors, true and false.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

SIZE=33554432
PACKETS=$((SIZE / 4096))

# timed COMMAND... - whole seconds that it took, rounded up, into $seconds
timed() {
	local start=${EPOCHREALTIME/./} status=0

	"$@" || status=1
	seconds=$(((${EPOCHREALTIME/./} - start) / 1000000 + 1))
	return $status
}

# One probe of the way back per 400 packets, and one a second: h2 receives and
# sends no data
rev_pace() {
	local limit

	mib_mark h1 h2
	timed transfer $SIZE || return
	limit=$((PACKETS / 400 + seconds + 1))
	mib_since h2 EpRev
	note "$MIB probes of the way back in $seconds s"
	expect_mib h2 EpRev 1 $limit || return
	# h1's own data proves its ways
	expect_mib h1 EpRev 0 $((seconds + 1)) || return
	expect_mib h1 DropProbeId 0 0 && expect_mib h2 DropProbeId 0 0
}

# many N BYTES - so many connections at once, each sends so much
many() {
	local BOTH=(-n "$1" -m lt)

	transfer "$2"
}

# probes N - of both hosts and of either direction while N connections together
# send 8,000 packets: the same bound for one and for many
probes() {
	local limit n

	mib_mark h1 h2
	timed many "$1" $((8000 * 4096 / $1)) || return
	mib_since h1 EpRev
	n=$MIB
	mib_since h2 EpRev
	note "$1 connections: $n and $MIB ways back probed in $seconds s"
	# Each end of stream is a packet too, and so may be a probe
	limit=$(((8000 + 2 * $1) / 400 + seconds + 1))
	expect_mib h1 EpRev 0 $limit || return
	expect_mib h2 EpRev 1 $limit || return
	# Nothing else asks but a path that was late
	for n in h1 h2; do
		mib_since $n PathBad PathKept EpRev EpLost
		expect_mib $n EpReqOut 0 $((MIB * 2)) || return
	done
}

all() {
	run "$FABRIC: warm up" warm_up
	run "$FABRIC: the way back is probed at its pace" rev_pace
	run "$FABRIC: probes of one connection" probes 1
	run "$FABRIC: 500 connections probe no more" probes 500
}

# --- segment routing headers -----------------------------------------------

# Input of such packets: by our own hook, or without netfilter by IPv6's
srh_counter() {
	if [ -d /proc/sys/net/netfilter ]; then
		echo InSrh
	else
		echo InPlain
	fi
}

srh_bursts() {
	in_bursts $SIZE || return
	expect_mib h2 "$(srh_counter)" "$SKBS" || return
	expect_mib h1 OutFrag 0 0
}

# srh_lists PATTERN - by our own reading; all captures go to one file
srh_lists() {
	capture h1 "$TMP/pcap" -Q out ip6 proto 43 || return
	transfer 65536 || return
	capture_end has_srh || return
	! grep -vE "$1" "$TMP/ours" || fail "unexpected lists" || return
	cat "$TMP/ours" >>"$TMP/all.ours"
	if [ -e "$TMP/all.pcap" ]; then
		tail -c +25 "$TMP/pcap" >>"$TMP/all.pcap"
	else
		cp "$TMP/pcap" "$TMP/all.pcap"
	fi
}

# What Wireshark, which takes seconds to start, says of the headers is what they
# are
srh_dissected() {
	tshark -r "$TMP/all.pcap" -Y ipv6.routing -T fields -E separator=' ' \
		-E occurrence=a -E aggregator=, -e ipv6.routing.segleft \
		-e ipv6.routing.srh.last_entry -e ipv6.routing.srh.addr \
		2>/dev/null >"$TMP/theirs"
	cmp "$TMP/all.ours" "$TMP/theirs" ||
		fail "$(diff "$TMP/all.ours" "$TMP/theirs" | head -n 5)"
}

has_srh() {
	python3 "$LIB_DIR/capture.py" srh "$TMP/pcap" >"$TMP/ours" &&
		[ -s "$TMP/ours" ]
}

# A second carrier: there and back and there again, eight segments
LONG="usid 5f00::/32 srh path 101,1,102,2,101,1-2,102,d02"

long_routes() {
	local p

	for p in 1 2 3 4; do
		"$MRCCTL" -N h1 route del $H2/128 plane $p || return
		# shellcheck disable=SC2086 # words
		"$MRCCTL" -N h1 route add $H2/128 plane $p $LONG || return
	done
	[ "$("$MRCCTL" -N h1 -o route show plane 2)" = \
		"$H2/128 plane 2 $LONG" ] ||
		fail "$("$MRCCTL" -N h1 -o route show)" || return
	wait_for 10 good_paths h1 8 || return
	srh_bursts
}

# What is exported can be applied, and then nothing is to be done
srh_applied() {
	"$MRCCTL" -N h1 export >"$TMP/export" || return
	grep -q '"mode": "srh"' "$TMP/export" || fail "$(<"$TMP/export")" || return
	sed 's/"srh"/"usid"/; s/101,1,102,2,101,1-2,102,d02/101,1-2,102,d02/' \
		"$TMP/export" >"$TMP/short"
	"$MRCCTL" -N h1 apply "$TMP/short" || return
	! "$MRCCTL" -N h1 route show | grep -q srh ||
		fail "$("$MRCCTL" -N h1 route show)" || return
	"$MRCCTL" -N h1 apply "$TMP/export" || return
	"$MRCCTL" -N h1 export | cmp - "$TMP/export" || return
	transfer 1048576
}

# Nothing is believed of them, and a connection beside them goes on. Four kinds,
# 200 times each, have lists longer than themselves.
srh_forged() {
	in_ns p1t02 python3 "$LIB_DIR/srh_forge.py" h2 02:4d:52:43:01:02 \
		5f00:0:d02:: $H2 200 || return
	arriving 100
}

forged() {
	mib_mark h2
	during srh_forged || return
	[ "$(srh_counter)" = InPlain ] || expect_mib h2 DropSrh 800 800
}

# A mark on the outer header alone is not lost with it
srh_marked() {
	tc -n p1t02 qdisc replace dev h2 clsact &&
		tc -n p1t02 filter add dev h2 egress protocol ipv6 matchall \
			action pedit ex munge ip6 traffic_class set 7 || return
	mib_mark h2
	transfer $SIZE || return
	tc -n p1t02 qdisc del dev h2 clsact
	expect_mib h2 CeIn $((PACKETS / 8)) $((PACKETS / 2))
}

srh() {
	FABRIC=usid
	fabric up --mode srh
	run "srh: warm up" warm_up
	run "srh: whole bursts" srh_bursts
	run "srh: one segment" srh_lists \
		'^0 0 5f00:0:101:[12]:102:d02::$'
	[ "$(srh_counter)" = InPlain ] ||
		run "srh: marks of the outer header count" srh_marked
	run "srh: forged headers" forged
	run "srh: eight segments in two addresses" long_routes
	run "srh: two segments" srh_lists \
		'^1 1 5f00:0:102:d02::,5f00:0:101:1:102:2:101:[12]$'
	run "srh: Wireshark reads one and two segments" srh_dissected
	run "srh: export and apply" srh_applied
	fabric down
}

# --- EV profiles -----------------------------------------------------------

# route_profile NAME - the routes of h1 to h2 as they are, but for the profile
route_profile() {
	local route

	"$MRCCTL" -N h1 -o route show $H2/128 >"$TMP/routes"
	while read -r route; do
		"$MRCCTL" -N h1 route del $H2/128 plane "$(awk \
			'{ print $3 }' <<<"$route")" || return
		# shellcheck disable=SC2086 # words
		"$MRCCTL" -N h1 route add ${route%% profile *} profile "$1" ||
			return
	done <"$TMP/routes"
}

# evs_sent - those of the data of a transfer, one a line, in $TMP/evs
evs_sent() {
	capture h1 "$TMP/pcap" -Q out || return
	transfer 8388608 || return
	capture_end has_evs || return
}

has_evs() {
	python3 "$LIB_DIR/capture.py" evs "$TMP/pcap" >"$TMP/evs" &&
		[ -s "$TMP/evs" ]
}

# The plane is not written in these EVs, and nobody thinks it is
profile_explicit() {
	local want

	"$MRCCTL" -N h1 profile add listed evs 0x7fff0001-0x7fff0007,9 ||
		return
	route_profile listed || return
	mib_mark h1 h2
	evs_sent || return
	want=$(printf '0x9 0x7fff000%d 0x7fff000%d 0x7fff000%d 0x7fff000%d 0x7fff000%d 0x7fff000%d 0x7fff000%d' \
		1 2 3 4 5 6 7)
	[ "$(xargs <"$TMP/evs")" = "$want" ] ||
		fail "sent: $(xargs <"$TMP/evs")" || return
	expect_mib h2 PlaneMiscabled 0 0
}

# In plain mode each EV is a path; else they are shared by the paths
profile_paths() {
	local n want=8

	[ "$FABRIC" = usid ] || want=32
	n=$("$MRCCTL" -N h1 path show | grep -c .)
	[ "$n" = $want ] || fail "$n paths" || return
	n=$("$MRCCTL" -N h1 -j peer show | sed 's/.*"evs":\([0-9]*\).*/\1/')
	[ "$n" = 32 ] || fail "$n EVs"
}

# A plane falls silent and comes back: probes of such EVs are answered too
profile_outage() {
	mib_mark h1
	fabric link blackhole 2 h2
	wait_for 20 mib_grew h1 PathBad 1 || return
	arriving 100 || return
	fabric link repair 2 h2
	wait_for 20 all_paths_good || return
	expect_mib h1 DropProbeId 0 0
}

all_paths_good() {
	[ -z "$("$MRCCTL" -N h1 path show | grep -v ' state good ')" ]
}

# A connection goes on with other EVs while it lives
profile_live() {
	"$MRCCTL" -N h1 profile set listed fields 4:3,12:1-2,16:100-103@102 ||
		return
	wait_for 10 generated_only
}

generated_only() {
	rm -f "$TMP/pcap"
	capture h1 "$TMP/pcap" -Q out -c 200 || return
	ended "$CAPTURE" || return
	has_evs || return
	[ "$(xargs <"$TMP/evs")" = "0x30010064 0x30010065 0x30010066 0x30010067 0x30020064 0x30020065 0x30020066 0x30020067" ]
}

profile_in_use() {
	! "$MRCCTL" -N h1 profile del listed 2>"$TMP/err" || return
	grep -qx 'Error: Profile is in use, by 4\.' "$TMP/err" ||
		fail "$(<"$TMP/err")" || return
	"$MRCCTL" -N h1 export >"$TMP/export" || return
	route_profile auto || return
	"$MRCCTL" -N h1 profile del listed || return
	[ -z "$("$MRCCTL" -N h1 profile show)" ] || return
	"$MRCCTL" -N h1 apply "$TMP/export" || return
	"$MRCCTL" -N h1 export | cmp - "$TMP/export" || return
	[ "$("$MRCCTL" -N h1 profile show)" = \
		"listed fields 4:3,12:1-2,16:100-103@102" ] ||
		fail "$("$MRCCTL" -N h1 profile show)"
}

# One socket has EVs of its own, beside one that has those of the routes; its
# peer answers by those that it has been told to use
profile_socket() {
	local status=0

	"$MRCCTL" -N h1 profile add own evs 21-24 &&
		"$MRCCTL" -N h2 profile add own evs 31 || return
	# Answers find the peer of a socket's profile among those of the addresses
	capture h1 "$TMP/pcap" -Q out || return
	transfer 1048576 -P own || return
	capture_end has_evs || return
	[ "$(xargs <"$TMP/evs")" = "0x15 0x16 0x17 0x18" ] ||
		fail "sent: $(xargs <"$TMP/evs")" || return
	"$MRCCTL" -N h1 peer show | grep -q 'profile own planes' ||
		fail "$("$MRCCTL" -N h1 peer show)" || return
	in_ns h1 python3 -c '
import socket, subprocess, sys
s = socket.socket(18, socket.SOCK_STREAM, 0)
s.setsockopt(0x4d52, 5, b"own")
r = subprocess.run([sys.argv[1], "profile", "del", "own"],
                   stderr=subprocess.PIPE, text=True)
sys.exit(r.stderr != "Error: Profile is in use, by 1.\n")' "$MRCCTL" ||
		fail "deleted though in use" || return
	PUMP_PROFILE=own during profile_outage || status=1
	"$MRCCTL" -N h1 profile del own && "$MRCCTL" -N h2 profile del own ||
		status=1
	return $status
}

profiles() {
	run "$FABRIC: explicit EVs" profile_explicit
	run "$FABRIC: and paths" profile_paths
	run "$FABRIC: a plane with them fails and returns" \
		during profile_outage
	run "$FABRIC: their profile changes" during profile_live
	run "$FABRIC: a profile in use, export and apply" profile_in_use
	run "$FABRIC: a socket's own profile" profile_socket
}

# --- ICMP errors -----------------------------------------------------------

# Where h1's port of plane 1 ends
h1_port() {
	if [ "$FABRIC" = b2b ]; then
		echo wire h1p1
	else
		echo p1t01 h1
	fi
}

# They say of each path of a plane that it does not work, over and over: it is
# asked now and then, and stays
icmp_flood() {
	local ns port start=${EPOCHREALTIME/./}

	mib_mark h1
	read -r ns port <<<"$(h1_port)"
	in_ns "$ns" "$LIB_DIR/icmp_forge.py" "$port" 02:4d:52:43:01:01 1 40 \
		>"$TMP/forged" || return
	arriving 100 || return
	limit=$(((${EPOCHREALTIME/./} - start) / 10000 + 1))
}

icmp_forged() {
	local limit

	during icmp_flood || return
	# Some may be dropped on their way, but nothing is added
	expect_mib h1 IcmpIn $(($(<"$TMP/forged") / 2)) "$(<"$TMP/forged")" ||
		return
	mib_since h1 IcmpProbe
	note "$(<"$TMP/forged") errors, $MIB probes, at most $limit"
	expect_mib h1 IcmpProbe 1 "$limit" || return
	# Answers may come late while one CPU does all that, and then paths
	# leave; but none does without a probe or a packet called lost
	mib_since h1 EpLost RtxSack RtxTime RtxTimeout
	expect_mib h1 PathBad 0 "$MIB"
}

# A switch says what it does: the path to that spine leaves, and comes back
icmp_true() {
	mib_mark h1
	ip -n p1t01 -6 route replace unreachable 5f00:0:1::/48 || return
	wait_for 20 mib_grew h1 IcmpProbe 1 &&
		wait_for 20 mib_grew h1 PathBad 1 || return
	ip -n p1t01 -6 route del unreachable 5f00:0:1::/48
	ip -n p1t01 -6 route replace 5f00:0:1::/48 via fe80::1 dev t11 || return
	wait_for 20 all_paths_good
}

icmp() {
	run "$FABRIC: forged ICMP errors" icmp_forged
	[ "$FABRIC" = b2b ] ||
		run "$FABRIC: ICMP errors of a switch" during icmp_true
}

both() {
	all
	icmp
	profiles
}

# --- more paths than EVs; EVs that switches hash ----------------------------

# evs_are "PATHS EVS BACKUPS" - of each plane of h1, those that are good
evs_are() {
	local p want

	"$MRCCTL" -N h1 -j path show >"$TMP/paths" || return
	awk -F: -v RS='[],{}[]' '
		{ gsub(/"/, ""); v[$1] = $2 }
		$1 == "plane" { paths[$2]++ }
		$1 == "state" { good = $2 == "good" }
		$1 == "evs_good" || $1 == "evs_skip" {
			evs[v["plane"]] += good ? $2 : 0 }
		$1 == "evs_backup" { backups[v["plane"]] += good ? $2 : 0 }
		END { for (p = 1; p <= 4; p++)
			print p, paths[p] + 0, evs[p] + 0, backups[p] + 0 }' \
		"$TMP/paths" >"$TMP/planes"
	want=$(for p in 1 2 3 4; do echo "$p $1"; done)
	[ "$(<"$TMP/planes")" = "$want" ]
}

few_evs() {
	evs_are "3 2 1" || fail "planes: $(xargs <"$TMP/planes")"
}

# A spine that carries an EV of plane 1
spine_in_use() {
	python3 - "$TMP/paths" <<-'END'
		import json, sys
		print(next(p["outer"].split(":")[3] for p in json.load(open(sys.argv[1]))
		           if p["plane"] == 1 and not p["evs_backup"]))
	END
}

# Its backup, of the same plane, takes its place
backed_up() {
	local spine

	spine=$(spine_in_use) || return
	mib_mark h1
	fabric link blackhole 1 t01 "t1$spine"
	wait_for 20 mib_grew h1 PathBad 1 || return
	arriving 100 || return
	wait_for 10 replaced || fail "planes: $(xargs <"$TMP/planes")" || return
	fabric link repair 1 t01 "t1$spine"
	wait_for 20 all_paths_good || return
	wait_for 10 evs_are "3 2 1"
}

replaced() {
	evs_are "3 2 1" || [ "$(<"$TMP/planes")" = "1 3 2 0
2 3 2 1
3 3 2 1
4 3 2 1" ]
}

# from_leaf FILE SPINE - packets that it had received from our leaf by then
from_leaf() {
	sed -n 's/^"'"$2"'": .*"t01": {[^}]*"rx": \([0-9]*\),.*/\1/p' "$TMP/$1"
}

# hashed POLICY N - every spine gets N bursts or more; 0: addresses and flow
# label, 1: addresses and ports
hashed() {
	local p j n

	for p in 1 2 3 4; do
		in_ns "p${p}t01" sysctl -qw \
			net.ipv6.fib_multipath_hash_policy="$1" || return
	done
	fabric counters >"$TMP/before"
	transfer $SIZE || return
	fabric counters >"$TMP/after"
	for p in 1 2 3 4; do
		for j in 1 2 3 4; do
			n=$(($(from_leaf after "p${p}t1$j") -
			     $(from_leaf before "p${p}t1$j")))
			[ $n -ge "$2" ] ||
				fail "spine $j of plane $p took $n" || return
		done
	done
}

# A link dies behind the hash: the EVs that go there leave, no others
hashed_link() {
	local good

	mib_mark h1
	fabric link blackhole 1 t01 t11
	wait_for 20 mib_grew h1 PathBad 4 || return
	arriving 200 || return
	good=$("$MRCCTL" -N h1 path show plane 1 | grep -c ' state good ')
	[ "$good" -ge 30 ] || fail "$good paths are left" || return
	fabric link repair 1 t01 t11
	wait_for 30 all_paths_good
}

hash_routes() {
	local p

	for p in 1 2 3 4; do
		"$MRCCTL" -N h1 route del $H2/128 plane $p &&
			"$MRCCTL" -N h1 route add $H2/128 plane $p plain ecmp ||
			return
	done
	transfer 65536 || return
	[ "$("$MRCCTL" -N h1 path show | grep -c .)" = 320 ]
}

# --- congestion control by name ----------------------------------------------

# A new default is what the next connection begins with, instead of nscc
cc_default() {
	during has_window 'congestion nscc' || return
	"$MRCCTL" -N h1 cc add small algorithm fixed window 65536 default ||
		return
	during has_window 'cwnd 65536 ' 'congestion fixed cc-state constant' ||
		return
	! "$MRCCTL" -N h1 cc del small 2>"$TMP/err" || return
	grep -qx 'Error: Profile is the default\.' "$TMP/err" ||
		fail "$(<"$TMP/err")" || return
	"$MRCCTL" -N h1 cc set nscc default || return
	during has_window 'congestion nscc' || return
	"$MRCCTL" -N h1 cc set small algorithm nscc target 30 window 65536 ||
		return
	[ "$("$MRCCTL" -N h1 -d -o cc show small)" = "small algorithm nscc target 30 target-min 6000 increase 100 decrease 80 init 4 window 65536 users 0" ] ||
		fail "$("$MRCCTL" -N h1 -d -o cc show small)" || return
	"$MRCCTL" -N h1 cc del small
}

# has_window WORDS... - of a connection
has_window() {
	local words

	"$MRCCTL" -N h1 -d -o sock show >"$TMP/socks" || return
	for words; do
		grep -q -- "$words" "$TMP/socks" ||
			fail "no $words: $(<"$TMP/socks")" || return
	done
}

# Of a reader that does not read the sender hears in time
cc_penalty() {
	local receiver sender status=0

	PORT=$((PORT + 1))
	rm -f "$TMP/stop"
	mkfifo "$TMP/stop"
	exec 9<>"$TMP/stop"
	mib_mark h2
	spawn h2 mrct hold "$H2" "$PORT" >"$TMP/recv"
	receiver=$PID
	wait_for 10 has_line "$TMP/recv" listening || status=1
	spawn_told h1 9 "$TMP/send" mrct pump "$H2" "$PORT"
	sender=$PID
	wait_for 10 mib_grew h2 PenaltyOut 1 || status=1
	wait_for 10 has_window 'cc-state penalty' || status=1
	reap "$sender"
	reap "$receiver"
	exec 9<&-
	return $status
}

congestion() {
	FABRIC=b2b
	fabric b2b --planes 2
	run "congestion control: a new default" cc_default
	run "congestion control: a receiver's penalty" cc_penalty
	fabric down
}

evs() {
	FABRIC=usid
	fabric up --t1 4
	"$MRCCTL" -N h1 net set evs 8
	"$MRCCTL" -N h2 net set evs 8
	run "few EVs: warm up" warm_up 12
	run "few EVs: each plane has two and a backup" few_evs
	run "few EVs: one leaves" during backed_up
	fabric down
	fabric up --t1 4 --mode plain
	run "hash: each EV is a path" hash_routes
	run "hash: of flow label" hashed 0 10
	run "hash: of source port" hashed 1 10
	run "hash: a dead link behind it" during hashed_link
	fabric down
}

begin
on_both both
srh
evs
congestion
end
