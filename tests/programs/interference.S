/* Hart 0 reads a word that the other harts write, a word of its own, and walks through a table
 * larger than the caches; then the program ends. If hart 0 runs alone, the first access is as quick
 * as the second; the third is slow in any case. */
#define ROUNDS 400
#define TABLE_BYTES (4 << 20)
    .section .text.start, "ax"
    .global _start
_start:
    csrr t0, mhartid
    bnez t0, others
    la sp, stack_end
    li s0, ROUNDS
    la s1, table
    li s2, TABLE_BYTES
    add s2, s2, s1
1:  call read_shared
    call read_own
    call walk
    addi s0, s0, -1
    bnez s0, 1b
    li t0, 1
    la t1, tohost
    sd t0, 0(t1)
2:  j 2b

others:
    la t1, shared
3:  addi t2, t2, 1
    sd t2, 0(t1)
    j 3b

    .type read_shared, @function
read_shared:
    la t1, shared
    ld t2, 8(t1)
    ret
    .size read_shared, . - read_shared

    .type read_own, @function
read_own:
    la t1, own
    ld t2, 0(t1)
    ret
    .size read_own, . - read_own

    .type walk, @function
walk:
    li t2, 4160
    add s1, s1, t2
    bltu s1, s2, 4f
    la s1, table
4:  ld t2, 0(s1)
    ret
    .size walk, . - walk

    .data
    .balign 128
    .type shared, @object
shared:
    .dword 0, 0
    .size shared, . - shared
    .balign 128
    .type own, @object
own:
    .dword 0
    .size own, . - own
    .section .tohost, "aw"
    .balign 64
    .global tohost
tohost:
    .dword 0
    .global fromhost
fromhost:
    .dword 0

    .bss
    .balign 4096
    .type table, @object
table:
    .zero TABLE_BYTES
    .size table, . - table
    .zero 1024
stack_end:
