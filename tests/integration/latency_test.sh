#!/usr/bin/env bash
# Latency thresholds where every latency is known: the fields of an indicator, the sums of the three
# bits, sampling and group signals, in both engines and both back ends.
. tests/integration/lib.sh

# check NAME FLAGS OPTION...
check() {
    local name="T1, T2, T3: thresholds, what interrupts carry, sampling, groups: $1" flags=$2
    shift 2
    build_bare thresholds $flags || { not_ok "$name builds"; return; }
    run thresholds --meta "$tmp/thresholds.meta" "$@" "$tmp/thresholds"
    if [ $status = 0 ]; then ok "$name"; else not_ok "$name" "$(said thresholds)"; fi
}

# A load takes 3 cycles in L1; a load that memory serves takes these, 12 of L2 and those of memory.
# Of 10, 50, 100, 60, 110, 150, 160 cycles four are less than 110, five less than 111. Fetch leaves
# the bus alone, and nothing prefetches.
quiet="--config classic --set dram.line_cycles=0 --set l1d.prefetch=none"
known="-DHIT=3 -DL1=1 -DMEMORY=5"
for set in 95:4 96:5 200:7; do
    miss=$((3 + 12 + ${set%:*}))
    check "default, a miss of $miss cycles" \
        "$known -DMISS=$miss -DEXCEED=${set#*:} -DSLOTS=32 -DWIDTH=4" $quiet \
        --set dram.cycles=${set%:*} --set commit.width=4
done
check "queues of 8, one commit a cycle" "$known -DMISS=110 -DEXCEED=4 -DSLOTS=8 -DWIDTH=1" \
    --set dram.cycles=95 $quiet --set issue.int_queue=8 --set commit.width=1
check "queues that select by position" \
    "$known -DMISS=110 -DEXCEED=4 -DSLOTS=32 -DANY_SLOT -DWIDTH=4" \
    --set dram.cycles=95 $quiet --set commit.width=4 --set issue.select=slot
check "in order" "$known -DMISS=110 -DEXCEED=4 -DSLOTS=2 -DWIDTH=2" \
    --set dram.cycles=95 $quiet --set core.kind=in_order --set dispatch.width=2 \
    --set commit.width=2
# No caches, and an instruction takes a cycle.
check "fast engine" "-DHIT=1 -DMISS=1 -DL1=0 -DMEMORY=0 -DEXCEED=0 -DSLOTS=1 -DWIDTH=1" --mode fast

# --- sampling: a loop of as many instructions as there are slots, two of them loads
{
    echo '.option norvc; .section .text.start, "ax"; .global _start'
    echo '_start: la s0, datum; li s1, 4096; .balign 64'
    echo 'loop: ld t0, 0(s0)'
    for ((i = 0; i < 20; i++)); do echo 'addi t1, t1, 1'; done
    echo 'ld t2, 0(s0)'
    for ((i = 0; i < 8; i++)); do echo 'addi t1, t1, 1'; done
    echo 'addi s1, s1, -1; bnez s1, loop; li t0, 1; la t1, tohost; sd t0, 0(t1); 1: j 1b'
    echo '.section .tohost, "aw"; .balign 64; .global tohost; tohost: .dword 0; datum: .dword 0'
} >"$tmp/round.S"
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/round.S" -o "$tmp/round" ||
    not_ok "the loop builds"
printf 'loop 4 counter threshold=1\nloop+84 4 counter threshold=1\n' >"$tmp/round.meta"
# sampled MEASURE: how often each load was measured, and slow
sampled() {
    run round --config classic --set pmu.measure=$1 --meta "$tmp/round.meta" "$tmp/round"
    query marks "$tmp/round.json" | awk '{ print $2 }' | xargs
}
never=0
for slot in 0 8 16 24; do
    [ "$(sampled $((1 + 256 * slot)))" != "0 0" ] || never=$((never + 1))
done
same "T3: a fixed slot meets instructions of such a loop always or never" "1" "$((never > 1))"
same "T3: a slot that is drawn anew meets each, once in 32 times or so" "1 1" \
    "$(sampled 9 | awk '{ print ($1 > 64 && $1 < 256), ($2 > 64 && $2 < 256) }')"

# --- a store: from its commit until its line is written; the first of a line waits for memory
cat >"$tmp/store.S" <<'S'
.option norvc
.section .text.start, "ax"
.global _start
_start: la s0, cold
        li s1, 7
        fence
slow:   sd s1, 0(s0)
        li t0, 2000
1:      addi t0, t0, -1
        bnez t0, 1b
        li t0, 1
        la t1, tohost
        sd t0, 0(t1)
2:      j 2b
.section .tohost, "aw"
.balign 64
.global tohost
tohost: .dword 0
.balign 4096
cold:   .dword 0
S
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/store.S" -o "$tmp/store" ||
    not_ok "the store builds"
# slow_store CYCLES OPTION...: is the store's latency more than that, by its mark and its datum's?
slow_store() {
    printf '%s threshold=%s\n' 'slow 4 counter' $1 'cold 8 counter granule=8' $1 >"$tmp/store.meta"
    shift
    run store --meta "$tmp/store.meta" "$@" "$tmp/store"
    query marks "$tmp/store.json" | awk '{ print $2 }' | xargs
}
# takes NAME CYCLES OPTION...: the store's latency is exactly this
takes() {
    local name=$1 cycles=$2
    shift 2
    same "a store that misses takes $cycles cycles: $name" "1 1, 0 0" \
        "$(slow_store $((cycles - 1)) "$@"), $(slow_store $cycles "$@")"
}
takes "memory after 95" 110 $quiet --set dram.cycles=95
takes "memory after 200" 215 $quiet --set dram.cycles=200
takes "7 cycles before the drain" 117 $quiet --set dram.cycles=95 --set lsq.drain_cycles=7
takes "in order" 110 $quiet --set dram.cycles=95 --set core.kind=in_order
same "in the fast engine no store takes time" "0 0" "$(slow_store 1 --mode fast)"

# The latency of each store of a real program, by the pipeline trace of the same run: from retired
# to stored.
printf '* * counter threshold=20\n' >"$tmp/late.meta"
for machine in classic default u74 c910; do
    run late --config $machine --max-insns 20000 --meta "$tmp/late.meta" --trace \
        "o3pipeview:$tmp/late.trace" "$GUEST/wordindex"
    awk -F: -v OFS=' ' '
        $2 == "fetch" { pc = $4; sub(/^0x0*/, "0x", pc) }
        $2 == "retire" && $5 > 0 { late[pc] += $5 - $3 > 20 * 1000 }
        END { for (pc in late) print pc, late[pc] }' "$tmp/late.trace" | sort >"$tmp/late.true"
    query marks "$tmp/late.json" |
        awk 'NR == FNR { is_store[$1]; next } $1 in is_store { print $1, $2 }' "$tmp/late.true" - |
        sort >"$tmp/late.marks"
    same "stores slower than 20 cycles, each as the pipeline trace has it, $machine" \
        "$(<"$tmp/late.true")" "$(<"$tmp/late.marks")"
    same "some stores are slower than 20 cycles, $machine" 1 \
        "$(awk '{ sum += $2 } END { print (sum > 5) }' "$tmp/late.true")"
done
