/* Trap entry and return, and the choice among interrupts. */
#include "isa/trap.h"

#include <stddef.h>

enum { MONITOR_STATUS_PRIV = 3, MONITOR_STATUS_WAITED = 1 << 9, WFI_BYTES = 4 };

/* ---- entry ----------------------------------------------------------------------------------- */

static uint64_t vector_target(uint64_t vector, uint64_t cause)
{
    uint64_t base = vector & ~UINT64_C(3);
    bool is_vectored = (vector & 1) && (cause & TRAP_INTERRUPT);
    return is_vectored ? base + 4 * (cause & ~TRAP_INTERRUPT) : base;
}

static bool is_delegated(const struct hart *hart, uint64_t cause)
{
    uint64_t delegation = cause & TRAP_INTERRUPT ? hart->mideleg : hart->medeleg;
    return hart->priv <= PRIV_S && (delegation >> (cause & 63) & 1);
}

static uint64_t replace(uint64_t status, uint64_t mask, bool set)
{
    return set ? status | mask : status & ~mask;
}

/* Interrupts have the highest bit of the register set. */
static uint64_t cause_word(const struct hart *hart, uint64_t cause)
{
    uint64_t highest = UINT64_C(1) << (hart_xlen(hart) - 1);
    return cause & TRAP_INTERRUPT ? (cause & ~TRAP_INTERRUPT) | highest : cause;
}

uint64_t trap_cause_of(const struct hart *hart, uint64_t word)
{
    uint64_t highest = UINT64_C(1) << (hart_xlen(hart) - 1);
    return word & highest ? (word & ~highest) | TRAP_INTERRUPT : word;
}

static void enter_supervisor(struct hart *hart, uint64_t cause, uint64_t pc, uint64_t tval)
{
    hart->scause = cause_word(hart, cause);
    hart->sepc = hart_address(hart, pc);
    hart->stval = hart_address(hart, tval);
    hart->mstatus = replace(hart->mstatus, MSTATUS_SPIE, hart->mstatus & MSTATUS_SIE);
    hart->mstatus = replace(hart->mstatus, MSTATUS_SPP, hart->priv == PRIV_S);
    hart->mstatus &= ~MSTATUS_SIE;
    hart->priv = PRIV_S;
    hart->pc = hart_address(hart, vector_target(hart->stvec, cause));
}

static void enter_machine(struct hart *hart, uint64_t cause, uint64_t pc, uint64_t tval)
{
    hart->mcause = cause_word(hart, cause);
    hart->mepc = hart_address(hart, pc);
    hart->mtval = hart_address(hart, tval);
    hart->mstatus = replace(hart->mstatus, MSTATUS_MPIE, hart->mstatus & MSTATUS_MIE);
    hart->mstatus &= ~(MSTATUS_MIE | MSTATUS_MPP);
    hart->mstatus |= (uint64_t)hart->priv << MSTATUS_MPP_SHIFT;
    hart->priv = PRIV_M;
    hart->pc = hart_address(hart, vector_target(hart->mtvec, cause));
}

void trap_enter(struct hart *hart, uint64_t cause, uint64_t pc, uint64_t tval)
{
    hart->waiting = false;
    if (is_delegated(hart, cause)) {
        enter_supervisor(hart, cause, pc, tval);
    } else {
        enter_machine(hart, cause, pc, tval);
    }
}

/* ---- return ---------------------------------------------------------------------------------- */

enum trap_cause trap_mret(struct hart *hart)
{
    if (hart->priv != PRIV_M || hart->in_monitor) {
        return TRAP_ILLEGAL;
    }
    hart->priv = (uint8_t)((hart->mstatus & MSTATUS_MPP) >> MSTATUS_MPP_SHIFT);
    hart->mstatus = replace(hart->mstatus, MSTATUS_MIE, hart->mstatus & MSTATUS_MPIE);
    hart->mstatus = (hart->mstatus | MSTATUS_MPIE) & ~MSTATUS_MPP;
    if (hart->priv != PRIV_M) {
        hart->mstatus &= ~MSTATUS_MPRV;
    }
    hart->pc = hart->mepc;
    return TRAP_NONE;
}

