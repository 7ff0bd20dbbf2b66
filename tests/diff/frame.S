/* What surrounds a random body: reset, memory, trap handler, digest of all state after each
 * round. Built with -DBODY="file" -DROUNDS=n -DUSER=0|1. Output: one digest of a register's
 * width a round, through HTIF or, in RV32, the serial port. */
#define SAVE_T0 0
#define SAVE_T1 8
#define SAVE_T2 16
#define DIGEST 24
#define ROUND 32
#define SAVED_X 256
#define SAVED_F 512
#define PATCHES 1024
#define MAGIC 0x5eed
#define DATA_BYTES 8192
#define HOLES 0x40000000

/* Registers, the digest's multiplier, and the shift that brings its upper bits down. */
#if __riscv_xlen == 64
#define LOAD_REG ld
#define STORE_REG sd
#define REG_BYTES 8
#define PRIME 0x100000001b3
#define MIX 29
#define PAGED USER
#else
#define LOAD_REG lw
#define STORE_REG sw
#define REG_BYTES 4
#define PRIME 0x01000193
#define MIX 13
#define PAGED 0
#endif

    .section .text.start, "ax"
    .global _start
_start:
    la t0, handler
    csrw mtvec, t0
    la tp, area
    csrw mscratch, tp
    li t0, 0x6000
    csrs mstatus, t0
    csrw fcsr, zero
    csrw medeleg, zero
    csrw mideleg, zero
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    .irp r, 1,5,6,7,8,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    li x\r, 0
    fcvt.d.w f\r, zero
    .endr
    .irp r, 0,2,3,4,9
    fcvt.d.w f\r, zero
    .endr
    call tables
    call fill_data
    li t0, ROUNDS
    STORE_REG t0, ROUND(tp)
    j next_round

/* Sv39: the first GiB from 0x80000000 identically, and eight odd pages at HOLES, repeated. */
tables:
#if PAGED
    la t0, root
    la t1, middle
    srli t1, t1, 2
    ori t1, t1, 1
    sd t1, 8(t0)
    li t1, (0x80000000 >> 2) | 0xdf
    sd t1, 16(t0)
    la t2, leaf
    srli t1, t2, 2
    ori t1, t1, 1
    la t0, middle
    sd t1, 0(t0)
    li t3, 512
    la t4, odd
    la t5, data
    srli t5, t5, 2
1:  andi t6, t3, 7
    slli t6, t6, 3
    add t6, t6, t4
    ld t6, 0(t6)
    or t6, t6, t5
    sd t6, 0(t2)
    addi t2, t2, 8
    addi t3, t3, -1
    bnez t3, 1b
    la t0, root
    srli t0, t0, 12
    li t1, 8
    slli t1, t1, 60
    or t0, t0, t1
    csrw satp, t0
    sfence.vma
#endif
    ret

fill_data:
    la t0, data
    li t1, DATA_BYTES / 8
#if REG_BYTES == 8
    li t2, 0x9e3779b97f4a7c15
    li t3, 0x123456789abcdef
#else
    li t2, 0x915f77f5
    li t3, 0x1234567
#endif
    la t4, specials
1:  mul t3, t3, t2
    addi t3, t3, 17
    srli t5, t3, 5 * REG_BYTES
    andi t6, t5, 3
    STORE_REG t3, 0(t0)
#if REG_BYTES == 4
    mul t3, t3, t2
    sw t3, 4(t0)
#endif
    bnez t6, 2f
    andi t5, t5, 0xf8
    add t5, t5, t4
#if REG_BYTES == 4
    lw t6, 4(t5)
    sw t6, 4(t0)
#endif
    LOAD_REG t5, 0(t5)
    STORE_REG t5, 0(t0)
2:  addi t0, t0, 8
    addi t1, t1, -1
    bnez t1, 1b
    ret

/* Sets the reserved registers and enters the body. */
next_round:
    la sp, data + DATA_BYTES / 4
    la gp, data + DATA_BYTES / 2
    LOAD_REG t0, ROUND(tp)
    andi t0, t0, 63
    slli t0, t0, 12
    li s1, HOLES
    add s1, s1, t0
#if !PAGED
    la s1, data + DATA_BYTES / 2 + 1024
#endif
    la t0, body
    csrw mepc, t0
    li t0, 0x1800
    csrc mstatus, t0
#if !USER
    csrs mstatus, t0
#endif
    mret

    .balign 4
handler:
    csrrw tp, mscratch, tp
    STORE_REG t0, SAVE_T0(tp)
    STORE_REG t1, SAVE_T1(tp)
    STORE_REG t2, SAVE_T2(tp)
    li t0, MAGIC
    bne a7, t0, 1f
    csrr t0, mcause
    li t1, 8
    beq t0, t1, round_done
    li t1, 11
    beq t0, t1, round_done
1:  LOAD_REG t1, DIGEST(tp)
    csrr t0, mcause
    add t1, t1, t0
    li t2, 3                        /* mtval of ebreak: 0 and pc are both allowed */
    beq t0, t2, 3f
    csrr t0, mtval
    xor t1, t1, t0
3:
    csrr t0, mstatus
    li t2, 0x21800
    and t0, t0, t2
    xor t1, t1, t0
    li t0, PRIME
    mul t1, t1, t0
    csrr t2, mepc
    add t1, t1, t2
    STORE_REG t1, DIGEST(tp)
    lhu t0, 0(t2)
    andi t0, t0, 3
    addi t0, t0, -3
    addi t2, t2, 2
    bnez t0, 2f
    addi t2, t2, 2
