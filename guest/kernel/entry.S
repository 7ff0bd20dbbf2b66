/* Where harts enter the kernel: out of reset in machine mode, at traps of user code, at a switch.
 *
 * Machine mode does two things. It hands everything to S-mode once, and it takes the interrupts
 * that harts send each other, which S-mode cannot mask: it drops the translations that the sender
 * asks to be dropped, so that a sender may wait for that whatever this hart is doing, and passes
 * the interrupt on as a supervisor software interrupt. */
#include "layout.h"
#include "pmu/abi_kernel.h"

.section .text.entry, "ax"
.globl kernel_entry
kernel_entry:
    csrr    a0, mhartid
    la      t0, machine_hart
    slli    t1, a0, MACHINE_HART_LOG2
    add     t0, t0, t1
    csrw    mscratch, t0
    li      t1, CLINT_PA
    slli    t2, a0, 2
    add     t1, t1, t2
    sd      t1, MACHINE_MSIP(t0)
    la      t0, machine_trap
    csrw    mtvec, t0
    li      t0, 0xb1ff
    csrw    medeleg, t0
    li      t0, 0x222
    li      t1, KERNEL_BOOT_PA
    ld      t1, KERNEL_BOOT_SAMPLER(t1)
    beqz    t1, 1f
    li      t0, 0x2222                  /* counters that overflow are the sampler's */
1:  csrw    mideleg, t0
    li      t0, -1
    csrw    pmpaddr0, t0
    csrw    mcounteren, t0
    csrw    scounteren, t0
    li      t1, 0x1f
    csrw    pmpcfg0, t1
    li      t0, 9 << 60
    csrw    menvcfg, t0
    csrwi   mie, 8
    li      t0, 0x1800
    csrc    mstatus, t0
    li      t0, 0x2880
    csrs    mstatus, t0
    la      t0, kernel_root
    srli    t0, t0, 12
    li      t1, 8 << 60
    or      t0, t0, t1
    csrw    satp, t0
    sfence.vma
    la      t0, supervisor_entry
    li      t1, KERNEL_MAP
    add     t0, t0, t1
    csrw    mepc, t0
    mret

.balign 4
.globl machine_trap, machine_held, machine_left
machine_trap:
    csrrw   t0, mscratch, t0
    sd      t1, 0(t0)
machine_held:
    csrr    t1, mcause
    bgez    t1, machine_trap_fatal
    ld      t1, MACHINE_MSIP(t0)
    sw      zero, (t1)
    fence   iorw, iorw
    ld      t1, MACHINE_ASKED(t0)
    sfence.vma
    fence.i
    sd      t1, MACHINE_DONE(t0)
    csrsi   mip, 2
    ld      t1, 0(t0)
    csrrw   t0, mscratch, t0
machine_left:
    mret
machine_trap_fatal:
    j       machine_trap_fatal

/* A stack of the kernel ends where the kernel is entered: described for who walks it. */
.cfi_sections .debug_frame
supervisor_entry:
    .cfi_startproc
    .cfi_undefined ra
    la      t0, trap_entry
    csrw    stvec, t0
    la      sp, boot_stack
    addi    t0, a0, 1
    slli    t0, t0, BOOT_STACK_LOG2
    add     sp, sp, t0
    j       kernel_main
    .cfi_endproc

/* ---- traps of user code ---------------------------------------------------------------------- */
/* sscratch is this hart's struct hart while user code runs; tp is while the kernel does. The frame
 * lies at the top of the thread's kernel stack. */
.balign 4
.globl trap_entry, trap_saved, trap_framed
trap_entry:
    .cfi_startproc
    .cfi_undefined ra
    csrrw   tp, sscratch, tp
    sd      sp, HART_SP(tp)
    csrr    sp, time
    sd      sp, HART_TRAPPED(tp)
    ld      sp, HART_FRAME(tp)
    sd      ra, 1 * 8(sp)
    sd      gp, 3 * 8(sp)
    sd      t0, 5 * 8(sp)
    sd      t1, 6 * 8(sp)
    sd      t2, 7 * 8(sp)
    sd      s0, 8 * 8(sp)
    sd      s1, 9 * 8(sp)
    .irp n, 10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sd      x\n, \n * 8(sp)
    .endr
trap_saved:
    ld      t0, HART_SP(tp)
    csrr    t1, sscratch
    csrr    t2, sepc
    sd      t0, 2 * 8(sp)
    sd      t1, 4 * 8(sp)
    sd      t2, 0(sp)
trap_framed:
    mv      a0, sp
    call    trap_user
    mv      a0, sp
/* void trap_return(struct frame *frame): to user code, the frame being this thread's. */
.globl trap_return
trap_return:
    mv      sp, a0
    csrw    sscratch, tp
    ld      t0, 0(sp)
    sc.d    zero, t0, (sp)              /* no reservation outlives a trap: others may have run */
    csrw    sepc, t0
    ld      ra, 1 * 8(sp)
    ld      gp, 3 * 8(sp)
    ld      tp, 4 * 8(sp)
    .irp n, 5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld      x\n, \n * 8(sp)
    .endr
    ld      sp, 2 * 8(sp)
    sret
    .cfi_endproc

/* ---- switching ------------------------------------------------------------------------------- */
/* A new thread begins here, after THREAD_BEGIN bytes, as if a call were there. It has no caller,
 * which stack walks are told; they look for a return address's code in front of it. */
.globl thread_entry
thread_entry:
    .cfi_startproc
    .cfi_undefined ra
    .option push
    .option norvc
    nop
    .option pop
    call    thread_first_steps
    .cfi_endproc

/* void context_switch(struct context *from, struct context *to) */
.globl context_switch
context_switch:
    sd      ra, 0(a0)
    sd      sp, 8(a0)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    sd      s\n, (16 + 8 * \n)(a0)
    .endr
    ld      ra, 0(a1)
    ld      sp, 8(a1)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    ld      s\n, (16 + 8 * \n)(a1)
    .endr
    ret

/* void fp_save(uint64_t value[33]), fp_restore: f0..f31 and fcsr. */
.option push
.option arch, +f, +d
.globl fp_save
fp_save:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fsd     f\n, 8 * \n(a0)
    .endr
    csrr    t0, fcsr
    sd      t0, 8 * 32(a0)
    ret
.globl fp_restore
fp_restore:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld     f\n, 8 * \n(a0)
    .endr
    ld      t0, 8 * 32(a0)
    csrw    fcsr, t0
    ret
.option pop

/* The way back from a signal handler, for a page of user code. */
.globl signal_trampoline
.balign 8
signal_trampoline:
    li      a7, 139
    ecall

/* ---- data ------------------------------------------------------------------------------------ */
/* All of physical memory, by pages of 1 GiB, in the upper half: the part of every root table that
 * is the kernel's. */
.data
.balign 4096
.globl kernel_root
kernel_root:
    .zero   2048
    .set    page, 0
    .rept   256
    .dword  (page << 28) | 0xef
    .set    page, page + 1
    .endr

.bss
.balign 64
.globl machine_hart
machine_hart:
    .zero   HARTS_MAX << MACHINE_HART_LOG2
.balign 4096
boot_stack:
    .zero   HARTS_MAX << BOOT_STACK_LOG2
