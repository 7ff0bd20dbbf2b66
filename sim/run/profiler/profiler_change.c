/* Metadata of a running program changed from outside, between two runs of its harts.
 *
 * If the line's block has records, the record is changed. A compact block is replaced by a block
 * with records, in the room left after the perfinst image. A page outside all segments gets a
 * segment. Counts stay. */
#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "shadowcache/shadow.h"
#include "sim/base/array.h"
#include "sim/run/profiler/profiler_change.h"

enum { TEXT_GRANULE_LOG2 = 1, BLOCK_ALIGN = 16, LATE_SEGMENT_BYTES = 1 << 20, WIDE_SEGMENTS = 8,
       LINE_BYTES_MIN = 8 };

/* The place of the mark. */
struct change {
    struct profiler *profiler;
    uint64_t va, pa, line_bytes;
    uint64_t segment_bytes;             /* of a new segment, aligned */
    bool is_code;
    const struct meta_mark *origin;     /* NULL: the caller of profiler_mark_set */
    uint64_t word_pa;                   /* of the translation table */
    uint64_t block_pa;
    struct perfinst_block block;
    bool has_new_segment;
};

static uint64_t table_base(const struct profiler *profiler)
{
    return PHYS_RAM_BASE + profiler->phys->ram_bytes - profiler_reserved_bytes(profiler);
}

/* Zeroed memory, a multiple of BLOCK_ALIGN, from the room after the image. */
static enum err take_room(const struct change *change, uint64_t bytes, uint64_t *pa,
                          struct diag *diag)
{
    struct profiler *profiler = change->profiler;
    uint64_t used = profiler->perfinst.bytes + profiler->changed_bytes;

    bytes = (bytes + BLOCK_ALIGN - 1) & ~(uint64_t)(BLOCK_ALIGN - 1);
    if (used + bytes > profiler->table_bytes)
        return diag_set(diag, ERR_USAGE, "no room is left for metadata; machine.memory_mib gives "
                        "more");
    *pa = table_base(profiler) + used;
    profiler->changed_bytes += bytes;
    memset(phys_host(profiler->phys, *pa), 0, bytes);
    return ERR_OK;
}

static enum err add_segment(struct change *change, unsigned kind, struct diag *diag)
{
    struct profiler *profiler = change->profiler;
    struct perfinst *perfinst = &profiler->perfinst;
    struct perfinst_segment segment = {
        .start = change->pa & ~(change->segment_bytes - 1), .bytes = change->segment_bytes,
        .kind = kind, .blocks = change->segment_bytes / change->line_bytes,
    };
    uint64_t index = PROF_REG_SEGMENT + 4 * perfinst->segments;
    enum err err;

    if (perfinst->segments == PROF_SEGMENTS)
        return diag_set(diag, ERR_USAGE, "0x%llx is in no segment in which something is marked, "
                        "and all %u are taken", (unsigned long long)change->va, PROF_SEGMENTS);
    err = take_room(change, 8 * segment.blocks, &segment.table, diag);
    if (err != ERR_OK)
        return err;
    perfinst->segment[perfinst->segments++] = segment;
    change->has_new_segment = true;
    for (unsigned i = 0; i < profiler->harts; i++) {
        profiler_set_register(&profiler->cpu[i], index, segment.start);
        profiler_set_register(&profiler->cpu[i], index + 1, segment.bytes);
        profiler_set_register(&profiler->cpu[i], index + 2, segment.table);
        profiler_set_register(&profiler->cpu[i], index + 3, kind);
    }
    change->word_pa = segment.table + 8 * ((change->pa - segment.start) / change->line_bytes);
    return ERR_OK;
}

static uint64_t word_of(const struct perfinst_segment *segment, uint64_t pa, uint64_t line_bytes)
{
    return segment->table + 8 * (pa / line_bytes - segment->start / line_bytes);
}

static unsigned kind_of(bool is_code)
{
    return is_code ? PROF_SEGMENT_TEXT : PROF_SEGMENT_DATA;
}

static uint64_t line_of(const struct profiler *profiler, bool is_code)
{
    return is_code ? profiler->config->l1i_line_bytes : profiler->config->l1d_line_bytes;
}

static enum err find_line(struct change *change, struct diag *diag)
{
    const struct profiler *profiler = change->profiler;
    unsigned kind = kind_of(change->is_code);

    change->line_bytes = line_of(profiler, change->is_code);
    for (unsigned i = 0; i < profiler->perfinst.segments; i++) {
        const struct perfinst_segment *segment = &profiler->perfinst.segment[i];

        if (segment->kind != kind || change->pa - segment->start >= segment->bytes)
            continue;
        change->word_pa = word_of(segment, change->pa, change->line_bytes);
        return ERR_OK;
    }
    return add_segment(change, kind, diag);
}

