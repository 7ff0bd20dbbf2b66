/* Range registers (R1-R3) that the program itself sets, moves and reads: eight of each kind at
 * once; bounds that make no sense; overflow. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"

    .macro range reg, first, end
    la t5, \first
    PROF_WRITE(\reg, t5)
    la t5, \end
    PROF_WRITE(\reg + 1, t5)
    PROF_WRITE(\reg + 2, zero)
    PROF_WRITE(\reg + 3, zero)
    .endm
    .macro saw reg, entries, inside, number
    PROF_READ(t1, \reg + 2)
    demand t1, \entries, \number
    PROF_READ(t1, \reg + 3)
    demand t1, \inside, \number
    .endm
#define I(n) PROF_REG_IRANGE + 4 * n
#define D(n) PROF_REG_DRANGE + 4 * n

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    la s2, table
    li s8, 0

    # Eight ranges of code that lie in, over and beside each other.
    range I(0), part0, part1
    range I(1), part1, part2
    range I(2), part2, part3
    range I(3), part3, routine_end
    range I(4), part0, routine_end      # all
    range I(5), part1, part3            # the middle
    range I(6), part1+4, part1+8        # one instruction
    range I(7), part0+2, part0+6        # only the one at part0+4 begins there
    # and eight of data
    range D(0), table, table+8
    range D(1), table+8, table+16
    range D(2), table, table+64
    range D(3), table+12, table+13      # inside the second word
    range D(4), table+16, table+24
    range D(5), table+24, table+64      # never
    range D(6), table+7, table+9        # across two words
    range D(7), table+63, table+64      # the last byte: never
    li s1, 20
1:  jal ra, routine
    addi s1, s1, -1
    bnez s1, 1b
    # part 0: 20 calls of 3. part 1: a loop of 4 rounds of 3, entered once a call. parts 2, 3: 2.
    saw I(0), 20, 20*3, 1
    saw I(1), 20, 20*4*3, 1
    saw I(2), 20, 20*2, 1
    saw I(3), 20, 20*2, 1
    saw I(4), 20, 20*(3+4*3+2+2), 1
    saw I(5), 20, 20*(4*3+2), 1
    saw I(6), 20*4, 20*4, 1
    saw I(7), 20, 20, 1
    # Accesses of a call: table+0 (8 bytes), then 4 times table+8 (8), then table+15 (2 bytes).
    saw D(0), 20, 20, 2
    saw D(1), 20, 20*5, 2
    saw D(2), 1, 20*6, 2
    saw D(3), 20, 20*4, 2
    saw D(4), 20, 20, 2
    saw D(5), 0, 0, 2
    saw D(6), 20, 20*5, 2
    saw D(7), 0, 0, 2

    # A range is moved while its code runs: the counts go on, and the next instruction inside is an
    # entry.
    range I(0), part0, part1
    jal ra, routine
    la t0, part2
    PROF_WRITE(I(0), t0)
    la t0, part3
    PROF_WRITE(I(0) + 1, t0)
    jal ra, routine
    saw I(0), 1+1, 3+2, 4
    # A range that is set inside itself begins after the instruction that sets it last.
    li t0, -1
    PROF_WRITE(I(0), t0)
    PROF_WRITE(I(0) + 2, zero)
    PROF_WRITE(I(0) + 3, zero)
    la t5, 2f
    la t4, 3f
    PROF_WRITE(I(0) + 1, t4)
    li t6, I(0)
    csrw CSR_PROF_INDEX, t6
2:  csrw CSR_PROF_DATA, t5
    nop
    nop
    nop
3:  saw I(0), 1, 3, 4

    # Ranges with senseless bounds count nothing: empty ones, reversed ones, at the ends of the
    # space.
    range I(0), part1, part1
    range I(1), part3, part0
    PROF_WRITE(I(2), zero)
    PROF_WRITE(I(2) + 1, zero)
    PROF_WRITE(I(2) + 2, zero)
    PROF_WRITE(I(2) + 3, zero)
    li t5, -1
    PROF_WRITE(I(3), t5)
    PROF_WRITE(I(3) + 1, t5)
    PROF_WRITE(I(3) + 2, zero)
    PROF_WRITE(I(3) + 3, zero)
    range D(0), table+8, table
    PROF_WRITE(D(1), t5)
    PROF_WRITE(D(1) + 1, zero)
    PROF_WRITE(D(1) + 2, zero)
    PROF_WRITE(D(1) + 3, zero)
    jal ra, routine
    saw I(0), 0, 0, 8
    saw I(1), 0, 0, 8
    saw I(2), 0, 0, 8
    saw I(3), 0, 0, 8
    saw D(0), 0, 0, 8
    saw D(1), 0, 0, 8
    # A range of the whole space counts every instruction except those that write registers.
    PROF_WRITE(I(4), zero)
    PROF_WRITE(I(4) + 1, t5)
    PROF_READ(s4, I(4) + 3)
    csrr s5, minstret
    jal ra, routine
    li t6, I(4) + 3
    csrw CSR_PROF_INDEX, t6
    csrr s6, minstret
    csrr s7, CSR_PROF_DATA
    sub s7, s7, s4
    sub s6, s6, s5
    addi s6, s6, 2              # the reads are one before and one after
    sub s7, s7, s6
    demand s7, 0, 16

    # Overflow of `executed` and of `entries` interrupts, each once, and the count goes on from 0.
    li t0, 0x2000
    csrs mie, t0
    csrsi mstatus, 8
    PROF_WRITE(I(4), zero)
    PROF_WRITE(I(4) + 1, zero)
    range I(0), part2, part2+4
    li t0, -2
    PROF_WRITE(I(0) + 3, t0)
    jal ra, routine
    demand s8, 0, 32
    jal ra, routine
    .rept 40
    nop
    .endr
    demand s8, 1, 32
    saw I(0), 2, 0, 32
    li t0, -1
    PROF_WRITE(I(0) + 2, t0)
    jal ra, routine
    .rept 40
    nop
    .endr
    demand s8, 2, 32
    saw I(0), 0, 1, 32
    range D(0), table+8, table+16
    li t0, -5
    PROF_WRITE(D(0) + 3, t0)
    jal ra, routine
    .rept 40
    nop
    .endr
    demand s8, 3, 32
    saw D(0), 1, 0, 32
    j pass
    end_function program

    # 3 + 4 * 3 + 2 + 2 instructions
    function routine
part0:
    li t0, 4
    ld t1, 0(s2)
    nop
part1:
    ld t1, 8(s2)
    addi t0, t0, -1
    bnez t0, part1
part2:
    lh t1, 15(s2)
    nop
part3:
    nop
    ret
routine_end:
    end_function routine

    .balign 4
handler:
    csrr t3, mcause
    bgez t3, 9f
    addi s8, s8, 1
    li t3, 0x2000
    csrc mip, t3
    mret
9:  li a0, 127
    j fail

    .data
    .balign 64
table:
    .skip 64
