#!/usr/bin/env bash
# `monitor` shows what the profiling hardware has counted up to the stop.
. tests/sim/debug/lib.sh
build_steps
program=steps
echo 'work * counter' >steps.meta

for mode in fast detailed; do
    session --mode $mode --meta steps.meta --monitor none --count loads --stats gdb.json \
        steps <<'END'
break work if n == 4
continue
monitor marks
monitor counters
monitor stats loads
monitor ranges
monitor help
monitor mraks
monitor
continue
END
    matches "three calls were counted, $mode" '^0x[0-9a-f]+ +code +3 +0 interrupts$' "$seen"
    matches "a counter has its event, $mode" '^hart 0  mhpmcounter3 +[1-9][0-9]*  loads$' "$seen"
    same "counter and event agree, $mode" 1 \
        "$(shown 'mhpmcounter3|  loads$' | grep -oE '[0-9]+  loads$' | sort -u | wc -l)"
    matches "no range is set, $mode" '^no range is set$' "$seen"
    same "there is help, $mode" 5 "$(shown '^monitor [a-z]+ ' | grep -vc 'no such')"
    matches "the nearest name is told, $mode" \
        '^monitor mraks: no such command; did you mean marks\?$' "$seen"
    "$RVSIM" --mode $mode --quiet --meta steps.meta --monitor none --count loads \
        --stats plain.json steps >/dev/null
    same "looking changes nothing, $mode" "$(value plain.json cycles)" "$(value gdb.json cycles)"
done