/* Copies the compact block's actions to each item of the new block. */
static void unfold(const struct change *change, const struct perfinst_block *old,
                   uint64_t items_pa)
{
    struct perfinst_item item = {.flags = old->flags, .label = old->label};

    for (unsigned i = 0; i < change->block.items && old->flags != 0; i++)
        if (old->bitmap == 0 || (old->bitmap >> i & 1) != 0)
            phys_copy_in(change->profiler->phys, items_pa + i * sizeof item, &item, sizeof item);
}

static enum err make_block(struct change *change, const struct perfinst_block *old,
                           struct diag *diag)
{
    struct profiler *profiler = change->profiler;
    uint32_t granule = profiler->config->pmu_granule_bytes;
    enum err err;

    change->block = (struct perfinst_block){.granule_log2 = TEXT_GRANULE_LOG2};
    if (change->origin != NULL && change->origin->action.granule != 0)
        granule = change->origin->action.granule;
    if (!change->is_code)
        change->block.granule_log2 = (unsigned char)__builtin_ctz(granule);
    if (old->flags != 0)
        change->block.granule_log2 = old->granule_log2;
    change->block.items = (uint32_t)(change->line_bytes >> change->block.granule_log2);
    err = take_room(change, sizeof *old + change->block.items * sizeof(struct perfinst_item),
                    &change->block_pa, diag);
    if (err != ERR_OK)
        return err;
    phys_copy_in(profiler->phys, change->block_pa, &change->block, sizeof change->block);
    unfold(change, old, change->block_pa + sizeof change->block);
    phys_copy_in(profiler->phys, change->word_pa, &change->block_pa, sizeof change->block_pa);
    return ERR_OK;
}

static enum err find_block(struct change *change, struct diag *diag)
{
    struct phys *phys = change->profiler->phys;
    struct perfinst_block none = {0};

    phys_copy_out(phys, change->word_pa, &change->block_pa, sizeof change->block_pa);
    if (change->block_pa == 0)
        return make_block(change, &none, diag);
    phys_copy_out(phys, change->block_pa, &change->block, sizeof change->block);
    if (change->block.items != 0)
        return ERR_OK;
    none = change->block;
    return make_block(change, &none, diag);
}

static struct perfinst_site site_of(const struct change *change, const struct meta_action *action,
                                    uint64_t item_pa)
{
    return (struct perfinst_site){
        .va = change->va, .pa = change->pa, .is_code = change->is_code, .action = *action,
        .origin = change->origin,
        .bytes = change->is_code ? 2 : UINT32_C(1) << change->block.granule_log2, .item = item_pa,
    };
}

/* Lists the mark in the results from now on, even if it is removed again. */
static enum err note_site(struct change *change, const struct meta_action *action,
                          uint64_t item_pa, struct diag *diag)
{
    struct profiler *profiler = change->profiler;
    struct perfinst *perfinst = &profiler->perfinst;
    struct perfinst_site *site;
    size_t at = 0;

    while (at < perfinst->sites && perfinst->site[at].item != item_pa)
        at++;
    if (at < perfinst->sites) {
        if (action->flags != 0)
            perfinst->site[at].action = *action;
        return ERR_OK;
    }
    site = array_grow(perfinst->site, perfinst->sites, sizeof *site);
    if (site == NULL)
        return diag_no_memory(diag, "metadata");
    perfinst->site = site;
    for (at = perfinst->sites++; at > 0 && site[at - 1].va > change->va; at--)
        site[at] = site[at - 1];
    site[at] = site_of(change, action, item_pa);
    free(profiler->mark);
    profiler->mark = NULL;
    return ERR_OK;
}

static void merge_frames(const struct profiler *profiler)
{
    for (unsigned i = 0; i < profiler->harts; i++) {
        shadow_flush(profiler->cpu[i].ishadow);
        shadow_flush(profiler->cpu[i].dshadow);
    }
}

static void tell_harts(const struct profiler *profiler)
{
    for (unsigned i = 0; i < profiler->harts; i++) {
        struct cpu *cpu = &profiler->cpu[i];

        cpu->late_effects |= cpu_profile_effects(cpu, PMU_CHANGED_SEGMENTS);
    }
}

/* As tell_harts, where no segment has changed, but the marks of the page at pa have. */
static void tell_page(const struct profiler *profiler, uint64_t pa, bool has_data)
{
    if (has_data)
        phys_set_flags(profiler->phys, pa, PHYS_PAGE_BYTES, PHYS_META_DATA);
    for (unsigned i = 0; i < profiler->harts; i++)
        profiler->cpu[i].late_effects |= CPU_EFFECT_SHADOW | CPU_EFFECT_MARKS;
}

