# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For the self-tests: TAP, waiting, counters, the fabric, cleaning up. A test
# file reads
#
#	#!/bin/bash
#	. "$(dirname "$0")/lib.sh"
#
#	transfer() {
#		... || fail "why" || return
#	}
#
#	begin
#	fabric up --planes 4
#	run "64 KiB both ways" transfer 65536
#	end
#
# "run" calls a function in this shell; it passes if it returns 0. "end"
# audits (all that was made is gone again), takes the fabric down, unloads the
# module and prints the plan; the audit and the unloading are tests too. If the
# file stops before "end" there is no plan, and the file has failed.

set -u

LIB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
TOP=$(cd "$LIB_DIR/../../.." && pwd -P)
export MRCCTL=${MRCCTL:-$TOP/tools/mrcctl/mrcctl}
MODULE=${MRC_MODDIR:-$TOP/build/debian/net/mrc}/mrc.ko
TMP=$(mktemp -d /tmp/mrc-test.XXXXXX)
PATH=$LIB_DIR:$PATH

tests=0
failures=0
skip_reason=

# --- TAP -------------------------------------------------------------------

note() { printf '# %s\n' "$@"; }

# fail MESSAGE... - always returns 1
fail() {
	note "$@"
	return 1
}

# skip REASON - in a test: skip REASON; return
skip() { skip_reason=$*; }

# result STATUS NAME SECONDS
result() {
	tests=$((tests + 1))
	if [ -n "$skip_reason" ]; then
		# Whoever runs all the tests wants all of them run
		if [ -n "${CI:-}" ]; then
			failures=$((failures + 1))
			echo "not ok $tests - $2 # skipped: $skip_reason"
		else
			echo "ok $tests - $2 # SKIP $skip_reason"
		fi
	elif [ "$1" -eq 0 ]; then
		echo "ok $tests - $2 # time=$3s"
	else
		failures=$((failures + 1))
		echo "not ok $tests - $2 # time=$3s"
	fi
	skip_reason=
}

# seconds_since MICROSECONDS - with three digits after the point
seconds_since() {
	local us=$((${EPOCHREALTIME/./} - $1))

	printf '%d.%03d' $((us / 1000000)) $((us / 1000 % 1000))
}

# run NAME COMMAND [ARG...] - one test. With TEST_ONLY=PATTERN only those
# whose name matches it.
run() {
	local name=$1 start=${EPOCHREALTIME/./} status=0

	shift
	# shellcheck disable=SC2254 # a pattern
	case $name in
	${TEST_ONLY:-*}) ;;
	*) return 0 ;;
	esac
	"$@" || status=$?
	result "$status" "$name" "$(seconds_since "$start")"
	return 0
}

# take_results PROGRAM - of the TAP that it prints: a test of it is one of ours
take_results() {
	local line plan='' before=$tests notes=() start=${EPOCHREALTIME/./}

	while read -r line; do
		case $line in
		"ok "*)
			result 0 "${line#* - }" "$(seconds_since "$start")"
			;;
		"not ok "*)
			[ ${#notes[@]} = 0 ] || printf '%s\n' "${notes[@]}"
			result 1 "${line#* - }" "$(seconds_since "$start")"
			;;
		"1.."*) plan=$line ;;
		"# "*)
			notes+=("$line")
			continue
			;;
		esac
		start=${EPOCHREALTIME/./}
		notes=()
	done
	[ "$plan" = "1..$((tests - before))" ] ||
		result 1 "$1 ran to its end" 0
}

# run_tap NAMESPACE PROGRAM [ARG...] - run it there and take its results; it may
# take PROGRAM_TIME seconds. With TEST_ONLY a program with ktap.h runs only the
# tests that match.
run_tap() {
	take_results "${KTAP_PREFIX:-}$2" < <(nsenter --net="/run/netns/$1" \
		timeout -k 5 "${PROGRAM_TIME:-600}" "${@:2}")
}

# --- waiting ---------------------------------------------------------------

# A wait that starts no process
exec {never}<> <(:)
pause() { read -r -t "$1" -u "$never" || true; }

