#!/usr/bin/env bash
# Random programs with threads, under the guest kernel on 1 to 16 harts: what they add up is what
# their seed says. KERNEL_RANDOM=N runs N programs instead of 20, KERNEL_SEED begins elsewhere.
. tests/integration/lib.sh

source=$programs/kernel/random_threads.c
"$linux_cc" -std=gnu17 -O2 -Wall -Wextra -Werror -static -pthread $source -o "$tmp/random" &&
    ${CC:-cc} -std=gnu17 -O1 -DEXPECTED $source -o "$tmp/random.expected" ||
    not_ok "the programs build"
wrong=
count=${KERNEL_RANDOM:-20} first=${KERNEL_SEED:-1}
for ((seed = first; seed < first + count; seed++)); do
    harts=$((seed % 16 + 1))
    RUN_SECONDS=30 run random --mode fast --harts $harts --set machine.seed=$seed "$tmp/random" \
        $seed
    [ "$status $(cat "$tmp/random.out")" = "0 $("$tmp/random.expected" $seed)" ] ||
        wrong+="seed $seed, $harts harts: status $status: $(cat "$tmp/random.out"); "
done
same "$count random programs add up what they should" "" "$wrong"
run random --harts 3 "$tmp/random" 2
same "one of them in detail" "$("$tmp/random.expected" 2)" "$(cat "$tmp/random.out")"
