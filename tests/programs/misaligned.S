/* Misaligned accesses of every width, inside a word, across two doublewords, lines and pages:
 * values are right, and each access counts once. */
#include "tests/programs/counted.h"
    .irp name, program, sweep
    watch "\name * counter"
    .endr

    .text
    function program
    times 1
    la a0, page - 4096          # within a line
    jal ra, sweep
    la a0, page - 2048 + 128 - 8    # across two lines, of whatever size up to 128
    jal ra, sweep
    la a0, page - 8             # across two pages
    jal ra, sweep
    j pass
    end_function program

    # For each offset 0..7 from a0: a doubleword, word and half are stored, and read back. Of eight
    # offsets 7 are misaligned for a doubleword, 6 for a word, 4 for a half.
    function sweep              # 3 calls
    times 3
    li s2, 8
    li s3, 0x0123456789abcdef   # lui, addiw, slli ...: however many, each once
1:  times 3*8
    sd s3, 0(a0)                # stores
    ld t0, 0(a0)                # loads
    bne t0, s3, 9f              # 0 taken
    lwu t1, 0(a0)               # little-endian
    slli t2, s3, 32
    srli t2, t2, 32
    bne t1, t2, 9f
    lhu t1, 0(a0)
    slli t2, s3, 48
    srli t2, t2, 48
    bne t1, t2, 9f
    not t3, s3
    sw t3, 0(a0)
    lw t1, 0(a0)
    sext.w t2, t3
    bne t1, t2, 9f
    sh s3, 0(a0)
    lh t1, 0(a0)
    slli t2, s3, 48
    srai t2, t2, 48
    bne t1, t2, 9f
    lbu t1, 3(a0)               # of the word that was stored
    slli t2, t3, 32
    srli t2, t2, 56
    bne t1, t2, 9f
    addi a0, a0, 1
    addi s2, s2, -1
    bnez s2, 1b                 # 3 * 7 taken
    times 3
    ret
    times 0
9:  li a0, 1
    j fail
    end_function sweep

    .data
    .balign 4096
    .skip 4096
page:
    .skip 4096

    # per 8 offsets: sd, ld 7 each; lwu, sw, lw 6 each; lhu, sh, lh 4 each
    expect misaligned 3*(2*7+3*6+3*4)
    expect loads 3*8*6
    expect stores 3*8*3+1
    expect branches 3*8*7
    expect branches_taken 3*7
    expect calls 3
    expect returns 3
    expect traps 0
