/* Debug triggers (Sdtrig) of a program: breakpoints before instructions and accesses, which then
 * have no effect; single step; chained ranges that count exactly what range registers count; traps
 * that are counted, or stopped at their handler. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#include "tests/programs/trigger.h"
#define EXECUTE 4
#define STORE 2
#define LOAD 1
#define MODE_U 8
#define MODE_M 64
#define GE (2 << 7)
#define LT (3 << 7)
#define CHAIN (1 << 11)
#define SIGNAL_8 (8 << 12)
#define SIGNAL_9 (9 << 12)
#define MCONTROL6 (6 << (__riscv_xlen - 4))
#define ICOUNT (3 << (__riscv_xlen - 4))
#define ETRIGGER (5 << (__riscv_xlen - 4))
#define ITRIGGER (4 << (__riscv_xlen - 4))
#define INSIDE (__riscv_xlen / 16)          /* a byte of the register at `word`, not the first */
#define SECOND (INSIDE & 4)                 /* the aligned word that has it */

    # The trap was a breakpoint at pc with that address; the instruction there was skipped.
    .macro broke_at pc, address, number
    demand s2, 1, \number
    la t1, \pc
    sub t1, t1, s4
    demand t1, 0, \number
    la t1, \address
    sub t1, t1, s5
    demand t1, 0, \number
    li s2, 0
    .endm

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    li s2, 0
    li s3, 3                            # cause that is expected
    la s6, word
    csrsi mstatus, 8

    # A breakpoint before an instruction, which then has no effect.
    trigger 0, b1, MCONTROL6 | MODE_M | EXECUTE
    li s7, 5
b1: li s7, 6
    broke_at b1, b1, 1
    demand s7, 5, 1
    csrr t1, tdata1
    li t2, 1 << 22                      # hit: before
    and t1, t1, t2
    sub t1, t1, t2
    demand t1, 0, 1
    # In M without MIE the breakpoint is kept back.
    csrci mstatus, 8
    trigger 0, b2, MCONTROL6 | MODE_M | EXECUTE
b2: li s7, 7
    csrsi mstatus, 8
    demand s2, 0, 1
    demand s7, 7, 1
    disable 0

    # Breakpoints before stores and loads, at any byte that they access; an AMO is both; before
    # instructions that act at the head.
    trigger 1, word + INSIDE, MCONTROL6 | MODE_M | STORE
    STORE_REG zero, 8(s6)
b3: STORE_REG zero, 0(s6)
    broke_at b3, word, 2
    LOAD_REG s7, 0(s6)
    demand s7, 77, 2
    addi s6, s6, SECOND
b4: amoadd.w s7, s6, (s6)
    addi s6, s6, -SECOND
    broke_at b4, word + SECOND, 2
    demand s7, 77, 2
    trigger 1, word, MCONTROL6 | MODE_M | LOAD
b5: atomic lr, s7, (s6)
    broke_at b5, word, 2
b6: lb s7, 0(s6)
    broke_at b6, word, 2
    STORE_REG zero, 0(s6)
    demand s2, 0, 2
    lb s7, 8(s6)
    demand s7, 0, 2
    disable 1
    la t0, b7
    trigger 1, b7, MCONTROL6 | MODE_M | EXECUTE
b7: csrw mscratch, t0
    broke_at b7, b7, 2
    csrr t1, mscratch
    demand t1, 0, 2
    disable 1

    # Single step: after 3 instructions.
    li s3, 3
    trigger 2, 0, ICOUNT | 1 << 9 | 3 << 10
    nop
    nop
    nop
b8: li s7, 9                            # skipped by the handler
    demand s2, 1, 4
    la t1, b8
    sub t1, t1, s4
    demand t1, 0, 4
    demand s5, 0, 4                     # tval
    li s2, 0
    disable 2

    # A range of code and one of data, by chained pairs and by range registers: the same counts, in
    # events, counters and ranges.
    la t0, work
    PROF_WRITE(PROF_REG_IRANGE, t0)
    la t0, work_end
    PROF_WRITE(PROF_REG_IRANGE + 1, t0)
    la t0, table
    PROF_WRITE(PROF_REG_DRANGE, t0)
    la t0, table_end
    PROF_WRITE(PROF_REG_DRANGE + 1, t0)
    trigger 3, work, MCONTROL6 | MODE_M | EXECUTE | GE | CHAIN
    trigger 4, work_end, MCONTROL6 | MODE_M | EXECUTE | LT | SIGNAL_8
    trigger 5, table, MCONTROL6 | MODE_M | LOAD | STORE | GE | CHAIN
    trigger 6, table_end, MCONTROL6 | MODE_M | LOAD | STORE | LT | SIGNAL_9
    li t0, EVENT_TRIGGER_8
    csrw mhpmevent3, t0
    li t0, EVENT_TRIGGER_9
    csrw mhpmevent4, t0
    li t0, EVENT_TRIGGER_8 | PMU_FILTER_RANGE << PMU_FILTER_SHIFT
    csrw mhpmevent5, t0
    csrw mhpmcounter3, zero
    csrw mhpmcounter4, zero
    csrw mhpmcounter5, zero
    li s1, 50