enum trap_cause trap_sret(struct hart *hart)
{
    bool is_trapped = hart->priv == PRIV_S && (hart->mstatus & MSTATUS_TSR);
    if (hart->priv < PRIV_S || is_trapped || hart->in_monitor) {
        return TRAP_ILLEGAL;
    }
    hart->priv = hart->mstatus & MSTATUS_SPP ? PRIV_S : PRIV_U;
    hart->mstatus = replace(hart->mstatus, MSTATUS_SIE, hart->mstatus & MSTATUS_SPIE);
    hart->mstatus = (hart->mstatus | MSTATUS_SPIE) & ~(MSTATUS_SPP | MSTATUS_MPRV);
    hart->pc = hart->sepc;
    return TRAP_NONE;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static int most_urgent(uint64_t pending)
{
    static const uint8_t order[] = {IRQ_MEI, IRQ_MSI, IRQ_MTI,   IRQ_SEI,
                                    IRQ_SSI, IRQ_STI, IRQ_LCOFI, IRQ_INDICATOR};
    for (size_t i = 0; i < sizeof order; i++) {
        if (pending >> order[i] & 1) {
            return order[i];
        }
    }
    return -1;
}

int trap_pending_interrupt(const struct hart *hart)
{
    uint64_t pending = trap_mip(hart) & (hart->mie | UINT64_C(1) << IRQ_LED);
    if (pending == 0 || hart->in_monitor) {
        return -1;
    }
    if (hart->led != HART_NOT_LED) {
        return hart->led;
    }
    bool is_machine_open = hart->priv < PRIV_M || (hart->mstatus & MSTATUS_MIE);
    uint64_t machine = is_machine_open ? pending & ~hart->mideleg : 0;
    if (machine != 0) {
        return most_urgent(machine);
    }
    bool is_supervisor_open =
        hart->priv < PRIV_S || (hart->priv == PRIV_S && (hart->mstatus & MSTATUS_SIE));
    return is_supervisor_open ? most_urgent(pending & hart->mideleg) : -1;
}

bool trap_wakes(const struct hart *hart)
{
    return (trap_mip(hart) & (hart->mie | UINT64_C(1) << IRQ_LED)) != 0;
}

void trap_update_timer(struct hart *hart, uint64_t mtime)
{
    if (hart->menvcfg & MENVCFG_STCE) {
        hart->irq_lines =
            replace(hart->irq_lines, UINT64_C(1) << IRQ_STI, mtime >= hart->stimecmp);
    }
}

/* ---- the monitor ----------------------------------------------------------------------------- */

uint64_t trap_interrupted_pc(const struct hart *hart)
{
    return hart->waiting ? hart_address(hart, hart->pc - WFI_BYTES) : hart->pc;
}

void trap_enter_monitor(struct hart *hart, uint64_t cause, uint64_t pc)
{
    if (hart->monitor_vector == 0 || hart->in_monitor) {
        return;
    }
    hart->monitor_cause = cause;
    hart->monitor_epc = pc;
    hart->monitor_status = hart->priv | (hart->waiting ? MONITOR_STATUS_WAITED : 0);
    hart->in_monitor = true;
    hart->waiting = false;
    hart->priv = PRIV_M;
    hart->pc = hart->monitor_vector;
}

bool trap_interrupted_wait(const struct hart *hart)
{
    return (hart->monitor_status & MONITOR_STATUS_WAITED) != 0;
}

enum trap_cause trap_return_monitor(struct hart *hart)
{
    if (!hart->in_monitor) {
        return TRAP_ILLEGAL;
    }
    unsigned priv = hart->monitor_status & MONITOR_STATUS_PRIV;
    hart->priv = priv == 2 ? PRIV_U : (uint8_t)priv;    /* reserved: becomes the least privilege */
    hart->in_monitor = false;
    hart->pc = hart->monitor_epc & ~UINT64_C(1);
    if (trap_interrupted_wait(hart)) {
        hart->pc = hart_address(hart, hart->pc + WFI_BYTES);
        hart->waiting = !trap_wakes(hart);
    }
    return TRAP_NONE;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const exception_names[] = {
    [TRAP_FETCH_MISALIGNED] = "instruction address misaligned",
    [TRAP_FETCH_ACCESS] = "instruction access fault",
    [TRAP_ILLEGAL] = "illegal instruction",
    [TRAP_BREAKPOINT] = "breakpoint",
    [TRAP_LOAD_MISALIGNED] = "load address misaligned",
    [TRAP_LOAD_ACCESS] = "load access fault",
    [TRAP_STORE_MISALIGNED] = "store address misaligned",
    [TRAP_STORE_ACCESS] = "store access fault",
    [TRAP_ECALL_U] = "environment call from U-mode",
    [TRAP_ECALL_S] = "environment call from S-mode",
    [TRAP_ECALL_M] = "environment call from M-mode",
    [TRAP_FETCH_PAGE] = "instruction page fault",
    [TRAP_LOAD_PAGE] = "load page fault",
    [TRAP_STORE_PAGE] = "store page fault",
};

static const char *const interrupt_names[] = {
    [IRQ_SSI] = "supervisor software interrupt",
    [IRQ_MSI] = "machine software interrupt",
    [IRQ_STI] = "supervisor timer interrupt",
    [IRQ_MTI] = "machine timer interrupt",
    [IRQ_SEI] = "supervisor external interrupt",
    [IRQ_MEI] = "machine external interrupt",
    [IRQ_LCOFI] = "counter-overflow interrupt",
    [IRQ_INDICATOR] = "profiling indicator interrupt",
};

static const char *name_in(const char *const *names, size_t count, uint64_t index)
{
    return index < count && names[index] != NULL ? names[index] : "unknown trap";
}

const char *trap_name(uint64_t cause)
{
    if (cause & TRAP_INTERRUPT) {
        return name_in(interrupt_names, sizeof interrupt_names / sizeof *interrupt_names,
                       cause & ~TRAP_INTERRUPT);
    }
    return name_in(exception_names, sizeof exception_names / sizeof *exception_names, cause);
}
