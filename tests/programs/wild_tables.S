/* Metadata that a program has corrupted: translation tables and blocks full of nonsense, segments
 * that leave memory. The machine may count anything then, but it goes on, and the program's own
 * results are right. */
#include "tests/programs/counted.h"
    watch "routine * counter"
    watch "table 128 counter granule=8"

    .text
    function program
    li a1, 0
    jal ra, routine
    # The blocks of segments 0 and 1, through their tables: every word becomes nonsense.
    li s1, 0
1:  slli t0, s1, 2
    addi t0, t0, PROF_REG_SEGMENT + 2
    csrw CSR_PROF_INDEX, t0
    csrr s2, CSR_PROF_DATA      # physical address of the table
    beqz s2, 3f
    li s3, 64                   # its first 64 words
2:  ld s4, 0(s2)
    beqz s4, 4f
    li t1, -1
    slli t2, s3, 32
    xor t1, t1, t2
    sd t1, 0(s4)                # items, flags, granule, label
    sd t1, 16(s4)
    sd t1, 24(s4)
    sd t1, 32(s4)
4:  addi s2, s2, 8
    addi s3, s3, -1
    bnez s3, 2b
    jal ra, routine
    jal ra, routine
3:  addi s1, s1, 1
    li t0, 2
    bne s1, t0, 1b

    # Tables that lie nowhere, in odd places, at the edges; segments of every size.
    la s5, places
    li s6, 11
5:  ld s7, 0(s5)
    la s8, places
    li s9, 11
6:  ld s10, 0(s8)
    PROF_WRITE(PROF_REG_SEGMENT + 1, s10)
    PROF_WRITE(PROF_REG_SEGMENT + 2, s7)
    PROF_WRITE(PROF_REG_SEGMENT + 5, s10)
    PROF_WRITE(PROF_REG_SEGMENT + 6, s7)
    PROF_WRITE(PROF_REG_SEGMENT + 7, s9)
    jal ra, routine
    addi s8, s8, 8
    addi s9, s9, -1
    bnez s9, 6b
    addi s5, s5, 8
    addi s6, s6, -1
    bnez s6, 5b
    demand a1, 1+4+11*11, 1
    j pass
    end_function program

    function routine
    la t0, table
    ld t1, 0(t0)
    sd t1, 8(t0)
    amoadd.d t1, t1, (t0)
    addi a1, a1, 1
    ret
    end_function routine

    .data
    .balign 128
table:
    .skip 128
places:
    .dword 0, 1, 8, 0x7ffffff8, 0x80000000, 0x80000003, 0x8ffffff8, 0x8fffffff, 0x90000000, -8, -1
