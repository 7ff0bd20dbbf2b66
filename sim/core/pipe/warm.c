/* Functional warming: the effects of an instruction executed by another engine on caches, TLBs and
 * predictors, without a pipeline.
 *
 * Accesses come one after another in program order, and each waits for its answer, so nothing is in
 * flight and no wrong path is fetched. The core's clock goes on for caches and memory only; these
 * cycles are not accounted. Shadow frames stay empty: the engine that executes counts marks in
 * memory.
 * Source: Wunderlich et al., "SMARTS", ISCA 2003, section 3.1. */
#include "isa/op.h"
#include "shadowcache/shadow.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/core.h"
#include "sim/core/pipe/core_state.h"
#include "sim/core/privilege.h"

/* The clock goes on to a cycle, of which no mode counts the cycles before it. */
static void pass_to(struct core *core, uint64_t cycle)
{
    if (cycle <= core->now)
        return;
    core->mode_from += cycle - core->now;
    core->now = cycle;
}

/* Changes of other frames are ignored here: frames without contents need no update. */
static void finish(struct core *core, const struct mem_response *response)
{
    struct mem_change change;

    if (response->changed)
        while (memsys_next_change(core->mem, &change))
            continue;
    pass_to(core, response->ready);
}

/* Walks for a translation that the TLBs do not hold. */
static void warm_tlb(struct core *core, uint64_t va, enum mmu_access access, unsigned priv)
{
    struct mmu_walk walk;
    uint64_t pa, ready;
    bool miss;

    if (!privilege_is_paged(core->hart, priv) ||
        (access == MMU_FETCH ? memsys_itlb_hit(core->mem, va, core->now, &ready)
                             : memsys_dtlb_hit(core->mem, va, core->now, &ready)))
        return;
    if (mmu_probe_walk(&core->cpu->mmu, va, access, priv, &pa, &walk) != TRAP_NONE)
        return;
    if (access == MMU_FETCH)
        ready = memsys_itlb(core->mem, va, walk.page_bits, walk.pte, walk.levels, core->now, &miss);
    else
        ready = memsys_dtlb(core->mem, va, walk.page_bits, walk.pte, walk.levels, core->now, &miss);
    pass_to(core, ready);
}

/* Fetch accesses the cache when it reaches another block. */
static void warm_fetch(struct core *core, const struct core_warm *insn)
{
    uint64_t block = insn->pc & ~(uint64_t)(core_config(core)->fetch_bytes - 1), pa;
    struct mem_response response;

    if (block == core->warm_block || insn->priv != core->hart->priv)
        return;
    core->warm_block = block;
    warm_tlb(core, insn->pc, MMU_FETCH, insn->priv);
    if (mmu_probe(&core->cpu->mmu, insn->pc, MMU_FETCH, insn->priv, &pa) != TRAP_NONE ||
        !phys_is_ram(core->cpu->phys, pa, 2))
        return;
    while (!memsys_fetch(core->mem, pa, core->now, &response))
        core->now++;
    finish(core, &response);
}

static void warm_line(struct core *core, const struct core_warm *insn, uint64_t pa, bool is_store)
{
    struct mem_response response;

    while (!(is_store ? memsys_store(core->mem, insn->pc, pa, core->now, &response)
                      : memsys_load(core->mem, insn->pc, pa, core->now, &response)))
        core->now++;
    finish(core, &response);
}

static void warm_data(struct core *core, const struct core_warm *insn, unsigned kind)
{
    uint64_t last = insn->pa + insn->mem_bytes - 1, line = core->config->l1d_line_bytes;
    bool is_store = kind != KIND_LOAD && kind != KIND_LR;

    if (!phys_is_ram(core->cpu->phys, insn->pa, insn->mem_bytes))
        return;
    warm_tlb(core, insn->va, is_store ? MMU_STORE : MMU_LOAD, privilege_of_data(core->hart));
    warm_line(core, insn, insn->pa, is_store);
    if (((insn->pa ^ last) & ~(line - 1)) != 0)
        warm_line(core, insn, last, is_store);
}

static void warm_control(struct core *core, const struct core_warm *insn, unsigned kind)
{
    const struct insn *decoded = insn->insn;
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    bool taken = kind != KIND_BRANCH || insn->next_pc != insn->pc + decoded->length;
    uint64_t target = kind != KIND_JALR ? insn->pc + (uint64_t)(int64_t)decoded->imm
                                        : insn->next_pc;

    bpred_predict(core->bpred, core->now, insn->pc, decoded, kind, &snapshot, &prediction);
    bool is_wrong = prediction.next_pc != insn->next_pc;
    if (is_wrong) {
        bpred_correct(core->bpred, insn->pc, decoded, kind, &snapshot, taken, insn->next_pc);
        bpred_redirected(core->bpred, core->now, insn->next_pc, false, true);
    }
    bpred_resolve(core->bpred, core->now, insn->pc, decoded, kind, &snapshot, taken, target);
    bpred_train(core->bpred, insn->pc, decoded, kind, &snapshot, taken, target);
    if (is_wrong)
        bpred_mispredicted(core->bpred, core->now, decoded, kind, &snapshot, target);
}

void core_warm(struct core *core, const struct core_warm *insn)
{
    unsigned kind = insn_info[insn->insn->op].kind;
    uint64_t before = core->now++;

    warm_fetch(core, insn);
    if (insn->mem_bytes != 0)
        warm_data(core, insn, kind);
    else if (kind == KIND_BRANCH || kind == KIND_JAL || kind == KIND_JALR)
        warm_control(core, insn, kind);
    else if (kind == KIND_FENCE_I)
        memsys_flush_icache(core->mem);
    else if (insn->insn->op == OP_sfence_vma)
        memsys_flush_tlbs(core->mem);
    core->warm_cycles += core->now - before;
    core->counted_cycle += core->now - before;
}

void core_warm_begin(struct core *core)
{
    core_settle(core);
    core->warm_block = NEVER;
    if (core->cpu->ishadow != NULL)
        shadow_flush(core->cpu->ishadow);
    if (core->cpu->dshadow != NULL)
        shadow_flush(core->cpu->dshadow);
}
