#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The socket calls, good and bad input, on connections of a host to itself:
# what sockapi.c checks, without any plane.
#
#	   h1		a node address on lo

. "$(dirname "$0")/lib.sh"

# A test of sockapi is a test of this file
take_results() {
	local line plan='' notes=()

	while read -r line; do
		case $line in
		"ok "*) result 0 "${line#* - }" 0 ;;
		"not ok "*)
			[ ${#notes[@]} = 0 ] || printf '%s\n' "${notes[@]}"
			result 1 "${line#* - }" 0
			;;
		"1.."*) plan=$line ;;
		"# "*)
			notes=("$line")
			continue
			;;
		esac
		notes=()
	done
	[ "$plan" = "1..$((tests - before))" ] ||
		result 1 "sockapi ran to its end" 0
}

# shellcheck disable=SC2119 # its argument is none of ours
begin
fabric up --planes 1 --t0 1 --t1 1
before=$tests
take_results < <(in_ns h1 sockapi fd00:6d::1)
end
