/* Four harts compete for one lock, made of LR and SC, until each has held it TIMES times. Hart 0
 * checks that no two harts held it together, which would lose counts. The run ends only if no hart
 * starves for ever. */
#include "tests/programs/counted.h"
#define HARTS 4
#define TIMES 1000
    .section .text.start, "ax"
    .global _start
_start:
    csrr s1, mhartid
    li s11, 0
    j program
    .text
    .global program
program:
    la s2, lock
    la s3, taken
    li s5, 1
    li s6, TIMES
1:  lr.d.aq t0, (s2)
    bnez t0, 1b
    sc.d t0, s5, (s2)
    bnez t0, 1b
    ld t1, 0(s3)
    addi t1, t1, 1
    sd t1, 0(s3)
    amoswap.d.rl zero, zero, (s2)
    addi s6, s6, -1
    bnez s6, 1b
    la t0, done
    amoadd.d.aqrl zero, s5, (t0)
2:  bnez s1, 2b
    ld t1, 0(t0)
    li t2, HARTS
    bne t1, t2, 2b
    ld t1, 0(s3)
    demand t1, TIMES*HARTS, 1
    j pass

    .data
    .balign 128
lock:
    .dword 0
    .balign 128
taken:
    .dword 0
    .balign 128
done:
    .dword 0
