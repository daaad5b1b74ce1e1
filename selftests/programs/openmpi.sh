#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# OpenMPI over its TCP transport: four ranks on two hosts, a ring and sums.
# Open MPI looks for interfaces with IPv4 addresses, so the hosts have one that
# leads nowhere: only MRC connects them.

. "$(dirname "$0")/lib.sh"

NET=10.9.0.0/24

# Open MPI starts its daemons as ssh would: RSH HOST COMMAND
prepare() {
	local h

	for h in 1 2; do
		in_ns h$h ip link add nowhere type dummy &&
			in_ns h$h ip addr add 10.9.0.$h/24 dev nowhere &&
			in_ns h$h ip link set nowhere up || return
		mkdir "$TMP/h$h"
	done
	cat >"$TMP/rsh" <<EOF
#!/bin/sh
host=\$1
shift
export TMPDIR=$TMP/\$host
exec nsenter --net=/run/netns/\$host sh -c "exec \$*"
EOF
	chmod 755 "$TMP/rsh"
	mpicc -O2 -Wall -Werror -o "$TMP/ring" "$TEST_DIR/ring.c" 2>&1
}

mpi() {
	TMPDIR=$TMP mrc h1 mpirun --allow-run-as-root \
		--mca plm_rsh_agent "$TMP/rsh" --mca plm_rsh_no_tree_spawn 1 \
		--mca oob_tcp_if_include $NET --mca btl tcp,self \
		--mca btl_tcp_if_include $NET --mca mpi_yield_when_idle 1 \
		-H h1:2,h2:2 -np 4 --map-by slot "$@"
}

ring() {
	during h1 $((6 << 20)) mpi "$TMP/ring" 40 131072 >"$TMP/out" ||
		fail "$(tail -n 5 "$TMP/out")" || return
	has_line "$TMP/out" '^ranks 4, rounds 40, wrong 0$' ||
		fail "$(<"$TMP/out")" || return
	# Each round, four hops cross from h1 to h2, and as many come back
	over_mrc h1 $((40 * 4 * 131072)) && over_mrc h2 $((40 * 4 * 131072)) &&
		no_tcp h1 'connect to 10.9.0.2'
}

TEST_DIR=${TEST_DIR:-$(dirname "$0")}
begin_programs
run "two hosts that only MRC connects" prepare
run "four ranks, ring and all-reduce" ring
end
