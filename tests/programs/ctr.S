/* Control transfer records (Smctr/Ssctr) of a program that goes through M, S and U: every record in
 * order, hand-made; filters, external traps, freezing by an overflow and by a breakpoint, RAS
 * emulation, SCTRCLR, delegation of counters (Smcdeleg/Ssccfg) in passing. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#define CSR_SCTRCTL 0x14e
#define CSR_SCTRSTATUS 0x14f
#define CSR_SISELECT 0x150
#define CSR_SIREG 0x151
#define CSR_SIREG2 0x152
#define CSR_SIREG3 0x153
#define CSR_SIREG4 0x155
#define CSR_SCTRDEPTH 0x15f
#define CSR_MCTRCTL 0x34e
#define CTR_U 1
#define CTR_S 2
#define CTR_M 4
#define RASEMU (1 << 7)
#define STE (1 << 8)
#define MTE (1 << 9)
#define BPFRZ (1 << 11)
#define LCOFIFRZ (1 << 12)
#if __riscv_xlen == 64
#define FILTER(type) (1 << (32 + type))
#else
#define FILTER(type) 0                  /* bits 63:32 are out of the reach of RV32 */
#define CSR_SIREG5 0x156
#define CSR_SIREG6 0x157
#define CSR_MENVCFGH 0x31a
#endif
#define FROZEN (1 << 31)
    .macro sctrclr
    .insn i 0x73, 0, x0, x0, 0x104
    .endm

    # Logical entry n holds a transfer of that type from source to target. Uses t0-t2, t6.
    .macro record n, type, source, target, number
    li t0, 0x200 + \n
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG3
    andi t1, t1, 15
    demand t1, \type, \number
    csrr t1, CSR_SIREG
    la t2, \source
    ori t2, t2, 1
    sub t1, t1, t2
    demand t1, 0, \number
    csrr t1, CSR_SIREG2
    andi t1, t1, -2             # without MISP
    la t2, \target
    sub t1, t1, t2
    demand t1, 0, \number
    .endm
    # The same with a pc of 0 in the place of the one or the other
    .macro partial n, type, source, target, number
    li t0, 0x200 + \n
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG3
    andi t1, t1, 15
    demand t1, \type, \number
    csrr t1, CSR_SIREG
    .ifc \source, none
    demand t1, 1, \number
    .else
    la t2, \source
    ori t2, t2, 1
    sub t1, t1, t2
    demand t1, 0, \number
    .endif
    csrr t1, CSR_SIREG2
    .ifc \target, none
    demand t1, 0, \number
    .else
    la t2, \target
    sub t1, t1, t2
    demand t1, 0, \number
    .endif
    .endm
    .macro none n, number
    li t0, 0x200 + \n
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG
    andi t1, t1, 1
    demand t1, 0, \number
    .endm
    # The four upper bits of a counter's event: MINH is bit 2, SINH 1, UINH 0; above them OF.
    .macro select_event high, low
#if __riscv_xlen == 64
    li t0, \high << 60 | \low
    csrw mhpmevent3, t0
#else
    li t0, \high << 28
    csrw mhpmevent3h, t0
    li t0, \low
    csrw mhpmevent3, t0
#endif
    .endm
    # The same as the supervisor does it.
    .macro delegated_event high, low
#if __riscv_xlen == 64
    li t0, \high << 60 | \low
    csrw CSR_SIREG2, t0
#else
    li t0, \high << 28
    csrw CSR_SIREG5, t0
    li t0, \low
    csrw CSR_SIREG2, t0
#endif
    .endm
    .macro start control:vararg
    sctrclr
    csrw CSR_SCTRSTATUS, zero
    li t0, \control
    csrw CSR_MCTRCTL, t0
    .endm
    .macro stop
    csrw CSR_MCTRCTL, zero
    .endm

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    csrw CSR_SCTRDEPTH, zero            # 16

    # Every kind of transfer, in M-mode.
    start CTR_M
t1: jal ra, callee
t2: la t3, callee
    jalr ra, t3
t3: j t4
    nop
t4: beqz zero, t5
    nop
t5: bnez zero, t5                       # not taken: not recorded
    la t3, t6
t7: jr t3
    nop
