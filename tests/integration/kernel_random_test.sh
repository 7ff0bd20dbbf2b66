#!/usr/bin/env bash
# Random programs with threads, under the guest kernel on 1 to 16 harts: their results are those
# that follow from the seed. KERNEL_RANDOM=N runs N programs instead of 20; KERNEL_SEED: the first
# seed.
. tests/integration/lib.sh

source=$programs/kernel/random_threads.c
"$linux_cc" -std=gnu17 -O2 -Wall -Wextra -Werror -static -pthread $source -o "$tmp/random" &&
    ${CC:-cc} -std=gnu17 -O1 -DEXPECTED $source -o "$tmp/random.expected" ||
    not_ok "the programs build"
wrong=
count=${KERNEL_RANDOM:-20} first=${KERNEL_SEED:-1}
for ((seed = first; seed < first + count; seed++)); do
    harts=$((seed % 16 + 1))
    run random --mode fast --harts $harts --set machine.seed=$seed "$tmp/random" \
        $seed
    [ "$status $(<"$tmp/random.out")" = "0 $("$tmp/random.expected" $seed)" ] ||
        wrong+="seed $seed, $harts harts: status $status: $(<"$tmp/random.out"); "
done
same "$count random programs add up what they should" "" "$wrong"
# Stores to a page that fork shares, between locks and semaphores.
for harts in 8 16; do
    run shared --mode fast --harts $harts "$tmp/random" 821791
    same "a program with many forks, $harts harts" "0 $("$tmp/random.expected" 821791)" \
        "$status $(<"$tmp/shared.out")"
done
run random --harts 3 "$tmp/random" 2
same "one of the programs in detail" "$("$tmp/random.expected" 2)" "$(<"$tmp/random.out")"

# The running and idle times of a hart add up to its time, and the running times of all threads to
# those of all harts.
sums='
BEGIN { split(each, cycles) }
$1 == "hart" || $1 == "thread" { table = $2 == "running" ? $1 : ""; next }
NF == 0 { next }
table == "hart" {
    harts++; run += $2; all = $2 + $4 + $5
    if (all != cycles[harts]) print "hart " $1 ": " all " of " cycles[harts]
}
table == "thread" { threads++; ran += $2 }
END { if (harts == 0 || threads == 0 || run != ran) print harts, threads, run, ran }'
for seed in 3 5 8; do
    for mode in fast detailed; do
        harts=$((seed % 4 + 1))
        "$RVSIM" sched --mode $mode --harts $harts --json "$tmp/sched.json" "$tmp/random" $seed \
            >"$tmp/sched.out" 2>"$tmp/sched.err"
        each=$(sed -nE '/"cycles"/ { N; s/^ *"cycles": ([0-9]+),\n *"running".*/\1/p }' \
            "$tmp/sched.json")
        same "seed $seed, $mode, $harts harts: threads and idle time add up to all cycles" "" \
            "$(awk -v each="${each//$'\n'/ }" "$sums" "$tmp/sched.out")"
    done
    # The simulator charges every cycle (every instruction of the fast engine, which has no cycles)
    # to the thread that runs, 0 being the idle one.
    for what in fast:insns_retired detailed:cycles; do
        counts=(--count ${what#*:}:sum --count ${what#*:}:thread=0,sum)
        for thread in $(awk '$1 == "thread" { is_table = $2 == "running"; next }
            is_table && NF { print $1 }' "$tmp/sched.out"); do
            counts+=(--count ${what#*:}:thread=$thread,sum)
        done
        "$RVSIM" --mode ${what%:*} --harts $harts --set pmu.counters=29 "${counts[@]}" \
            "$tmp/random" $seed 2>"$tmp/counts" >/dev/null
        same "seed $seed, ${what%:*}: what is charged to threads adds up to the total" "right" \
            "$(tr -d , <"$tmp/counts" | awk -v what=${what#*:} '
                $2 == what ":sum" { total = $1 }
                index($2, what ":thread=") == 1 { sum += $1; threads++ }
                END {
                    if (total > 0 && threads > 2 && sum == total) print "right"
                    else print sum " of " threads " threads, not " total
                }')"
    done
    run fast --mode fast --harts $harts "$tmp/random" $seed
    run detailed --mode detailed --harts $harts "$tmp/random" $seed
    same "seed $seed: both engines print the same" "$(<"$tmp/fast.out")" \
        "$(<"$tmp/detailed.out")"
done
