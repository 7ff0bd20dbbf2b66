/* A Linux program that reaches more pages than translation caches hold: it writes to a word of each
 * of 200 pages and sums them up again, in steps of 1, 7 and 64 pages. */
    .set PAGES, 200

    .text
    .global _start
_start:
    la s0, arena
    li s1, 0                    # sum
    li s2, 1                    # step
    jal ra, walk
    li s2, 7
    jal ra, walk
    li s2, 64
    jal ra, walk
    snez a0, s1
    xori a0, a0, 1              # status: 0 unless the sum is
    li a7, 93                   # exit
    ecall

walk:
    li t0, 0                    # page
    li t1, 4 * PAGES
    li t3, PAGES
1:  slli t2, t0, 12
    add t2, t2, s0
    ld t4, 8(t2)
    add s1, s1, t4
    add t4, t4, t0
    addi t4, t4, 1
    sd t4, 8(t2)
    add t0, t0, s2
    blt t0, t3, 2f
    sub t0, t0, t3
2:  addi t1, t1, -1
    bnez t1, 1b
    ret

    .bss
    .balign 4096
arena:
    .skip 4096 * PAGES
