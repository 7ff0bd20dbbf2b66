#!/usr/bin/env bash
# Every console block of the page on the service prints the output that it shows, and the page names
# every request of the service.
. tests/cases.sh
tests/docs/pages.sh docs/service.md
missing=$(sed -nE 's/^ROUTE\([a-z_]+, *([A-Z]+), *"(\/v1\/[^"]*|\/metrics)".*/\1 \2/p' \
    prof/serve/server/route.def |
    while read -r method path; do
        grep -qF "$method $path" docs/service.md || echo "$method $path"
    done)
same "docs/service.md names every request" "" "$missing"

if command -v systemd-analyze >/dev/null; then
    mkdir -p "$TEST_TMP/bin" && ln -sf "$(type -P true)" "$TEST_TMP/bin/rvsim"
    sed -n '/^```ini/,/^```/p' docs/service.md | sed "1d;\$d; s#/usr/local/bin#$TEST_TMP/bin#" \
        >"$TEST_TMP/rvsim.service"
    same "systemd takes the unit" "0 " \
        "$(systemd-analyze verify "$TEST_TMP/rvsim.service" 2>"$TEST_TMP/log"; echo $?) $(
            cat "$TEST_TMP/log")"
else
    echo "ok systemd takes the unit # SKIP no systemd-analyze"
fi
