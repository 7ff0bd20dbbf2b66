/* The program reads its own data and instruction counts: RDAC and RDIC, and the forms that clear. A
 * cleared count starts again at 0, and is not lost: the host still reports the sum. */
#include "tests/programs/counted.h"
    watch "program * counter"
    watch "routine * counter"
    watch "table 64 counter granule=8"

    .text
    function program
    times 1
    la s1, table                # auipc, addi
    la s2, routine              # auipc, addi
    addi s3, s1, 8
    addi s4, s1, 13             # a byte of the second doubleword
    rdac t1, s1
    demand t1, 0, 1
    rdic t1, s2
    demand t1, 0, 1

    # Five calls: four accesses each, two to the first doubleword, two to the second.
    li s5, 5
1:  times 5
    jal ra, routine
    addi s5, s5, -1
    bnez s5, 1b
    times 1
    rdac t1, s1
    demand t1, 10, 2
    rdac t1, s3
    demand t1, 10, 2
    rdac t1, s4
    demand t1, 10, 2
    rdac t1, s1                 # reading is no access
    demand t1, 10, 2
    rdic t1, s2
    demand t1, 5, 4

    # An access directly before is in the count, one directly after is not.
    ld t0, 0(s1)
    rdac t1, s1
    ld t0, 0(s1)
    demand t1, 11, 8
    rdac t1, s1
    demand t1, 12, 8

    # Cleared: the value comes back, then it is 0, the neighbour keeps its own.
    rdac_clear t1, s1
    demand t1, 12, 16
    rdac t1, s1
    demand t1, 0, 16
    rdac t1, s3
    demand t1, 10, 16
    sd zero, 0(s1)
    rdac_clear t1, s1
    demand t1, 1, 16
    rdac_clear t1, s1
    demand t1, 0, 16
    rdic_clear t1, s2
    demand t1, 5, 32
    rdic t1, s2
    demand t1, 0, 32
    jal ra, routine
    rdic t1, s2
    demand t1, 1, 32
    addi t2, s2, 4              # another instruction of it
    rdic t1, t2
    demand t1, 6, 32

    # Nothing marked: 0.
    addi t2, s1, 64
    rdac t1, t2
    demand t1, 0, 64
    rdac t1, sp
    demand t1, 0, 64
    la t2, fail
    rdic t1, t2
    demand t1, 0, 64
    j pass
    end_function program

    function routine            # 6 calls
    times 6
    ld t0, 0(s1)
    lw t0, 4(s1)
    sd t0, 8(s1)
    sb t0, 15(s1)
    ret
    end_function routine

    .data
    .balign 128
table:
    .skip 128
    # 6 calls, then two loads and a store
    accessed table+0, 8, 6*2+2+1
    accessed table+8, 8, 6*2
    .irp i, 16, 24, 32, 40, 48, 56
    accessed table+\i, 8, 0
    .endr

    expect loads 6*2+2
    expect stores 6*2+1+1
    expect calls 6
    expect returns 6
