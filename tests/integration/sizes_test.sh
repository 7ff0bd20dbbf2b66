#!/usr/bin/env bash
# Caches, buffers, TLBs and widths of real cores are not all powers of two: such machines run, and
# every instruction has the result of the reference.
. tests/integration/lib.sh
cat >"$tmp/lines.S" <<'END'
        .option norvc
        .section .text.start, "ax"
        .global _start
_start: li s0, 3
round:  la a0, data
        li a1, 96
line:   ld t0, 0(a0)
        addi a0, a0, 64
        addi a1, a1, -1
        bnez a1, line
        addi s0, s0, -1
        bnez s0, round
        li t0, 1
        la t1, tohost
        sd t0, 0(t1)
1:      j 1b
        .section .tohost, "aw"
        .balign 64
        .global tohost
tohost: .dword 0
        .section .bss
        .balign 4096
data:   .skip 6144
END
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/lines.S" -o "$tmp/lines" ||
    not_ok "the program of 96 lines builds"

# misses OPTION...: the misses of the data cache, without prefetching and wrong paths
misses() {
    run lines --set l1d.prefetch=none --set bpred.kind=perfect "$@" "$tmp/lines"
    query get "$tmp/lines.json" events.l1d_read_miss
}
# 96 lines three times: 6 KiB in 48 sets of 2 ways, or 96 of one, keeps them all. In 5 KiB, 80 sets
# of one way, 16 sets have two of the lines each, which miss every time.
same "6 KiB in 48 sets of two ways: each of 96 lines misses once" 96 \
    "$(misses --set l1d.kib=6 --set l1d.ways=2)"
same "6 KiB in 96 sets of one way: each of 96 lines misses once" 96 \
    "$(misses --set l1d.kib=6 --set l1d.ways=1)"
same "5 KiB in 80 sets of one way: 64 lines miss once, 32 three times" $((64 + 3 * 32)) \
    "$(misses --set l1d.kib=5 --set l1d.ways=1)"

# sized NAME SETTING...
sized() {
    local name=$1 options=() setting
    shift
    for setting; do options+=(--set "$setting"); done
    run size "${options[@]}" --check self --max-insns 200000 "$GUEST/wordindex"
    same "$name: every instruction is right" "0 0" "$status $(grep -c differ "$tmp/size.err")"
}
sized "a data cache of 48 KiB with 12 ways" l1d.kib=48 l1d.ways=12
sized "96 entries" rob.entries=96
sized "a target buffer of 6144 entries" bpred.btb_entries=6144
sized "12 committed in a cycle" commit.width=12
sized "the largest" rob.entries=1024 commit.width=16 rename.int_buffers=512 \
    rename.fp_buffers=512 lsq.loads=256 lsq.stores=256 fetch.buffer=128
sized "odd sets everywhere" l1i.kib=24 l1i.ways=8 l2.kib=1300 l2.ways=13 l2tlb.entries=1500 \
    l2tlb.ways=5 dtlb.entries=36 dtlb.ways=12 shadow.dframes=12 bpred.l0_entries=12
