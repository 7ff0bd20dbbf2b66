/* Instructions that reach beyond the register file: atomics, control and status registers,
 * privileged instructions, and the custom ones that talk to the profiling hardware.
 *
 * Both engines call these functions, when all older instructions are finished. Nothing changes when
 * an instruction traps. */
#include "isa/csr.h"
#include "pmu/hint.h"
#include "pmu/profile.h"
#include "sim/core/csr_access.h"
#include "sim/core/indirect.h"
#include "sim/core/magic.h"
#include "sim/core/profile/marks.h"
#include "sim/core/profile/observe.h"
#include "sim/core/profile/profile_window.h"

enum { RESERVATION_BYTES = 64 };

#define MONITOR_PROBE_FAULTED (UINT64_C(1) << 8)

static enum trap_cause illegal(const struct insn *insn, uint64_t *tval)
{
    *tval = insn->bits;
    return TRAP_ILLEGAL;
}

/* ---- atomics --------------------------------------------------------------------------------- */

void cpu_break_reservations(const struct cpu *cpu, uint64_t pa, unsigned bytes)
{
    for (unsigned i = 0; i < cpu->peer_count; i++) {
        struct hart *hart = &cpu->peers[i].hart;
        if (hart != &cpu->hart && hart->reservation_pa < pa + bytes &&
            pa < hart->reservation_pa + RESERVATION_BYTES)
            hart->reservation_valid = false;
    }
}

static enum trap_cause load_reserved(struct cpu *cpu, const struct insn *insn, uint64_t pa,
                                     unsigned bytes)
{
    struct hart *hart = &cpu->hart;
    uint64_t raw;

    if (!phys_is_ram(cpu->phys, pa, bytes) || !phys_read(cpu->phys, pa, bytes, &raw))
        return TRAP_LOAD_ACCESS;
    hart->reservation_pa = pa & ~(uint64_t)(RESERVATION_BYTES - 1);
    hart->reservation_valid = true;
    hart->reg[insn->rd] = insn_extend(insn, raw);
    return TRAP_NONE;
}

static enum trap_cause store_conditional(struct cpu *cpu, const struct insn *insn, uint64_t pa,
                                         unsigned bytes)
{
    struct hart *hart = &cpu->hart;
    uint64_t granule = pa & ~(uint64_t)(RESERVATION_BYTES - 1);
    bool success = hart->reservation_valid && hart->reservation_pa == granule;

    if (!phys_is_ram(cpu->phys, pa, bytes))
        return TRAP_STORE_ACCESS;
    if (success && !phys_write(cpu->phys, pa, bytes, hart->reg[insn->rs2]))
        return TRAP_STORE_ACCESS;
    if (success && cpu->peer_count > 1)
        cpu_break_reservations(cpu, pa, bytes);
    hart->reservation_valid = false;
    hart->reg[insn->rd] = !success;
    return TRAP_NONE;
}

static enum trap_cause read_modify_write(struct cpu *cpu, const struct insn *insn, uint64_t pa,
                                         unsigned bytes)
{
    struct hart *hart = &cpu->hart;
    uint64_t raw, old;

    if (!phys_is_ram(cpu->phys, pa, bytes) || !phys_read(cpu->phys, pa, bytes, &raw))
        return TRAP_STORE_ACCESS;
    old = insn_extend(insn, raw);
    if (!phys_write(cpu->phys, pa, bytes, insn_amo(insn, old, hart->reg[insn->rs2])))
        return TRAP_STORE_ACCESS;
    if (cpu->peer_count > 1)
        cpu_break_reservations(cpu, pa, bytes);
    hart->reg[insn->rd] = old;
    return TRAP_NONE;
}

enum trap_cause cpu_atomic(struct cpu *cpu, const struct insn *insn, uint64_t *tval, uint64_t *va,
                           uint64_t *pa)
{
    struct hart *hart = &cpu->hart;
    const struct insn_info *info = &insn_info[insn->op];
    bool is_load = info->kind == KIND_LR;
    enum trap_cause cause;

    *va = *tval = hart_address(hart, hart->reg[insn->rs1]);
    if ((*va & (info->mem_bytes - 1u)) != 0)
        return is_load ? TRAP_LOAD_MISALIGNED : TRAP_STORE_MISALIGNED;
    cause = mmu_translate(&cpu->mmu, *va, info->mem_bytes, is_load ? MMU_LOAD : MMU_STORE, pa);
    if (cause != TRAP_NONE)
        return cause;
    if (is_load)
        cause = load_reserved(cpu, insn, *pa, info->mem_bytes);
    else if (info->kind == KIND_SC)
        cause = store_conditional(cpu, insn, *pa, info->mem_bytes);
    else
        cause = read_modify_write(cpu, insn, *pa, info->mem_bytes);
    if (cause == TRAP_NONE)
        hart->pc += insn->length;
    return cause;
}

