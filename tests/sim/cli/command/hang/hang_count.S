/* Functions whose instructions are counted by hand, for limits on them:
 * f(n): 2 n + 2. g: 2 f(100) + 9. r(d): 8 d + 6. t: f(50) + 2.
 * parent(n, m): 8 and child(n), which is 2 n + 2, and 2 m.
 * A Linux program, or with BARE a bare-metal one of 64 or 32 bits. */
#if __riscv_xlen == 32
#define STORE sw
#define LOAD lw
#else
#define STORE sd
#define LOAD ld
#endif

.macro function name
.globl \name
.type \name, @function
\name:
.endm

.text
.globl _start
.balign 64
_start:
#ifdef BARE
    la      sp, stack_top
#endif
    li      a0, 100
    jal     f
    jal     g
    li      a0, 10
    jal     r
    jal     t
    li      a0, 2500            # child: 5,002
    li      a1, 2500            # parent: 5,008 beside it
    jal     parent
    li      a0, 2500
    li      a1, 250             # parent: 508 beside it
    jal     parent
#ifdef BARE
    li      t0, 1
    la      t1, tohost
    sw      t0, 0(t1)
1:  j       1b
#else
    li      a0, 0
    li      a7, 93
    ecall
#endif

function f
    mv      t0, a0
1:  addi    t0, t0, -1
    bnez    t0, 1b
    ret
.size f, . - f

function g
    addi    sp, sp, -16
    STORE   ra, 0(sp)
    li      a0, 100
    jal     f
    li      a0, 100
    jal     f
    LOAD    ra, 0(sp)
    addi    sp, sp, 16
    ret
.size g, . - g

function r
    addi    sp, sp, -16
    STORE   ra, 0(sp)
    beqz    a0, 1f
    addi    a0, a0, -1
    jal     r
1:  LOAD    ra, 0(sp)
    addi    sp, sp, 16
    ret
.size r, . - r

function t
    li      a0, 50
    j       f
.size t, . - t

function child
    mv      t0, a0
1:  addi    t0, t0, -1
    bnez    t0, 1b
    ret
.size child, . - child

function parent
    addi    sp, sp, -16
    STORE   ra, 0(sp)
    STORE   a1, 8(sp)
    jal     child
    LOAD    t0, 8(sp)
1:  addi    t0, t0, -1
    bnez    t0, 1b
    LOAD    ra, 0(sp)
    addi    sp, sp, 16
    ret
.size parent, . - parent

#ifdef BARE
.section .tohost, "aw", @progbits
.balign 64
.globl tohost
tohost: .dword 0
.bss
.balign 16
.skip 1024
stack_top:
#endif
