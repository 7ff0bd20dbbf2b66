/* The cache of translations, and loads, stores and fetches through it. */
#include "sim/mem/translate/mmu.h"

#include "sim/mem/translate/walk.h"

#define NO_PAGE UINT64_MAX

/* ---- views ----------------------------------------------------------------------------------- */

static enum mmu_view view_of(const struct hart *hart, unsigned priv, bool is_data)
{
    if (hart->in_monitor) {
        return MMU_MONITOR;
    }
    switch (priv) {
    case PRIV_M:
        return MMU_M;
    case PRIV_S:
        return is_data && (hart->mstatus & MSTATUS_SUM) ? MMU_S_SUM : MMU_S;
    default:
        return MMU_U;
    }
}

static void empty_view(struct mmu *mmu, unsigned view)
{
    for (unsigned access = 0; access < 3; access++) {
        for (unsigned i = 0; i < MMU_CACHE_ENTRIES; i++) {
            mmu->view[view][access][i] = (struct mmu_entry){.tag = NO_PAGE};
        }
    }
    mmu->view_used[view] = false;
}

static void empty_views(struct mmu *mmu)
{
    for (unsigned view = 0; view < MMU_VIEWS; view++) {
        if (mmu->view_used[view]) {
            empty_view(mmu, view);
        }
    }
}

static void select_view(struct mmu *mmu)
{
    const struct hart *hart = mmu->hart;
    enum mmu_view fetch = view_of(hart, hart->priv, false);
    enum mmu_view data = view_of(hart, hart_data_priv(hart), true);
    mmu->cache[MMU_FETCH] = mmu->view[fetch][MMU_FETCH];
    mmu->cache[MMU_LOAD] = mmu->view[data][MMU_LOAD];
    mmu->cache[MMU_STORE] = mmu->view[data][MMU_STORE];
}

void mmu_switch(struct mmu *mmu)
{
    bool mxr = (mmu->hart->mstatus & MSTATUS_MXR) != 0;
    if (mmu->mxr != mxr) {
        mmu->mxr = mxr;
        empty_views(mmu);
    }
    select_view(mmu);
}

void mmu_flush(struct mmu *mmu)
{
    empty_views(mmu);
    mmu_switch(mmu);
}

void mmu_withdraw(struct mmu *mmu, uint64_t page_pa)
{
    for (unsigned view = 0; view < MMU_VIEWS; view++) {
        if (!mmu->view_used[view]) {
            continue;
        }
        for (unsigned access = 0; access < 3; access++) {
            for (unsigned i = 0; i < MMU_CACHE_ENTRIES; i++) {
                struct mmu_entry *entry = &mmu->view[view][access][i];
                if (entry->tag != NO_PAGE && entry->pa == page_pa) {
                    *entry = (struct mmu_entry){.tag = NO_PAGE};
                }
            }
        }
    }
}

static void leave(struct mmu *mmu, struct phys *phys)
{
    for (struct mmu **link = &phys->mmus; *link != NULL; link = &(*link)->next) {
        if (*link == mmu) {
            *link = mmu->next;
            return;
        }
    }
}

void mmu_init(struct mmu *mmu, struct hart *hart, struct phys *phys)
{
    leave(mmu, phys);
    *mmu = (struct mmu){.hart = hart, .phys = phys, .next = phys->mmus};
    phys->mmus = mmu;
    for (unsigned view = 0; view < MMU_VIEWS; view++) {
        empty_view(mmu, view);
    }
    mmu_switch(mmu);
}

void mmu_free(struct mmu *mmu)
{
    if (mmu->phys != NULL) {
        leave(mmu, mmu->phys);
    }
}

/* ---- translation ----------------------------------------------------------------------------- */

static struct mmu_entry *entry_for(struct mmu *mmu, uint64_t va, enum mmu_access access)
{
    return &mmu->cache[access][(va >> PHYS_PAGE_BITS) % MMU_CACHE_ENTRIES];
}

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(PHYS_PAGE_BYTES - 1);
}

static uint8_t *host_page(const struct mmu *mmu, uint64_t page_pa, enum mmu_access access)
{
    if (!phys_is_ram(mmu->phys, page_pa, PHYS_PAGE_BYTES)) {
        return NULL;
    }
    bool has_duties = phys_flags(mmu->phys, page_pa) & (PHYS_CODE | PHYS_HTIF);
    return access == MMU_STORE && has_duties ? NULL : phys_host(mmu->phys, page_pa);
}

