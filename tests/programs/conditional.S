/* Store conditionals that fail touch no datum: the datum's counter and a range of data count LR,
 * AMO, and the store conditionals that succeed. */
#include "tests/programs/counted.h"
    watch "program * counter"
    watch "cells 64 counter granule=8"

    .text
    function program
    times 1
    la s1, cells
    addi s3, s1, 16
    la s4, apart
    PROF_WRITE(PROF_REG_DRANGE + 0, s1)
    addi t0, s1, 64
    PROF_WRITE(PROF_REG_DRANGE + 1, t0)
    li s5, 0                    # how many failed
    li s2, 7
1:  times 7
    atomic sc, t1, t0, (s1)     # no reservation: fails
    add s5, s5, t1
    atomic lr, t0, (s1)         # cell 0: 7
    atomic sc, t1, s2, (s1)     # cell 0: 14
    add s5, s5, t1
    atomic sc, t1, s2, (s1)     # once is enough: fails
    add s5, s5, t1
    atomic lr, t0, (s3)         # cell 2: 7
    atomic sc, zero, t0, (s4)   # another line: fails, and has nowhere to say so
    atomic sc, zero, t0, (s3)   # the reservation is used up: fails
    atomic amoadd, t0, s2, (s3) # cell 2: 14
    addi s2, s2, -1
    bnez s2, 1b                 # 6 taken
    times 1
    demand s5, 2*7, 1
    PROF_READ(t0, PROF_REG_DRANGE + 2)
    demand t0, 1, 2
    PROF_READ(t0, PROF_REG_DRANGE + 3)
    demand t0, 28, 4
    accessed cells+0, 8, 14
    accessed cells+8, 8, 0
    accessed cells+16, 8, 14
    .irp i, 24, 32, 40, 48, 56
    accessed cells+\i, 8, 0
    .endr
    j pass
    end_function program

    .data
    .balign 128
cells:
    .skip 64
apart:
    .skip 64

    expect atomics 7*8
    expect loads 0
    expect stores 1             # of the exit code
