/* Marked data: loads, stores and atomics of every width on items of 1, 2, 4, 8 and 16 bytes. An
 * access counts once at every item that it touches. */
#include "tests/programs/counted.h"
    watch "program * counter"
    watch "segment .data"
    watch "bytes 16 counter granule=1"
    watch "halves 16 counter granule=2"
    watch "words 64 counter granule=4"
    watch "doubles 64 counter granule=8"
    watch "quads 64 counter granule=16"
    watch "edge 16 counter granule=8"
    watch "array 8192 counter granule=8"

    .text
    function program
    times 1
    li t0, 0x6000               # floating point on
    csrs mstatus, t0

    # words: a byte or half in a word counts as the word
    la s1, words                # auipc, addi
    la s3, spare
    li s2, 10
1:  times 10
    lw t0, 0(s1)                # word 0
    lb t0, 1(s1)                # word 0
    lhu t0, 2(s1)               # word 0: 30 in all
    sd t0, 8(s1)                # words 2 and 3: 10
    ld t0, 8(s1)                # words 2 and 3: 20
    sb t0, 17(s1)               # word 4: 10
    sh t0, 20(s1)               # word 5: 10
    sw t0, 24(s1)               # word 6: 10
    amoadd.w t0, s2, (s3)       # first spare, then 9 times word 8
    la s3, words + 32
    addi s2, s2, -1
    bnez s2, 1b
    times 1
    li s2, 5
1:  times 5
    lw t0, 38(s1)               # misaligned: words 9 and 10
    sd t0, 49(s1)               # misaligned: bytes 49..56: words 12, 13, 14
    ld t0, -4(s1)               # misaligned: begins in an unmarked line: word 0
    ld t0, 60(s1)               # misaligned: ends in an unmarked line: word 15
    sw t0, -4(s1)               # not marked
    addi s2, s2, -1
    bnez s2, 1b
    times 1
    flw fa0, 44(s1)             # word 11: 1
    fsw fa0, 44(s1)             # word 11: 2
    accessed words+0, 4, 30+5
    accessed words+4, 4, 0
    accessed words+8, 4, 20
    accessed words+12, 4, 20
    accessed words+16, 4, 10
    accessed words+20, 4, 10
    accessed words+24, 4, 10
    accessed words+28, 4, 0
    accessed words+32, 4, 9
    accessed words+36, 4, 5
    accessed words+40, 4, 5
    accessed words+44, 4, 2
    accessed words+48, 4, 5
    accessed words+52, 4, 5
    accessed words+56, 4, 5
    accessed words+60, 4, 5

    # bytes: byte i is read i times
    la s1, bytes
    li s2, 16                   # i + 1
2:  times 16
    addi s3, s2, -1             # i rounds
    add s4, s1, s3
    beqz s3, 4f                 # 1 taken
3:  times 120                   # 0 + 1 + ... + 15
    lbu t0, 0(s4)
    addi s3, s3, -1
    bnez s3, 3b                 # 120 - 15 taken
4:  times 16
    addi s2, s2, -1
    bnez s2, 2b                 # 15 taken
    times 1
    li s2, 3
5:  times 3
    sh t0, 4(s1)                # bytes 4, 5
    ld t0, 8(s1)                # bytes 8..15
    lw t0, 1(s1)                # misaligned: bytes 1..4
    addi s2, s2, -1
    bnez s2, 5b                 # 2 taken
    accessed bytes+0, 1, 0
    accessed bytes+1, 1, 1+3
    accessed bytes+2, 1, 2+3
    accessed bytes+3, 1, 3+3
    accessed bytes+4, 1, 4+3+3
    accessed bytes+5, 1, 5+3
    accessed bytes+6, 1, 6
    accessed bytes+7, 1, 7
    .irp i, 8, 9, 10, 11, 12, 13, 14, 15
    accessed bytes+\i, 1, \i+3
    .endr

    # halves
    times 1
    la s1, halves
    li s2, 6