t6: jal t3, t8
t8: la t3, t9
t0: jalr t4, t3
t9: la t0, callee
ta: jalr ra, t0                         # swap: from x5 to x1
    stop
    record 0, 13, ret_of_callee, ta + 4, 1
    record 1, 12, ta, callee, 1
    record 2, 14, t0, t9, 1
    record 3, 15, t6, t8, 1
    record 4, 10, t7, t6, 1
    record 5, 5, t4, t5, 1
    record 6, 11, t3, t4, 1
    record 7, 13, ret_of_callee, t3, 1
    record 8, 8, t3 - 4, callee, 1
    record 9, 13, ret_of_callee, t2, 1
    record 10, 9, t1, callee, 1
    none 11, 1
    csrr t1, CSR_SCTRSTATUS
    demand t1, 11, 1
    csrr t1, CSR_SIREG4                 # read-only zero
    demand t1, 0, 1
    # The first record has no valid cycle count, the others have.
    li t0, 0x200 + 10
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG3
    srli t1, t1, 15
    andi t1, t1, 1
    demand t1, 0, 1
    li t0, 0x200 + 9
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG3
    srli t1, t1, 15
    andi t1, t1, 1
    demand t1, 1, 1

#if __riscv_xlen == 64
    # Without calls and returns, but with branches that are not taken.
    start CTR_M | FILTER(8) | FILTER(9) | FILTER(13) | FILTER(4)
u1: bnez zero, u1
    jal ra, callee
u2: j u3
u3: stop
    record 0, 11, u2, u3, 2
    record 1, 4, u1, u1 + 4, 2
    none 2, 2
#else
    li t0, -1
    csrw CSR_MCTRCTL, t0
    csrr t1, CSR_MCTRCTL
    stop
    demand t1, 0x1b87, 2
#endif

    # U-mode with a call inside to S and back, which is recorded as it must be.
    li t0, 1 << 8                       # ecall from U to S
    csrw medeleg, t0
    la t0, supervisor
    csrw stvec, t0
    start CTR_U | CTR_S
    jal s0, user
    record 0, 13, ret_of_user_callee, uu3, 4
    record 1, 9, uu2, user_callee, 4
    record 2, 3, sret_1, uu2, 4
    record 3, 11, su1, su2, 4
    record 4, 1, uu1, supervisor, 4
    none 5, 4
    # Only U: traps to S and M are not recorded, nor the returns from them.
    start CTR_U
    jal s0, user
    record 0, 13, ret_of_user_callee, uu3, 4
    record 1, 9, uu2, user_callee, 4
    none 2, 4
    # Only S: half of the transfers into S and out of it.
    start CTR_S
    jal s0, user
    partial 0, 3, sret_1, none, 8
    record 1, 11, su1, su2, 8
    partial 2, 1, none, supervisor, 8
    none 3, 8
    # U, and external traps to S; then also to M.
    start CTR_U | STE
    jal s0, user
    record 0, 13, ret_of_user_callee, uu3, 8
    partial 2, 1, uu1, none, 8
    none 3, 8
    start CTR_U | STE | MTE
    jal s0, user
    partial 0, 1, uu3, none, 8
    record 1, 13, ret_of_user_callee, uu3, 8
    none 4, 8

    # A breakpoint freezes, and is not recorded.
    start CTR_M | BPFRZ
    jal ra, callee
v1: ebreak
    j v2
v2: csrr t1, CSR_SCTRSTATUS
    stop
    li t2, FROZEN | 2
    sub t1, t1, t2
    demand t1, 0, 16
    record 0, 13, ret_of_callee, v1, 16
    record 1, 9, v1 - 4, callee, 16
    # So does an overflow.
    li t0, 0x2000
    csrw mie, t0
    csrsi mstatus, 8
    start CTR_M | LCOFIFRZ
    li t0, EVENT_INSNS_RETIRED
    csrw mhpmevent3, t0
#if __riscv_xlen == 32
    li t0, -1
    csrw mhpmcounter3h, t0
#endif
    li t0, -60
    csrw mhpmcounter3, t0
    jal ra, callee
v3: .rept 120
    nop
    .endr
    j v4
v4: csrr t1, CSR_SCTRSTATUS
    stop
    csrw mhpmevent3, zero
    li t2, FROZEN | 2
    sub t1, t1, t2
    demand t1, 0, 16
    record 0, 13, ret_of_callee, v3, 16
    csrci mstatus, 8

    # RAS emulation: the calls that have not returned, the leaf first; in the end all have returned.
    start CTR_M | RASEMU | FILTER(9)
    jal ra, outer
w1: stop
    none 0, 32
    none 14, 32
    none 15, 32
    csrr t1, CSR_SCTRSTATUS
    demand t1, 0, 32
    sctrclr
    li t0, 0x200
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG2
    demand t1, 0, 32

    # S-mode configures a counter that M delegates; the window is closed again after that.
    select_event 4, 0
#if __riscv_xlen == 64
    li t0, 1 << 60
    csrw menvcfg, t0
#else
    li t0, 1 << 28
    csrw CSR_MENVCFGH, t0
