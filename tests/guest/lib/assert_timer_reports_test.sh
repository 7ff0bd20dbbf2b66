#!/usr/bin/env bash
# Assert timers that report to a service; natively, under qemu and on the simulated machine.
set -u
. tests/cases.sh
build() {
    local cc=$1 name=$2
    shift 2
    $cc -std=gnu17 -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Werror "$@" -Iguest/include -pthread \
        tests/guest/lib/assert_timer_reports.c guest/lib/assert_timer*.c -o "$TEST_TMP/$name" \
        2>"$TEST_TMP/log" || not_ok "$name builds" "$(cat "$TEST_TMP/log")"
}
build "${CC:-cc}" native -Wconversion -Wstrict-prototypes -Wmissing-prototypes
build "${CC:-cc}" races -fsanitize=thread
build "${LINUX_CC:-riscv64-linux-gnu-gcc}" guest -static -fasynchronous-unwind-tables
path=$PWD/tests
cd "$TEST_TMP" || exit 1
PYTHONPATH=$path/prof/serve PYTHONDONTWRITEBYTECODE=1 python3 "$path/guest/lib/reports.py"
