# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# Shared by the scripts of tools/lab: where the cache lies, messages, the
# locks that keep two builds of one thing from running at once.
#
# Sourced, never run. LAB is the directory of the scripts, TOP the project.

set -eu

# Where ip, tc, depmod are; a user's PATH may lack it
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

LAB=${LAB:-$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)}
TOP=${TOP:-$(CDPATH='' cd -- "$LAB/../.." && pwd -P)}
CACHE=${MRC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mrc}
NICE=${NICE-nice}
JOBS=${JOBS:-$(nproc)}

say() { printf '%s\n' "lab: $*" >&2; }
die() { say "$*"; exit 1; }

# quietly LOG COMMAND... - run with the output in LOG; show its end on failure
quietly() {
	q_log=$1
	shift
	mkdir -p "$(dirname "$q_log")"
	if ! "$@" >"$q_log" 2>&1 </dev/null; then
		tail -n 40 "$q_log" >&2
		die "failed: $* (all of it: $q_log)"
	fi
}

# locked NAME COMMAND... - run while holding the lock NAME of the cache
locked() {
	l_file=$CACHE/lock/$1
	shift
	mkdir -p "$CACHE/lock"
	(
		flock 9
		"$@" 9>&-
	) 9>"$l_file"
}

# need COMMAND... - or tell what to install
need() {
	for n_cmd; do
		command -v "$n_cmd" >/dev/null 2>&1 ||
			die "$n_cmd is missing: run tools/lab/setup"
	done
}
