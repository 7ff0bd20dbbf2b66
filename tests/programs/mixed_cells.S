/* A datum is loaded ROUNDS times, and the entry of its count has the same place in a data cache of
 * one KiB and one way. Each load begins when the one before has committed. */
#include "tests/programs/counted.h"
    watch "area datum 8 granule=8 counts=cell"

    .text
    function program
    la s1, datum
    li s2, ROUNDS
1:  ld s1, 0(s1)
    .rept 100
    addi s1, s1, 0
    .endr
    addi s2, s2, -1
    bnez s2, 1b
    j pass
    end_function program

    .data
    .balign 1024
datum:
    .dword datum
    .size datum, 8
    .balign 1024
    .global cell
    .type cell, @object
cell:
    .dword 0
    .size cell, 8
    accessed datum, 8, ROUNDS
