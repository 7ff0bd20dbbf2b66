#!/usr/bin/env bash
# What programs themselves find in the profiling hardware: filtered counters, ranges, overflow,
# claimed interrupts. Each of them ends with status 0, or with the bits of what it found wrong.
. tests/integration/lib.sh
build_tools

# passes PROGRAM MODES SENTENCE [OPTION...]
passes() {
    local program=$1 modes=$2 sentence=$3 mode machine stem
    shift 3
    for machine in default tiny small_caches; do
        for mode in $modes; do
            stem=$program.$mode.$machine
            run "$stem" --mode $mode $(machine_options $machine) "$@" "$tmp/$program"
            if [ $status = 0 ]; then ok "$sentence, $mode engine, ${machine//_/ }"
            else not_ok "$sentence, $mode engine, ${machine//_/ }" "$(said "$stem")"; fi
        done
    done
}

for program in counter_filters claim counter_overflow own_counters; do
    build_bare $program || not_ok "$program builds"
done
passes counter_filters "fast detailed" \
    "counters limited to marks, label, toggle, range and privilege are exact" \
    --meta "$tmp/counter_filters.meta"
passes claim "fast detailed" "a program takes the indicator interrupts it claims" \
    --meta "$tmp/claim.meta"
passes claim "fast detailed" "without a monitor a program takes the indicator interrupts" \
    --meta "$tmp/claim.meta" --monitor none
passes own_counters "fast detailed" \
    "C1 S8: width, saturation, nearness and marks change while the program runs" \
    --meta "$tmp/own_counters.meta" --monitor none
# The fast engine counts all events for counters with a filter only.
passes counter_overflow detailed "a counter that overflows interrupts once until OF is cleared"
build_bare counter_overflow -DRANGED || not_ok "counter_overflow builds"
passes counter_overflow "fast detailed" "a counter with a filter overflows like one without"

build_bare ranges
ranges_expected() {
    local range entries inside
    expected ranges "$tmp/ranges" | while read -r range entries inside; do
        echo "$range $((entries)) $((inside))"
    done
}
for machine in default tiny small_caches; do
    for mode in fast detailed; do
        run ranges.$mode.$machine --mode $mode $(machine_options $machine) \
            --meta "$tmp/ranges.meta" "$tmp/ranges"
        same "range registers count entries and what is inside, $mode engine, ${machine//_/ }" \
            "$(ranges_expected)" "$(query ranges "$tmp/ranges.$mode.$machine.json")"
    done
done
