#!/usr/bin/env bash
# Marks of ecall and ebreak: each execution counts, and an interrupt is served at the instruction,
# before the trap: its caller is the routine around the instruction, whatever handles the trap.
. tests/integration/lib.sh

cat >"$tmp/calls.c" <<'C'
#include <unistd.h>
/* Without a frame: getppid is 173, exit 93. */
__attribute__((noinline)) long leaf(long number)
{
    register long a7 __asm__("a7") = number, a0 __asm__("a0") = 0;
    __asm__ volatile(".globl in_leaf\nin_leaf: ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}
__attribute__((noinline)) long few(void) { return leaf(173) + leaf(173) + leaf(173); }
__attribute__((noinline)) long many(void)
{
    long sum = 0;
    for (int i = 0; i < 40; i++)
        sum += leaf(173);
    return sum;
}
int main(void)
{
    few();
    many();
    leaf(93);
    return 9;
}
C
"$linux_cc" -O1 -fno-optimize-sibling-calls -static "$tmp/calls.c" -o "$tmp/calls" ||
    not_ok "the Linux program builds"
echo "in_leaf 4 counter interrupt" >"$tmp/calls.meta"

# callers STEM: interrupts by caller, of its profile
callers() {
    "$RVSIM" report --callers "$tmp/$1.prof" 2>&1 | awk '$2 ~ /%/ { print $1, $NF }' | sort | xargs
}
served() {
    run calls "$@" --meta "$tmp/calls.meta" --profile "$tmp/calls.prof" "$tmp/calls"
    echo "$status $(query get "$tmp/calls.json" events.indicator_interrupts) $(
        query marks "$tmp/calls.json" | awk '{ print $2 }' | xargs) $(callers calls)"
}
for monitor in guest host; do
    for mode in fast detailed; do
        same "system calls of a Linux program, exit too: $mode engine, $monitor monitor" \
            "0 44 44 1 main 3 few 40 many" "$(served --mode $mode --monitor $monitor)"
    done
    same "system calls of a Linux program, in order, $monitor monitor" \
        "0 44 44 1 main 3 few 40 many" "$(served $(machine_options in_order) --monitor $monitor)"
done

# A handler of the program's own, with a frame, which calls; routines with frames around ecall and
# ebreak, both widths of it; a marked return that leads to one.
cat >"$tmp/own.S" <<'S'
    .section .text.start, "ax"
    .global _start
_start:
    la sp, top
    la t0, vector
    csrw mtvec, t0
    call main
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
    sd a0, 0(t0)
1:  j 1b
    .macro routine name
    .global \name
    .type \name, @function
\name:
    .cfi_startproc
    .endm
    .macro finish name
    .cfi_endproc
    .size \name, . - \name
    .endm
    .text
    routine done
    ret
    finish done
    routine asks
    addi sp, sp, -16
    .cfi_def_cfa_offset 16
    sd ra, 8(sp)
    .cfi_offset ra, -8
    call done
call_1:
    ecall
break_4:
    .option push
    .option norvc
    ebreak
    .option pop
break_2:
    c.ebreak
    ld ra, 8(sp)
    .cfi_restore ra
    addi sp, sp, 16
    .cfi_def_cfa_offset 0
    ret
    finish asks
    routine main
    addi sp, sp, -16
    .cfi_def_cfa_offset 16
    sd ra, 8(sp)
    .cfi_offset ra, -8
    li s1, 12
1:  call asks
    addi s1, s1, -1
    bnez s1, 1b
    li a0, 0
    ld ra, 8(sp)
    .cfi_restore ra
    addi sp, sp, 16
    .cfi_def_cfa_offset 0
    ret
    finish main
    .balign 4
    routine vector
    addi sp, sp, -32
    sd ra, 24(sp)
    sd t0, 16(sp)
    sd t1, 8(sp)
    call done
    csrr t0, mepc
    lhu t1, 0(t0)
    andi t1, t1, 3
    addi t1, t1, -3
    snez t1, t1
    slli t1, t1, 1              # 2 for a short one
    sub t0, t0, t1
    addi t0, t0, 4
    csrw mepc, t0
    ld ra, 24(sp)
    ld t0, 16(sp)
    ld t1, 8(sp)
    addi sp, sp, 32
    mret
    finish vector
    .data
    .balign 16
    .skip 4096
top:
    .section .tohost, "aw"
    .balign 64
    .global tohost, fromhost
tohost: .dword 0
fromhost: .dword 0
S
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/own.S" -o "$tmp/own" ||
    not_ok "the bare-metal program builds"
own() {
    local place=$1
    shift
    echo "$place" >"$tmp/own.meta"
    run own "$@" --meta "$tmp/own.meta" --profile "$tmp/own.prof" "$tmp/own"
    echo "$status $(query get "$tmp/own.json" events.indicator_interrupts) $(callers own)"
}
for machine in default tiny in_order; do
    for mode in fast detailed; do
        for place in "call_1 4" "break_4 4" "break_2 2"; do
            same "${place% *}, a handler of the program, $mode engine, ${machine/_/ }: its caller" \
                "0 12 12 main" \
                "$(own "$place counter interrupt" --mode $mode $(machine_options $machine))"
        done
    done
done
for mode in fast detailed; do
    same "a limit is passed at every fifth, $mode engine" "0 2 2 main" \
        "$(own "call_1 4 counter=4 interrupt" --mode $mode)"
    same "a return that leads to an ecall, $mode engine: the routine returned to" \
        "0 48 12 asks 36 vector" "$(own "calls(done) * interrupt" --mode $mode)"
done