/* Caches a translation only if it holds for every byte of the page. */
static void fill_entry(struct mmu *mmu, uint64_t va, uint64_t pa, enum mmu_access access,
                       struct viewer viewer)
{
    struct mmu_entry *entry = entry_for(mmu, va, access);
    uint64_t page_pa = page_of(pa);
    if (walk_may_access(mmu, page_pa, PHYS_PAGE_BYTES, access, viewer)) {
        *entry = (struct mmu_entry){va >> PHYS_PAGE_BITS, page_pa, host_page(mmu, page_pa, access)};
        mmu->view_used[view_of(mmu->hart, viewer.priv, access != MMU_FETCH)] = true;
    }
}

enum trap_cause mmu_translate(struct mmu *mmu, uint64_t va, unsigned size, enum mmu_access access,
                              uint64_t *pa)
{
    const struct mmu_entry *entry = entry_for(mmu, va, access);
    if (entry->tag == va >> PHYS_PAGE_BITS) {
        *pa = entry->pa | (va & (PHYS_PAGE_BYTES - 1));
        return TRAP_NONE;
    }
    const struct hart *hart = mmu->hart;
    struct viewer viewer = {access == MMU_FETCH ? hart->priv : hart_data_priv(hart),
                            hart->in_monitor};
    struct leaf leaf;
    enum trap_cause cause = walk_find(mmu, va, size, access, viewer, &leaf, &mmu->walk);
    if (cause == TRAP_NONE) {
        cause = walk_update(mmu, &leaf, access);
    }
    if (cause != TRAP_NONE) {
        return cause;
    }
    *pa = leaf.pa;
    fill_entry(mmu, va, leaf.pa, access, viewer);
    return TRAP_NONE;
}

enum trap_cause mmu_probe_walk(const struct mmu *mmu, uint64_t va, enum mmu_access access,
                               unsigned priv, uint64_t *pa, struct mmu_walk *record)
{
    struct viewer viewer = {priv, mmu->hart->in_monitor && priv == PRIV_M};
    struct leaf leaf;
    struct mmu_walk scratch;
    enum trap_cause cause =
        walk_find(mmu, va, 1, access, viewer, &leaf, record == NULL ? &scratch : record);
    *pa = leaf.pa;
    return cause;
}

enum trap_cause mmu_probe(const struct mmu *mmu, uint64_t va, enum mmu_access access, unsigned priv,
                          uint64_t *pa)
{
    return mmu_probe_walk(mmu, va, access, priv, pa, NULL);
}

/* ---- access ---------------------------------------------------------------------------------- */

/* Bytes of the access that lie in the first page. */
static unsigned first_part(uint64_t va, unsigned size)
{
    unsigned room = PHYS_PAGE_BYTES - (unsigned)(va & (PHYS_PAGE_BYTES - 1));
    return size < room ? size : room;
}

static enum trap_cause fail(struct mmu *mmu, enum trap_cause cause, uint64_t va)
{
    mmu->fault_va = va;
    return cause;
}

static enum trap_cause load_part(struct mmu *mmu, uint64_t va, unsigned size, uint64_t *value)
{
    uint64_t pa;
    enum trap_cause cause = mmu_translate(mmu, va, size, MMU_LOAD, &pa);
    if (cause == TRAP_NONE && !phys_read(mmu->phys, pa, size, value)) {
        cause = TRAP_LOAD_ACCESS;
    }
    return cause == TRAP_NONE ? TRAP_NONE : fail(mmu, cause, va);
}

/* An odd number of bytes up to 7, from RAM or byte by byte from a device. */
static enum trap_cause load_bytes(struct mmu *mmu, uint64_t va, unsigned count, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t byte;
        enum trap_cause cause = load_part(mmu, va + i, 1, &byte);
        if (cause != TRAP_NONE) {
            return cause;
        }
        *value |= byte << (8 * i);
    }
    return TRAP_NONE;
}

enum trap_cause mmu_load(struct mmu *mmu, uint64_t va, unsigned size, uint64_t *value)
{
    unsigned first = first_part(va, size);
    if (first == size) {
        const struct mmu_entry *entry = entry_for(mmu, va, MMU_LOAD);
        if (entry->tag == va >> PHYS_PAGE_BITS && entry->host != NULL) {
            *value = 0;
            memcpy(value, entry->host + (va & (PHYS_PAGE_BYTES - 1)), size);
            return TRAP_NONE;
        }
        return load_part(mmu, va, size, value);
    }
    uint64_t low, high;
    enum trap_cause cause = load_bytes(mmu, va, first, &low);
    if (cause == TRAP_NONE) {
        cause = load_bytes(mmu, va + first, size - first, &high);
    }
    if (cause == TRAP_NONE) {
        *value = low | high << (8 * first);
    }
    return cause;
}

