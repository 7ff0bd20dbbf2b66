#!/usr/bin/env bash
# Functional warming: a part of a program that is measured after warming has nearly the numbers of a
# run that is detailed from the start.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static "$here/job/warm.c" -o warm 2>log ||
    not_ok "the program warm.c builds" "$(<log)"

# cycles OPTION...: of the instructions from 800,000 to 900,000
cycles() { rv --quiet --stats x.json "$@" --max-insns 900000 warm && value x.json cycles; }
# near NAME A B: less than one per cent apart
near() {
    same "$1 ($2, $3)" yes "$(awk -v a="$2" -v b="$3" \
        'BEGIN { print (a > b ? a - b : b - a) * 100 < b ? "yes" : "no" }')"
}
machine() {
    if [ "$1" = in_order ]; then echo --set core.kind=in_order; else echo "--config $1"; fi
}
for machine in default tiny in_order; do
    from=0
    rv --quiet $(machine $machine) --stats x.json --max-insns 800000 warm &&
        from=$(value x.json cycles)
    true=$(($(cycles $(machine $machine)) - from))
    cold=$(cycles $(machine $machine) --fast-forward 800000)
    warm=$(cycles $(machine $machine) --fast-forward 800000 --warm 400000)
    near "warmed, $machine measures what is true" "$warm" "$true"
    same "cold, $machine is slower ($cold, $true)" yes "$([ "$cold" -gt "$warm" ] && echo yes)"
done

rv --quiet --mode warm --stats x.json warm
same "the warm mode has no time of its own" "$(value x.json instructions)" "$(value x.json cycles)"
same "the warm mode counts cache accesses" yes \
    "$([ "$(value x.json events.l1d_read)" -gt 100000 ] && echo yes)"
rv --quiet --mode detailed --stats y.json warm
near "the warm mode's L1D misses are the detailed engine's" \
    "$(($(value x.json events.l1d_read_miss) + 10000))" \
    "$(($(value y.json events.l1d_read_miss) + 10000))"
rv --check self --fast-forward 800000 --warm 1000 --max-insns 810000 warm
matches "a check after it agrees" 'check: 10[0-9]{3} instructions and 0 traps agree' "$err"
refused "warming without anything before detail" "--warm: needs --fast-forward or --roi" \
    --warm 5 warm