static void tell_change(const struct change *change)
{
    if (change->has_new_segment)
        tell_harts(change->profiler);
    tell_page(change->profiler, change->pa & ~((uint64_t)PHYS_PAGE_BYTES - 1), !change->is_code);
}

/* Writes the action into the item of the place, at *item_pa; with an origin, the flags are added to
 * the existing ones. */
static enum err write_action(struct change *change, const struct meta_action *action,
                             uint64_t *item_pa, struct diag *diag)
{
    struct profiler *profiler = change->profiler;
    struct perfinst_item item;
    enum err err = find_line(change, diag);

    if (err == ERR_OK)
        err = find_block(change, diag);
    if (err != ERR_OK)
        return err;
    *item_pa = change->block_pa + sizeof change->block +
               ((change->pa & (change->line_bytes - 1)) >> change->block.granule_log2) *
               sizeof item;
    phys_copy_out(profiler->phys, *item_pa, &item, sizeof item);
    item.flags = (uint16_t)(action->flags | (change->origin != NULL ? item.flags : 0));
    item.label = action->label;
    item.latency_bits = action->latency_bits;
    item.latency_cycles = action->latency_cycles;
    item.limit = action->limit;
    phys_copy_in(profiler->phys, *item_pa, &item, sizeof item);
    return ERR_OK;
}

static enum err set_action(struct change *change, const struct meta_action *action,
                           struct diag *diag)
{
    uint64_t item_pa;
    enum err err;

    merge_frames(change->profiler);
    profiler_will_change(change->profiler);
    err = write_action(change, action, &item_pa, diag);
    if (err != ERR_OK)
        return err;
    err = note_site(change, action, item_pa, diag);
    tell_harts(change->profiler);
    return err;
}

enum err profiler_mark_set(struct profiler *profiler, uint64_t address, bool is_code,
                           const struct meta_action *action, struct diag *diag)
{
    struct change change = {.profiler = profiler, .va = address, .is_code = is_code,
                            .segment_bytes = PHYS_PAGE_BYTES};
    const struct cpu *cpu = &profiler->cpu[0];

    if (mmu_probe(&cpu->mmu, address, is_code ? MMU_FETCH : MMU_LOAD, cpu->hart.priv,
                  &change.pa) != TRAP_NONE)
        return diag_set(diag, ERR_USAGE, "no memory at 0x%llx", (unsigned long long)address);
    return set_action(&change, action, diag);
}

enum err profiler_mark_remove(struct profiler *profiler, uint64_t address, bool is_code,
                              struct diag *diag)
{
    const struct meta_action nothing = {0};

    return profiler_mark_set(profiler, address, is_code, &nothing, diag);
}

/* True if the page has marks in this segment; they are removed. */
static bool forget_in(struct profiler *profiler, const struct perfinst_segment *segment,
                      uint64_t pa)
{
    uint64_t line_bytes = line_of(profiler, segment->kind == PROF_SEGMENT_TEXT);
    uint64_t bytes = 8 * (PHYS_PAGE_BYTES / line_bytes);
    bool has_marks = false;
    uint8_t *words;

    if (pa - segment->start >= segment->bytes)
        return false;
    words = phys_host(profiler->phys, word_of(segment, pa, line_bytes));
    for (uint64_t k = 0; k < bytes; k++)
        has_marks |= words[k] != 0;
    if (has_marks)
        merge_frames(profiler);
    memset(words, 0, bytes);
    return has_marks;
}

void profiler_forget_page(struct profiler *profiler, uint64_t pa)
{
    bool has_marks = false;

    for (unsigned i = 0; i < profiler->perfinst.segments; i++)
        has_marks |= forget_in(profiler, &profiler->perfinst.segment[i], pa);
    if (has_marks)
        tell_page(profiler, pa, false);
}

/* ---- whole pages ----------------------------------------------------------------------------- */

/* Few pages get small segments, as a table has a word for each line of its segment. Each of the
 * last segments is twice as wide as the one before, up to their share of all memory: pages in use
 * lie together, far below the end of a large memory. */
static uint64_t late_segment_bytes(const struct profiler *profiler)
{
    uint64_t bytes = LATE_SEGMENT_BYTES;
    unsigned wide = profiler->perfinst.segments + WIDE_SEGMENTS;

    if (wide < PROF_SEGMENTS)
        return bytes;
    for (wide -= PROF_SEGMENTS - 2;
         wide > 0 && bytes * WIDE_SEGMENTS < profiler->phys->ram_bytes; wide--)
        bytes *= 2;
    return bytes;
}

