#!/usr/bin/env bash
# rvsim serve under difficult conditions: TLS, many clients, slow clients.
here=$PWD/tests/prof/serve
. tests/cases.sh
cd "$TEST_TMP" || exit 1
for port in 65536 99999 70x ''; do
    said=$(timeout 10 "$RVSIM" serve --listen "127.0.0.1:$port" --database other.db 2>&1)
    same "port '$port' is refused" "2 rvsim: error: 127.0.0.1:$port: expected an address and a \
port up to 65535, such as 127.0.0.1:8700" "$? $said"
done
${CC:-cc} -std=gnu17 -O2 -pthread "$here/load.c" -o load 2>log ||
    not_ok "load.c builds" "$(<log)"
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 "$here/hard.py" ./load
