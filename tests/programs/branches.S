/* Branches: patterns that predictors get wrong, all six comparisons, a switch through a table, and
 * wrong paths that would do damage, or would be counted, if they were carried out. */
#include "tests/programs/counted.h"
    .irp name, program, alternating, comparisons, switching, wrong_paths
    watch "\name * counter"
    .endr
    watch "forbidden 8 counter granule=8"

    .text
    # An eight-bit shift register with the polynomial 0xb8 runs through all 255 values that are not
    # 0; 128 of them are odd.
    function program
    times 1
    li s1, 1
    li s2, 255
    li s3, 0xb8
    li s5, 0
1:  times 255
    andi t0, s1, 1
    srli s1, s1, 1
    beqz t0, 2f                 # 127 taken
    times 128
    xor s1, s1, s3
    addi s5, s5, 1
2:  times 255
    addi s2, s2, -1
    bnez s2, 1b                 # 254 taken
    times 1
    demand s5, 128, 1
    demand s1, 1, 2
    j alternating
    end_function program

    function alternating        # 100 rounds, every second and every third
    times 1
    li s1, 100
    li s2, 0
1:  times 100
    andi t0, s1, 1
    bnez t0, 2f                 # 50 taken: 99, 97, ... 1
    times 50
    addi s5, s5, 1
2:  times 100
    addi s2, s2, 1
    li t1, 3
    bne s2, t1, 3f              # 100 - 33 = 67 taken
    times 33
    li s2, 0
3:  times 100
    addi s1, s1, -1
    bnez s1, 1b                 # 99 taken
    times 1
    j comparisons
    end_function alternating

    # Ten rounds over the pairs (0,0) (1,2) (2,1) (-1,1) (1,-1).
    function comparisons
    times 1
    li s1, 10
1:  times 10
    la s2, pairs
    li s3, 5
2:  times 50
    ld t0, 0(s2)                # loads: 50
    ld t1, 8(s2)                # loads: 50
    beq t0, t1, 3f              # 10 taken: (0,0)
    times 40
    addi s5, s5, 1
3:  times 50
    bne t0, t1, 3f              # 40 taken
    times 10
    addi s5, s5, 1
3:  times 50
    blt t0, t1, 3f              # 20 taken: (1,2) (-1,1)
    times 30
    addi s5, s5, 1
3:  times 50
    bge t0, t1, 3f              # 30 taken
    times 20
    addi s5, s5, 1
3:  times 50
    bltu t0, t1, 3f             # 20 taken: (1,2) (1,-1)
    times 30
    addi s5, s5, 1
3:  times 50
    bgeu t0, t1, 3f             # 30 taken
    times 20
    addi s5, s5, 1
3:  times 50
    addi s2, s2, 16
    addi s3, s3, -1
    bnez s3, 2b                 # 40 taken
    times 10
    addi s1, s1, -1
    bnez s1, 1b                 # 9 taken
    times 1
    j switching
    end_function comparisons

    function switching          # 40 rounds over 4 cases
    times 1
    li s1, 40
1:  times 40
    andi t0, s1, 3
    slli t0, t0, 3
    la t1, cases                # auipc, addi
    add t1, t1, t0
    ld t1, 0(t1)                # loads: 40
    jr t1
case_0:
    times 10
    addi s5, s5, 1
    j 2f
case_1:
    times 10
    addi s5, s5, 1
    addi s5, s5, 1
    j 2f
case_2:
    times 10
    j 2f
case_3:
    times 10
    addi s5, s5, 3
2:  times 40
    addi s1, s1, -1
    bnez s1, 1b                 # 39 taken
    times 1
    j wrong_paths
    end_function switching

    # 64 rounds. The branches wait for a division; the code after them is never carried out.
    function wrong_paths
    times 1
    li s1, 64
    la s2, forbidden
    li s3, 1
    li s4, 3
1:  times 64
    divu t0, s1, s3
    divu t0, t0, s3
    bnez t0, 2f                 # 64 taken, mispredicted at first
    times 0
    sd zero, 0(s2)
    ld t1, 0(s2)
    jal ra, wrong_paths
    ld t1, 0(zero)
    .2byte 0
    ecall
2:  times 64
    remu t0, s1, s4
    divu t0, t0, s3
    beqz t0, 3f                 # 21 taken: 63, 60, ... 3
    times 43
    addi s5, s5, 1
    nop
3:  times 64
    addi s1, s1, -1
    bnez s1, 1b                 # 63 taken
    times 1
    # 128, 50, 150, 10 * (1 + 2 + 3), 43
    demand s5, 128+50+150+60+43, 3
    j pass
    end_function wrong_paths

    .data
    .balign 128
pairs:
    .dword 0, 0, 1, 2, 2, 1, -1, 1, 1, -1
cases:
    .dword case_0, case_1, case_2, case_3
    .balign 128
forbidden:
    .dword 0
    .balign 128
    accessed forbidden 8 0

    expect branches 255+255+300+7*50+10+40+64+64+64
    expect branches_taken 127+254+50+67+99+10+40+20+30+20+30+40+9+39+64+21+63
    expect calls 0
    expect returns 0
    expect loads 100+40
    expect stores 1
    expect traps 0
    expect muldiv_insns 64*4
