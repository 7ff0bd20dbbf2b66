#!/usr/bin/env bash
# Stores under the guest kernel: none is lost and each is seen by its own hart, while their page is
# copied and while threads and signal handlers take turns on a hart.
. tests/integration/lib.sh

"$linux_cc" -std=gnu17 -O2 -Wall -Wextra -Werror -static -pthread $programs/kernel/stores.c \
    -o "$tmp/stores" || not_ok "stores builds"
# More harts meet more often in a round, so fewer rounds have as many stores in all.
for harts in 1 2 4 8 16; do
    run stores --mode fast --harts $harts "$tmp/stores" $harts $((harts > 4 ? 8000 / harts : 2000))
    same "$harts harts: no store is lost" right "$(<"$tmp/stores.out")"
done
run stores --harts 4 "$tmp/stores" 4 100
same "4 harts, in detail: no store is lost" right "$(<"$tmp/stores.out")"
