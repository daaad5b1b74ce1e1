#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Switches that cut packets or mark them. What they have done, by their own
# counters, is what the hosts have seen: each packet cut is one NACK and one
# retransmission, no time-out, and no path is condemned for it.

. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/lib_faults.sh"

# Few packets, so that the guest seldom stands still meanwhile: see thrice()
SIZE=2097152
PACKETS=$((SIZE / 4096))
EVERY=20

# crowded WORDS... - every switch port that is not the last one to h2
crowded() {
	if [ "$FABRIC" = usid ]; then
		fabric trim all t11 t02 "$@" && fabric trim all t12 t02 "$@"
	else
		fabric trim all h2 "$@"
	fi
}

# last_hop WORDS... - the ports to h2
last_hop() { fabric trim all h2 "$@"; }

# sum KEY - the sum of all numbers with that key in JSON, into $COUNT
sum() {
	COUNT=$(awk -v key="\"$1\":" '{
		while (i = index($0, key)) {
			$0 = substr($0, i + length(key))
			n += $0 + 0
		} } END { print n + 0 }')
}

# switches - $TRIMMED, $MARKED, $BURSTS: what all ports have seen and done
switches() {
	fabric counters >"$TMP/counters"
	sum trimmed <"$TMP/counters"
	TRIMMED=$COUNT
	sum marked <"$TMP/counters"
	MARKED=$COUNT
	sum bursts <"$TMP/counters"
	BURSTS=$COUNT
}

# paths COUNTER - its sum over all paths of h1, into $COUNT
paths() {
	sum "$1" < <("$MRCCTL" -j -s -N h1 path show)
}

# cut_by WHERE WORDS... - a transfer through ports that cut; $CUT were. The
# ports stay as they are until "WHERE clear".
cut_by() {
	local status=0

	"$@" || return
	mib_mark h1 h2
	paths trimmed
	TRIMMED_BEFORE=$COUNT
	transfer $SIZE || status=1
	switches
	[ "$BURSTS" = 0 ] || fail "a switch saw $BURSTS bursts" || status=1
	CUT=$TRIMMED
	[ "$CUT" -ge $((PACKETS / EVERY / 2)) ] ||
		fail "switches have cut $CUT packets" || status=1
	return $status
}

# Each of $CUT packets was known as one. A probe is not data.
all_known() {
	mib_since h2 TrimIn DropTrim
	[ "$MIB" = "$CUT" ] ||
		fail "$CUT packets were cut, $MIB were known as such"
}

# One NACK and one retransmission for each that was data, and nothing else
one_each() {
	local n

	all_known || return
	mib_since h2 TrimIn
	n=$MIB
	expect_mib h2 NackOut $n $n &&
		expect_mib h1 NackInTrim $n $n &&
		expect_mib h1 RtxOut $n $n &&
		expect_mib h1 Timeouts 0 0 &&
		expect_mib h2 DropDup 0 0 &&
		expect_mib h2 DataIn $PACKETS $((PACKETS + 1)) || return
	# Whoever looked like a failure for a moment is back
	mib_since h1 PathUndo
	expect_mib h1 PathBad "$MIB" "$MIB" || return
	paths trimmed
	[ $((COUNT - TRIMMED_BEFORE)) = $n ] ||
		fail "paths say $((COUNT - TRIMMED_BEFORE)) and not $n"
}

# thrice TEST... - a guest that stands still for 10 ms times out, whatever
# arrives; not each time
thrice() {
	"$@" || {
		note "again"
		"$@"
	} || {
		note "and again"
		"$@"
	}
}

# settle STATUS WHERE - no more of it; what happened, if it was not good
settle() {
	[ "$1" = 0 ] || { mib_dump h1; mib_dump h2; }
	"$2" clear || return
	return "$1"
}

spine() {
	local status=0

	cut_by crowded every $EVERY && one_each &&
		expect_mib h1 PathSkip 1 || status=1
	settle $status crowded
}

lasthop() {
	local status=0

	cut_by last_hop every $EVERY lasthop && one_each &&
		expect_mib h1 PathSkip 0 0 && peer_trims h1 true || status=1
	settle $status last_hop
}

# early on|off - at h2
early() { "$MRCCTL" -N h2 net set trim-early "$1"; }

