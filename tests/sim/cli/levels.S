/* A program whose every count is known: five rounds of even (three calls of leaf) and odd (two),
 * then down, which calls itself four times. leaf reads and writes `cell` once each. Ends with 7. */
    .option norelax
    .option norvc

    .macro function name
    .global \name
    .type \name, @function
\name:
    .endm
    .macro end name
    .size \name, . - \name
    .endm
    .macro enter
    addi sp, sp, -16
    sd ra, 8(sp)
    sd s0, 0(sp)
    addi s0, sp, 16
    .endm
    .macro leave
    ld ra, 8(sp)
    ld s0, 0(sp)
    addi sp, sp, 16
    ret
    .endm

    .text
function _start
    la sp, stack_top
    li s0, 0
    li ra, 0
    jal main
    li a0, 7 << 1 | 1
    la t0, tohost
    sd a0, 0(t0)
1:  j 1b
end _start

function main
    enter
    li s1, 5
1:  jal even
    jal odd
    addi s1, s1, -1
    bnez s1, 1b
    li a0, 4
    jal down
    leave
end main

function even
    enter
    jal leaf
    jal leaf
    jal leaf
    leave
end even

function odd
    enter
    jal leaf
    jal leaf
    leave
end odd

function leaf
    la t0, cell
    lw t1, 0(t0)
    addi t1, t1, 1
    sw t1, 0(t0)
    ret
end leaf

function down
    enter
    beqz a0, 1f
    addi a0, a0, -1
    jal down
1:  leave
end down

    .section .tohost, "aw"
    .balign 64
    .global tohost, fromhost
tohost:
    .dword 0
    .balign 64
fromhost:
    .dword 0

    .data
    .balign 64
    .global cell
    .type cell, @object
    .size cell, 4
cell:
    .word 0
    .bss
    .balign 4096
    .skip 4096
stack_top:
