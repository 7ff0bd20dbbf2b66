#!/usr/bin/env bash
# A program's own counter that overflows while the hart waits in WFI wakes it.
. tests/integration/lib.sh
build_bare sleeper -DROUNDS=20 -DOWN

for mode in detailed fast; do
    run own --mode $mode --max-cycles 2000000 "$tmp/sleeper"
    same "a program's own counter wakes it, $mode engine" "0 exit" \
        "$status $(query get "$tmp/own.json" result.reason)"
done
idle=$(query get "$tmp/own.json" events.cycles_idle)
same "the program waited for 500 idle cycles of its counter, and 20 times for the timer" "1" \
    "$((idle > 500 + 20 * 45000 && idle < 500 + 20 * 50000))"