static bool is_below(const void *row, const void *va)
{
    return ((const struct perfinst_site *)row)->va < *(const uint64_t *)va;
}

/* Lists the sites of a page, which are in order. */
static enum err insert_sites(struct profiler *profiler, const struct perfinst_site *added,
                             size_t count, struct diag *diag)
{
    struct perfinst *perfinst = &profiler->perfinst;
    struct perfinst_site *site;
    size_t at, room = 8;                /* as array_grow has it */

    while (room < perfinst->sites + count)
        room *= 2;
    site = realloc(perfinst->site, room * sizeof *site);
    if (site == NULL)
        return diag_no_memory(diag, "metadata");
    at = sorted_place(site, perfinst->sites, sizeof *site, is_below, &added[0].va);
    memmove(&site[at + count], &site[at], (perfinst->sites - at) * sizeof *site);
    memcpy(&site[at], added, count * sizeof *site);
    perfinst->site = site;
    perfinst->sites += count;
    free(profiler->mark);
    profiler->mark = NULL;
    return ERR_OK;
}

/* Several marks of one instruction share an item, and are neighbours. */
static enum err add_marks(struct profiler *profiler, const struct meta_mark *mark, size_t marks,
                          uint64_t pa, struct perfinst_site *site, size_t *sites,
                          struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < marks && err == ERR_OK; i++) {
        struct change change = {.profiler = profiler, .va = mark[i].address,
                                .is_code = mark[i].is_code,
                                .pa = pa + (mark[i].address & (PHYS_PAGE_BYTES - 1)),
                                .segment_bytes = late_segment_bytes(profiler),
                                .origin = &mark[i]};
        uint64_t item_pa;

        err = write_action(&change, &mark[i].action, &item_pa, diag);
        if (err != ERR_OK)
            break;
        if (*sites != 0 && site[*sites - 1].item == item_pa)
            site[*sites - 1].action = mark[i].action;
        else
            site[(*sites)++] = site_of(&change, &mark[i].action, item_pa);
    }
    return err;
}

enum err profiler_page_mark(struct profiler *profiler, const struct meta_mark *mark, size_t marks,
                            uint64_t pa, struct diag *diag)
{
    struct perfinst_site *site = calloc(marks + 1, sizeof *site);
    size_t sites = 0;
    enum err err;

    if (site == NULL)
        return diag_no_memory(diag, "metadata");
    merge_frames(profiler);
    profiler_will_change(profiler);
    err = add_marks(profiler, mark, marks, pa, site, &sites, diag);
    if (sites != 0 && insert_sites(profiler, site, sites, diag) != ERR_OK)
        err = ERR_NO_MEMORY;
    free(site);
    tell_harts(profiler);
    if (marks != 0)
        tell_page(profiler, pa, !mark[0].is_code);
    return err;
}

size_t profiler_page_lines(const struct profiler *profiler, bool is_code)
{
    return PHYS_PAGE_BYTES / line_of(profiler, is_code);
}

void profiler_page_blocks(const struct profiler *profiler, uint64_t pa, bool is_code,
                          uint64_t *block)
{
    uint64_t line_bytes = line_of(profiler, is_code);

    memset(block, 0, PHYS_PAGE_BYTES / line_bytes * sizeof *block);
    for (unsigned i = profiler->perfinst.segments; i-- > 0;) {
        const struct perfinst_segment *segment = &profiler->perfinst.segment[i];

        if (segment->kind == kind_of(is_code) && pa - segment->start < segment->bytes)
            phys_copy_out(profiler->phys, word_of(segment, pa, line_bytes), block,
                          PHYS_PAGE_BYTES / line_bytes * sizeof *block);
    }
}

enum err profiler_page_link(struct profiler *profiler, uint64_t va, uint64_t pa, bool is_code,
                            const uint64_t *block, struct diag *diag)
{
    struct change change = {.profiler = profiler, .va = va, .pa = pa, .is_code = is_code,
                            .segment_bytes = late_segment_bytes(profiler)};
    uint64_t here[PHYS_PAGE_BYTES / LINE_BYTES_MIN];
    size_t bytes = profiler_page_lines(profiler, is_code) * sizeof *block;
    enum err err;

    profiler_page_blocks(profiler, pa, is_code, here);
    if (memcmp(here, block, bytes) == 0)
        return ERR_OK;
    profiler_will_change(profiler);
    merge_frames(profiler);
    err = find_line(&change, diag);
    if (err == ERR_OK)
        phys_copy_in(profiler->phys, change.word_pa, block, bytes);
    tell_change(&change);
    return err;
}