static enum trap_cause store_part(struct mmu *mmu, uint64_t va, unsigned size, uint64_t value)
{
    uint64_t pa;
    enum trap_cause cause = mmu_translate(mmu, va, size, MMU_STORE, &pa);
    if (cause == TRAP_NONE && !phys_write(mmu->phys, pa, size, value)) {
        cause = TRAP_STORE_ACCESS;
    }
    if (cause != TRAP_NONE) {
        return fail(mmu, cause, va);
    }
    struct mmu_entry *entry = entry_for(mmu, va, MMU_STORE);    /* the page may be plain now */
    if (entry->tag == va >> PHYS_PAGE_BITS) {
        entry->host = host_page(mmu, entry->pa, MMU_STORE);
    }
    return TRAP_NONE;
}

/* Both pages must be writable before a byte is written. Device registers refuse partial words, so a
 * store that begins in RAM and ends in a device is refused as a whole. */
static enum trap_cause store_across(struct mmu *mmu, uint64_t va, unsigned size, unsigned first,
                                    uint64_t value)
{
    const uint64_t start[2] = {va, va + first};
    const unsigned count[2] = {first, size - first};
    for (unsigned part = 0; part < 2; part++) {
        uint64_t pa;
        enum trap_cause cause = mmu_translate(mmu, start[part], count[part], MMU_STORE, &pa);
        if (cause == TRAP_NONE && !phys_is_ram(mmu->phys, pa, count[part])) {
            cause = TRAP_STORE_ACCESS;
        }
        if (cause != TRAP_NONE) {
            return fail(mmu, cause, start[part]);
        }
    }
    for (unsigned i = 0; i < size; i++) {
        enum trap_cause cause = store_part(mmu, va + i, 1, value >> (8 * i));
        if (cause != TRAP_NONE) {
            return cause;
        }
    }
    return TRAP_NONE;
}

enum trap_cause mmu_store(struct mmu *mmu, uint64_t va, unsigned size, uint64_t value)
{
    unsigned first = first_part(va, size);
    if (first != size) {
        return store_across(mmu, va, size, first, value);
    }
    const struct mmu_entry *entry = entry_for(mmu, va, MMU_STORE);
    if (entry->tag == va >> PHYS_PAGE_BITS && entry->host != NULL) {
        memcpy(entry->host + (va & (PHYS_PAGE_BYTES - 1)), &value, size);
        return TRAP_NONE;
    }
    return store_part(mmu, va, size, value);
}

static enum trap_cause fetch_half(struct mmu *mmu, uint64_t va, uint32_t *half, uint64_t *fault_va)
{
    uint64_t pa;
    enum trap_cause cause = mmu_translate(mmu, va, 2, MMU_FETCH, &pa);
    if (cause != TRAP_NONE) {
        *fault_va = va;
        return fail(mmu, cause, va);
    }
    uint16_t bits;
    memcpy(&bits, phys_host(mmu->phys, pa), sizeof bits);
    *half = bits;
    return TRAP_NONE;
}

/* False: the page's translation is not known, or the instruction may reach into the next page. */
static bool fetch_at_once(struct mmu *mmu, uint64_t va, uint32_t *bits)
{
    const struct mmu_entry *entry = entry_for(mmu, va, MMU_FETCH);
    uint64_t offset = va & (PHYS_PAGE_BYTES - 1);
    if (entry->tag != va >> PHYS_PAGE_BITS || entry->host == NULL ||
        offset > PHYS_PAGE_BYTES - sizeof *bits) {
        return false;
    }
    memcpy(bits, entry->host + offset, sizeof *bits);
    if ((*bits & 3) != 3) {
        *bits &= UINT16_MAX;
    }
    return true;
}

enum trap_cause mmu_fetch(struct mmu *mmu, uint64_t va, uint32_t *bits, uint64_t *fault_va)
{
    if (fetch_at_once(mmu, va, bits)) {
        return TRAP_NONE;
    }
    uint32_t low = 0, high = 0;
    enum trap_cause cause = fetch_half(mmu, va, &low, fault_va);
    *bits = low;
    if (cause != TRAP_NONE || (low & 3) != 3) {
        return cause;
    }
    cause = fetch_half(mmu, va + 2, &high, fault_va);
    *bits = low | high << 16;
    return cause;
}