# An emulated CPU that others use too may be so many times slower than the one
# on which the limits of the tests were chosen
PATIENCE=${TEST_PATIENCE:-4}

# wait_for SECONDS COMMAND [ARG...] - until it succeeds; fails if it does not
wait_for() {
	local end=$((${EPOCHREALTIME/./} + PATIENCE * ${1%.*} * 1000000))

	shift
	until "$@"; do
		[ "${EPOCHREALTIME/./}" -lt $end ] ||
			fail "waited in vain: $*" || return
		pause 0.02
	done
}

# gone PID - for wait_for; a zombie is gone too
gone() {
	local stat

	read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
	[[ $stat == *") Z "* ]]
}

# has_line FILE PATTERN - for wait_for; starts no process either
has_line() {
	local line

	[ -r "$1" ] || return
	while read -r line || [ -n "$line" ]; do
		[[ ! $line =~ $2 ]] || return 0
	done <"$1"
	return 1
}

# --- namespaces and counters -----------------------------------------------

declare -A ANCHOR

# A process of ours in the namespace, for its view of /proc/net. Files there
# are read as a whole: the shell would otherwise go back to the end of each
# line, which is elsewhere once a counter has another digit.
anchor() {
	local pid=${ANCHOR[$1]:-}

	if [ -z "$pid" ] || gone "$pid"; then
		nsenter --net="/run/netns/$1" sleep infinity &
		pid=$!
		disown "$pid"
		ANCHOR[$1]=$pid
		until [ "$(<"/proc/$pid/comm")" = sleep ]; do pause 0.01; done
	fi
}

# in_ns NAMESPACE COMMAND [ARG...]
in_ns() { nsenter --net="/run/netns/$1" "${@:2}"; }

# spawn NAMESPACE COMMAND [ARG...] - in the background, its process in $PID.
# (A function called with "&" would run in a shell of its own, and that is
# what a signal would reach.)
spawn() {
	nsenter --net="/run/netns/$1" "${@:2}" &
	# shellcheck disable=SC2034 # for the caller
	PID=$!
}

# reap PID - end it, if it is still there
reap() {
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

# mib_get NAMESPACE NAME... - the sum of these counters into $MIB
mib_get() {
	local ns=$1 name value want

	shift
	want=" $* "
	anchor "$ns"
	MIB=0
	while read -r name value; do
		[[ $want != *" $name "* ]] || MIB=$((MIB + value))
	done <<<"$(<"/proc/${ANCHOR[$ns]}/net/mrc/snmp")"
}

# mib NAMESPACE NAME... - print it
mib() {
	mib_get "$@"
	echo "$MIB"
}

declare -A MIB_BASE

# mib_mark NAMESPACE... - from here on mib_since and mib_grew count
mib_mark() {
	local ns name value

	for ns; do
		anchor "$ns"
		while read -r name value; do
			MIB_BASE[$ns.$name]=$value
		done <<<"$(<"/proc/${ANCHOR[$ns]}/net/mrc/snmp")"
	done
}

# mib_since NAMESPACE NAME... - growth since the mark into $MIB
mib_since() {
	local name

	mib_get "$@"
	for name in "${@:2}"; do
		MIB=$((MIB - ${MIB_BASE[$1.$name]:-0}))
	done
}

# mib_grew NAMESPACE NAME [AT-LEAST [AT-MOST]] - a test of the growth
mib_grew() {
	mib_since "$1" "$2"
	[ "$MIB" -ge "${3:-1}" ] && [ "$MIB" -le "${4:-$MIB}" ]
}

# expect_mib NAMESPACE NAME AT-LEAST [AT-MOST] - the same, and say what it was
expect_mib() {
	mib_grew "$@" || fail "$1: $2 grew by $MIB, not ${3}..${4:-}"
}

# mib_dump NAMESPACE - what has grown since the mark, as notes
mib_dump() {
	local name value

	anchor "$1"
	while read -r name value; do
		value=$((value - ${MIB_BASE[$1.$name]:-0}))
		[ "$value" = 0 ] || note "$1 $name +$value"
	done <<<"$(<"/proc/${ANCHOR[$1]}/net/mrc/snmp")"
}

# peer_trims HOST true|false - has HOST learnt that the fabric trims?
peer_trims() {
	[[ $("$MRCCTL" -j -N "$1" peer show) == *'"trims":'"$2"[,\}]* ]]
}

