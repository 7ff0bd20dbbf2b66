#!/usr/bin/env bash
# Assert timers that report to a service; natively, under qemu and on the simulated machine. The
# stacks of alarms at each instruction of routines of a static C library, which has no unwind
# tables.
set -u
. tests/cases.sh
build() {
    local cc=$1 name=$2
    shift 2
    $cc -std=gnu17 -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Werror "$@" -I. -Iguest/include \
        -pthread tests/guest/lib/assert_timer_reports.c guest/lib/assert_timer*.c \
        -o "$TEST_TMP/$name" 2>"$TEST_TMP/log" || not_ok "$name builds" "$(<"$TEST_TMP/log")"
}
build "${CC:-cc}" native -Wconversion -Wstrict-prototypes -Wmissing-prototypes
build "${CC:-cc}" races -fsanitize=thread
build "${LINUX_CC:-riscv64-linux-gnu-gcc}" guest -static -fasynchronous-unwind-tables
walks() {
    local tables=$1 want found
    ${LINUX_CC:-riscv64-linux-gnu-gcc} -std=gnu17 -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Werror \
        -static "$tables" -I. -Iguest/include -pthread tests/guest/lib/assert_timer_walks.c \
        guest/lib/assert_timer_{code,insn,names}.c -o "$TEST_TMP/walks" 2>"$TEST_TMP/log" ||
        not_ok "walks builds" "$(<"$TEST_TMP/log")"
    want=$(printf '%s: all right, 0 wrong\n' clock_gettime clock_nanosleep usleep \
        'nanosleep, called by usleep' 'clock_nanosleep, called by nanosleep' \
        'a function that qsort calls' 'a function that fprintf calls' strtod)
    found=$(timeout 100 "$RVSIM" --quiet --os kernel --mode fast "$TEST_TMP/walks" 2>&1)
    same "each instruction of routines without tables shows its callers, $tables" "$want" "$found"
    found=$(timeout 100 qemu-riscv64 "$TEST_TMP/walks" 2>&1)
    same "each instruction of routines without tables shows its callers, under qemu, $tables" \
        "$want" "$found"
}
walks -fasynchronous-unwind-tables
walks -fno-asynchronous-unwind-tables
path=$PWD/tests
cd "$TEST_TMP" || exit 1
PYTHONPATH=$path/prof/serve PYTHONDONTWRITEBYTECODE=1 python3 "$path/guest/lib/reports.py"
