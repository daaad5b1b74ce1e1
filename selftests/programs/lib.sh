# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For tests of programs: the fabric, mrcrun, a plane that is cut in the middle
# of something, and the proof that bytes went over MRC.
#
#	   h1 -- 4 planes, 2 leaves and 2 spines each -- h2
#	fd00:6d::1					 fd00:6d::2
#	10.9.0.1	IPv4, by mrcrun's rules		 10.9.0.2

. "$(dirname "${BASH_SOURCE[0]}")/../net/mrc/lib.sh"

MRCRUN=$TOP/tools/mrcrun/mrcrun
# shellcheck disable=SC2034 # for the files
H1=fd00:6d::1 H2=fd00:6d::2 H1_V4=10.9.0.1 H2_V4=10.9.0.2
export MRCRUN_MAP="10.9.0.0/24 = fd00:6d::/120"

# mrc HOST COMMAND... - in the foreground, under mrcrun
mrc() { in_ns "$1" "$MRCRUN" -o "$TMP/$1.mrcrun" "${@:2}"; }

# mrc_spawn HOST COMMAND... - in the background, its process in $PID
mrc_spawn() { spawn "$1" "$MRCRUN" -o "$TMP/$1.mrcrun" "${@:2}"; }

# listens HOST PORT - does somebody, on MRC?
listens() {
	"$MRCCTL" -j -N "$1" sock show |
		jq -e --argjson port "$2" 'any(.[];
			.state == "listen" and .local_port == $port)' >/dev/null
}

listens_or_gone() { listens "$1" "$2" || gone "$3"; }

# await_listener HOST PORT - what was spawned last does, or has failed
await_listener() {
	wait_for 60 listens_or_gone "$1" "$2" "$PID" && listens "$1" "$2" ||
		fail "nobody listens on port $2 of $1"
}

# during HOST BYTES COMMAND... - the command runs; once HOST has sent so many
# bytes over MRC a link of a plane falls silent, and later it is unplugged. Both
# come back when the command is over. Fails if the command does, or if it was
# over before that.
during() {
	local host=$1 bytes=$2 job status=0

	mib_mark h1 h2
	"${@:3}" &
	job=$!
	wait_for 120 sent_or_gone "$host" "$bytes" "$job"
	if gone "$job"; then
		fail "it ended before $bytes bytes had gone" || status=1
	fi
	fabric link blackhole 2 h2
	wait_for 60 sent_or_gone "$host" $((bytes + bytes / 2)) "$job"
	fabric link down 3 h1
	wait "$job" || fail "$3 ended with $?" || status=1
	fabric link repair 2 h2
	fabric link up 3 h1
	return $status
}

sent_or_gone() { mib_grew "$1" DataOutBytes "$2" || gone "$3"; }

# over_mrc HOST BYTES [MOST] - since "during" or mib_mark it has sent so many
over_mrc() {
	expect_mib "$1" DataOutBytes "$2" ${3:+"$3"} || return
	note "$1 sent $MIB bytes over MRC"
}

# no_tcp HOST PATTERN - mrcrun left none of these to TCP
no_tcp() {
	! grep -E "$2.*: TCP" "$TMP/$1.mrcrun" ||
		fail "mrcrun on $1 left this to TCP"
}

begin_programs() {
	begin
	fabric up --planes 4
}
