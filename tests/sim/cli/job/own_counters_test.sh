#!/usr/bin/env bash
# A Linux program programs and reads its own counters in user mode, with every filter, in both
# engines and under both systems; the numbers are those of its source.
. tests/sim/cli/lib.sh
root=${here%/tests/sim/cli}
gcc=("${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -Wall -Wextra -Werror -I"$root"
    -I"$root/guest/include")
"${gcc[@]}" "$here/job/own_counters.c" -o own 2>log || not_ok "own_counters.c builds" "$(<log)"
"${gcc[@]}" -xc - -o marked 2>log <<'END' || not_ok "the marked program builds" "$(<log)"
#include <stdio.h>
#include "rvsim/counter.h"
volatile int v;
__attribute__((noinline)) void f(void) { for (int i = 0; i < 100; i++) v++; }
__attribute__((noinline)) void g(void) { for (volatile int i = 0; i < 100; i++) v++; }
int main(void)
{
    struct prof_counter loads, stores;
    prof_counter_open(&loads, PROF_EVENT_LOADS | PROF_ONLY_STARTED);
    prof_counter_open(&stores, PROF_EVENT_STORES | PROF_ONLY_LABEL(5));
    f();
    __asm__ volatile(".globl here\nhere: nop");
    g();
    unsigned long long l = prof_counter_read(&loads), s = prof_counter_read(&stores);
    printf("%llu %llu\n", l, s);
    return 0;
}
END
printf 'f 2 start\nhere 2 stop\nf * label=5\n' >marked.meta

expected="started: 200 loads, 100 stores, 99 taken, 0 in the kernel
labelled: 10, other: 0, marked stores: 10"
for os in host kernel; do
    for mode in detailed fast; do
        rv --quiet --os $os --mode $mode own
        same "a program counts its own events, --os $os, $mode" "$expected
counters: 8
all: 1" "$out"
        rv --quiet --os $os --mode $mode --meta marked.meta marked
        same "marks of a file start, stop and label for it, --os $os, $mode" "100 100" "$out"
    done
done
rv --quiet --mode fast --count cycles --count loads own
same "the program takes no counter that --count has" "$expected
counters: 6
all: 1" "$out"
rv --quiet --mode fast --harts 3 --os kernel own
same "each hart has counters of its own" "$expected
counters: 8
all: 1" "$out"

rv --quiet --check self own
same "a second machine lets it do the same" "$expected
counters: 8
all: 1" "$out"

# The same header for 32 bits, in machine mode: counters and their selectors have two halves.
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv32i_zicsr -mabi=ilp32 -O2 -ffreestanding -nostdlib \
    -static -Wall -Wextra -Werror -Wl,-N -Wl,--no-relax -Wl,-Ttext=0x80000000 -I"$root" \
    -I"$root/guest/include" -xc - -o narrow 2>log <<'END' || not_ok "the narrow program builds" \
    "$(<log)"
#include "rvsim/counter.h"
volatile unsigned tohost[2] __attribute__((section(".tohost"), aligned(64)));
static char stack[4096] __attribute__((used, aligned(16)));
__attribute__((noreturn, used)) static void program(void)
{
    struct prof_counter user, all;
    int failed = prof_counter_open(&user, PROF_EVENT_INSNS_RETIRED | PROF_ONLY_USER) |
                 prof_counter_open(&all, PROF_EVENT_STORES | PROF_ONLY_RANGE(0));
    unsigned u = (unsigned)prof_counter_read(&user);
    unsigned long long select = prof_event_read(user.number);

    prof_event_write(user.number, PROF_EVENT_INSNS_RETIRED);
    prof_counter_begin(&user);
    __asm__ volatile("nop\nnop\nnop\nnop\nnop");
    unsigned nops = (unsigned)prof_counter_read(&user);
    tohost[0] = (unsigned)(failed | u | (select != (PROF_EVENT_INSNS_RETIRED | PROF_ONLY_USER)) |
                           (nops < 5 || nops > 40)) << 1 | 1;
    for (;;)
        ;
}
__attribute__((naked, section(".text.start"))) void _start(void)
{
    __asm__ volatile("la sp, stack + 4096\nj program");
}
END
for mode in detailed fast; do
    rv --quiet --mode $mode narrow
    same "32-bit programs count with the same header, $mode" "0" "$status$err"
done

"${gcc[@]}" -xc - -o wrong 2>log <<'END' || not_ok "the wrong program builds" "$(<log)"
int main(void) { __asm__ volatile("csrw mhpmevent3, %0" : : "r"(1)); return 0; }
END
rv --quiet wrong
matches "the machine's own registers stay out of its reach" 'illegal instruction' "$err"
cat >closed.S <<'END'
# Machine mode lets user mode program counter 4 alone.
        .globl _start
_start: la t0, caught
        csrw mtvec, t0
        li t0, -1
        csrw pmpaddr0, t0
        csrw mcounteren, t0
        csrw scounteren, t0
        li t0, 0x1f
        csrw pmpcfg0, t0
        li t0, 0x411                            # PROF_REG_USER
        csrw 0x7c6, t0
        li t0, 1 << 4
        csrw 0x7c7, t0
        la t0, user
        csrw mepc, t0
        mret
user:   li a0, 1
        li t1, 0x01                             # instructions
        csrw 0x804, t1
        la t0, tohost
        ld t2, 0(t0)
        ld t2, 0(t0)
        csrr t1, hpmcounter4                    # 4
        li a0, 2
        csrw 0x803, t1                          # is not let
        li a0, 3
        ecall
caught: csrr t2, mcause
        slli t1, t1, 4
        or a0, a0, t1                           # 4 instructions, after step 2
        slli t2, t2, 8
        or a0, a0, t2                           # illegal instruction: 2
        slli a0, a0, 1
        ori a0, a0, 1
        la t0, tohost
        sd a0, 0(t0)
1:      j 1b
        .section .tohost, "aw"
        .globl tohost
tohost: .dword 0
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64g -mabi=lp64d -nostdlib -static -Wl,-N \
    -Wl,--no-relax -Wl,-Ttext=0x80000000 closed.S -o closed 2>log ||
    not_ok "closed.S builds" "$(<log)"
for mode in detailed fast; do
    rv --stats closed.csv --mode $mode closed
    same "machine mode says which counters user mode may program, $mode" $((0x242)) \
        "$(sed -n 's/^result.exit_code,//p' closed.csv)"
done
