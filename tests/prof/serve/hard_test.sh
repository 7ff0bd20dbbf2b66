#!/usr/bin/env bash
# rvsim serve where it is hard: TLS, many and slow clients.
here=$PWD/tests/prof/serve
. tests/cases.sh
cd "$TEST_TMP" || exit 1
${CC:-cc} -std=gnu17 -O2 -pthread "$here/load.c" -o load 2>log ||
    not_ok "load.c builds" "$(<log)"
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 "$here/hard.py" ./load