/* ---- control and status registers ------------------------------------------------------------ */

/* funct3 of the CSR instructions */
enum { CSR_WRITE = 1, CSR_SET = 2, CSR_CLEAR = 3, CSR_IMMEDIATE = 4 };

bool cpu_csr_read(struct cpu *cpu, unsigned number, uint64_t *value, uint64_t *modify)
{
    const struct hart *hart = &cpu->hart;
    bool exists = true;

    switch (csr_owner(number)) {
    case CSR_HART:
        *value = csr_read(hart, number);
        *modify = csr_read_modify(hart, number);
        return true;
    case CSR_PMU:
        exists = pmu_csr_read(&cpu->pmu, number, value);
        if (number == CSR_scountovf && hart->priv < PRIV_M)
            *value &= hart->mcounteren;
        break;
    case CSR_CLOCK:
        cpu_sync_time(cpu);
        *value = cpu->read_time != NULL ? cpu->read_time(cpu->time_arg) : 0;
        break;
    case CSR_PROFILE:
        exists = profile_csr_read(&cpu->pmu, hart, number, value);
        break;
    case CSR_INDIRECT:
        exists = indirect_read(cpu, number, value);
        break;
    case CSR_TRIGGER:
        exists = triggers_csr_read(&cpu->triggers, number, hart_xlen(hart), value);
        break;
    default:
        return false;
    }
    *modify = *value;
    return exists;
}

static bool write_hart_csr(struct cpu *cpu, unsigned number, uint64_t value, unsigned *effects)
{
    *effects |= csr_write(&cpu->hart, number, value);
    if ((*effects & CSR_EFFECT_TRANSLATION) != 0) {
        if (number == CSR_mstatus || number == CSR_sstatus) {
            mmu_switch(&cpu->mmu);
        } else {
            mmu_flush(&cpu->mmu);
            *effects |= CPU_EFFECT_REMAP;
        }
    }
    if ((*effects & CSR_EFFECT_INTERRUPTS) != 0) {
        cpu_sync_time(cpu);
        if (cpu->mtime != NULL)
            trap_update_timer(&cpu->hart, *cpu->mtime);
    }
    return true;
}

static bool write_profile_csr(struct cpu *cpu, unsigned number, uint64_t value, unsigned *effects)
{
    unsigned changed;

    cpu->pmu.is_writer |= profile_leads_to_counting(&cpu->pmu, number);
    if (!profile_csr_write(&cpu->pmu, &cpu->hart, number, value, &changed))
        return false;
    cpu_watch_thread(cpu, number);
    *effects |= cpu_profile_effects(cpu, changed);
    return true;
}

bool cpu_csr_write(struct cpu *cpu, unsigned number, uint64_t value, unsigned *effects)
{
    switch (csr_owner(number)) {
    case CSR_HART:
        return write_hart_csr(cpu, number, value, effects);
    case CSR_PMU:
        cpu->pmu.is_writer = true;
        *effects |= CPU_EFFECT_SHADOW | CSR_EFFECT_INTERRUPTS;
        return pmu_csr_write(&cpu->pmu, number, value);
    case CSR_PROFILE:
        return write_profile_csr(cpu, number, value, effects);
    case CSR_INDIRECT:
        return indirect_write(cpu, number, value, effects);
    case CSR_TRIGGER:
        *effects |= CPU_EFFECT_SHADOW;
        triggers_csr_write(&cpu->triggers, number, hart_xlen(&cpu->hart), value);
        cpu_observers_changed(cpu);
        return true;
    default:
        return false;
    }
}

/* The part of a 64-bit register that an instruction reads: the whole, or one half. */
static uint64_t part_of(const struct hart *hart, bool is_high, uint64_t value)
{
    return hart_value(hart, is_high ? value >> 32 : value);
}