6:  times 6
    lb t0, 0(s1)                # half 0
    sb t0, 1(s1)                # half 0
    lh t0, 2(s1)                # half 1
    lw t0, 4(s1)                # halves 2, 3
    sh t0, 7(s1)                # misaligned: halves 3, 4
    sd t0, 8(s1)                # halves 4..7
    addi s2, s2, -1
    bnez s2, 6b                 # 5 taken
    accessed halves+0, 2, 12
    accessed halves+2, 2, 6
    accessed halves+4, 2, 6
    accessed halves+6, 2, 12
    accessed halves+8, 2, 12
    accessed halves+10, 2, 6
    accessed halves+12, 2, 6
    accessed halves+14, 2, 6

    # doubles, with LR and SC
    times 1
    la s1, doubles
    addi s3, s1, 16
    addi s4, s1, 24
    li s2, 4
7:  times 4
    lw t0, 0(s1)                # double 0
    lw t0, 4(s1)                # double 0
    fld fa0, 8(s1)              # double 1
    fsd fa0, 8(s1)              # double 1
    lr.d t0, (s3)               # double 2
    addi t0, t0, 1
    sc.d t1, t0, (s3)           # double 2
    amoswap.d t0, s2, (s4)      # double 3
    amomax.w t0, s2, (s4)       # double 3
    ld t0, 36(s1)               # misaligned: doubles 4 and 5
    addi s2, s2, -1
    bnez s2, 7b                 # 3 taken
    times 1
    ld t0, 16(s1)               # double 2 holds the number of successful SC
    demand t0, 4, 1
    accessed doubles+0, 8, 8
    accessed doubles+8, 8, 8
    accessed doubles+16, 8, 8+1
    accessed doubles+24, 8, 8
    accessed doubles+32, 8, 4
    accessed doubles+40, 8, 4
    accessed doubles+48, 8, 0
    accessed doubles+56, 8, 0

    # quads
    times 1
    la s1, quads
    li s2, 2
8:  times 2
    ld t0, 0(s1)                # quad 0
    ld t0, 8(s1)                # quad 0
    lb t0, 15(s1)               # quad 0
    sw t0, 30(s1)               # misaligned: quads 1 and 2
    addi s2, s2, -1
    bnez s2, 8b                 # 1 taken
    accessed quads+0, 16, 6
    accessed quads+16, 16, 2
    accessed quads+32, 16, 2
    accessed quads+48, 16, 0

    # edge: the last doubleword of a page and the first of the next
    times 1
    la s1, edge
    li s2, 6
9:  times 6
    ld t0, 4(s1)                # misaligned: both
    sw t0, 5(s1)                # misaligned: both
    lh t0, 7(s1)                # misaligned: both
    ld t0, 0(s1)                # the first
    addi s2, s2, -1
    bnez s2, 9b                 # 5 taken
    accessed edge+0, 8, 4*6
    accessed edge+8, 8, 3*6

    # array: three passes of stores and one of loads over 1024 doublewords
    times 1
    li s2, 3
1:  times 3
    la s1, array
    li s3, 1024
2:  times 3*1024
    sd s3, 0(s1)
    addi s1, s1, 8
    addi s3, s3, -1
    bnez s3, 2b                 # 3 * 1023 taken
    times 3
    addi s2, s2, -1
    bnez s2, 1b                 # 2 taken
    times 1
    la s1, array
    li s3, 1024
    li s4, 0
3:  times 1024
    ld t0, 0(s1)
    add s4, s4, t0
    addi s1, s1, 8
    addi s3, s3, -1
    bnez s3, 3b                 # 1023 taken
    times 1
    demand s4, 1024*1025/2, 2
    .set i, 0
    .rept 1024
    accessed array+i, 8, 4
    .set i, i + 8
    .endr
    j pass
    end_function program

    .data
    .balign 128
    .skip 64
spare:
    .skip 60
    .skip 4                     # read by the access that begins before `words`
words:
    .skip 64
    .skip 64
bytes:
    .skip 128
halves:
    .skip 128
doubles:
    .skip 128
quads:
    .skip 128
array:
    .skip 8192
    .balign 4096
    .skip 4096 - 8
edge:
    .skip 16
    .balign 128

    # words: 5 a round, 3 misaligned, flw; bytes; halves; doubles and their result; quads;
    # edge; array
    expect loads 10*4+5*3+1+120+3*2+6*3+4*4+1+2*3+6*3+1024
    expect stores 10*4+5*2+1+3+6*3+4+2+6+3*1024+1
    expect atomics 10+4*4
    expect misaligned 5*4+3+6+4+2+6*3
    expect calls 0
