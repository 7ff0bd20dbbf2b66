#!/usr/bin/env bash
# S1: the five entries of Figure 16, at the offsets of the figure: count a range of 120 bytes,
# interrupt at one instruction, count when slower than 100 cycles, start counting, stop counting.
. tests/integration/lib.sh
build_bare figure16

# check SENTENCE STATUS OPTION...: the status is the number of slow loads
check() {
    local sentence=$1 slow=$2 stem
    shift 2
    run figure16 --meta "$tmp/figure16.meta" "$@" "$tmp/figure16"
    same "$sentence" "slow $slow, interrupts 4, marked data 0" "slow $status, interrupts $(
        query get "$tmp/figure16.json" events.indicator_interrupts), marked data $(
        query get "$tmp/figure16.json" events.marked_data)"
}
for monitor in guest host none; do
    # Four lines are loaded from memory, 120 cycles away; the other sixteen loads hit.
    check "the five entries, monitor $monitor: range, interrupt, four slow loads, start, stop" 4 \
        --monitor $monitor --set l1d.prefetch=none
    # On this machine memory is 30 cycles away, so no load is slow.
    check "the five entries, monitor $monitor: nothing is slow on the tiny machine" 0 \
        --monitor $monitor --config tiny
done