# unrepaired WORD caught|lost - lengths are as they were before the cut
unrepaired() {
	local status=0 n

	cut_by last_hop every $EVERY "$1" || status=1
	if [ $status != 0 ]; then
		:
	elif [ "$2" = caught ]; then
		one_each || status=1
	else
		# A loss like any other, of data or of a probe
		expect_mib h2 TrimIn 0 0 && expect_mib h1 NackIn 0 0 ||
			status=1
		mib_since h1 RtxOut EpReqOut
		n=$MIB
		mib_since h1 EpRspIn
		[ $((n - MIB)) -ge "$CUT" ] ||
			fail "$CUT were cut, $((n - MIB)) missed" || status=1
	fi
	settle $status last_hop
}

unrepaired_early() {
	local status=0

	early on || return
	unrepaired unrepaired caught || status=1
	mib_since h2 TrimEarly
	[ "$MIB" = "$CUT" ] || fail "$MIB were caught early, not $CUT" ||
		status=1
	early off
	return $status
}

# The hook takes all trims, and none twice
repaired_early() {
	local status=0

	early on || return
	cut_by last_hop every $EVERY && one_each || status=1
	settle $status last_hop || status=1
	early off
	return $status
}

# Each mark is one SACK that says so, and one turn lost at most: an EV may be
# marked again before its turn has come
marked() {
	local status=0 n

	paths marked
	n=$COUNT
	crowded mark-every $EVERY || return
	mib_mark h1 h2
	transfer $SIZE || status=1
	switches
	[ "$MARKED" -ge $((PACKETS / EVERY / 2)) ] ||
		fail "switches have marked $MARKED packets" || status=1
	expect_mib h2 CeIn "$MARKED" "$MARKED" || status=1
	paths marked
	n=$((COUNT - n))
	mib_since h2 CeIn
	[ "$n" = "$MIB" ] || fail "$MIB came marked, paths say $n" || status=1
	expect_mib h1 PathSkip $((n / 4)) "$n" || status=1
	expect_mib h1 RtxOut 0 0 && expect_mib h1 PathBad 0 0 || status=1
	settle $status crowded
}

# outlier WORDS... - one path cuts so many, the others nothing: the receiver says
# so, and the sender leaves it, while the other path of its plane works
outlier() {
	local status=0

	during all_good 8 || return
	fabric trim 1 t11 t02 "$@" || return
	mib_mark h1 h2
	with_fixed transfer $((32 * SIZE)) || status=1
	expect_mib h2 AlwaysSkip 1 && expect_mib h1 PathBad 1 || status=1
	[ $status = 0 ] || { mib_dump h1; mib_dump h2; }
	fabric trim 1 t11 t02 clear || return
	return $status
}

icrc() {
	"$MRCCTL" -N h1 net set icrc "$1" && "$MRCCTL" -N h2 net set icrc "$1"
}

# One path damages every fourth packet, and only the ICRC sees it
damaged() {
	local status=0

	during all_good 8 && icrc on || return
	fabric trim 1 t11 t02 swap 4 || return
	mib_mark h1 h2
	transfer $((8 * SIZE)) -C 4m || status=1
	expect_mib h2 DropIcrc 4 && expect_mib h2 DropCsum 0 0 &&
		expect_mib h2 AlwaysSkip 1 || status=1
	[ $status = 0 ] || { mib_dump h1; mib_dump h2; }
	icrc off
	fabric trim 1 t11 t02 clear || return
	return $status
}

all() {
	# Few, so that each has its turn often
	"$MRCCTL" -N h1 net set evs 16
	run "$FABRIC: warm up" warm_up
	fabric bursts off
	run "$FABRIC: cut on the last hop" thrice lasthop
	run "$FABRIC: marked packets cost a turn each" thrice marked
	run "$FABRIC: cut by a crowded switch" thrice spine
	run "$FABRIC: with the hook, lengths left alone are no matter" \
		thrice unrepaired_early
	run "$FABRIC: the hook takes each trim once" thrice repaired_early
	if [ "$FABRIC" = usid ]; then
		run "$FABRIC: the outer length is enough" \
			thrice unrepaired outer caught
	else
		run "$FABRIC: but UDP's length must be right too" \
			unrepaired outer lost
	fi
	run "$FABRIC: without the hook, lengths left alone are losses" \
		unrepaired unrepaired lost
	[ "$FABRIC" = usid ] || return
	# One for each path: senders shun a path that trims, and 128 of an EV
	# must be trimmed
	"$MRCCTL" -N h1 net set evs 8
	run "$FABRIC: one path that cuts nearly all is called bad" outlier but 10
	run "$FABRIC: so is one that cuts all" outlier every 1
	run "$FABRIC: so is one that damages packets" damaged
}

begin
on_both all
end
