#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Generate the netlink policies and the uapi header from the YAML spec with the
# kernel's own ynl-gen-c.py, or prove with --check that the committed ones are
# current.
#
# The generator is looked for in $YNL, then below the kernel cache
# (${XDG_CACHE_HOME:-~/.cache}/mrc/**/tools/net/ynl), then in installed kernel
# sources. Exit: 0 done or current, 1 stale, 2 no generator or it failed.

set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrc
spec=Documentation/netlink/specs/mrc.yaml
schema=genetlink-legacy.yaml
check=0

outputs="uapi:header:include/uapi/linux/mrc_netlink.h
kernel:header:net/mrc/netlink_gen.h
kernel:source:net/mrc/netlink_gen.c"

usage()
{
	echo "Usage: $0 [--check]" >&2
	exit 2
}

find_ynl()
{
	local dir

	if [ -n "${YNL:-}" ]; then
		[ -f "$YNL/ynl-gen-c.py" ] && echo "$YNL"
		return
	fi
	# Later versions of the generator write differently formatted files;
	# the committed ones are those of the floor, 6.12.
	while IFS= read -r dir; do
		case $dir in
		*6.12*) echo "${dir%/ynl-gen-c.py}"; return ;;
		esac
	done < <(find "$cache" /usr/src -maxdepth 7 -type f \
		 -path '*/tools/net/ynl/ynl-gen-c.py' 2>/dev/null)
}

case $# in
0) ;;
1) [ "$1" = --check ] || usage; check=1 ;;
*) usage ;;
esac

ynl=$(find_ynl)
if [ -z "$ynl" ]; then
	echo "$0: no ynl-gen-c.py of Linux 6.12 below $cache or /usr/src." >&2
	echo "Unpack linux-source-6.12 there or set YNL to its tools/net/ynl." >&2
	exit 2
fi
ksrc=$(cd "$ynl/../../.." && pwd)

# The generator looks for the root of a kernel tree above the spec.
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/Documentation/netlink/specs"
touch "$tmp/MAINTAINERS"
cp "$ksrc/Documentation/netlink/$schema" "$tmp/Documentation/netlink/" &&
	cp "$root/$spec" "$tmp/$spec" || exit 2

stale=0
while IFS=: read -r mode kind file; do
	mkdir -p "$tmp/$(dirname "$file")"
	if ! python3 -B "$ynl/ynl-gen-c.py" --mode "$mode" "--$kind" \
	     --spec "$tmp/$spec" -o "$tmp/$file"; then
		echo "$0: generating $file failed" >&2
		exit 2
	fi
	if cmp -s "$tmp/$file" "$root/$file"; then
		continue
	elif [ $check = 1 ]; then
		echo "$file is not what $spec says:" >&2
		diff -u "$root/$file" "$tmp/$file" >&2
		stale=1
	else
		cp "$tmp/$file" "$root/$file" || exit 2
		echo "GEN $file"
	fi
done <<< "$outputs"
exit $stale
