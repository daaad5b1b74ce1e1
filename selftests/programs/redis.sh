#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# redis: the benchmark, and a session whose data survive the server.

. "$(dirname "$0")/lib.sh"

started() {
	mkdir -p "$TMP/redis"
	mrc_spawn h2 redis-server --port 6379 --protected-mode no \
		--dir "$TMP/redis" --appendonly yes --save '' \
		>"$TMP/redis.log"
	await_listener h2 6379
}

cli() { mrc h1 redis-cli -h "$H2_V4" "$@"; }

# answers WANT COMMAND...
answers() {
	local got

	got=$(cli "${@:2}" | tr '\n' ' ')
	[ "$got" = "$1 " ] || fail "${*:2}: $got"
}

benchmark() {
	during h1 300000 mrc h1 redis-benchmark -h "$H2" -t set,get \
		-n 6000 -c 16 -d 200 -q --csv >"$TMP/csv" || return
	[ "$(grep -cE '^"(SET|GET)"' "$TMP/csv")" = 2 ] ||
		fail "$(<"$TMP/csv")" || return
	note "$(cut -d, -f1,2 <"$TMP/csv" | tail -n 2 | tr '\n' ' ')per second"
	# Each value goes there once and comes back once
	over_mrc h1 $((6000 * 200)) && over_mrc h2 $((6000 * 200))
}

session() {
	answers OK set counter 41 && answers 42 incr counter &&
		answers 3 rpush list a b c && answers "a b c" lrange list 0 -1
}

again() {
	cli shutdown
	wait_for 30 gone "$PID" || return
	started && answers 42 get counter && answers "a b c" lrange list 0 -1
}

pipeline() {
	local i

	for ((i = 0; i < 5000; i++)); do
		echo "set key:$i value:$i"
	done | cli --pipe | grep -q 'errors: 0, replies: 5000' &&
		answers value:4999 get key:4999
}

begin_programs
run "redis-server starts" started
run "redis-benchmark" benchmark
run "a session of redis-cli, IPv4" session
run "5000 commands in a pipe" pipeline
run "the data are there after a restart" again
reap "$PID"
end
