/* A program that writes its own metadata: the count of an item, and random bytes all over it.
 * Between two writes to PROF_REG_SYNC memory holds every count, and values stored there take
 * effect. */
#include "tests/programs/counted.h"
    watch "mine 4 counter"

#define ITEM_FLAGS 0
#define ITEM_COUNT 16
#define ITEM_CLEARED 24

    .text
    function program
    # Text segment 0: table word of the line, block of 16 bytes, an item of 32 for each halfword.
    PROF_READ(s2, PROF_REG_SEGMENT + 0)
    PROF_READ(s3, PROF_REG_SEGMENT + 2)
    csrr s4, CSR_PROF_LINES
    andi s4, s4, 0xff
    la s5, mine
    sub t0, s5, s2
    srl t0, t0, s4
    slli t0, t0, 3
    add s3, s3, t0
    ld s3, 0(s3)                # the block
    li t0, 1
    sll t0, t0, s4
    addi t0, t0, -1
    and t0, t0, s5
    slli t0, t0, 4              # halfwords, 32 bytes each
    addi s3, s3, 16
    add s3, s3, t0              # the item

    jal ra, mine
    jal ra, mine
    PROF_WRITE(PROF_REG_SYNC, zero)
    ld t0, ITEM_COUNT(s3)
    demand t0, 2, 1
    li t0, 100
    sd t0, ITEM_COUNT(s3)
    li s1, 7
1:  jal ra, mine
    addi s1, s1, -1
    bnez s1, 1b
    PROF_WRITE(PROF_REG_SYNC, zero)
    ld t0, ITEM_COUNT(s3)
    demand t0, 107, 2
    .insn r 0x0b, PROF_F3_RDIC, 0, t0, s5, x0
    demand t0, 107, 4

    # A store removes the mark; another marks again.
    lhu s6, ITEM_FLAGS(s3)
    sh zero, ITEM_FLAGS(s3)
    PROF_WRITE(PROF_REG_SYNC, zero)
    jal ra, mine
    sh s6, ITEM_FLAGS(s3)
    PROF_WRITE(PROF_REG_SYNC, zero)
    jal ra, mine
    PROF_WRITE(PROF_REG_SYNC, zero)
    ld t0, ITEM_COUNT(s3)
    demand t0, 108, 8

    # Random bytes in the item, then in the block: the only guarantee is that the program goes on.
    li t0, -1
    sd t0, 0(s3)
    sd t0, 8(s3)
    PROF_WRITE(PROF_REG_SYNC, zero)
    li s1, 50
1:  jal ra, mine
    addi s1, s1, -1
    bnez s1, 1b
    PROF_WRITE(PROF_REG_SYNC, zero)
    li t0, -1
    andi t1, s3, -64
    .irp offset, -64, -56, -48, -40, -32, -24, -16, -8
    sd t0, \offset(s3)
    .endr
    PROF_WRITE(PROF_REG_SYNC, zero)
    li s1, 50
1:  jal ra, mine
    addi s1, s1, -1
    bnez s1, 1b
    PROF_WRITE(PROF_REG_SYNC, zero)
    j pass
    end_function program

    .balign 128
    .skip 64
    function mine
    addi s7, s7, 1
    ret
    end_function mine
