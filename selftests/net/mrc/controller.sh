#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a controller sees and does: paths denied, allowed and set, probes over
# each path, and which link is broken. The oracle for what is used are the
# switches' counters.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

SIZE=4194304

h1() { "$MRCCTL" -N h1 "$@"; }

# path_of PLANE PATH KEY - a field of path show. (jq takes longer to start than
# most tests here run, so it is for what is not asked again and again.)
path_of() {
	local json

	json=$(h1 -j path show "$H2" plane "$1")
	[[ $json =~ \"path\":$2,[^}]*\"$3\":\"?([^\",}]*) ]] &&
		echo "${BASH_REMATCH[1]}"
}

# path_is PLANE PATH STATE - for wait_for
path_is() { [ "$(path_of "$1" "$2" state)" = "$3" ]; }

# says STATUS TEXT COMMAND... - the last line of what mrcctl prints has TEXT
says() {
	local want=$1 text=$2 out status=0
	shift 2

	out=$(h1 "$@" 2>&1) || status=$?
	[ $status = "$want" ] && [[ ${out##*$'\n'} == *"$text"* ]] ||
		fail "$*: status $status: ${out//$'\n'/; }"
}

# spine J - packets from h1's leaf that spine J of plane 1 has received
spine() {
	in_ns "p1t1$1" awk '$1 == "t01:" { print $3 }' /proc/net/dev
}

# used J - the packets of a transfer that went over spine J of plane 1
used() {
	local before

	before=$(spine "$1")
	transfer $SIZE || return
	USED=$(($(spine "$1") - before))
}

# deny - the path of most tests, unless it is denied already
deny() {
	[ -n "$(h1 path denied "$H2")" ] || h1 path deny "$H2" plane 1 path 0
}

# --- deny, allow, set --------------------------------------------------------

denied_is_unused() {
	local sent

	h1 path deny "$H2" plane 1 path 0 || return
	path_is 1 0 denied || fail "$(h1 path show "$H2" plane 1)" || return
	[ "$(path_of 1 0 why)" = administrator ] || fail "why?" || return
	sent=$(path_of 1 0 sent)
	if [ "$FABRIC" = usid ]; then
		used 1 || return
		# SACKs and probes come over it from h2, nothing goes there
		[ "$USED" -le 4 ] || fail "the spine saw $USED packets" || return
	else
		transfer $SIZE || return
	fi
	# less if the peer was made anew in the meantime
	[ "$(path_of 1 0 sent)" -le "$sent" ] || fail "data was sent on it" || return
	[ "$(path_of 1 0 evs_denied)" -ge 1 ] || fail "no EV is denied"
}

is_listed() {
	deny || return
	h1 -j path denied | jq -e --argjson n "$1" "length == $1" >/dev/null &&
		h1 -j path denied "$H2" | jq -e '.[0].plane == 1 and .[0].path == 0' \
			>/dev/null || fail "$(h1 path denied)"
}

not_twice() {
	deny || return
	says 2 "The path is denied already" path deny "$H2" plane 1 path 0 &&
		says 2 "The path is denied, allow it first" \
			path set "$H2" plane 1 path 0 state good &&
		says 2 "The path is not denied" path allow "$H2" plane 2 path 0
}

# By file: what is exported says it, applying it changes nothing; a file
# without it allows the path, one with it denies it again
by_file() {
	deny && transfer 65536 || return
	h1 export >"$TMP/with.json" || return
	jq 'del(.denied)' "$TMP/with.json" >"$TMP/without.json"
	h1 apply "$TMP/with.json" && path_is 1 0 denied || return
	h1 apply "$TMP/without.json" || return
	! path_is 1 0 denied || fail "it is denied still" || return
	h1 apply "$TMP/with.json" && path_is 1 0 denied || return
	[ "$(h1 export)" = "$(<"$TMP/with.json")" ] || fail "another export"
}

# The path has another number then, or the same: it is the same path
survives_routes() {
	local route outer

	deny && transfer 65536 || return
	outer=$(path_of 1 0 outer)
	route=$(h1 route show "$H2/128" plane 1)
	h1 route del "$H2/128" plane 1 || return
	# shellcheck disable=SC2086 # words
	h1 route add $route || return
	transfer 65536 || return
	path_is 1 0 denied || fail "same route: $(h1 path show)" || return
	[ "$FABRIC" = usid ] || return 0
	h1 route del "$H2/128" plane 1 || return
	# shellcheck disable=SC2086 # words
	h1 route add ${route/path 101,1-2/path 101,1-3} || return
	transfer 65536 || return
	[[ $(h1 path show "$H2" plane 1 state denied) == *" outer $outer"* ]] ||
		fail "wider route: $(h1 path show)" || return
	h1 route del "$H2/128" plane 1 || return
	# shellcheck disable=SC2086 # words
	h1 route add $route
}

survives_plane() {
	deny && transfer 65536 || return
	h1 export >"$TMP/all.json" || return
	jq 'del(.planes[0]) | del(.routes[] | select(.plane == 1))' \
		"$TMP/all.json" >"$TMP/less.json"
	h1 apply "$TMP/less.json" && h1 apply "$TMP/all.json" || return
	wait_for 20 answers && transfer 65536 || return
	path_is 1 0 denied || fail "$(h1 path show)"
}

# Allowed, it is back when probes have succeeded and not before
allowed_comes_back() {
	local probes

	deny && transfer 65536 || return
	probes=$(path_of 1 0 probes_answered)
	mib_mark h1
	h1 path allow "$H2" plane 1 path 0 || return
	# Who denies it during a transfer finds it in use by then
	during wait_for 20 path_is 1 0 good || return
	[ "$(path_of 1 0 probes_answered)" -gt "$probes" ] ||
		fail "without a probe" || return
	[ "$(path_of 1 0 why)" = "probes succeeded" ] ||
		fail "$(path_of 1 0 why)" || return
	expect_mib h1 PathAllow 1 1
}

# Taken out and given back while data flows
deny_in_use() {
	during deny_allow
}

deny_allow() {
	for _ in 1 2 3; do
		h1 path deny "$H2" plane 1 path 0 && arriving 500 &&
			path_is 1 0 denied || return
		h1 path allow "$H2" plane 1 path 0 &&
			wait_for 20 path_is 1 0 good && arriving 500 || return
	done
}

# Somebody who is no peer yet
before_the_peer() {
	[ -z "$(h1 peer show)" ] || fail "there is a peer" || return
	h1 path deny "$H2" plane 1 path 0 || return
	h1 probe "$H2" plane 2 count 1 >/dev/null || return
	path_is 1 0 denied || fail "$(h1 path show)" || return
	h1 path allow "$H2" plane 1 path 0
}

# Peers without a connection are freed, the newest ones first if there are more
# than 1024; what is denied of them stays denied
survives_idle() {
	local far=fd00:6d:9::ffff status=0

	h1 route add fd00:6d:9::/64 plane 1 usid 5f00::/32 path 101,1-2,d09 ||
		return
	h1 path deny $far plane 1 path 1 || return
	mib_mark h1
	wait_for 60 many_peers || status=1
	h1 probe $far plane 1 path 0 count 1 timeout 100 >/dev/null 2>&1
	far_denied $far || fail "not at first: $(h1 path show $far)" || status=1
	mib_mark h1
	wait_for 30 far_gone $far || status=1
	h1 probe $far plane 1 path 0 count 1 timeout 100 >/dev/null 2>&1
	far_denied $far || fail "not again: $(h1 path show $far)" || status=1
	h1 path allow $far plane 1 path 1
	h1 route del fd00:6d:9::/64 plane 1
	return $status
}

far_denied() {
	[ "$(h1 path show "$1" state denied | grep -c .)" = 1 ]
}

far_gone() {
	[ -z "$(h1 peer show "$1")" ]
}

# Each probe makes a peer; some are refused, because they come too fast
many_peers() {
	MADE=$((MADE + 400))
	seq $((MADE - 399)) "$MADE" |
		sed 's/.*/PROBE PROBE_REMOTE=ip6:fd00:6d:9::& PROBE_PLANE=u32:1 PROBE_INDEX=u32:0 PROBE_TIMEOUT=u32:1/' |
		in_ns h1 python3 "$LIB_DIR/nlraw.py" - >/dev/null
	[ "$(h1 peer show | grep -c .)" -gt 1030 ]
}

MADE=0

# paths HOST PEER - numbers of its paths: "plane path"
paths() {
	"$MRCCTL" -N "$1" path show "$2" | awk '{ print $4, $6 }'
}

last_one() {
	local plane path last

	while read -r plane path; do
		last="plane $plane path $path"
		# shellcheck disable=SC2086 # words
		h1 path deny "$H2" $last >/dev/null 2>&1 || break
	done < <(paths h1 "$H2")
	# shellcheck disable=SC2086 # words
	says 2 "Fewer good EVs than ev-min-active would be left" \
		path deny "$H2" $last || return
	# shellcheck disable=SC2086 # words
	says 0 "Warning: No good path to the peer is left." \
		path deny "$H2" $last force || return
	[ "$(h1 path show state denied | grep -c .)" = "$(paths h1 "$H2" | wc -l)" ] ||
		fail "$(h1 path show)" || return
	# Nothing is used, not even to ask, though it was to be
	mib_mark h1 h2
	spawn h1 mrct try "$H2" 6998 >"$TMP/try" 2>&1
	wait_for 10 mib_grew h1 CmReqRounds 4 || fail "$(<"$TMP/try")" || return
	reap $PID
	expect_mib h2 CmReqIn 0 0 || return
	while read -r plane path; do
		h1 path allow "$H2" plane "$plane" path "$path" || return
	done < <(paths h1 "$H2")
	warm_up
}

# Not even an answer goes over a denied path. Each probe has to arrive, so each
# link must have carried one before: the first packet over a link that has just
# come up waits for its neighbour, for longer than a probe.
says_nothing() {
	local plane path status=0

	wait_for 20 probes_answered && transfer 65536 || return
	paths h2 "$H1" >"$TMP/paths"
	mib_mark h2
	while read -r plane path; do
		"$MRCCTL" -N h2 path deny "$H1" plane "$plane" path "$path" \
			force 2>/dev/null || status=1
	done <"$TMP/paths"
	! h1 probe "$H2" count 1 timeout 200 2>/dev/null |
		grep -vE ' answered 0( |$)' || status=1
	wait_for 5 mib_grew h2 NoReturn "$(wc -l <"$TMP/paths")" ||
		fail "NoReturn grew by $MIB" || status=1
	while read -r plane path; do
		"$MRCCTL" -N h2 path allow "$H1" plane "$plane" path "$path" ||
			status=1
	done <"$TMP/paths"
	[ $status = 0 ] && warm_up
}

set_states() {
	h1 path set "$H2" plane 1 path 0 state skip || return
	path_is 1 0 skip || fail "$(h1 path show)" || return
	transfer 1048576 || return
	path_is 1 0 good || fail "no turn was skipped: $(h1 path show)" || return
	mib_mark h1
	during set_bad || return
	expect_mib h1 PathBad 1
}

# Bad is a question: probes bring it back
set_bad() {
	h1 path set "$H2" plane 1 path 0 state bad && arriving 500 &&
		wait_for 20 path_is 1 0 good &&
		[ "$(path_of 1 0 why)" != administrator ]
}

# Good is an order, also of a path that nobody probes
set_good() {
	h1 path set "$H2" plane 1 state bad || return
	path_is 1 0 bad || fail "$(h1 path show)" || return
	mib_mark h1
	h1 path set "$H2" plane 1 state good || return
	path_is 1 0 good || fail "$(h1 path show)" || return
	[ "$(path_of 1 0 why)" = administrator ] || return
	expect_mib h1 PingOut 0 0
}

set_refused() {
	says 2 "No such peer" path set fd00:6d::99 plane 1 state good &&
		says 2 "No such path" path set "$H2" plane 1 path 999 state good &&
		says 2 "Fewer good EVs than ev-min-active would be left" \
			path set "$H2" plane 1 path 0 state bad || return
}

# With a floor as high as the number of EVs none may leave
with_floor() {
	local evs status=0

	evs=$(h1 -j net show)
	[[ $evs =~ \"evs\":([0-9]+) ]] && evs=${BASH_REMATCH[1]} || return
	h1 net set ev-min-active "$evs" || return
	"$@" || status=1
	h1 net set ev-min-active 1
	return $status
}

plane_is_down() {
	local status=0

	h1 plane set 2 down || return
	says 2 "The plane is down" path set "$H2" plane 2 state good || status=1
	h1 -j probe "$H2" plane 2 count 1 2>/dev/null | jq -e \
		'all(.sent == 0 and .error == "The plane is down")' \
		>/dev/null || status=1
	h1 plane set 2 up
	[ $status = 0 ] && warm_up
}

# Events tell of it, with the counts at that time
events() {
	h1 -j monitor path-bad path-good >"$TMP/events" &
	local monitor=$! status=0

	h1 path allow "$H2" plane 1 path 0 2>/dev/null
	wait_for 10 listening_to "$monitor" || status=1
	transfer 1048576 || status=1
	h1 path deny "$H2" plane 1 path 0 || status=1
	wait_for 10 has_line "$TMP/events" path-bad || status=1
	h1 path allow "$H2" plane 1 path 0 || status=1
	wait_for 10 has_line "$TMP/events" '"path_state":"bad"' || status=1
	reap $monitor
	[ $status = 0 ] || return
	jq -se 'any(.event == "path-bad" and .plane == 1 and .path == 0 and
		.path_state == "denied" and .why == "administrator" and
		.evs > 0 and .sent > 0 and .acked > 0 and has("lost") and
		has("marked") and has("trimmed"))' "$TMP/events" >/dev/null ||
		fail "$(<"$TMP/events")"
}

# And of planes, with theirs
plane_events() {
	h1 -j monitor plane-down plane-up >"$TMP/events" &
	local monitor=$! status=0

	wait_for 10 listening_to "$monitor" || status=1
	h1 plane set 1 down && h1 plane set 1 up || status=1
	wait_for 10 has_line "$TMP/events" plane-up || status=1
	reap $monitor
	jq -se 'length == 2 and .[0].event == "plane-down" and all(.plane == 1 and
		.tx_packets >= .tx_data and .tx_data > 0 and .rx_packets > 0 and
		has("rx_data") and has("tx_drops"))' "$TMP/events" >/dev/null ||
		fail "$(<"$TMP/events")" || status=1
	[ $status = 0 ] && warm_up
}

# A generic netlink socket of the process is in a group
listening_to() {
	in_ns h1 cat /proc/net/netlink |
		awk -v pid="$1" '$2 == 16 && $4 != "00000000" { found = 1 }
			END { exit !found }'
}

all_deny() {
	run "$FABRIC: a path is denied before there is a peer" before_the_peer
	run "$FABRIC: warm up" warm_up
	run "$FABRIC: a denied path is not used" denied_is_unused
	run "$FABRIC: it is listed" is_listed 1
	run "$FABRIC: it is denied once" not_twice
	run "$FABRIC: export and apply know of it" by_file
	run "$FABRIC: it stays denied when routes change" survives_routes
	run "$FABRIC: it stays denied when its plane was away" survives_plane
	[ "$FABRIC" = b2b ] ||
		run "$FABRIC: it stays denied when the peer was idle" \
			survives_idle
	run "$FABRIC: an allowed path comes back by probes" allowed_comes_back
	run "$FABRIC: denied and allowed while in use" deny_in_use
	run "$FABRIC: the last good path is denied by force only" last_one
	run "$FABRIC: a host that has denied all paths says nothing" \
		says_nothing
	run "$FABRIC: states that an administrator sets" set_states
	run "$FABRIC: good is an order" set_good
	run "$FABRIC: what set refuses" with_floor set_refused
	run "$FABRIC: a plane that is down" plane_is_down
	run "$FABRIC: events tell of it with counts" events
	run "$FABRIC: and of planes" plane_events
}

# --- probes --------------------------------------------------------------------

probes_answered() { h1 probe "$H2" count 1 timeout 300 >/dev/null 2>&1; }

# silent COMMAND... - "plane path" of those that did not answer mrcctl probe
silent() {
	h1 probe "$@" 2>/dev/null | awk '/ answered 0( |$)/ { print $2, $4 }' |
		sort
}

# A host that nobody talks to is probed all the same; links that have just come
# up may take a moment
probe_all() {
	wait_for 20 probes_answered || return
	mib_mark h1
	h1 -j probe "$H2" >"$TMP/probe" || fail "$(<"$TMP/probe")" || return
	jq -e --argjson n "$1" 'length == $n and all(.answered == 3 and
		.rtt_min_ns > 0 and .rtt_min_ns <= .rtt_ns and
		.rtt_ns <= .rtt_max_ns)' "$TMP/probe" >/dev/null ||
		fail "$(<"$TMP/probe")" || return
	h1 -j peer show | jq -e '.[0].connections == 0' >/dev/null || return
	expect_mib h1 PingIn $((3 * $1)) || return
	expect_mib h1 PingLost 0 0
}

probe_broken() {
	local got want=$1
	shift

	wait_for 20 probes_answered || return
	fabric link blackhole "$@"
	got=$(silent "$H2" count 1 timeout 300)
	says 2 "paths did not answer" probe "$H2" count 1 timeout 300 || got=
	fabric link repair "$@"
	[ "$got" = "$want" ] || fail "silent: ${got//$'\n'/, }"
}

probe_one() {
	says 0 "plane 1 path 0 sent 2 answered 2 rtt min" \
		probe "$H2" plane 1 path 0 count 2 interval 10 &&
		says 2 "1 of 1 paths did not answer" \
			probe "$H2" plane 1 path 999 count 1 &&
		says 2 "there is no route to fd00:6d::99 over these planes" \
			probe fd00:6d::99
}

# Denied and bad paths are probed too, and nothing follows from it
probe_denied() {
	local status=0

	h1 path deny "$H2" plane 1 path 0 || return
	h1 probe "$H2" plane 1 path 0 count 1 >/dev/null || status=1
	path_is 1 0 denied || status=1
	h1 path allow "$H2" plane 1 path 0
	return $status
}

# --- trace and linkmap ---------------------------------------------------------

# cut PLANE A B COMMAND... - while that link is black
cut() {
	local status=0

	fabric link blackhole "$1" "$2" ${3:+"$3"}
	"${@:4}" || status=1
	fabric link repair "$1" "$2" ${3:+"$3"}
	return $status
}

trace_works() {
	h1 -j trace "$H2" plane 1 path 1 >"$TMP/trace" || return
	jq -e '[.[] | .to] == ["101", "2", "102", "peer"] and
		all(.state == "ok" and .answered == 3 and .rtt_ns > 0)' \
		"$TMP/trace" >/dev/null || fail "$(<"$TMP/trace")"
}

# breaks FROM TO - trace finds that
breaks() {
	says 2 "the path breaks between $1 and $2." \
		trace "$H2" plane 1 path 1 count 2 timeout 200 &&
		h1 trace "$H2" plane 2 path 1 count 1 >/dev/null
}

# links STATE - "plane from to" of the links of which $TMP/map says so
links() {
	awk -v state="$1" '$3 == "link" && $6 == state { print $2, $4, $5 }' \
		"$TMP/map"
}

map_works() {
	local ok

	h1 -d linkmap >"$TMP/map" || fail "$(<"$TMP/map")" || return
	# In each plane a leaf, four spines, and through each the other leaf
	[ "$(tail -n 1 "$TMP/map")" = \
		"18 links ok, 0 lossy, 0 broken, 0 unknown" ] ||
		fail "$(<"$TMP/map")" || return
	ok=$(links ok | wc -l)
	[ "$ok" = 18 ] || fail "$ok links are ok"
}

# finds LINK... - linkmap finds these broken and no others
finds() {
	local want got status=0

	h1 linkmap count 2 timeout 200 >"$TMP/map" 2>&1 || status=$?
	want=$(printf '%s\n' "$@")
	got=$(links broken)
	[ "$got" = "$want" ] || fail "broken: ${got//$'\n'/, }" || return
	[ $status = 2 ] && has_line "$TMP/map" "^Error: $# links are broken" ||
		fail "status $status: $(tail -n 1 "$TMP/map")"
}

# All links of a leaf: it is the leaf
finds_switch() {
	h1 -j linkmap plane 2 count 2 timeout 200 2>/dev/null |
		jq -e '.[] | select(.switch == "102") | .links == 4 and
			.plane == 2 and .state == "broken"' >/dev/null ||
		fail "$(h1 linkmap plane 2 2>&1)"
}

finds_two() {
	cut 2 t02 t14 finds "1 101 2" "2 4 102"
}

# One probe in three is lost: neither ok nor broken
lossy() {
	local status=0

	in_ns p1t13 tc qdisc add dev t01 root netem loss 30%
	h1 -j trace "$H2" plane 1 path 2 count 40 interval 5 timeout 200 \
		>"$TMP/trace" 2>"$TMP/words" && status=1
	in_ns p1t13 tc qdisc del dev t01 root
	[ $status = 0 ] || fail "no loss was seen" || return
	grep -q 'packets are lost between 101 and 3' "$TMP/words" ||
		fail "$(<"$TMP/words")"
}

no_route_for_it() {
	says 2 "is plain and names no hops" \
		trace "$H2" plane 1 path 0 &&
		says 2 "no source route names a switch" linkmap
}

no_sid() {
	local status=0

	h1 plane set 1 sid none || return
	says 2 "plane 1 has no SID, no probe can come back" \
		trace "$H2" plane 1 path 0 || status=1
	h1 plane set 1 sid 5f00:0:d01::
	return $status
}

# nobody COMMAND... - without privileges
nobody() {
	local out

	out=$(in_ns h1 setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$MRCCTL" "$@" 2>&1 >/dev/null)
	[ "$out" = "Error: Operation not permitted." ] || fail "$out"
}

# --- hostile -------------------------------------------------------------------

# forge NAMESPACE PROGRAM SAYS COMMAND... - each line of the forger is a test of
# its own; in the end what COMMAND prints, mrcctl's, about which it forges, must
# have a line like SAYS. What it would wait for in vain then is nothing to us.
forge() {
	local line prober
	local -x PYTHONUNBUFFERED=1

	exec 8< <(in_ns "$1" python3 "$LIB_DIR/$2" 2>&1)
	read -r -t 30 line <&8
	run "forged: the forger listens" test "$line" = ready
	stdbuf -oL "$MRCCTL" -N h1 "${@:4}" timeout 60000 >"$TMP/probe" 2>&1 &
	prober=$!
	while read -r line <&8; do
		case $line in
		"ok "*) run "forged: ${line#ok }" true ;;
		*) run "forged: ${line#not ok }" fail "$line" ;;
		esac
	done
	exec 8<&-
	run "forged: mrcctl says so" wait_for 5 has_line "$TMP/probe" "$3"
	reap $prober
	note "$(tr '\n' ';' <"$TMP/probe")"
}

# Neighbours must be known when a link becomes black
forged_answers() {
	run "forged: warm up" says 0 answered probe "$H2" count 1
	fabric link blackhole 1 h2
	forge wire forge_probe.py "answered 1" \
		probe "$H2" plane 1 path 0 count 1
	fabric link repair 1 h2
}

forged_loops() {
	run "forged: warm up" says 0 answered probe "$H2" count 1
	fabric link blackhole 1 t01 t11
	forge p1t01 forge_loop.py "hop 2 1 .*ok" \
		trace "$H2" plane 1 path 0 count 1
	fabric link repair 1 t01 t11
}

begin
on_both all_deny

FABRIC=b2b
fabric b2b
run "b2b: probes without a connection" probe_all 4
run "b2b: a broken plane is found" probe_broken "1 0" 1 h2
run "b2b: one path" probe_one
run "b2b: denied paths are probed" probe_denied
run "b2b: plain routes have no hops" no_route_for_it
forged_answers
fabric down

FABRIC=usid
fabric up --planes 2 --t1 4
run "usid: probes without a connection" probe_all 8
run "usid: the paths of a broken link are found" probe_broken "1 2" 1 t01 t13
run "usid: one path" probe_one
run "trace: a path that works" trace_works
run "trace: the link of the host" cut 1 h1 "" breaks host 101
run "trace: the first link" cut 1 t01 t12 breaks 101 2
run "trace: the second link" cut 1 t02 t12 breaks 2 102
run "trace: the last link" cut 1 h2 "" \
	breaks 102 "the peer, or on its way back"
run "trace: a link that loses packets" lossy
run "trace: a plane without SID" no_sid
forged_loops
run "trace: without privileges" nobody trace "$H2" plane 1 path 0
run "linkmap: without privileges" nobody linkmap
run "linkmap: all is well" map_works
run "linkmap: a link of our leaf" cut 1 t01 t13 finds "1 101 3"
run "linkmap: a link of another leaf" cut 2 t02 t11 finds "2 1 102"
run "linkmap: two links at once" cut 1 t01 t12 finds_two
run "linkmap: a host's own link" cut 2 h1 "" finds "2 host 101"
for j in 1 2 3 4; do fabric link blackhole 2 t02 t1$j; done
run "linkmap: a whole leaf" finds_switch
for j in 1 2 3 4; do fabric link repair 2 t02 t1$j; done
fabric down
end