2:  csrw mepc, t2
    li t0, 0x6000
    csrs mstatus, t0
    LOAD_REG t0, SAVE_T0(tp)
    LOAD_REG t1, SAVE_T1(tp)
    LOAD_REG t2, SAVE_T2(tp)
    csrrw tp, mscratch, tp
    mret

.macro fold offset
    LOAD_REG t0, \offset(tp)
    xor a0, a0, t0
    mul a0, a0, a1
    srli t1, a0, MIX
    xor a0, a0, t1
.endm

round_done:
    li t0, 0x6000
    csrs mstatus, t0
    .irp r, 1,2,3,8,9,10,11,12,13,14,15,16,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    STORE_REG x\r, SAVED_X + 8 * \r(tp)
    .endr
    .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fsd f\r, SAVED_F + 8 * \r(tp)
    .endr
    LOAD_REG a0, DIGEST(tp)
    li a1, PRIME
    .irp r, 1,2,3,8,9,10,11,12,13,14,15,16,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fold (SAVED_X + 8 * \r)
    .endr
    .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fold (SAVED_F + 8 * \r)
#if REG_BYTES == 4
    fold (SAVED_F + 8 * \r + 4)
#endif
    .endr
    frcsr t0
    xor a0, a0, t0
    csrr t0, sscratch
    add a0, a0, t0
    la t2, data
    li t3, DATA_BYTES / REG_BYTES
1:  LOAD_REG t0, 0(t2)
    xor a0, a0, t0
    mul a0, a0, a1
    addi t2, t2, REG_BYTES
    addi t3, t3, -1
    bnez t3, 1b
    STORE_REG a0, DIGEST(tp)
#ifdef VERBOSE
    /* every register of the round, x1.. then f0.., one a line */
    li s3, SAVED_X
4:  add t0, s3, tp
    LOAD_REG a0, 0(t0)
    call put_hex
    addi s3, s3, 8
    li t0, SAVED_F + 256
    blt s3, t0, 4b
    LOAD_REG a0, DIGEST(tp)
#endif
    call put_hex
    LOAD_REG t0, ROUND(tp)
    addi t0, t0, -1
    STORE_REG t0, ROUND(tp)
    beqz t0, finish
    csrw mscratch, tp
    j next_round

put_hex:
    mv s4, ra
    li s2, 2 * REG_BYTES
2:  srli t0, a0, 8 * REG_BYTES - 4
    slli a0, a0, 4
    addi t0, t0, '0'
    li t1, '9'
    ble t0, t1, 3f
    addi t0, t0, 'a' - '9' - 1
3:  call put
    addi s2, s2, -1
    bnez s2, 2b
    li t0, '\n'
    call put
    jr s4

#if REG_BYTES == 8
put:
    li t1, 0x0101
    slli t1, t1, 48
    or t0, t0, t1
    la t1, tohost
    sd t0, 0(t1)
4:  ld t0, 0(t1)
    bnez t0, 4b
    la t1, fromhost
    sd zero, 0(t1)
    ret

finish:
    li t0, 1
    la t1, tohost
    sd t0, 0(t1)
5:  j 5b
#else   /* the serial port and the finisher of both "virt" machines */
put:
    li t1, 0x10000000
    sb t0, 0(t1)
    ret

finish:
    li t0, 0x5555
    li t1, 0x100000
    sw t0, 0(t1)
5:  j 5b
#endif

    .balign 4096
body:
    .option push
    .option norelax
    .include BODY
    .option pop
    li a7, MAGIC
    ecall

    .section .data, "aw"
    .balign 64
specials:
    .dword 0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000
    .dword 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001
    .dword 1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff
    .dword 0xffffffff00000000, 0xffffffff80000000, 0xffffffff3f800000, 0xffffffffbf800000
    .dword 0xffffffff7f800000, 0xffffffffff800000, 0xffffffff7fc00000, 0xffffffff7f800001
    .dword 0xffffffff00000001, 0xffffffff007fffff, 0xffffffff00800000, 0xffffffff7f7fffff
    .dword 0x43e0000000000000, 0x41dfffffffc00000, 0xffffffff4f000000, 0x7fffffffffffffff
    .dword -1, 0x7fffffff, 0x80000000, 0x36a0000000000000
odd:    /* permission bits of the odd pages: V R W X U . A D */
    .dword 0xdf, 0, 0xd3, 0x1f, 0xdd, 0xcf, 0xd9, 0x17
    .balign 4096
area:
    .skip PATCHES
    .word 0x00150513, 0xfff58593, 0x00c5c633, 0x40d606b3
    .word 0x00000013, 0x02e787b3, 0x0017c793, 0x00481813
    .word 0x00889893, 0x40385813, 0x00a50533, 0x00b54533
    .word 0x00e7a7b3, 0x02f74733, 0x0ff6f693, 0x7ff66613
    .skip 64
    .balign 4096
data:
    .skip DATA_BYTES + 4096
    .balign 4096
root:   .skip 4096
middle: .skip 4096
leaf:   .skip 4096
    .balign 4096
    .global tohost, fromhost
tohost: .skip 64
    .size tohost, 8
fromhost: .skip 64
    .size fromhost, 8
