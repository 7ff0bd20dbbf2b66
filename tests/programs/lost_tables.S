/* Translation tables and blocks that lie outside memory or are misaligned, and segments without an
 * end: none of these are metadata. Instructions that run meanwhile are not counted, earlier counts
 * are not lost, and when the right values are back, everything is as before. */
#include "tests/programs/counted.h"
    watch "mine 4 counter"
    watch "datum 8 counter granule=8"

/* Segment 0 is of code, segment 1 of data; the loader made both, in the order of their kinds. */
#define SEGMENT(i, word) (PROF_REG_SEGMENT + 4 * (i) + (word))

    # rd: address of the word of segment i's table that stands for the line of `label`
    .macro word_of rd, i, label, shift
    PROF_READ(\rd, SEGMENT(\i, 0))
    la t0, \label
    sub t0, t0, \rd
    csrr t1, CSR_PROF_LINES
    srl t1, t1, \shift
    andi t1, t1, 0xff
    srl t0, t0, t1
    slli t0, t0, 3
    PROF_READ(\rd, SEGMENT(\i, 2))
    add \rd, \rd, t0
    .endm

    .text
    function program
    li s10, 0                   # calls that are counted
    word_of s2, 0, mine, zero
    li t2, 8
    word_of s3, 1, datum, t2
    ld s4, 0(s2)
    ld s5, 0(s3)
    jal ra, mine
    addi s10, s10, 1

    # Both blocks at each of these places.
    la s6, blocks
    la s7, end_of_blocks
1:  ld t0, 0(s6)
    sd t0, 0(s2)
    sd t0, 0(s3)
    PROF_WRITE(PROF_REG_SYNC, zero)
    jal ra, mine
    jal ra, mine
    sd s4, 0(s2)
    sd s5, 0(s3)
    PROF_WRITE(PROF_REG_SYNC, zero)
    jal ra, mine
    addi s10, s10, 1
    addi s6, s6, 8
    bne s6, s7, 1b

    # Both tables.
    PROF_READ(s4, SEGMENT(0, 2))
    PROF_READ(s5, SEGMENT(1, 2))
    la s6, tables
    la s7, end_of_tables
2:  ld t0, 0(s6)
    PROF_WRITE(SEGMENT(0, 2), t0)
    PROF_WRITE(SEGMENT(1, 2), t0)
    jal ra, mine
    jal ra, mine
    PROF_WRITE(SEGMENT(0, 2), s4)
    PROF_WRITE(SEGMENT(1, 2), s5)
    jal ra, mine
    addi s10, s10, 1
    addi s6, s6, 8
    bne s6, s7, 2b

    # Segments of no bytes, and some so large that they end before they begin.
    PROF_READ(s4, SEGMENT(0, 1))
    PROF_READ(s5, SEGMENT(1, 1))
    la s6, sizes
    la s7, end_of_sizes
3:  ld t0, 0(s6)
    PROF_WRITE(SEGMENT(0, 1), t0)
    PROF_WRITE(SEGMENT(1, 1), t0)
    jal ra, mine
    jal ra, mine
    PROF_WRITE(SEGMENT(0, 1), s4)
    PROF_WRITE(SEGMENT(1, 1), s5)
    jal ra, mine
    addi s10, s10, 1
    addi s6, s6, 8
    bne s6, s7, 3b

    li t0, 1+8+6+3
    sub t0, s10, t0
    demand t0, 0, 1
    la t0, mine
    rdic t1, t0
    sub t1, t1, s10
    demand t1, 0, 2
    la t0, datum
    rdac t1, t0
    sub t1, t1, s10
    demand t1, 0, 4
    demand s9, 1+3*(8+6+3), 8
    j pass
    end_function program

    .balign 128
    function mine
    addi s9, s9, 1
    la t0, datum
    ld t0, 0(t0)
    ret
    end_function mine

    .data
    .balign 128
datum:
    .skip 128
    # below memory, misaligned, too near its end, after it, where addresses end
blocks:
    .dword 0x10, 0x7ffffff0, 0x80000001, 0x80000008, 0x8ffffff8, 0x90000000, -16, -1
end_of_blocks:
tables:
    .dword 0x10, 0x7ffff000, 0x80000003, 0x90000000, 0x8000000000000000, -8
end_of_tables:
sizes:
    .dword 0, -8, -1
end_of_sizes:
