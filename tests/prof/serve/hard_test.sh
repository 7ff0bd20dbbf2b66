#!/usr/bin/env bash
# rvsim serve under difficult conditions: TLS, many clients, slow clients.
here=$PWD/tests/prof/serve
. tests/cases.sh
cd "$TEST_TMP" || exit 1
${CC:-cc} -std=gnu17 -O2 -pthread "$here/load.c" -o load 2>log ||
    not_ok "load.c builds" "$(<log)"
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 "$here/hard.py" ./load