#endif
    li t0, 1 << 3
    csrw mcounteren, t0
    la t0, handler
    csrw stvec, t0
    la t0, delegated
    csrw mepc, t0
    li t0, 3 << 11
    csrc mstatus, t0
    li t0, 1 << 11
    csrs mstatus, t0
    la s0, 1f
    mret
1:  csrr t1, mhpmevent3                     # MINH belongs to M, and stays
#if __riscv_xlen == 64
    li t2, 5 << 60 | EVENT_INSNS_RETIRED
    sub t1, t1, t2
    demand t1, 0, 64
#else
    demand t1, EVENT_INSNS_RETIRED, 64
    csrr t1, mhpmevent3h
    demand t1, 5 << 28, 64
#endif
    j pass
    end_function program

    function callee
    nop
ret_of_callee:
    ret
    end_function callee

    function outer
    mv s1, ra
    jal ra, inner
    jal ra, inner
    mv ra, s1
    ret
    end_function outer

    # Both times two calls have not returned.
    function inner
    csrr t1, CSR_SCTRSTATUS
    demand t1, 2, 32
    li t0, 0x200
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG
    sub t1, t1, ra
    demand t1, -3, 32
    record 1, 9, w1 - 4, outer, 32
    none 2, 32
    ret
    end_function inner

    # To U-mode and back to s0.
    .balign 4
user:
    la t0, uu1
    csrw mepc, t0
    li t0, 3 << 11
    csrc mstatus, t0
    mret
uu1:
    ecall
uu2:
    jal ra, user_callee
uu3:
    ebreak                              # to M
user_callee:
    nop
ret_of_user_callee:
    ret

    .balign 4
supervisor:
    csrr t0, sepc
su1:
    j su2
su2:
    addi t0, t0, 4
    csrw sepc, t0
sret_1:
    sret

    # In S: counter 3 through siselect, alone and exactly.
    .balign 4
delegated:
    li t0, 0x43
    csrw CSR_SISELECT, t0
    delegated_event 6, EVENT_INSNS_RETIRED  # MINH cannot be set, SINH can
    csrr t1, CSR_SIREG2
#if __riscv_xlen == 64
    li t2, 1 << 61 | EVENT_INSNS_RETIRED
    sub t1, t1, t2
    demand t1, 0, 64
#else
    demand t1, EVENT_INSNS_RETIRED, 64
    csrr t1, CSR_SIREG5
    demand t1, 1 << 29, 64
    csrw CSR_SIREG4, zero                   # the upper half of the counter
#endif
    delegated_event 0, EVENT_INSNS_RETIRED
    csrw CSR_SIREG, zero
    .rept 9
    nop
    .endr
    csrr t1, CSR_SIREG
    demand t1, 9, 64
    li t0, 8
    csrw 0x120, t0                      # scountinhibit
    csrr t1, CSR_SIREG
    nop
    csrr t2, CSR_SIREG
    sub t1, t1, t2
    demand t1, 0, 64
    li t0, -1
    csrw 0x120, t0
    csrr t1, 0x120                      # only what is delegated
    demand t1, 8, 64
    csrw 0x120, zero
#if __riscv_xlen == 32
    csrr t1, CSR_SIREG4
    demand t1, 0, 64
    li t0, 77
    csrw CSR_SIREG4, t0
    csrr t1, CSR_SIREG4
    demand t1, 77, 64
#endif
    delegated_event 5, EVENT_INSNS_RETIRED
    # Accesses that are not allowed: each is illegal, and is skipped.
    li s3, 0
    csrr t1, CSR_SIREG3
#if __riscv_xlen == 64
    csrr t1, CSR_SIREG4
#else
    csrr t1, CSR_SIREG6
#endif
    li t0, 0x41
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG
    li t0, 0x44
    csrw CSR_SISELECT, t0
    csrr t1, CSR_SIREG2
    csrr t1, CSR_MCTRCTL
    demand s3, 5, 64
    j back
    .balign 4
back:
    ebreak

    # M: an overflow is cleared; illegal instructions are counted in s3; a breakpoint of M goes on,
    # one of U or S ends there, in M after the call.
    .balign 4
handler:
    csrr t3, mcause
    bltz t3, 2f
    addi t3, t3, -2
    beqz t3, 3f
    csrr t3, mstatus
    srli t3, t3, 11
    andi t3, t3, 3
    addi t3, t3, -3
    beqz t3, 1f
    csrw CSR_MCTRCTL, zero
    jr s0
1:  csrr t3, mepc
    addi t3, t3, 4
    csrw mepc, t3
    mret
2:  li t3, 0x2000
    csrc mip, t3
    li t3, 1 << (__riscv_xlen - 1)
#if __riscv_xlen == 64
    csrs mhpmevent3, t3
#else
    csrs mhpmevent3h, t3
#endif
    mret
3:  addi s3, s3, 1
    j 1b
