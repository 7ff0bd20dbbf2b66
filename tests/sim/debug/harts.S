/* Every hart adds its number to `sum` ten times; then the first waits for all and ends with the
 * sum of four harts, 60. For 64 and for 32 bits. */
    .text
    .global _start, add, all
_start:
    csrr s0, mhartid
    la s1, sum
    la s2, done
    li s3, 10
add:
    amoadd.w zero, s0, (s1)
    addi s3, s3, -1
    bnez s3, add
    li t0, 1
    amoadd.w zero, t0, (s2)
    bnez s0, park
    li t1, 4
wait:
    lw t0, 0(s2)
    blt t0, t1, wait
all:
    lw a0, 0(s1)
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
    sw a0, 0(t0)
#if __riscv_xlen == 32
    sw zero, 4(t0)
#endif
park:
    j park

    .data
    .align 3
    .global sum, done
sum:
    .word 0
done:
    .word 0
    .align 6
    .global tohost, fromhost
tohost:
    .dword 0
fromhost:
    .dword 0
