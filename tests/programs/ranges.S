/* Range registers: a range is entered when the instruction, or the data access, before was
 * outside. */
#include "tests/programs/counted.h"
    watch "range I0 inner *"
    watch "range I1 outer *"
    watch "range I2 never *"
    watch "range D0 table 64"
    watch "range D1 table+32 8"

    .text
    function program
    la s2, table
    la s3, table + 128
    li s1, 6
1:  jal ra, outer
    addi s1, s1, -1
    bnez s1, 1b
    j pass
    end_function program

    # 6 calls. outer is entered by each call and by each return from inner: 6 * (1 + 3).
    # Instructions: 3 + 3 * 3 + 3 a call.
    function outer
    addi sp, sp, -16            # 6
    sd ra, 0(sp)                # 6, a store outside the data ranges
    li s4, 3                    # 6
1:  jal ra, inner               # 18
    addi s4, s4, -1             # 18
    bnez s4, 1b                 # 18
    ld ra, 0(sp)                # 6
    addi sp, sp, 16             # 6
    ret                         # 6
    end_function outer

    # 18 calls of 7 instructions. The jumps inside are no entries.
    function inner
    ld t0, 0(s2)                # D0: 18, entered once in each call of outer
    sw t0, 32(s2)               # D0 and D1: 18, D1 entered
    ld t0, 40(s2)               # D0: 18, D1 left
    j 1f
    nop
1:  ld t0, 0(s3)                # outside both: 18
    sb t0, 63(s2)               # D0: 18, entered again
    ret
    end_function inner

    function never
    nop
    nop
    ret
    end_function never

    .data
    .balign 128
table:
    .skip 256

    ranged I0, 18, 18*7
    ranged I1, 6*(1+3), 6*(3+3*3+3)
    ranged I2, 0, 0
    ranged D0, 6*(1+3), 18*4
    ranged D1, 18, 18
    expect loads 18*3+6
    expect stores 18*2+6+1
    expect calls 18+6
    expect returns 18+6
