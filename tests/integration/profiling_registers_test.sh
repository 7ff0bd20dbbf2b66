#!/usr/bin/env bash
# H3, H5: programs that test the profiling hardware themselves: filtered counters, ranges, overflow,
# claimed interrupts. Each ends with status 0, or with a bit for each check that failed.
. tests/integration/lib.sh

# passes PROGRAM MODES SENTENCE [OPTION...]
passes() {
    local program=$1 modes=$2 sentence=$3 mode machine stem
    shift 3
    for machine in default tiny small_caches in_order; do
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
    "I6: counters limited to marks, label, toggle, range and privilege are exact" \
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

build_bare three_ways || not_ok "three_ways builds"
passes three_ways "fast detailed" \
    "H3: CSR, index/data pair and memory-mapped window are ways to the same registers" \
    --meta "$tmp/three_ways.meta" --set pmu.window_base=0x20000000
build_bare ctr || not_ok "ctr builds"
passes ctr "fast detailed" "H3: control transfers are recorded, and counters delegated" \
    --monitor none
build_bare triggers || not_ok "triggers builds"
passes triggers "fast detailed" \
    "R1, R2: chained debug triggers count what range registers count; breakpoints are precise" \
    --monitor none
build_bare trigger_gate || not_ok "trigger_gate builds"
passes trigger_gate "fast detailed" \
    "R1: debug triggers start, stop and toggle counting, and keep to contexts and address spaces" \
    --monitor none
build_bare window_harts || not_ok "window_harts builds"
passes window_harts "fast detailed" "H3: a hart programs and reads the counters of another" \
    --harts 2 --set pmu.window_base=0x20000000
refused() {
    run refused --set pmu.window_base=$1 --harts 2 "$tmp/window_harts"
    same "H3: the window is refused at $1" "2 rvsim: error: pmu.window_base = $1$2" \
        "$status $(<"$tmp/refused.err")"
}
refused 0x20001000 "; expected a multiple of 0x8000"
refused 0x2008000 ": clint is at 0x2000000..0x2010000"
refused 0x7fff8000 \
    ": the windows of 2 harts end at 0x80008000, in memory; expected an end of at most 0x80000000"

build_bare live_ranges || not_ok "live_ranges builds"
passes live_ranges "fast detailed" \
    "R1, R2, R3: ranges that the program sets and moves are exact, and interrupt when they overflow"

build_bare ranges
ranges_expected() {
    local range entries inside
    expected ranges "$tmp/ranges" | while read -r range entries inside; do
        echo "$range $((entries)) $((inside))"
    done
}
for machine in default tiny small_caches in_order; do
    for mode in fast detailed; do
        run ranges.$mode.$machine --mode $mode $(machine_options $machine) \
            --meta "$tmp/ranges.meta" "$tmp/ranges"
        same "R1, R2: ranges count entries and what is inside, $mode engine, ${machine//_/ }" \
            "$(ranges_expected)" "$(query ranges "$tmp/ranges.$mode.$machine.json")"
    done
done
