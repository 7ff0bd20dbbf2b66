/* Three marked data, each in a cache line of its own, touched in turn, ROUNDS times; each access
 * needs the value of the one before. */
#include "tests/programs/counted.h"
    watch "first 8 counter granule=8"
    watch "second 8 counter granule=8"
    watch "third 8 counter granule=8"

    .text
    function program
    la s1, first
    li s2, ROUNDS
1:  ld s1, 0(s1)
    ld s1, 0(s1)
    ld s1, 0(s1)
    addi s2, s2, -1
    bnez s2, 1b
    j pass
    end_function program

    .data
    .balign 128
first:
    .dword second
    .skip 120
second:
    .dword third
    .skip 120
third:
    .dword first
    .skip 120
    accessed first, 8, ROUNDS
    accessed second, 8, ROUNDS
    accessed third, 8, ROUNDS
