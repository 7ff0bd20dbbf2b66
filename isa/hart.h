/* The architectural state of one hart: registers, privilege, control and status registers.
 *
 * Owns nothing outside itself. Both engines execute on this structure; in the detailed engine
 * `reg` is the state at the dispatch point (ahead of commit), everything else is committed state.
 * Counters live in pmu/, memory management in sim/mem.
 * XLEN is 64 or 32 and is the same in all modes.
 * Source: RISC-V Privileged Architecture 20240411, chapters 2, 3, 10. */
#ifndef ISA_HART_H
#define ISA_HART_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

enum priv { PRIV_U = 0, PRIV_S = 1, PRIV_M = 3 };

enum { PMP_COUNT = 16, PROGRAM_HISTORY = 32 };

/* mip/mie bits */
enum {
    IRQ_SSI = 1, IRQ_MSI = 3, IRQ_STI = 5, IRQ_MTI = 7, IRQ_SEI = 9, IRQ_MEI = 11,
    IRQ_LCOFI = 13,             /* counter overflow, Sscofpmf */
    IRQ_INDICATOR = 24,         /* profiling indicator, custom */
    IRQ_LED = 63,               /* not an interrupt line: raised while hart->led names a due
                                 * interrupt */
};

/* hart->led. HART_NOT_LED: interrupts follow the hart's own lines and enables. Otherwise a
 * lock-step check decides: HART_LED: none now; else the interrupt of this number. */
enum { HART_NOT_LED = 0, HART_LED = -1 };

/* mstatus; sstatus is a view of it. SD is computed when read. */
#define MSTATUS_SIE  (UINT64_C(1) << 1)
#define MSTATUS_MIE  (UINT64_C(1) << 3)
#define MSTATUS_SPIE (UINT64_C(1) << 5)
#define MSTATUS_MPIE (UINT64_C(1) << 7)
#define MSTATUS_SPP  (UINT64_C(1) << 8)
#define MSTATUS_MPP  (UINT64_C(3) << 11)
#define MSTATUS_FS   (UINT64_C(3) << 13)
#define MSTATUS_MPRV (UINT64_C(1) << 17)
#define MSTATUS_SUM  (UINT64_C(1) << 18)
#define MSTATUS_MXR  (UINT64_C(1) << 19)
#define MSTATUS_TVM  (UINT64_C(1) << 20)
#define MSTATUS_TW   (UINT64_C(1) << 21)
#define MSTATUS_TSR  (UINT64_C(1) << 22)
#define MSTATUS_UXL  (UINT64_C(2) << 32)
#define MSTATUS_SXL  (UINT64_C(2) << 34)
#define MSTATUS_SD   (UINT64_C(1) << 63)
#define MSTATUS_SD_32 (UINT64_C(1) << 31)
enum { MSTATUS_MPP_SHIFT = 11, MSTATUS_FS_SHIFT = 13 };

#define MENVCFG_FIOM (UINT64_C(1) << 0)
#define MENVCFG_CDE  (UINT64_C(1) << 60)    /* Smcdeleg: S-mode configures counters */
#define MENVCFG_STCE (UINT64_C(1) << 63)    /* Sstc: stimecmp drives mip.STIP */

/* Layout of satp in struct hart, that of XLEN 64; csr.c gives RV32 its own layout. */
enum { SATP_BARE = 0, SATP_SV32 = 1, SATP_SV39 = 8, SATP_SV48 = 9, SATP_MODE_SHIFT = 60,
       SATP_ASID_SHIFT = 44 };
#define SATP_PPN ((UINT64_C(1) << 44) - 1)
#define SATP32_ASID UINT16_C(0x1ff)         /* nine bits; sixteen where XLEN is 64 */

enum { PMP_R = 1, PMP_W = 2, PMP_X = 4, PMP_TOR = 1 << 3, PMP_NA4 = 2 << 3, PMP_NAPOT = 3 << 3,
       PMP_MODE = 3 << 3, PMP_LOCK = 0x80 };

struct hart {
    uint64_t reg[REG_COUNT];
    uint64_t pc;
    uint64_t id;
    uint8_t priv;               /* enum priv */
    bool in_monitor;            /* the resident profiling monitor runs, and cannot be interrupted */
    bool waiting;               /* stopped in WFI until an enabled interrupt is pending */
    uint8_t fflags, frm;
    uint8_t unused_bits;        /* of a register: 64 - XLEN, that is 0 or 32 */
    int8_t led;                 /* see above; set with hart_lead */

    /* machine level */
    uint64_t mstatus, misa, medeleg, mideleg, mie, mtvec, mscratch, mepc, mcause, mtval;
    uint64_t mcounteren, menvcfg, miselect;
    uint64_t mip_software;      /* bits of mip that software wrote (SSIP, STIP, SEIP, LCOFIP) */
    uint64_t irq_lines;         /* bits of mip driven by devices and by the PMU */
    /* supervisor level */
    uint64_t stvec, sscratch, sepc, scause, stval, scounteren, senvcfg, satp, stimecmp,
        siselect;
    /* physical memory protection */
    uint8_t pmpcfg[PMP_COUNT];
    uint64_t pmpaddr[PMP_COUNT];
    unsigned pmp_active;        /* number of entries up to the last that is not OFF */

    /* LR/SC reservation: physical address of the reserved granule */
    uint64_t reservation_pa;
    bool reservation_valid;

    /* the monitor's own trap registers, in the manner of Smrnmi; see isa/csr.def */
    uint64_t monitor_vector, monitor_epc, monitor_cause, monitor_status, monitor_scratch;
};

/* XLEN = 32: x registers hold their value sign-extended; addresses, pc and CSRs are zero-extended.
 * These functions convert a result to one form or the other, and do nothing where XLEN is 64. */
static inline unsigned hart_xlen(const struct hart *hart)
{
    return 64u - hart->unused_bits;
}

static inline uint64_t hart_value(const struct hart *hart, uint64_t value)
{
    return (uint64_t)((int64_t)(value << hart->unused_bits) >> hart->unused_bits);
}

static inline uint64_t hart_address(const struct hart *hart, uint64_t address)
{
    return address << hart->unused_bits >> hart->unused_bits;
}

/* number: of the interrupt to take before the next instruction, or HART_*. */
static inline void hart_lead(struct hart *hart, int number)
{
    uint64_t bit = UINT64_C(1) << IRQ_LED;

    hart->led = (int8_t)number;
    hart->irq_lines = number > 0 ? hart->irq_lines | bit : hart->irq_lines & ~bit;
}

/* mstatus.FS: Off makes every floating-point instruction and register access illegal. */
static inline bool hart_fp_is_off(const struct hart *hart)
{
    return (hart->mstatus & MSTATUS_FS) == 0;
}

static inline void hart_fp_dirty(struct hart *hart)
{
    hart->mstatus |= MSTATUS_FS;
}

/* The privilege of loads and stores (mstatus.MPRV); the monitor's accesses are always plain M. */
static inline unsigned hart_data_priv(const struct hart *hart)
{
    if (hart->priv == PRIV_M && (hart->mstatus & MSTATUS_MPRV) && !hart->in_monitor) {
        return (unsigned)((hart->mstatus & MSTATUS_MPP) >> MSTATUS_MPP_SHIFT);
    }
    return hart->priv;
}

#endif
