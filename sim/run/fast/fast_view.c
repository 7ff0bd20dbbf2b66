/* The fast engine's cache of address translation, one view a privilege mode: the host addresses of
 * pages, and the blocks at virtual addresses.
 *
 * The data caches hold only pages in which an access is a plain copy: RAM without watched words,
 * without decoded code (for stores), and without marked data while marks count. */
#include <string.h>

#include "sim/run/fast/fast_count.h"
#include "sim/run/fast/fast_internal.h"

/* ---- forgetting ------------------------------------------------------------------------------ */

static void empty(struct tlb *tlb)
{
    for (unsigned i = 0; i < TLB_ENTRIES; i++)
        tlb[i] = (struct tlb){.page = NO_PAGE};
}

static void empty_jumps(struct view *view)
{
    for (unsigned i = 0; i < JUMP_ENTRIES; i++)
        view->jump[i] = (struct jump){.pc = NO_PC};
}

static void empty_data(struct view *view)
{
    empty(view->load);
    empty(view->store);
}

/* An unused view is emptied when it is selected. */
void fast_forget_all(struct fast *fast)
{
    for (unsigned i = 0; i < VIEW_COUNT; i++)
        fast->views[i].is_used = false;
}

void fast_forget_jumps(struct fast *fast)
{
    for (unsigned i = 0; i < VIEW_COUNT; i++)
        if (fast->views[i].is_used)
            empty_jumps(&fast->views[i]);
}

void fast_forget_stores(struct fast *fast)
{
    for (unsigned i = 0; i < VIEW_COUNT; i++)
        if (fast->views[i].is_used)
            empty(fast->views[i].store);
}

/* ---- selecting ------------------------------------------------------------------------------- */

static uint32_t context_of(const struct fast *fast)
{
    const struct cpu *cpu = fast->cpu;
    const struct hart *hart = &cpu->hart;
    bool is_fp_plain = (hart->mstatus & MSTATUS_FS) == MSTATUS_FS && hart->frm == 0;
    bool is_marking = cpu->hints_on && !hart->in_monitor;

    return (is_fp_plain ? CONTEXT_FP : 0u) | (is_marking ? CONTEXT_MARKS : 0u) |
           (fast_is_counting(fast) ? CONTEXT_COUNTS : 0u);
}

static unsigned data_key_of(const struct hart *hart)
{
    return hart_data_priv(hart) | ((hart->mstatus & MSTATUS_SUM) != 0 ? 4u : 0) |
           ((hart->mstatus & MSTATUS_MXR) != 0 ? 8u : 0);
}

void fast_select_view(struct fast *fast)
{
    const struct hart *hart = &fast->cpu->hart;
    struct view *view = &fast->views[hart->in_monitor ? VIEW_MONITOR : hart->priv];
    uint32_t context = context_of(fast);
    unsigned data_key = data_key_of(hart);
    bool is_same = view->is_used && view->context == context;

    if (!is_same)
        empty_jumps(view);
    if (!is_same || view->data_key != data_key)
        empty_data(view);
    view->is_used = true;
    view->context = context;
    view->data_key = data_key;
    fast->view = view;
}

/* ---- data ------------------------------------------------------------------------------------ */

static bool is_free_of(const struct fast *fast, uint64_t pa, unsigned size, unsigned duties)
{
    const struct phys *phys = fast->cpu->phys;

    return phys_is_ram(phys, pa, size) && (phys_flags(phys, pa) & duties) == 0;
}

static unsigned mark_duties(const struct fast *fast)
{
    return (fast->view->context & CONTEXT_MARKS) != 0 ? PHYS_META_DATA : 0;
}

/* PMP may divide a page; then the mmu has not cached the translation, and it is not cached here
 * either. */
static void remember(struct fast *fast, uint64_t va, const uint8_t *host, enum mmu_access access)
{
    struct tlb *tlb = access == MMU_STORE ? fast->view->store : fast->view->load;
    uint64_t number = va >> PHYS_PAGE_BITS;

    if (mmu_cached(&fast->cpu->mmu, hart_address(&fast->cpu->hart, va), access) != NULL)
        tlb[number % TLB_ENTRIES] =
            (struct tlb){.page = number << PHYS_PAGE_BITS, .offset = (uintptr_t)host - va};
}

void *fast_data_address(struct fast *fast, uint64_t va, unsigned size, enum mmu_access access)
{
    unsigned offset = (unsigned)(va & (PHYS_PAGE_BYTES - 1));
    unsigned duties = mark_duties(fast) | (access == MMU_STORE ? PHYS_CODE | PHYS_HTIF : 0u);
    uint8_t *host;
    uint64_t pa;

    if (offset + size > PHYS_PAGE_BYTES ||
        mmu_translate(&fast->cpu->mmu, hart_address(&fast->cpu->hart, va), size, access, &pa) !=
            TRAP_NONE ||
        !is_free_of(fast, pa, size, duties))
        return NULL;
    fast->misaligned += (va & (size - 1)) != 0;
    host = phys_host(fast->cpu->phys, pa);
    remember(fast, va, host, access);
    return host;
}

bool fast_store(struct fast *fast, uint64_t va, unsigned size, uint64_t value)
{
    void *host = fast_data_address(fast, va, size, MMU_STORE);
    uint64_t pa;

    if (host != NULL) {
        memcpy(host, &value, size);
        return true;
    }
    va = hart_address(&fast->cpu->hart, va);
    if ((va & (PHYS_PAGE_BYTES - 1)) + size > PHYS_PAGE_BYTES ||
        mmu_translate(&fast->cpu->mmu, va, size, MMU_STORE, &pa) != TRAP_NONE ||
        !is_free_of(fast, pa, size, mark_duties(fast)) ||
        mmu_store(&fast->cpu->mmu, va, size, value) != TRAP_NONE)
        return false;
    fast->misaligned += (va & (size - 1)) != 0;
    return true;
}

bool fast_atomic(struct fast *fast, const struct insn *insn)
{
    const struct insn_info *info = &insn_info[insn->op];
    enum mmu_access access = info->kind == KIND_LR ? MMU_LOAD : MMU_STORE;
    uint64_t va = fast->cpu->hart.reg[insn->rs1], pa, tval;

    return (va & (info->mem_bytes - 1u)) == 0 &&
           fast_data_address(fast, va, info->mem_bytes, access) != NULL &&
           cpu_atomic(fast->cpu, insn, &tval, &va, &pa) == TRAP_NONE;
}
