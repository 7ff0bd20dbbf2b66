/* Traps: causes, entry, return, and which interrupt is due.
 * Source: RISC-V Privileged Architecture 20240411, sections 3.1.6-3.1.15, 3.3, 10.1. */
#ifndef ISA_TRAP_H
#define ISA_TRAP_H

#include "isa/hart.h"

enum trap_cause {
    TRAP_FETCH_MISALIGNED = 0, TRAP_FETCH_ACCESS = 1, TRAP_ILLEGAL = 2, TRAP_BREAKPOINT = 3,
    TRAP_LOAD_MISALIGNED = 4, TRAP_LOAD_ACCESS = 5,
    TRAP_STORE_MISALIGNED = 6, TRAP_STORE_ACCESS = 7,
    TRAP_ECALL_U = 8, TRAP_ECALL_S = 9, TRAP_ECALL_M = 11,
    TRAP_FETCH_PAGE = 12, TRAP_LOAD_PAGE = 13, TRAP_STORE_PAGE = 15,
    TRAP_NONE = 63,             /* no trap */
};
#define TRAP_INTERRUPT (UINT64_C(1) << 63)

/* Enters the trap: sets epc = pc, cause, tval, status stacking, privilege, and pc to the vector.
 * `cause` has TRAP_INTERRUPT set for interrupts. Honours medeleg/mideleg. */
void trap_enter(struct hart *hart, uint64_t cause, uint64_t pc, uint64_t tval);

/* mret / sret: returns TRAP_NONE, or TRAP_ILLEGAL if the privilege does not allow it, or in the
 * monitor, which has its own return. Sets hart->pc. */
enum trap_cause trap_mret(struct hart *hart);
enum trap_cause trap_sret(struct hart *hart);

/* The number of the interrupt to take now, or -1. Considers mip, mie, mideleg, global enables, and
 * the priority MEI MSI MTI SEI SSI STI LCOFI INDICATOR. -1 while hart->in_monitor. */
int trap_pending_interrupt(const struct hart *hart);
/* True if an interrupt is pending and individually enabled, regardless of the global enables: ends
 * WFI. */
bool trap_wakes(const struct hart *hart);

static inline uint64_t trap_mip(const struct hart *hart)
{
    return hart->irq_lines | hart->mip_software;
}

/* Sstc: drives the STI line from stimecmp if menvcfg.STCE is set. Call when time passed or after a
 * CSR write with CSR_EFFECT_INTERRUPTS. */
void trap_update_timer(struct hart *hart, uint64_t mtime);

/* The monitor's own trap (custom, in the manner of Smrnmi): entry saves pc, privilege, and whether
 * the hart waited in WFI; return restores them. Entry requires monitor_vector != 0 and that the
 * monitor is not running. A waiting WFI is the interrupted instruction: the return continues to
 * wait, unless WFI would end now. */
void trap_enter_monitor(struct hart *hart, uint64_t cause, uint64_t pc);
/* The pc for trap_enter_monitor. */
uint64_t trap_interrupted_pc(const struct hart *hart);
/* True if the monitor's last entry interrupted a wait. */
bool trap_interrupted_wait(const struct hart *hart);
enum trap_cause trap_return_monitor(struct hart *hart);

/* mcause or scause, as trap_enter takes it: TRAP_INTERRUPT is bit 63 for every XLEN. */
uint64_t trap_cause_of(const struct hart *hart, uint64_t word);

/* "load page fault", "machine timer interrupt"; never NULL. */
const char *trap_name(uint64_t cause);

#endif
