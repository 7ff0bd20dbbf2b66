/* The kinds of marks that are seen in events only: counting bundles, data, and lines that miss. */
#include "tests/programs/counted.h"
    watch "block+20 4 count bundle"     # offsets 16 up to 32: four instructions
    watch "datum 8 count"
    watch "line 16 on-miss"

    .text
    function program
    li s1, 10
1:  jal ra, block
    addi s1, s1, -1
    bnez s1, 1b

    la s2, datum                # one load, one store, one atomic a round, one byte: 4 * 7
    li s1, 7
2:  ld t0, 0(s2)
    sd t0, 0(s2)
    amoadd.d t0, s1, (s2)
    lb t0, 7(s2)
    ld t0, 8(s2)                # not marked
    addi s1, s1, -1
    bnez s1, 2b

    # 12 times the marked line and one 1024 bytes after it, by turns, without a branch that could be
    # mispredicted; each load waits for the one before. Loaded values are 0.
    la s3, line
    li t2, 1024
    .rept 12
    ld t0, 0(s3)
    add s3, s3, t0
    add s4, s3, t2
    ld t0, 0(s4)
    add s3, s3, t0
    .endr
    j pass
    end_function program

    .balign 64
    function block
    .rept 11
    addi s5, s5, 1
    .endr
    ret
    end_function block

    .bss
    .balign 4096
line:
    .skip 4096
    .data
    .balign 128
datum:
    .skip 128

    expect marked_insns 4*10
    expect marked_data 4*7
