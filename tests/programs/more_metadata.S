/* More metadata than the bus moves in the time in which its lines arrive. Code twice as large as
 * L1I and data twice as large as L1D, but not as L2: each round fills their lines from L2, and the
 * metadata of each line comes from memory. Then a line that only memory has. */
#include "tests/programs/counted.h"
    watch "code * counter"
    watch "array 65536 counter granule=1"

    .text
    function code
    .rept 1 << 15
    addi t0, t0, 1
    .endr
    ret
    end_function code

    function program
    li s2, ROUNDS
1:  call code
    la t1, array
    la t2, unused
2:  sb t0, 0(t1)
    addi t1, t1, 64
    bne t1, t2, 2b
    addi s2, s2, -1
    bnez s2, 1b
    lw a0, 64(t2)
    j pass
    end_function program

    .bss
    .balign 4096
array:
    .skip 65536
unused:
    .skip 4096
