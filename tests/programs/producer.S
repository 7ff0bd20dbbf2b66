/* Hart 0 produces ITEMS words in one place, hart 1 consumes them; a flag says whose turn it is.
 * The consumer begins, with the word that is there at the start, so it consumes ITEMS+1 words. It
 * ends the run.
 *
 * The line of `full`: both read it, the second from the first (1 transfer). It is written
 * 2*ITEMS times; each is an upgrade with 1 invalidation, and the other reads it back
 * (1 transfer).
 * The line of `item`: the consumer has it first, exclusive. The producer's first store takes it
 * (1 transfer, 1 invalidation); then it is read ITEMS times (1 transfer each) and written ITEMS-1
 * times more, as a shared line (upgrade, 1 invalidation). */
#include "tests/programs/counted.h"
#define ITEMS 300
    .section .text.start, "ax"
    .global _start
_start:
    csrr s1, mhartid
    li s11, 0
    j program
    .text
    .global program
program:
    la s2, full
    la s3, item
    li s4, ITEMS
    li s5, 1
    bnez s1, consumer
1:  ld t0, 0(s2)
    bnez t0, 1b
    sd s4, 0(s3)
    fence w, w                  # the first store is in the cache before the second commits
    sd s5, 0(s2)
    addi s4, s4, -1
    bnez s4, 1b
2:  j 2b
consumer:
    li s8, 0
3:  ld t0, 0(s2)
    beqz t0, 3b
    ld t1, 0(s3)
    add s8, s8, t1
    beqz s4, 4f
    sd zero, 0(s2)
    addi s4, s4, -1
    j 3b
4:  demand s8, ITEMS*(ITEMS+1)/2, 1
    j pass

    .data
    .balign 128
full:
    .dword 1
    .balign 128
item:
    .dword 0
    expect upgrade 2*ITEMS+ITEMS-1
    expect transfer_in 1+2*ITEMS+1+ITEMS
    expect transfer_out 1+2*ITEMS+1+ITEMS
    expect invalidation_sent 2*ITEMS+ITEMS
    expect invalidation_received 2*ITEMS+ITEMS
