/* The five entries of Figure 16: count a range, interrupt at one instruction, count when slower
 * than 100 cycles, start counting, stop counting. The offsets are those of the figure.
 *
 * The exit code is the number of loads at offset 160 that the hardware found slow; everything else
 * is checked here. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
    watch "segment .text"
    watch "0   120 count"
    watch "120 4   interrupt"
    watch "160 4   threshold=100 count"
    watch "256 4   start"
    watch "512 4   stop"

    .section .text.start, "ax"
    .global _start
_start:                         # offset 0: once
    j program
counted:                        # offset 4 up to 116: 29 instructions, 9 calls
    .rept 28
    addi s5, s5, 1
    .endr
    ret
    .org 120
interrupting:                   # 4 calls
    addi s5, s5, 1
    ret
    .org 160
slow:                           # 20 calls
    ld a0, 0(a0)
    ret
    .org 256
begin:                          # 5 calls
    addi s5, s5, 1
    addi s5, s5, 1
    ret
    .org 512
end:                            # 5 calls
    addi s5, s5, 1
    ret

    .global program
program:
    la sp, stack_top
    li s11, 0
    li t0, EVENT_INSNS_RETIRED | PMU_FILTER_MARKED << PMU_FILTER_SHIFT
    csrw mhpmevent3, t0
    li t0, EVENT_INSNS_RETIRED | PMU_FILTER_TOGGLE << PMU_FILTER_SHIFT
    csrw mhpmevent4, t0
    li t0, EVENT_INDICATOR_INTERRUPTS
    csrw mhpmevent5, t0
    li t0, EVENT_LATENCY_EXCEEDED
    csrw mhpmevent6, t0
    .irp n, 3, 4, 5, 6
    csrw mhpmcounter\n, zero
    .endr

    li s1, 9
1:  jal ra, counted
    addi s1, s1, -1
    bnez s1, 1b
    li s1, 4
1:  jal ra, interrupting
    .rept 32                    # so that the interrupt is taken here
    nop
    .endr
    addi s1, s1, -1
    bnez s1, 1b

    # Four lines far apart, each loaded five times; every load waits for the one before.
    la s2, cold
    li s3, 4
2:  li s1, 5
3:  mv a0, s2
    jal ra, slow                # a0 = 0
    add s2, s2, a0
    addi s1, s1, -1
    bnez s1, 3b
    li t0, 65536
    add s2, s2, t0
    addi s3, s3, -1
    bnez s3, 2b

    # start counts itself, stop does not. A round: 3 of `begin`, a call of `outside` with its 2, 10
    # nops, and the call of `end`: 3 + 1 + 2 + 10 + 1 = 17; no code outside of a round counts.
    li s1, 5
4:  jal ra, begin
    jal ra, outside
    .rept 10
    nop
    .endr
    jal ra, end
    .rept 7
    nop
    .endr
    addi s1, s1, -1
    bnez s1, 4b

    csrr s1, mhpmcounter3
    csrr s2, mhpmcounter4
    csrr s3, mhpmcounter5
    csrr s4, mhpmcounter6
    # The jump at offset 0 comes before the counters are set. Errors are 32, 64, 96.
    sub t0, s1, s4
    demand t0, 29*9, 32
    demand s2, 5*17, 64
    demand s3, 4, 96
    or a0, s4, s11
    j fail

outside:
    nop
    ret

    .bss
    .balign 4096
cold:
    .skip 4 * 65536

    expect marked_data 0
    expect indicator_interrupts 4
