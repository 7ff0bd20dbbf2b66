/* Two harts take turns at a word; in its turn each writes a word of its own. Built with -DAPART=n:
 * bytes from one hart's word to the other's, 8 (one line: false sharing) or 128.
 *
 * The line of `turn`: both read it, the second from the first (1 transfer). The hart that has the
 * turn shares the line with the hart that waits, requests it exclusively (upgrade, 1 invalidation),
 * and the other hart reads it back (1 transfer). There are 2*ROUNDS turns.
 * The line of the words: each turn writes and never reads. In one line it is modified at the other
 * hart: 1 transfer, 1 invalidation, except in the first turn. Apart, each keeps its own. */
#include "tests/programs/counted.h"
#define ROUNDS 500
    .section .text.start, "ax"
    .global _start
_start:
    csrr s1, mhartid
    li s11, 0
    j program
    .text
    .global program
program:
    la s2, turn
    la s3, words
    li t0, APART
    mul t0, t0, s1
    add s3, s3, t0
    li s4, ROUNDS
    xori s5, s1, 1
1:  ld t0, 0(s2)
    bne t0, s1, 1b
    sd s4, 0(s3)
    sd s5, 0(s2)
    addi s4, s4, -1
    bnez s4, 1b
2:  bnez s1, 2b
3:  ld t0, 0(s2)                # hart 0 sees the last turn end
    bnez t0, 3b
    j pass

    .data
    .balign 128
turn:
    .dword 0
    .balign 128
words:
    .skip 256
    expect upgrade 2*ROUNDS
    .if APART < 64
    expect transfer_in 2*ROUNDS+1+2*ROUNDS-1
    expect transfer_out 2*ROUNDS+1+2*ROUNDS-1
    expect invalidation_sent 2*ROUNDS+2*ROUNDS-1
    expect invalidation_received 2*ROUNDS+2*ROUNDS-1
    expect snoop_hit 6*ROUNDS
    .else
    expect transfer_in 2*ROUNDS+1
    expect transfer_out 2*ROUNDS+1
    expect invalidation_sent 2*ROUNDS
    expect invalidation_received 2*ROUNDS
    expect snoop_hit 4*ROUNDS+1
    .endif
