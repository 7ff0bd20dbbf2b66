/* Functional execution at dispatch, on the speculative register state.
 *
 * Loads see memory overlaid with the stores still in the queue, so the wrong path computes with
 * real values. Nothing here is visible outside the register file: stores wait in the queue,
 * translations set no A/D bits (commit does), devices and page-crossing accesses are left to the
 * head of the reorder buffer, where execute_serial performs them for good. */
#include "isa/csr.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/pipe/execute.h"
#include "sim/core/pipe/stage_mode.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/pipe/tally.h"
#include "sim/core/profile/observe.h"
#include "sim/core/profile/profile_window.h"

static bool fp_is_off(const struct hart *hart)
{
    return (hart->mstatus & MSTATUS_FS) == 0;
}

static uint64_t fp_dirty(const struct uop *load)
{
    return load->flags & UOP_FP ? UOP_FP_DIRTY : 0;
}

static void raise_illegal(struct uop *uop)
{
    uop->trap = TRAP_ILLEGAL;
    uop->tval = uop->insn.bits;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* As execute_translate, for a page that the translation cache does not have. */
APART enum trap_cause look_up(struct core *core, struct uop *uop, enum mmu_access access)
{
    unsigned priv = privilege_of_data(core->hart);
    uop->flags |= UOP_NEEDS_AD;
    enum trap_cause cause = mmu_probe(&core->cpu->mmu, uop->va, access, priv, &uop->pa);
    if (cause == TRAP_NONE && privilege_checks_pmp(core->hart) &&
        !pmp_allows(core->hart, uop->pa, uop->access_bytes, access, priv))
        return access == MMU_STORE ? TRAP_STORE_ACCESS : TRAP_LOAD_ACCESS;
    return cause;
}

enum trap_cause execute_translate(struct core *core, struct uop *uop, enum mmu_access access)
{
    const struct mmu_entry *entry = mmu_cached(&core->cpu->mmu, uop->va, access);
    if (entry == NULL)
        return look_up(core, uop, access);
    uop->pa = entry->pa | (uop->va & (PHYS_PAGE_BYTES - 1));
    return TRAP_NONE;
}

static bool crosses_page(const struct uop *uop)
{
    return (uop->va & (PHYS_PAGE_BYTES - 1)) + uop->access_bytes > PHYS_PAGE_BYTES;
}

static void act_at_head(struct uop *uop)
{
    uop->flags |= UOP_SERIAL;
    uop->events |= EVENT_BIT(SERIALIZED);
}

static inline void find_ram(struct core *core, struct uop *uop)
{
    if (!phys_is_ram(core->cpu->phys, uop->pa, uop->access_bytes))
        act_at_head(uop);
}

APART void look_up_address(struct core *core, struct uop *uop, enum mmu_access access)
{
    uop->trap = (uint8_t)look_up(core, uop, access);
    if (uop->trap != TRAP_NONE)
        uop->tval = uop->va;
    else
        find_ram(core, uop);
}

/* Address, translation and faults of a load or store; decides whether it must act at the head. */
void execute_address(struct core *core, struct uop *uop)
{
    enum mmu_access access = uop->kind == KIND_STORE ? MMU_STORE : MMU_LOAD;
    const struct mmu_entry *entry;
    uop->flags |= UOP_ADDRESSED;
    uop->access_cycles = 0;
    uop->tval = 0;
    uop->va = hart_address(core->hart,
                           core->hart->reg[uop->insn.rs1] + (uint64_t)(int64_t)uop->insn.imm);
    uop->pa = 0;
    if ((uop->flags & UOP_FP) && fp_is_off(core->hart)) {
        raise_illegal(uop);         /* before any effect of the address */
        return;
    }
    if (uop->va & (uop->access_bytes - 1u))
        uop->events |= EVENT_BIT(MISALIGNED);
    if (crosses_page(uop)) {
        act_at_head(uop);
        return;
    }
    entry = mmu_cached(&core->cpu->mmu, uop->va, access);
    if (entry == NULL) {
        look_up_address(core, uop, access);
        return;
    }
    uop->pa = entry->pa | (uop->va & (PHYS_PAGE_BYTES - 1));
    if (entry->host == NULL)        /* else the page is RAM */
        find_ram(core, uop);
}

/* ---- ordinary instructions ------------------------------------------------------------------- */

static uint64_t read_ram(const struct core *core, const struct uop *uop)
{
    const uint8_t *host = phys_host(core->cpu->phys, uop->pa);
    uint64_t value = 0;
    switch (uop->access_bytes) {
    case 1: value = *host; break;
    case 2: { uint16_t half; memcpy(&half, host, sizeof half); value = half; break; }
    case 4: { uint32_t word; memcpy(&word, host, sizeof word); value = word; break; }
    default: memcpy(&value, host, sizeof value);
    }
    return value;
}

/* Every kind of instruction writes its result itself, and makes rare calls last, so that the usual
 * path needs no stack. */
static inline void write_result(struct core *core, struct uop *uop, uint64_t value)
{
    uop->value = value;
    core->hart->reg[uop->insn.rd] = value;
}

/* Reads memory overlaid with the stores in the queue, of which at least one may overlap; memory has
 * the committed ones. The youngest store that covers all bytes supplies the value. */
static uint64_t read_past_stores(struct core *core, struct uop *uop)
{
    const struct store *store = store_queue_at(core, uop->store_number);
    if (store->pa <= uop->pa && uop->pa + uop->access_bytes <= store->pa + store->bytes) {
        uop->flags |= UOP_COVERED;
        if (!store->is_committed)
            return store->value >> 8 * (uop->pa - store->pa);
    }
    return store_queue_read(core, uop->pa, uop->access_bytes, read_ram(core, uop));
}

APART void load_past_stores(struct core *core, struct uop *uop)
{
    uop->store_number = store_queue_search(core, uop->pa, uop->access_bytes);
    uint64_t raw = uop->store_number != NEVER ? read_past_stores(core, uop) : read_ram(core, uop);
    write_result(core, uop, insn_extend(&uop->insn, raw));
}

static inline void execute_load(struct core *core, struct uop *uop)
{
    uop->flags |= fp_dirty(uop);
    if (!store_queue_is_apart(core, uop->pa, uop->access_bytes)) {
        load_past_stores(core, uop);
        return;
    }
    uop->store_number = NEVER;
    write_result(core, uop, insn_result_load(&uop->insn, phys_host(core->cpu->phys, uop->pa)));
}

APART void execute_fp(struct core *core, struct uop *uop)
{
    const uint64_t *reg = core->hart->reg;
    unsigned rm = uop->insn.rm, fflags = 0;
    if (rm == 7)
        rm = core->hart->frm;
    if (fp_is_off(core->hart) || (rm > 4 && (insn_info[uop->insn.op].flags & INSN_HAS_RM))) {
        raise_illegal(uop);
        return;
    }
    uint64_t value = insn_fp(&uop->insn, reg[uop->insn.rs1], reg[uop->insn.rs2],
                             reg[uop->insn.rs3], rm, &fflags);
    uop->fflags = (uint8_t)fflags;
    uop->flags |= UOP_FP_DIRTY;
    write_result(core, uop, value);
}

static inline void follow_prediction(struct uop *uop)
{
    if (uop->next_pc == uop->predicted_pc)
        return;
    uop->flags |= UOP_MISPREDICTED;
    if (uop->predicted_pc != BPRED_UNKNOWN)
        uop->events |= EVENT_BIT(BRANCHES_MISPREDICTED);
}

static inline void execute_branch(const struct hart *hart, struct uop *uop)
{
    if (insn_result_is_taken(&uop->insn, hart->reg[uop->insn.rs1], hart->reg[uop->insn.rs2])) {
        uop->next_pc = hart_address(hart, uop->pc + (uint64_t)(int64_t)uop->insn.imm);
        uop->events |= EVENT_BIT(BRANCHES_TAKEN);
    }
    follow_prediction(uop);
}

static inline void execute_jump(struct core *core, struct uop *uop)
{
    const struct hart *hart = core->hart;
    uint64_t base = uop->kind == KIND_JAL ? uop->pc : hart->reg[uop->insn.rs1];
    uint64_t target = hart_address(hart, (base + (uint64_t)(int64_t)uop->insn.imm) & ~UINT64_C(1));
    write_result(core, uop, hart_value(hart, uop->next_pc));
    uop->next_pc = target;
    follow_prediction(uop);
}

static inline void begin(const struct core *core, struct uop *uop)
{
    uop->next_pc = uop->pc + uop->insn.length;
    uop->old_value = core->hart->reg[uop->insn.rd];
}

void execute_transfer(struct core *core, struct uop *uop)
{
    begin(core, uop);
    if (uop->kind == KIND_BRANCH)
        execute_branch(core->hart, uop);
    else
        execute_jump(core, uop);
}

void execute_access(struct core *core, struct uop *uop)
{
    begin(core, uop);
    if (uop->kind == KIND_LOAD)
        execute_load(core, uop);
    else
        uop->store_value = core->hart->reg[uop->insn.rs2];
}

void execute_the_others(struct core *core, struct uop *uop)
{
    begin(core, uop);
    if (uop->trap != TRAP_NONE)
        return;
    switch (uop->kind) {
    case KIND_BRANCH:
        execute_branch(core->hart, uop);
        break;
    case KIND_JAL:
    case KIND_JALR:
        execute_jump(core, uop);
        break;
    case KIND_LOAD:
        execute_load(core, uop);
        break;
    case KIND_STORE:
        uop->store_value = core->hart->reg[uop->insn.rs2];
        break;
    case KIND_FENCE:                /* a fence that does not act at the head */
        break;
    case KIND_FP:
        execute_fp(core, uop);
        break;
    default:
        raise_illegal(uop);
    }
}

/* ---- at the head of the reorder buffer ------------------------------------------------------- */

static uint64_t flags_of_effects(unsigned effects)
{
    uint64_t flags = 0;
    if (effects & CPU_EFFECT_FENCE_I)
        flags |= UOP_FENCE_I | UOP_FLUSH_AFTER;
    if (effects & CPU_EFFECT_TLB)
        flags |= UOP_FLUSH_TLB | UOP_FLUSH_AFTER;
    if (effects & CPU_EFFECT_WAIT)
        flags |= UOP_WAITS | UOP_FLUSH_AFTER;
    if (effects & (CPU_EFFECT_SHADOW | CPU_EFFECT_REDIRECT | CSR_EFFECT_TRANSLATION))
        flags |= UOP_FLUSH_AFTER;
    return flags;
}

/* A load or store to a device, or across pages. */
static void serial_access(struct core *core, struct uop *uop)
{
    struct hart *hart = core->hart;
    uint64_t value = 0;
    cpu_sync_time(core->cpu);       /* devices look at the clock */
    core_touch_clock(core);
    if (uop->kind == KIND_STORE) {
        uop->store_value = hart->reg[uop->insn.rs2];
        uop->trap = (uint8_t)mmu_store(&core->cpu->mmu, uop->va, uop->access_bytes,
                                       uop->store_value);
    } else {
        uop->trap = (uint8_t)mmu_load(&core->cpu->mmu, uop->va, uop->access_bytes, &value);
        if (uop->trap == TRAP_NONE)
            hart->reg[uop->insn.rd] = uop->value = insn_extend(&uop->insn, value);
        uop->flags |= fp_dirty(uop);
    }
    if (uop->trap == TRAP_NONE)
        mmu_probe(&core->cpu->mmu, uop->va, uop->kind == KIND_STORE ? MMU_STORE : MMU_LOAD,
                  privilege_of_data(hart), &uop->pa);
    else
        uop->tval = core->cpu->mmu.fault_va;
    hart->pc = uop->pc + uop->insn.length;
}

/* True for a write that may move the supervisor's own timer. */
static bool sets_alarm(const struct uop *uop)
{
    bool is_high;
    unsigned number = csr_whole((unsigned)uop->insn.imm & 0xfff, &is_high);
    return uop->kind == KIND_CSR && (number == CSR_stimecmp || number == CSR_menvcfg);
}

/* A breakpoint comes before faults of the access, but after an illegal instruction. */
static bool serial_breaks(struct core *core, struct uop *uop)
{
    core->hart->pc = uop->pc;
    if (!cpu_breaks_at_pc(core->cpu, &uop->insn, &uop->tval))
        return false;
    uop->trap = TRAP_BREAKPOINT;
    return true;
}

enum { NO_ACCESS, SOME_WRITES, ALL_WRITES, ANY_ACCESS };        /* of recover.csr_writes */

/* With SOME_WRITES the excepted registers are those in which handlers save state, whatever their
 * privilege (write_flush in rocket-chip's CSR.scala, which BOOM uses). */
static bool write_flushes(const struct core *core, const struct uop *uop)
{
    enum { CSR_WRITE = 1, LEVELS = 3 << 8 };
    unsigned number = ((unsigned)uop->insn.imm & 0xfff) | LEVELS;
    unsigned action = uop->insn.bits >> 12 & 3, field = uop->insn.bits >> 15 & 31;
    bool writes = action == CSR_WRITE || field != 0;
    switch (uop->kind == KIND_CSR ? core_config(core)->recover_csr_writes : NO_ACCESS) {
    case SOME_WRITES: return writes && (number < CSR_mscratch || number > CSR_mtval);
    case ALL_WRITES: return writes;
    case ANY_ACCESS: return true;
    default: return false;
    }
}

/* Resets what execution may set, unless fetch or execute_address() has set it. */
static void begin_acting(struct uop *uop)
{
    if (!uop_has_address(uop)) {
        uop->va = uop->pa = 0;
        if (uop->trap == TRAP_NONE)
            uop->tval = 0;
    }
    uop->flags |= UOP_EXECUTED;
}

void execute_serial(struct core *core, struct uop *uop)
{
    struct hart *hart = core->hart;
    unsigned effects = 0;
    tally_settle(core);
    if (core->cpu->pauses != NULL && core_pauses(core, uop))
        return;
    begin_acting(uop);
    uop->old_value = hart->reg[uop->insn.rd];
    uop->next_pc = uop->pc + uop->insn.length;
    if ((core_extras(core) & EXTRA_TRIGGERS) && serial_breaks(core, uop))
        return;
    if (uop->trap != TRAP_NONE)
        return;
    hart->pc = uop->pc;
    switch (uop->kind) {
    case KIND_LOAD:
    case KIND_STORE:
        serial_access(core, uop);
        effects = cpu_take_late_effects(core->cpu);
        core->cpu->pmu.is_writer |= effects != 0;
        break;
    case KIND_LR:
    case KIND_SC:
    case KIND_AMO:
        uop->store_value = hart->reg[uop->insn.rs2];
        uop->trap = (uint8_t)cpu_atomic(core->cpu, &uop->insn, &uop->tval, &uop->va, &uop->pa);
        break;
    default:
        uop->trap = (uint8_t)cpu_system(core->cpu, &uop->insn, uop->pc, &uop->tval, &effects);
        if ((effects & CPU_EFFECT_WAIT) != 0 || sets_alarm(uop))
            core_touch_clock(core);
    }
    uop->flags |= flags_of_effects(effects);
    core_note_mode(core);
    if (uop->trap == TRAP_NONE) {
        uop->next_pc = hart->pc;
        uop->value = hart->reg[uop->insn.rd];
    }
    if (uop->next_pc != uop->predicted_pc || write_flushes(core, uop))
        uop->flags |= UOP_FLUSH_AFTER;
}
