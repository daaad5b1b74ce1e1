#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sockets that come and go under those who use them: what races.c does on
# connections of a host to itself, without any plane.
#
#	   h1		a node address on lo

. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2119 # its argument is none of ours
begin
fabric up --planes 1 --t0 1 --t1 1
run_tap h1 races fd00:6d::1
end
