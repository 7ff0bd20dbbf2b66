#!/usr/bin/env bash
# A machine whose profiling is off costs nothing: with metadata loaded and PROF_MODE 0, every
# statistic but the marks is that of a run without metadata; switched on again, counts are exact.
. tests/integration/lib.sh

cat >"$tmp/off.S" <<'S'
#include "tests/programs/counted.h"
    .section .text.start, "ax"
    .global _start
_start:
    csrwi CSR_PROF_MODE, 0
    fence
    .rept 3
    la s0, data
    li s1, 512
1:  ld a0, 0(s0)
    addi s0, s0, 64
    addi s1, s1, -1
    bnez s1, 1b
    .endr
#ifdef AGAIN
    csrwi CSR_PROF_MODE, PROF_MODE_ENABLE
    la s0, data
    li s1, 512
1:  ld a0, 0(s0)
    addi s0, s0, 64
    addi s1, s1, -1
    bnez s1, 1b
#endif
    li t0, 1
    la t1, tohost
    sd t0, 0(t1)
2:  j 2b
    .section .tohost, "aw"
    .balign 64
    .global tohost, fromhost
tohost: .dword 0
fromhost: .dword 0
    .data
    .balign 4096
    .type data, @object
    .size data, 32768
data:
    .skip 32768
S
for again in "" -DAGAIN; do
    "$guest_cc" $isa -mcmodel=medany $again -nostdlib -static -I. -T $programs/bare.ld \
        "$tmp/off.S" -o "$tmp/off$again" || not_ok "the program builds"
done
echo "data 32768 counter granule=8" >"$tmp/off.meta"
statistics() { grep -v -e host -e seconds -e mips -e meta -e marks "$1" | grep '^events\|^cycles'; }
for options in "" "--config tiny" "--set shadow.placement=mixed" "--set shadow.placement=line" \
    "--set shadow.latency=20" "--set shadow.dframes=16" "--set l1d.kib=1 --set l1d.ways=1"; do
    "$RVSIM" --quiet $options --stats "$tmp/without.csv" "$tmp/off"
    "$RVSIM" --quiet $options --meta "$tmp/off.meta" --stats "$tmp/with.csv" "$tmp/off"
    same "off, marked data cost nothing, ${options:-default}" \
        "$(statistics "$tmp/without.csv")" "$(statistics "$tmp/with.csv")"
    [ -n "$(statistics "$tmp/with.csv")" ] || not_ok "there are statistics"
    run again $options --meta "$tmp/off.meta" "$tmp/off-DAGAIN"
    same "on again, each of the 512 is counted once, ${options:-default}" "512 1" \
        "$(query marks "$tmp/again.json" | awk '$2 { n++; if ($2 > most) most = $2 }
            END { print n, most }')"
done
