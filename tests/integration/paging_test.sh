#!/usr/bin/env bash
# Paged programs keep their counts: the pager of guest/examples, which compares every counter with
# the program's own ledger, in both engines and on machines with different lines and caches.
. tests/integration/lib.sh

for mode in fast detailed; do
    for machine in default tiny small_caches short_lines in_order; do
        name="S7: metadata goes out and in with its page, $mode engine, ${machine//_/ }"
        run pager --mode $mode $(machine_options $machine) "$GUEST/pager"
        if [ $status = 0 ]; then ok "$name"; else not_ok "$name" "$(said pager)"; fi
    done
done
paged=$(awk '/pages out/ { out = $3 } /wrong/ { wrong = $NF }
             END { print (out > 400 ? "under pressure" : "hardly"), wrong }' "$tmp/pager.out")
same "S7: hundreds of pages went out and in, and no count is wrong" "under pressure 0" "$paged"
