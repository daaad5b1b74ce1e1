# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What the QEMU and the User-Mode Linux runner share: the run directory, the
# script that the guest's PID 1 runs, and the verdict over what came back.
#
# Sourced after lib.sh.

# What a healthy kernel never says. kmemleak, lockdep and the sanitizers
# speak in these words too.
BAD_LOG='WARNING:|BUG:|BUG |Oops|KASAN:|UBSAN:|ODEBUG:|refcount_t:|kmemleak: [1-9]|suspicious RCU usage|possible (circular|recursive)|inconsistent lock state|INFO: task .* blocked|rcu: INFO:|soft lockup|general protection|unregister_netdevice: waiting|leaked reference|ref_tracker:|Kernel panic|Bad page state|scheduling while atomic'

# The variables of the host that the guest's command sees too.
passed_env() {
	env | sed -n 's/^\(\(MRC\|LAB\|TEST\)_[A-Z0-9_]*\|CI\|TERM\)=.*/\1/p'
}

quote() {
	printf "'%s' " "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

# init_program - build PID 1 if it is not newer than its source, print it
init_program() {
	i_bin=$CACHE/bin/init-$(sha256sum <"$LAB/init.c" | cut -c1-10)
	if [ ! -x "$i_bin" ]; then
		need gcc
		mkdir -p "$CACHE/bin"
		gcc -O2 -Wall -static -o "$i_bin.$$" "$LAB/init.c" ||
			die "PID 1 does not build"
		mv "$i_bin.$$" "$i_bin"
	fi
	echo "$i_bin"
}

# run_dir_make COMMAND... - sets $run; removed by run_dir_drop
run_dir_make() {
	mkdir -p "$CACHE/run"
	run=$(mktemp -d "$CACHE/run/XXXXXX")
	trap run_dir_drop EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	mkdir "$run/out"
	: >"$run/result"
	: >"$run/dmesg"
	{
		r_val=
		for r_var in $(passed_env); do
			eval "r_val=\$$r_var"
			printf 'export %s=' "$r_var"
			quote "$r_val"
			echo
		done
		echo 'export LAB_OUT=/run/lab/out LAB_GUEST=1'
		printf 'cd '
		quote "$(pwd -P)"
		echo
		printf 'exec '
		for r_arg; do quote "$r_arg"; done
		echo
	} >"$run/cmd"
}

run_dir_drop() {
	[ -z "${LAB_OUT_DIR:-}" ] || cp -r "$run/out/." "$LAB_OUT_DIR"
	rm -rf "$run"
}

# Keeps the logs of a bad run where they can be read, for a day.
keep_logs() {
	k_dir=$CACHE/log/failed/${run##*/}
	mkdir -p "$k_dir"
	find "$CACHE/log/failed" -mindepth 1 -maxdepth 1 -mtime +0 \
		-exec rm -rf {} +
	cp "$run/dmesg" "$k_dir/dmesg"
	[ ! -f "$run/console" ] || cp "$run/console" "$k_dir/console"
	say "logs are kept in $k_dir"
}

# verdict - the exit code of the run whose guest is gone
verdict() {
	v_status=$(sed -n 's/^MRC-LAB-DONE \([0-9]*\)$/\1/p' "$run/result")
	if [ -z "$v_status" ]; then
		[ ! -s "$run/console" ] || tail -n 60 "$run/console" >&2
		keep_logs
		say "the guest did not end properly (panic, hang or time limit)"
		return 125
	fi
	if [ -z "${LAB_NO_SCAN:-}" ] &&
	   cat "$run/dmesg" "$run/console" 2>/dev/null | tr -d '\r' |
	   grep -E -A 30 -- "$BAD_LOG" >"$run/bad"; then
		head -n 200 "$run/bad" >&2
		keep_logs
		say "the kernel complained"
		[ "$v_status" -ne 0 ] || v_status=124
	fi
	return "$v_status"
}
