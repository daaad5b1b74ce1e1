#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nginx with two workers, and curl: a large download, a thousand requests over
# one connection, and a client without MRC beside them.

. "$(dirname "$0")/lib.sh"

SIZE=$((64 << 20))

configure() {
	mkdir "$TMP/www" "$TMP/temp" && chmod 755 "$TMP" || return
	head -c $SIZE /dev/urandom >"$TMP/www/large"
	echo "hello from h2" >"$TMP/www/small"
	cat >"$TMP/nginx.conf" <<EOF
daemon off;
worker_processes 2;
user root;
pid $TMP/nginx.pid;
error_log $TMP/nginx.log;
events { }
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 100000;
	client_body_temp_path $TMP/temp;
	proxy_temp_path $TMP/temp;
	fastcgi_temp_path $TMP/temp;
	uwsgi_temp_path $TMP/temp;
	scgi_temp_path $TMP/temp;
	server {
		listen [::]:8080;
		listen $H2_V4:8081;
		root $TMP/www;
	}
}
EOF
}

started() {
	configure || return
	mrc_spawn h2 nginx -c "$TMP/nginx.conf"
	await_listener h2 8080 && await_listener h2 8081
}

download() {
	during h2 $((SIZE / 4)) mrc h1 curl -sS --limit-rate 20M \
		-o "$TMP/got" "http://[$H2]:8080/large" || return
	cmp "$TMP/got" "$TMP/www/large" || return
	over_mrc h2 $SIZE
	no_tcp h1 connect
}

# The rate leaves time to cut a plane. "?" is for nginx, the range for curl.
requests() {
	during h2 50000 mrc h1 curl -sS --rate 300/s -w '%{num_connects}\n' \
		"http://$H2_V4:8081/small?[1-1000]" >"$TMP/answers" || return
	[ "$(grep -c '^hello from h2$' "$TMP/answers")" = 1000 ] &&
		[ "$(grep -c '^0$' "$TMP/answers")" = 999 ] ||
		fail "$(sort "$TMP/answers" | uniq -c)" || return
	over_mrc h2 200000
}

# It comes over TCP to the same listener.
without_mrc() {
	mib_mark h2
	[ "$(in_ns h2 curl -sS "http://[::1]:8080/small")" = "hello from h2" ] &&
		expect_mib h2 DataOutBytes 0 0
}

stopped() {
	in_ns h2 nginx -c "$TMP/nginx.conf" -s quit
	wait_for 30 gone "$PID" || return
	! grep -E '\[(alert|crit|emerg)\]' "$TMP/nginx.log"
}

begin_programs
run "nginx starts" started
run "64 MB by curl" download
run "1000 requests over one connection, IPv4" requests
run "a client without MRC" without_mrc
run "nginx stops" stopped
end