/* The register with a part of it replaced. */
static uint64_t with_part(const struct hart *hart, bool is_high, uint64_t old, uint64_t part)
{
    if (hart_xlen(hart) == 64)
        return part;
    return is_high ? part << 32 | (uint32_t)old : (old & ~(uint64_t)UINT32_MAX) | (uint32_t)part;
}

static enum trap_cause access_csr(struct cpu *cpu, const struct insn *insn, uint64_t *tval,
                                  unsigned *effects)
{
    struct hart *hart = &cpu->hart;
    bool is_high;
    unsigned number = (unsigned)insn->imm & 0xfff, funct3 = insn->bits >> 12 & 7;
    unsigned field = insn->bits >> 15 & 31, action = funct3 & 3;
    unsigned whole = csr_whole(number, &is_high);
    uint64_t operand = (funct3 & CSR_IMMEDIATE) != 0 ? field : hart->reg[field];
    bool is_write = action == CSR_WRITE || field != 0;
    uint64_t value = 0, modify = 0;

    if (!csr_is_allowed(hart, number, is_write) || !cpu_csr_read(cpu, whole, &value, &modify))
        return illegal(insn, tval);
    if (action == CSR_SET)
        operand |= part_of(hart, is_high, modify);
    else if (action == CSR_CLEAR)
        operand = part_of(hart, is_high, modify) & ~operand;
    if (is_write &&
        !cpu_csr_write(cpu, whole, with_part(hart, is_high, modify, operand), effects))
        return illegal(insn, tval);
    hart->reg[insn->rd] = part_of(hart, is_high, value);
    hart->pc += insn->length;
    return TRAP_NONE;
}

/* ---- privileged instructions ----------------------------------------------------------------- */

/* The return itself counts for the mode it leaves (Smcntrpmf), but is counted by the caller. */
static enum trap_cause leave(struct cpu *cpu, const struct insn *insn, uint64_t *tval,
                             unsigned *effects, enum trap_cause (*return_from)(struct hart *hart),
                             unsigned hint_place)
{
    uint64_t pc = cpu->hart.pc;
    uint32_t fed = cpu->pmu.fed;

    if (return_from(&cpu->hart) != TRAP_NONE)
        return illegal(insn, tval);
    hint_return(&cpu->pmu, hint_place);
    cpu_leave_handler(cpu, hint_place, pc);
    if (cpu->ctr.control != 0)
        ctr_trap_return(&cpu->ctr, pc, cpu->hart.pc, cpu->hart.priv,
                        cpu->pmu.events[EVENT_CYCLES]);
    cpu_privilege_left(cpu);
    if (hint_place != HINT_AT_MONITOR)
        pmu_left(&cpu->pmu, fed);
    *effects |= CPU_EFFECT_REDIRECT | CSR_EFFECT_INTERRUPTS | CSR_EFFECT_TRANSLATION;
    if (cpu->hart.waiting)                      /* the monitor has interrupted WFI: it goes on */
        *effects |= CPU_EFFECT_WAIT;
    return TRAP_NONE;
}

static enum trap_cause wait_for_interrupt(struct cpu *cpu, const struct insn *insn, uint64_t *tval,
                                          unsigned *effects)
{
    struct hart *hart = &cpu->hart;
    bool is_trapped = hart->priv == PRIV_S && (hart->mstatus & MSTATUS_TW) != 0;

    if (hart->priv == PRIV_U || is_trapped)
        return illegal(insn, tval);
    hart->pc += insn->length;
    cpu_sync_time(cpu);
    hart->waiting = !trap_wakes(hart) && !hart->in_monitor;
    if (hart->waiting)
        *effects |= CPU_EFFECT_WAIT;
    *effects |= CSR_EFFECT_INTERRUPTS;
    return TRAP_NONE;
}

static enum trap_cause fence_translation(struct cpu *cpu, const struct insn *insn, uint64_t *tval,
                                         unsigned *effects)
{
    struct hart *hart = &cpu->hart;
    bool is_trapped = hart->priv == PRIV_S && (hart->mstatus & MSTATUS_TVM) != 0;

    if (hart->priv == PRIV_U || is_trapped)
        return illegal(insn, tval);
    mmu_flush(&cpu->mmu);
    hart->pc += insn->length;
    *effects |= CPU_EFFECT_TLB | CPU_EFFECT_REMAP;
    return TRAP_NONE;
}

