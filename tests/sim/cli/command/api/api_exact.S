# Functions of rvsim api's tests whose instructions are known: spin(n) has 2n + 2, down(n) 8n + 6
# with its callees, hop(n) jumps to spin.
.text
.globl spin, down, hop
.type spin, @function
spin:
    mv a1, a0
1:  addi a1, a1, -1
    bnez a1, 1b
    ret
.size spin, .-spin

.type down, @function
down:
    addi sp, sp, -16
    sd ra, 8(sp)
    beqz a0, 1f
    addi a0, a0, -1
    jal down
1:  ld ra, 8(sp)
    addi sp, sp, 16
    ret
.size down, .-down

.type hop, @function
hop:
    j spin
.size hop, .-hop
.section .note.GNU-stack, "", @progbits
