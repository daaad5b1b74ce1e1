#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A tree of files, copied by tar through socat, and by rsync through ssh.

. "$(dirname "$0")/lib.sh"

PORT=2222

# Small files, empty ones, and one that is not small
make_tree() {
	mkdir "$TMP/tree" && chmod 755 "$TMP" &&
		cp -r "$TOP/net" "$TOP/Documentation" "$TMP/tree" &&
		touch "$TMP/tree/empty" && ln -s net "$TMP/tree/link" &&
		head -c $((24 << 20)) /dev/urandom >"$TMP/tree/large"
	SIZE=$(du -sb "$TMP/tree" | cut -f1)
}

same() {
	local differ

	differ=$(diff -r --no-dereference "$TMP/tree" "$1" | head -n 5) &&
		[ -z "$differ" ] || fail "$differ"
}

# Paced by the reader
socat_sends() {
	tar -C "$TMP/tree" -c . |
		perl -e '$| = 1; while (read(STDIN, $_, 65536)) {
				print; select(undef, undef, undef, 0.005) }' |
		mrc h1 socat -u - "TCP6:[$H2]:7000"
}

by_socat() {
	local server

	mkdir "$TMP/socat"
	mrc_spawn h2 socat -u TCP6-LISTEN:7000,reuseaddr \
		"SYSTEM:tar -C $TMP/socat -x"
	server=$PID
	await_listener h2 7000 || return
	during h1 $((8 << 20)) socat_sends || return
	wait_for 60 gone "$server" || return
	over_mrc h1 "$SIZE" && same "$TMP/socat"
}

start_sshd() {
	mkdir -p /run/sshd "$TMP/ssh" && chmod 700 "$TMP/ssh"
	ssh-keygen -q -t ed25519 -N '' -f "$TMP/ssh/host" &&
		ssh-keygen -q -t ed25519 -N '' -f "$TMP/ssh/key" || return
	cp "$TMP/ssh/key.pub" "$TMP/ssh/authorized"
	cat >"$TMP/ssh/config" <<EOF
Port $PORT
ListenAddress 0.0.0.0
HostKey $TMP/ssh/host
AuthorizedKeysFile $TMP/ssh/authorized
PidFile none
StrictModes no
PermitRootLogin yes
UsePAM no
EOF
	mrc_spawn h2 /usr/sbin/sshd -D -e -f "$TMP/ssh/config" \
		2>"$TMP/ssh/log"
	SSHD=$PID
	await_listener h2 $PORT
}

by_rsync() {
	local ssh="ssh -p $PORT -i $TMP/ssh/key -o StrictHostKeyChecking=no"

	ssh+=" -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
	during h1 $((8 << 20)) mrc h1 rsync -a --bwlimit=12M -e "$ssh" \
		"$TMP/tree/" "$H2_V4:$TMP/rsync" ||
		fail "$(tail -n 5 "$TMP/ssh/log")" || return
	over_mrc h1 $((24 << 20)) && same "$TMP/rsync" && no_tcp h1 connect
}

begin_programs
run "the tree" make_tree
run "tar through socat" by_socat
run "sshd starts" start_sshd
run "rsync through ssh, IPv4" by_rsync
reap "$SSHD"
end