static enum trap_cause clear_transfers(struct cpu *cpu, const struct insn *insn, uint64_t *tval)
{
    if (cpu->hart.priv == PRIV_U || cpu->ctr.depth_max == 0)
        return illegal(insn, tval);
    ctr_clear(&cpu->ctr, cpu->pmu.events[EVENT_CYCLES]);
    cpu->hart.pc += insn->length;
    return TRAP_NONE;
}

static enum trap_cause call_environment(const struct hart *hart, uint64_t *tval)
{
    *tval = 0;
    switch (hart->priv) {
    case PRIV_U:
        return TRAP_ECALL_U;
    case PRIV_S:
        return TRAP_ECALL_S;
    default:
        return TRAP_ECALL_M;
    }
}

/* gem5's numbers (util/m5 in its documentation). Numbers nobody knows are illegal. */
static bool is_known_magic(unsigned number)
{
    static const uint8_t known[] = {
        CPU_MAGIC_EXIT, CPU_MAGIC_FAIL, CPU_MAGIC_RESET, CPU_MAGIC_DUMP, CPU_MAGIC_DUMP_RESET,
        CPU_MAGIC_CHECKPOINT, CPU_MAGIC_SWITCH, CPU_MAGIC_BEGIN, CPU_MAGIC_END,
    };

    for (unsigned i = 0; i < sizeof known; i++)
        if (known[i] == number)
            return true;
    return false;
}

/* The host acts when the instruction has retired. */
static enum trap_cause call_host(struct cpu *cpu, const struct insn *insn, uint64_t *tval)
{
    struct hart *hart = &cpu->hart;
    unsigned number = insn->bits >> 25;

    if (cpu->config->machine_magic == 0 || !is_known_magic(number))
        return illegal(insn, tval);
    cpu->magic.number = number;
    cpu->magic.a0 = hart->reg[10];
    cpu->magic.a1 = hart->reg[11];
    cpu->phys->event = true;
    hart->pc += insn->length;
    return TRAP_NONE;
}

static enum trap_cause privileged(struct cpu *cpu, const struct insn *insn, uint64_t pc,
                                  uint64_t *tval, unsigned *effects)
{
    switch (insn->op) {
    case OP_ecall:
        return call_environment(&cpu->hart, tval);
    case OP_ebreak:
        *tval = pc;
        return TRAP_BREAKPOINT;
    case OP_mret:
        return leave(cpu, insn, tval, effects, trap_mret, HINT_AT_MACHINE);
    case OP_sret:
        return leave(cpu, insn, tval, effects, trap_sret, HINT_AT_SUPERVISOR);
    case OP_wfi:
        return wait_for_interrupt(cpu, insn, tval, effects);
    case OP_sctrclr:
        return clear_transfers(cpu, insn, tval);
    case OP_magic:
        return call_host(cpu, insn, tval);
    case OP_sfence_vma:
        return fence_translation(cpu, insn, tval, effects);
    default:
        return illegal(insn, tval);
    }
}

/* ---- profiling ------------------------------------------------------------------------------- */

/* Faults of a look at an instruction are reported as the load that it is. */
static enum trap_cause as_load(enum trap_cause cause)
{
    if (cause == TRAP_NONE)
        return TRAP_NONE;
    return cause == TRAP_FETCH_PAGE || cause == TRAP_LOAD_PAGE ? TRAP_LOAD_PAGE : TRAP_LOAD_ACCESS;
}

static enum trap_cause read_count(struct cpu *cpu, const struct insn *insn, uint64_t *tval)
{
    struct hart *hart = &cpu->hart;
    unsigned funct3 = insn->bits >> 12 & 7;
    bool is_data = funct3 == PROF_F3_RDAC || funct3 == PROF_F3_RDAC_CLEAR;
    bool clear = funct3 == PROF_F3_RDAC_CLEAR || funct3 == PROF_F3_RDIC_CLEAR;
    struct shadow *shadow = is_data ? cpu->dshadow : cpu->ishadow;
    uint64_t va = hart_address(hart, hart->reg[insn->rs1]), pa = 0;
    enum trap_cause cause;

