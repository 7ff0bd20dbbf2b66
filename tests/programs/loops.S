/* Loops: nested, triangular, never entered, longer than a cache line, of 16-bit instructions, and
 * around an instruction that lies across two cache lines and across two pages. */
#include "tests/programs/counted.h"
    watch "program * counter"
    watch "across_lines * counter"
    watch "across_pages * counter"
    watch "compressed * counter"

    .text
    function program
    times 1
    li s1, 7
    li s5, 0
outer:                          # 7 rounds
    times 7
    li s2, 11
inner:                          # 11 rounds each
    times 7*11
    addi s5, s5, 1
    addi s2, s2, -1
    bnez s2, inner              # 7 * 10 taken
    times 7
    addi s1, s1, -1
    bnez s1, outer              # 6 taken
    times 1
    demand s5, 77, 1

    li s1, 0
triangle:                       # i = 1..20, each with i inner rounds: 20 * 21 / 2 = 210
    times 20
    addi s1, s1, 1
    mv s2, s1
side:
    times 210
    addi s2, s2, -1
    bnez s2, side               # 210 - 20 = 190 taken
    times 20
    slti t0, s1, 20
    bnez t0, triangle           # 19 taken

    times 1
    li s1, 13
maybe:                          # 13 rounds around a loop that is never entered
    times 13
    li s2, 0
    beqz s2, never              # 13 taken
    times 0
1:  addi s2, s2, -1
    bnez s2, 1b
never:
    times 13
    addi s1, s1, -1
    bnez s1, maybe              # 12 taken

    times 1
    li s1, 5
long:                           # 5 rounds of 160 + 2 instructions: ten lines of 64 bytes
    times 5
    .rept 160
    addi s5, s5, 1
    .endr
    addi s1, s1, -1
    bnez s1, long               # 4 taken
    times 1
    j across_lines
    end_function program

    .balign 128
    function across_lines
    times 1
    li s1, 9                    # 4 bytes
    .option rvc
    times 9
1:  .rept 29
    c.nop                       # up to offset 62
    .endr
    .option norvc
    addi s5, s5, 1              # offset 62: half in the next line, whatever its length
    addi s1, s1, -1
    bnez s1, 1b                 # 8 taken
    times 1
    j across_pages
    end_function across_lines

    .balign 4096
    .skip 4096 - 8
    function across_pages
    times 1
    li s1, 17                   # 4 bytes: up to offset 4092
    .option rvc
1:  times 17
    c.nop                       # up to offset 4094
    .option norvc
    addi s5, s5, 1              # across two pages
    addi s1, s1, -1
    bnez s1, 1b                 # 16 taken
    times 1
    j compressed
    end_function across_pages

    .option rvc
    function compressed
    times 1
    c.li s1, 30
1:  times 30
    c.addi s5, 1
    c.addi s1, -1
    c.bnez s1, 1b               # 29 taken
    times 1
    c.li s1, 1
    c.nop
2:  times 1
    c.addi s1, -1
    c.bnez s1, 2b               # once, not taken
    .option norvc
    times 1
    # 77, then 5 * 160, 9, 17, 30
    demand s5, 77+800+9+17+30, 2
    j pass
    end_function compressed

    # inner, outer, side, triangle, beqz, maybe, long, lines, pages, compressed twice
    expect branches 77+7+210+20+13+13+5+9+17+30+1
    expect branches_taken 70+6+190+19+13+12+4+8+16+29
    expect calls 0
    expect returns 0
    expect loads 0
    expect stores 1
