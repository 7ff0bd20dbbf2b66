/* Counters of the performance monitor, programmed and read by the program itself: limited to marked
 * instructions, to a label, to the time between start and stop, to a range; stopped; limited to a
 * privilege. Every counter is read once for each purpose and must be exact. */
#include "tests/programs/counted.h"
#include "tests/programs/counters.h"
    watch "marked   * count label=7"
    watch "labelled * label=9"
    watch "begin    4 start"
    watch "end      4 stop"
    watch "turn     4 toggle"
    watch "range I0 ranged_code *"

    .text
    function program
    # Only marked instructions: 11 calls of 5; only those with label 7: the same; label 9: 8 calls
    # of 4.
    count 3, SELECT(INSNS_RETIRED, MARKED, 0)
    count 4, SELECT(INSNS_RETIRED, LABEL, 7)
    count 5, SELECT(INSNS_RETIRED, LABEL, 9)
    count 6, SELECT(STORES, MARKED, 0)
    li s1, 11
1:  jal ra, marked
    addi s1, s1, -1
    bnez s1, 1b
    li s1, 8
1:  jal ra, labelled
    addi s1, s1, -1
    bnez s1, 1b
    counted 3, 11*5, 1
    counted 4, 11*5, 2
    counted 5, 8*4, 3
    counted 6, 11*2, 4

    # Between start and stop everything counts, also code that is not marked: a round is 2 of
    # `begin`, the call of `plain`, its 3, 4 nops, the call of `end`: 11. Branches, stores, calls
    # likewise.
    count 3, SELECT(INSNS_RETIRED, TOGGLE, 0)
    count 4, SELECT(CALLS, TOGGLE, 0)
    count 5, SELECT(STORES, TOGGLE, 0)
    count 6, SELECT(BRANCHES_TAKEN, TOGGLE, 0)
    li s1, 12
1:  jal ra, begin
    jal ra, plain
    nop
    nop
    nop
    nop
    jal ra, end
    nop
    jal ra, plain
    addi s1, s1, -1
    bnez s1, 1b
    counted 3, 12*11, 5
    counted 4, 12*2, 6
    counted 5, 12*1, 7
    counted 6, 0, 8

    # Toggle: on at the first call, which counts itself; off at the second, which does not. 7 calls
    # with 6 nops, a subtraction and a branch between them, so 4 times on, 3 times off. On: `turn`
    # itself and its return, then 6 + 1 + 1 and the next call: 11. After the 7th the next call is
    # that of `end`.
    count 3, SELECT(INSNS_RETIRED, TOGGLE, 0)
    count 4, SELECT(RETURNS, TOGGLE, 0)
    li s1, 7
1:  jal ra, turn
    nop
    nop
    nop
    nop
    nop
    nop
    addi s1, s1, -1
    bnez s1, 1b
    jal ra, end
    counted 3, 4*(2+6+1+1+1), 9
    counted 4, 4, 10

    # Inside range I0: 9 calls of 3, and the same in the range register itself, by index.
    count 3, SELECT(INSNS_RETIRED, RANGE, 0)
    count 4, SELECT(LOADS, RANGE, 0)
    li s1, 9
1:  jal ra, ranged_code
    addi s1, s1, -1
    bnez s1, 1b
    counted 3, 9*3, 11
    counted 4, 9, 12
    PROF_READ(t1, PROF_REG_IRANGE + 2)
    demand t1, 9, 13
    PROF_READ(t1, PROF_REG_IRANGE + 3)
    demand t1, 27, 14

    # A range register the program sets itself, and moves.
    la t0, plain
    PROF_WRITE(PROF_REG_IRANGE + 4, t0)
    addi t0, t0, 12
    PROF_WRITE(PROF_REG_IRANGE + 5, t0)
    PROF_WRITE(PROF_REG_IRANGE + 6, zero)
    PROF_WRITE(PROF_REG_IRANGE + 7, zero)
    jal ra, plain
    jal ra, plain
    PROF_READ(t1, PROF_REG_IRANGE + 6)
    demand t1, 2, 15
    PROF_READ(t1, PROF_REG_IRANGE + 7)
    demand t1, 6, 16

    # A counter that is inhibited stands still.
    count 3, SELECT(INSNS_RETIRED, ALL, 0)
    li t0, 8
    csrs mcountinhibit, t0
    csrw mhpmcounter3, zero
    jal ra, plain
    counted 3, 0, 17
    csrc mcountinhibit, t0

    # No events: selector 0 counts nothing.
    count 3, 0
    jal ra, plain
    counted 3, 0, 18

    # Not in machine mode (MINH): nothing here. In user mode: 4 nops; the ecall traps, and is not
    # counted. Not in user mode (UINH): everything else.
    li t0, 1 << 62 | EVENT_INSNS_RETIRED
    csrw mhpmevent3, t0
    csrw mhpmcounter3, zero
    li t0, 1 << 60 | EVENT_INSNS_RETIRED
    csrw mhpmevent4, t0
    csrw mhpmcounter4, zero
    la t0, back
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    la t0, user
    csrw mepc, t0
    li t0, 0x1800
    csrc mstatus, t0
    csrr s2, mhpmcounter4
    mret                        # counted in machine mode, with the csrr before it
    .balign 4
back:
    csrr s3, mhpmcounter4
    csrr s4, mhpmcounter3
    demand s4, 4, 19
    sub s3, s3, s2
    demand s3, 2, 20
    j pass
    end_function program

user:
    nop
    nop
    nop
    nop
    ecall

    function marked
    sd s1, -8(sp)
    sd s1, -16(sp)
    nop
    ld t0, -8(sp)
    ret
    end_function marked

    .balign 128
    function labelled
    sd s1, -8(sp)
    nop
    nop
    ret
    end_function labelled

    .balign 128
    function plain
    sd s1, -8(sp)
    nop
    ret
    end_function plain

    function begin
    nop
    ret
    end_function begin

    function end
    nop
    ret
    end_function end

    function turn
    nop
    ret
    end_function turn

    function ranged_code
    ld t0, -8(sp)
    nop
    ret
    end_function ranged_code