    cause = is_data ? mmu_translate(&cpu->mmu, va, 1, MMU_LOAD, &pa)
                    : mmu_probe(&cpu->mmu, va, MMU_FETCH, hart->priv, &pa);
    if (cause != TRAP_NONE) {
        *tval = va;
        return as_load(cause);
    }
    if (cpu->peer_count > 1)
        cpu_merge_counts(cpu, is_data, pa);
    hart->reg[insn->rd] =
        hart_value(hart, shadow != NULL ? shadow_read_count(shadow, pa, clear) : 0);
    hart->pc += insn->length;
    return TRAP_NONE;
}

/* Reads a register's width of memory as the interrupted code sees it. Never traps: the monitor
 * walks stacks it does not trust. */
static enum trap_cause probe(struct cpu *cpu, const struct insn *insn, uint64_t *tval)
{
    struct hart *hart = &cpu->hart;
    uint64_t va = hart_address(hart, hart->reg[insn->rs1]), pa = 0, value = 0;
    unsigned bytes = hart_xlen(hart) / 8;
    bool is_readable;

    if (!hart->in_monitor)
        return illegal(insn, tval);
    is_readable = (va & (bytes - 1)) == 0 &&
                  mmu_probe(&cpu->mmu, va, MMU_LOAD, hart->monitor_status & 3, &pa) == TRAP_NONE &&
                  phys_copy_out(cpu->phys, pa, &value, bytes);
    hart->monitor_status &= ~MONITOR_PROBE_FAULTED;
    if (!is_readable)
        hart->monitor_status |= MONITOR_PROBE_FAULTED;
    hart->reg[insn->rd] = hart_value(hart, is_readable ? value : 0);
    hart->pc += insn->length;
    return TRAP_NONE;
}

/* The physical address of an instruction, as the interrupted code sees it. Never traps. */
static enum trap_cause locate(struct cpu *cpu, const struct insn *insn, uint64_t *tval)
{
    struct hart *hart = &cpu->hart;
    uint64_t va = hart_address(hart, hart->reg[insn->rs1]), pa = 0;
    bool is_there;

    if (!hart->in_monitor)
        return illegal(insn, tval);
    is_there = mmu_probe(&cpu->mmu, va, MMU_FETCH, hart->monitor_status & 3, &pa) == TRAP_NONE &&
               phys_is_ram(cpu->phys, pa, 2);
    hart->monitor_status &= ~MONITOR_PROBE_FAULTED;
    if (!is_there)
        hart->monitor_status |= MONITOR_PROBE_FAULTED;
    hart->reg[insn->rd] = hart_value(hart, is_there ? pa : 0);
    hart->pc += insn->length;
    return TRAP_NONE;
}

static enum trap_cause profile(struct cpu *cpu, const struct insn *insn, uint64_t *tval,
                               unsigned *effects)
{
    switch (insn->bits >> 12 & 7) {
    case PROF_F3_RDAC:
    case PROF_F3_RDAC_CLEAR:
    case PROF_F3_RDIC:
    case PROF_F3_RDIC_CLEAR:
        return read_count(cpu, insn, tval);
    case PROF_F3_MRET:
        return leave(cpu, insn, tval, effects, trap_return_monitor, HINT_AT_MONITOR);
    case PROF_F3_PROBE:
        return probe(cpu, insn, tval);
    case PROF_F3_LOCATE:
        return locate(cpu, insn, tval);
    default:
        return illegal(insn, tval);
    }
}

enum trap_cause cpu_system(struct cpu *cpu, const struct insn *insn, uint64_t pc, uint64_t *tval,
                           unsigned *effects)
{
    *effects = 0;
    cpu->hart.pc = pc;
    switch (insn_info[insn->op].kind) {
    case KIND_CSR:
        return access_csr(cpu, insn, tval, effects);
    case KIND_SYSTEM:
        return privileged(cpu, insn, pc, tval, effects);
    case KIND_PROFILE:
        return profile(cpu, insn, tval, effects);
    case KIND_FENCE_I:
        *effects = CPU_EFFECT_FENCE_I;
        break;
    case KIND_FENCE:
        break;
    default:
        return illegal(insn, tval);
    }
    cpu->hart.pc += insn->length;
    return TRAP_NONE;
}