1:  jal ra, work
    addi s1, s1, -1
    bnez s1, 1b
    csrr s7, mhpmcounter3
    csrr s8, mhpmcounter4
    csrr s9, mhpmcounter5
    demand s7, 50*(4+1) + 25, 8
    demand s8, 50*2, 8
    demand s9, 50*(4+1) + 25, 8
    PROF_READ(t1, PROF_REG_IRANGE + 3)
    sub t1, t1, s7
    demand t1, 0, 8
    PROF_READ(t1, PROF_REG_DRANGE + 3)
    sub t1, t1, s8
    demand t1, 0, 8
    disable 3
    disable 4
    disable 5
    disable 6

    # Illegal instructions counted: 3 of M. The trap of a trap is counted too, but not here.
    trigger 0, 0, ETRIGGER | 1 << 9 | 8
    li t0, 1 << 2
    csrw tdata2, t0
    csrw mhpmcounter3, zero
    li s3, 2
    li s1, 3
1:  .word 0
    addi s1, s1, -1
    bnez s1, 1b
    csrr t1, mhpmcounter3
    demand t1, 3, 16
    demand s2, 3, 16
    disable 0
    # Software interrupts of M to itself: 1.
    trigger 0, 0, ITRIGGER | 1 << 9 | 9
    li t0, 1 << 3
    csrw tdata2, t0
    csrw mhpmcounter4, zero
    csrw mie, t0
    li t1, 0x2000000
    li t0, 1
    sw t0, 0(t1)
    .rept 40
    nop
    .endr
    csrw mie, zero
    csrr t1, mhpmcounter4
    demand t1, 1, 16
    disable 0

    # A call from U to S stops before the first instruction of its handler.
    li s2, 0
    li s3, 3
    li t0, 1 << 8
    csrw medeleg, t0
    la t0, supervisor
    csrw stvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    trigger 0, 0, ETRIGGER | 1 << 6
    li t0, 1 << 8
    csrw tdata2, t0
    li t0, 3 << 11
    csrc mstatus, t0
    la t0, user
    csrw mepc, t0
    la s8, 1f
    mret
1:  demand s2, 1, 32
    la t1, supervisor
    sub t1, t1, s4
    demand t1, 0, 32
    csrr t1, scause
    demand t1, 8, 32
    j pass
    end_function program

    .balign 4
user:
    ecall
    .balign 4
supervisor:
    nop                                 # skipped by the handler
    ebreak                              # back to M

    # Odd calls have a nop more.
    function work
    andi t0, s1, 1
    beqz t0, 1f
    nop
1:  STORE_REG s1, 32(s6)
    LOAD_REG t0, 40(s6)
    ret
work_end:
    end_function work

    # Counts the trap in s2, pc in s4, tval in s5, and goes on after the instruction (to s8 at the
    # second one of S).
    .balign 4
handler:
    csrr t3, mcause
    bltz t3, 2f
    sub t3, t3, s3
    bnez t3, 9f
    csrr t3, mstatus
    srli t3, t3, 11
    andi t3, t3, 3
    li t4, 1
    bne t3, t4, 1f
    beqz s2, 1f
    jr s8
1:  addi s2, s2, 1
    csrr s4, mepc
    csrr s5, mtval
    addi t3, s4, 4
    csrw mepc, t3
    mret
2:  li t3, 0x2000000
    sw zero, 0(t3)
    mret
9:  li a0, 127
    j fail

    .data
    .balign 64
word:
    .dword 77, 0
    .balign 32
table:
    .dword 0
    .dword 0
table_end:
    .dword 0
