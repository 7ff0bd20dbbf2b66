/* Several harts run the same marked code and count at the same marked words: no count is lost.
 * Built with -DHARTS=n. Every hart goes ROUNDS rounds; hart 0 ends the run when all are done. */
#ifndef ROUNDS
#define ROUNDS 1000
#endif
#include "tests/programs/counted.h"
    watch "work * counter"
    watch "shared 64 counter granule=8"

    .section .text.start, "ax"
    .global _start
_start:
    csrr s1, mhartid
    li s11, 0
    jal ra, work
    la t0, done
    li t1, 1
    amoadd.d zero, t1, (t0)
1:  bnez s1, 1b                 # the others wait here
    ld t2, 0(t0)
    li t3, HARTS
    bne t2, t3, 1b
    la t0, shared
    ld t1, 0(t0)
    demand t1, HARTS*ROUNDS, 1
    j pass

    .global program
program:
    .text
    function work
    times HARTS
    la s2, shared
    slli s3, s1, 3
    add s3, s3, s2              # a word of its own, in the same line; hart 0 has the second
    li s4, ROUNDS
    li s5, 1
    li s7, 0
1:  times HARTS*ROUNDS
    amoadd.d zero, s5, (s2)     # the shared word
    sd s4, 8(s3)
    ld s6, 8(s3)
    sub s6, s6, s4
    or s7, s7, s6
    addi s4, s4, -1
    bnez s4, 1b
    times HARTS
    ret
    end_function work

    .data
    .balign 128
shared:
    .skip 64
    .balign 128
done:
    .dword 0
    # the shared word is read once more at the end
    accessed shared, 8, HARTS*ROUNDS+1
    .set i, 1
    .rept 7
    .if i <= HARTS
    accessed shared+8*i, 8, 2*ROUNDS
    .else
    accessed shared+8*i, 8, 0
    .endif
    .set i, i + 1
    .endr
