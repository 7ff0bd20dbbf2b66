#!/usr/bin/env bash
# Every console block of the page on the service prints what it shows, and the page names every
# request of the service.
. tests/cases.sh
tests/docs/pages.sh docs/service.md
missing=$(sed -nE 's/^ROUTE\([a-z_]+, *([A-Z]+), *"(\/v1\/[^"]*|\/metrics)".*/\1 \2/p' \
    prof/serve/route.def |
    while read -r method path; do
        grep -qF "$method $path" docs/service.md || echo "$method $path"
    done)
same "docs/service.md names every request" "" "$missing"