# --- the fabric ------------------------------------------------------------

fabric_is_up=

# fabric ARG... - tools/lab/fabric; "end" takes down what is up
fabric() {
	case $1 in
	up | b2b)
		fabric_is_up=1
		"$TOP/tools/lab/fabric" "$@" || {
			fail "fabric $*"
			stop_file
		}
		;;
	down)
		drop_anchors
		"$TOP/tools/lab/fabric" "$@"
		fabric_is_up=
		;;
	*) "$TOP/tools/lab/fabric" "$@" ;;
	esac
}

# on_both FUNCTION [ARG...] - once back to back, once over the uSID fabric.
# FABRIC says which one it is.
on_both() {
	for FABRIC in b2b usid; do
		case $FABRIC in
		b2b) fabric b2b ;;
		usid) fabric up ;;
		esac
		"$@"
		fabric down
	done
}

drop_anchors() {
	local ns

	for ns in "${!ANCHOR[@]}"; do
		kill "${ANCHOR[$ns]}" 2>/dev/null
	done
	ANCHOR=()
}

# --- begin and end ---------------------------------------------------------

module_loaded() { [ -d /sys/module/mrc ]; }

with_module=1

load_module() { module_loaded || "$TOP/tools/lab/load" "$MODULE"; }

# Whatever happens: no process, namespace or module is left for the next file
cleanup() {
	local jobs

	jobs=$(jobs -p)
	# shellcheck disable=SC2086 # several processes
	[ -z "$jobs" ] || kill -9 $jobs 2>/dev/null
	drop_anchors
	[ -z "$fabric_is_up" ] || "$TOP/tools/lab/fabric" down
	! module_loaded || rmmod mrc 2>/dev/null
	rm -rf "$TMP"
}

stop_file() {
	echo "Bail out!"
	exit 1
}

# begin [--no-module]
begin() {
	trap cleanup EXIT
	echo "TAP version 13"
	if [ "${1:-}" = --no-module ]; then
		with_module=
		return
	fi
	load_module || {
		note "cannot load $MODULE"
		stop_file
	}
}

# Every counter XFreed has an XCreated (or an X) that it must have reached.
audit_ns() {
	local -A have=()
	local name value made bad=0

	anchor "$1"
	while read -r name value; do
		have[$name]=$value
	done <<<"$(<"/proc/${ANCHOR[$1]}/net/mrc/snmp")"
	for name in "${!have[@]}"; do
		# Planes and peers live as long as they are configured or
		# remembered: the module audits them when the namespace goes
		[[ $name == *Freed && $name != P* ]] || continue
		made=${name%Freed}Created
		[ -n "${have[$made]:-}" ] || made=${name%Freed}
		[ "${have[$made]:-none}" = "${have[$name]}" ] || {
			audit_text+=" $1: $made ${have[$made]:-none}, $name ${have[$name]};"
			bad=1
		}
	done
	return $bad
}

audit_all() {
	local ns bad=0

	audit_text=
	for ns in $("$TOP/tools/lab/fabric" list); do
		[[ $ns != h* ]] || audit_ns "$ns" || bad=1
	done
	return $bad
}

# Sockets of closed connections may live a little longer
audit() {
	wait_for "${TEST_AUDIT_TIME:-30}" audit_all || fail "$audit_text"
}

unload() {
	wait_for 30 rmmod_quiet || fail "$(rmmod mrc 2>&1)" || return
	! module_loaded || fail "mrc is still there"
}

rmmod_quiet() { rmmod mrc 2>/dev/null; }

end() {
	local TEST_ONLY='*'

	if [ -n "$fabric_is_up" ]; then
		[ -z "$with_module" ] || run "all that was made is gone" audit
		fabric down
	fi
	[ -z "$with_module" ] || run "the module unloads" unload
	echo "1..$tests"
	[ "$failures" -eq 0 ]
	exit
}
