/* A Linux program whose sections are known, to calibrate probes with: `outer` calls `inner`, which
 * does nothing, 64 times, and is itself called 40 times. */
.section .note.ABI-tag, "a", @note
    .balign 4
    .word   4, 16, 1
    .asciz  "GNU"
    .word   0, 4, 15, 0

.text
.globl _start
.type _start, @function
_start:
    li      s0, 40
1:  call    outer
    addi    s0, s0, -1
    bnez    s0, 1b
    li      a0, 0
    li      a7, 94
    ecall
.size _start, . - _start

.globl outer
.type outer, @function
outer:
    addi    sp, sp, -16
    sd      ra, 8(sp)
    li      s1, 64
1:  call    inner
    addi    s1, s1, -1
    bnez    s1, 1b
    ld      ra, 8(sp)
    addi    sp, sp, 16
    ret
.size outer, . - outer

.globl inner
.type inner, @function
inner:
    nop
    ret
.size inner, . - inner
