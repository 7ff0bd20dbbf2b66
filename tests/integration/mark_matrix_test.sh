#!/usr/bin/env bash
# Every kind of mark, together on one instruction and on one datum; data marks across pages; filters
# on the events of marked instructions; interrupts when a marked line of code or data misses.
. tests/integration/lib.sh
quiet="--set l1d.prefetch=none"
for machine in default tiny small_caches in_order; do
    for mode in fast detailed; do
        caches=1
        [ $mode = detailed ] || caches=0
        build_bare mark_matrix -DCACHES=$caches || not_ok "mark_matrix builds"
        run matrix --mode $mode $(machine_options $machine) $quiet --meta "$tmp/mark_matrix.meta" \
            "$tmp/mark_matrix"
        if [ $status = 0 ]; then ok "I4, I5, I6: kinds, data and filters together, $mode, $machine"
        else not_ok "I4, I5, I6: kinds, data and filters together, $mode, $machine" \
            "$(said matrix)"; fi
        same "I4: data marks across pages count once an item, $mode, $machine" \
            "$(expected marks "$tmp/mark_matrix")" \
            "$(query marks "$tmp/matrix.json" | grep -f <(expected marks "$tmp/mark_matrix" |
                cut -d ' ' -f 1))"
    done
done

# A line of code, executed 40 times: it is filled once if it stays in the cache. No other line is
# marked.
build_bare mark_kinds || not_ok "mark_kinds builds"
echo 'block 4 on-miss' >"$tmp/code.meta"
run code --monitor none --meta "$tmp/code.meta" "$tmp/mark_kinds"
same "I7: a line of code marked on-miss interrupts when it is filled" 1 \
    "$(query get "$tmp/code.json" events.indicator_interrupts)"
run code --mode fast --monitor none --meta "$tmp/code.meta" "$tmp/mark_kinds"
same "I7: where there are no caches nothing misses" 0 \
    "$(query get "$tmp/code.json" events.indicator_interrupts)"
