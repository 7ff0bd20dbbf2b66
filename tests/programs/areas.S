/* Work areas (C3): counts of data and code in arrays, the loader's and the program's own, of 1 to 8
 * bytes for granules of 1 to 64; read with RDAC and RDIC, and, after PROF_REG_SYNC, as memory. */
#include "tests/programs/counted.h"
    watch "area words 64 granule=4 size=4"
    watch "area bytes 16 granule=1 size=1 saturate counts=cells"
    watch "area lines 256 granule=64 size=2"
    watch "area routine * granule=4 size=8 counts=code_cells"

    .text
    function program
    la s1, words
    la s2, bytes
    la s3, lines
    la s4, routine
    li s5, 300
1:  jal ra, routine
    addi s5, s5, -1
    bnez s5, 1b
    ld t0, 4(s1)                # words 1 and 2

    rdac t1, s1
    demand t1, 300, 1
    addi t0, s1, 11
    rdac t1, t0
    demand t1, 1, 1
    rdac t1, s2
    demand t1, 255, 2
    addi t0, s2, 1
    rdac t1, t0
    demand t1, 0, 2
    rdac t1, s3
    demand t1, 0, 4
    addi t0, s3, 191
    rdac t1, t0
    demand t1, 600, 4
    rdic t1, s4
    demand t1, 300, 8
    addi t0, s4, 20
    rdic t1, t0
    demand t1, 300, 8
    la t0, program
    rdic t1, t0                 # in no area
    demand t1, 0, 8

    # Memory has all counts when the frames are merged.
    PROF_WRITE(PROF_REG_SYNC, zero)
    la t0, cells
    lbu t1, 0(t0)
    demand t1, 255, 16
    lhu t1, 2(t0)
    demand t1, 0xffff, 16      # bytes 2 and 3: 255 each
    la t0, code_cells
    ld t1, 0(t0)
    demand t1, 300, 16
    ld t1, 40(t0)
    demand t1, 300, 16
    ld t1, 48(t0)               # the bytes after it are left alone
    demand t1, -1, 16

    # Cleared, a cell begins again.
    rdac_clear t1, s1
    demand t1, 300, 32
    lw t0, 0(s1)
    rdac t1, s1
    demand t1, 1, 32
    # The last area moves to other counts, and then is no area.
    PROF_READ(t0, PROF_REG_AREA + 3*8 + PROF_AREA_COUNTS)
    addi t0, t0, 8
    PROF_WRITE(PROF_REG_AREA + 3*8 + PROF_AREA_COUNTS, t0)
    addi t0, s4, 4
    rdic t1, t0
    demand t1, 300, 32          # the count of the instruction after it
    addi t0, t0, 16
    rdic t1, t0
    demand t1, -1, 32
    PROF_WRITE(PROF_REG_AREA + 3*8 + PROF_AREA_SIZE, zero)
    jal ra, routine
    rdic t1, s4                 # no area any more
    demand t1, 0, 64
    li t0, 8
    PROF_WRITE(PROF_REG_AREA + 3*8 + PROF_AREA_SIZE, t0)
    PROF_READ(t0, PROF_REG_AREA + 3*8 + PROF_AREA_COUNTS)
    addi t0, t0, -8
    PROF_WRITE(PROF_REG_AREA + 3*8 + PROF_AREA_COUNTS, t0)
    j pass
    end_function program

    .balign 64
    function routine            # 300 calls, and one call that no area counts
    times 300
    lw t0, 0(s1)
    lb t0, 0(s2)
    sh t0, 2(s2)
    sd t0, 128(s3)
    ld t0, 184(s3)
    ret
    end_function routine

    .data
    .balign 128
words:
    .skip 64
    .size words, 64
    .balign 64
    .global cells
    .type cells, @object
cells:
    .skip 16
    .size cells, 16
    .global code_cells
    .type code_cells, @object
code_cells:
    .skip 48
    .size code_cells, 48
    .dword -1
    .balign 128
bytes:
    .skip 128
lines:
    .skip 256
    accessed words, 4, 2
    accessed words+4, 4, 1
    accessed words+8, 4, 1
    accessed bytes, 1, 255
    accessed bytes+2, 1, 255
    accessed bytes+3, 1, 255
    accessed lines+128, 64, 301+301
