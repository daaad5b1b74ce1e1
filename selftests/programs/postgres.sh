#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# PostgreSQL, whose server forks for each connection, and pgbench.

. "$(dirname "$0")/lib.sh"

BIN=$(echo /usr/lib/postgresql/*/bin)
BIN=${BIN##* }

# as_postgres HOST COMMAND... - the server refuses to run as root
as_postgres() {
	mrc_spawn "$1" setpriv --reuid=postgres --regid=postgres --init-groups \
		env HOME="$TMP/pg" "${@:2}"
}

make_cluster() {
	mkdir "$TMP/pg" && chown postgres:postgres "$TMP/pg" &&
		chmod 755 "$TMP" || return
	setpriv --reuid=postgres --regid=postgres --init-groups \
		"$BIN/initdb" -D "$TMP/pg/data" -A trust --no-sync \
		-E UTF8 --locale=C >"$TMP/initdb" 2>&1 ||
		fail "$(tail -n 5 "$TMP/initdb")" || return
	cat >>"$TMP/pg/data/pg_hba.conf" <<EOF
host all all 10.9.0.0/24 trust
host all all fd00:6d::/64 trust
EOF
	cat >>"$TMP/pg/data/postgresql.conf" <<EOF
listen_addresses = '*'
unix_socket_directories = '$TMP/pg'
tcp_keepalives_idle = 60
fsync = off
autovacuum = off
EOF
}

started() {
	as_postgres h2 "$BIN/postgres" -D "$TMP/pg/data" >"$TMP/pg.log" 2>&1
	SERVER=$PID
	await_listener h2 5432 && wait_for 60 ready ||
		fail "$(tail -n 5 "$TMP/pg.log")"
}

ready() { mrc h1 pg_isready -q -h "$H2"; }

sql() { mrc h1 psql -qtA -h "$1" -U postgres -c "$2" postgres; }

fill() {
	mrc h1 pgbench -q -i -s 1 -h "$H2" -U postgres postgres \
		>"$TMP/fill" 2>&1 || fail "$(tail -n 5 "$TMP/fill")" || return
	[ "$(sql "$H2" 'select count(*) from pgbench_accounts')" = 100000 ]
}

# The bank's books are right, whatever the planes did.
balanced() {
	local sums

	sums=$(sql "$H2_V4" 'select (select sum(abalance) from pgbench_accounts)
		= (select sum(delta) from pgbench_history),
		(select count(*) from pgbench_history)')
	[ "$sums" = "t|1000" ] || fail "$sums"
}

# A rate leaves time to cut a plane on a fast machine.
bench() {
	during h1 60000 mrc h1 pgbench -n -c 4 -t 250 -R 400 -h "$1" \
		-U postgres postgres >"$TMP/bench" 2>&1 ||
		fail "$(tail -n 5 "$TMP/bench")" || return
	grep -q 'processed: 1000/1000' "$TMP/bench" &&
		grep -q 'failed transactions: 0 ' "$TMP/bench" ||
		fail "$(<"$TMP/bench")" || return
	note "$(grep '^tps' "$TMP/bench")"
	over_mrc h1 200000 && balanced && no_tcp h1 connect
}

# The peer's address, as the server's own tables show it: of its listeners on
# 0.0.0.0 and ::, the first has MRC.
seen() {
	local got

	got=$(sql "$H2" 'select inet_client_addr(), inet_server_addr()')
	[ "$got" = "$H1_V4|$H2_V4" ] || fail "$got"
}

stopped() {
	kill -INT "$SERVER"
	wait_for 60 gone "$SERVER"
}

begin_programs
run "initdb" make_cluster
run "the server starts" started
run "pgbench fills 100000 rows" fill
run "pgbench, 4 clients, 1000 transactions" bench "$H2"
run "the server knows its clients" seen
run "the server stops" stopped
end
