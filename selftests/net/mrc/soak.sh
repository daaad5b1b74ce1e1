#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 500 connections at a time, driven by epoll's edges, that stall, end and break
# off at random: see conf_soak.c. TEST_SOAK_TIME=300 for longer than the 20
# seconds that "make check" has for it, TEST_SOAK_SEED to repeat a run.
#
#	   h1 === 4 planes, uSID === h2, one plane silent from the middle on

. "$(dirname "$0")/lib.sh"

TIME=${TEST_SOAK_TIME:-20}

# At last no connection is left at either host, and nobody who waits
nobody_left() {
	mib_get h1 CurrEstab
	local left=$MIB

	mib_get h2 CurrEstab
	[ $((left + MIB)) = 0 ]
}

soak() {
	local -x CONF_SECONDS=$TIME CONF_SEED=${TEST_SOAK_SEED:-}
	local PROGRAM_TIME=$((TIME + 300))

	run_tap h1 conf_soak mrc fd00:6d::2 /run/netns/h2
}

# half_way COMMAND... - in the background, after so many packets that there
# will be some after it
half_way() {
	wait_for 60 mib_grew h1 DataOut 3000 && "$@"
}

begin
fabric up --planes 4
mib_mark h1 h2
half_way fabric link blackhole 2 h1 &
breaker=$!
soak
run "a plane went silent meanwhile" wait "$breaker"
fabric link repair 2 h1
run "no connection is left" wait_for 60 nobody_left
end
