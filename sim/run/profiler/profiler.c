/* The profiler's life: plan, attach, collect; profiler.h has the contract. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/key.h"
#include "shadowcache/shadow.h"
#include "sim/run/profiler/profiler_change.h"
#include "sim/run/profiler/profiler_records.h"
#include "sim/run/profiler/profiler_threads.h"

/* Memory that page alignment can add to the tables between plan and attach. */
enum { TABLE_SLACK_BYTES = 64 << 10 };

bool profiler_needs_monitor(const struct config *config, const struct meta *meta)
{
    unsigned interrupting = MARK_INTERRUPT | MARK_ON_MISS | MARK_NEAR | MARK_ALARM;

    if (config->pmu_hints != 0 || config->pmu_transfers != 0 ||
        (meta_flags(meta) & interrupting) != 0)
        return true;
    for (size_t i = 0; i < meta->areas; i++)
        if (meta->area[i].is_near)
            return true;
    return false;
}

/* ---- plan ------------------------------------------------------------------------------------ */

static bool translate_identity(void *arg, uint64_t va, bool is_code, uint64_t *pa)
{
    (void)arg;
    (void)is_code;
    *pa = va;
    return true;
}

/* Tables are sized by the virtual layout; pages move as a whole, so the tables of the physical
 * layout have the same size. */
static enum err plan_tables(struct profiler *profiler, struct diag *diag)
{
    uint64_t ram = (uint64_t)profiler->config->machine_memory_mib << 20;
    uint64_t late = profiler_late_plan(profiler);
    enum err err = ERR_OK;

    if (profiler->meta->marks == 0 && profiler->room_bytes == 0 && late == 0)
        return ERR_OK;
    err = profiler_place(profiler, translate_identity, NULL, diag);
    profiler->table_bytes = profiler->perfinst.bytes + TABLE_SLACK_BYTES;
    if (profiler->table_bytes < profiler->room_bytes)
        profiler->table_bytes = profiler->room_bytes;
    profiler->table_bytes = (profiler->table_bytes + late + PHYS_PAGE_BYTES - 1) &
                            ~((uint64_t)PHYS_PAGE_BYTES - 1);
    perfinst_free(&profiler->perfinst);
    if (err == ERR_OK && profiler_reserved_bytes(profiler) > ram / 2)
        return diag_set(diag, ERR_USAGE,
                        "metadata and monitor need %llu KiB, more than half of the machine's "
                        "memory: set machine.memory_mib above %u",
                        (unsigned long long)(profiler_reserved_bytes(profiler) >> 10),
                        profiler->config->machine_memory_mib);
    return err;
}

enum err profiler_new(struct profiler **out, const struct profiler_options *options,
                      struct diag *diag)
{
    struct profiler *profiler = calloc(1, sizeof *profiler);
    enum err err = ERR_OK;

    *out = NULL;
    if (profiler == NULL)
        return diag_no_memory(diag, "metadata");
    profiler->config = options->config;
    profiler->image = options->image;
    profiler->kernel = options->kernel;
    profiler->meta = options->meta;
    profiler->monitor = options->monitor;
    profiler->counters = options->counters;
    profiler->room_bytes = options->room_bytes;
    if (!profiler_needs_monitor(options->config, options->meta) &&
        options->counters.period == 0 && options->room_bytes == 0)
        profiler->monitor = MONITOR_NONE;
    err = profiler_counters_check(profiler, diag);
    if (err == ERR_OK)
        err = profiler_monitor_plan(profiler, options->monitor_path, diag);
    profiler->callers_bytes = profiler_callers_plan(profiler);
    if (err == ERR_OK)
        err = plan_tables(profiler, diag);
    if (err != ERR_OK) {
        profiler_free(profiler);
        return err;
    }
    *out = profiler;
    return ERR_OK;
}

void profiler_free(struct profiler *profiler)
{
    if (profiler == NULL)
        return;
    profiler_monitor_free(profiler);
    profiler_area_free(profiler);
    profiler_threads_free(profiler);
    if (!profiler->is_kept)
        perfinst_free(&profiler->perfinst);
    profiler_late_free(profiler);
    profiler_modules_free(profiler);
    free(profiler->mark);
    free(profiler->found);
    free(profiler);
}

uint64_t profiler_reserved_bytes(const struct profiler *profiler)
{
    return profiler->table_bytes + profiler->monitor_bytes + profiler->callers_bytes;
}

static void flush_frames(const struct profiler *profiler)
{
    for (unsigned i = 0; i < profiler->harts; i++) {
        shadow_flush(profiler->cpu[i].ishadow);
        shadow_flush(profiler->cpu[i].dshadow);
    }
}

/* ---- attach ---------------------------------------------------------------------------------- */

/* Also tries the rights of user mode, for a kernel that is about to enter its program and may not
 * access the program's pages itself. */
bool profiler_translate_mapped(void *arg, uint64_t va, bool is_code, uint64_t *pa)
{
    const struct cpu *cpu = arg;
    enum mmu_access access = is_code ? MMU_FETCH : MMU_LOAD;
    bool is_mapped = mmu_probe(&cpu->mmu, va, access, cpu->hart.priv, pa) == TRAP_NONE ||
                     (cpu->hart.priv == PRIV_S &&
                      mmu_probe(&cpu->mmu, va, access, PRIV_U, pa) == TRAP_NONE);

    return is_mapped && phys_is_ram(cpu->phys, *pa, 1);
}

static enum err write_tables(struct profiler *profiler, uint64_t base, struct diag *diag)
{
    struct perfinst *perfinst = &profiler->perfinst;
    enum err err = profiler_place(profiler, profiler_translate_followed, profiler, diag);

    if (err != ERR_OK)
        return err;
    if (perfinst->bytes > profiler->table_bytes)
        return diag_set(diag, ERR_USAGE,
                        "metadata needs %zu KiB of guest memory, only %llu KiB are reserved",
                        perfinst->bytes >> 10,
                        (unsigned long long)(profiler->table_bytes >> 10));
    perfinst_place(perfinst, base);
    profiler_area_locate(profiler, base);
    if (!phys_copy_in(profiler->phys, base, perfinst->image, perfinst->bytes))
        return diag_set(diag, ERR_USAGE, "metadata does not fit into the machine's memory");
    return ERR_OK;
}

/* The segment as the hardware registers it. If all marks are limits on functions, it is cut to the
 * lines from the first mark to the last, so that code outside needs no look-up and costs nothing.
 * It is not cut if marks may change, or the monitor marks callers. */
static struct perfinst_segment registered_segment(const struct profiler *profiler, unsigned i)
{
    const struct perfinst *perfinst = &profiler->perfinst;
    struct perfinst_segment segment = perfinst->segment[i];
    uint64_t line_bytes = profiler->config->l1i_line_bytes;
    uint64_t first = UINT64_MAX, last = 0;

    if (profiler->is_changed || profiler->callers_bytes != 0 || perfinst->sites == 0)
        return segment;
    for (size_t k = 0; k < perfinst->sites; k++) {
        uint64_t line = perfinst->site[k].pa & ~(line_bytes - 1);

        if ((perfinst->site[k].action.flags & MARK_ALARM) == 0 || !perfinst->site[k].is_code)
            return segment;
        if (perfinst->site[k].pa - segment.start >= segment.bytes)
            continue;
        first = line < first ? line : first;
        last = line > last ? line : last;
    }
    if (first > last)
        return segment;
    if (first > segment.start)
        segment.table += 8 * (first / line_bytes - segment.start / line_bytes);
    else
        first = segment.start;
    last = last + line_bytes < segment.start + segment.bytes ? last + line_bytes
                                                             : segment.start + segment.bytes;
    segment.bytes = last - first;
    segment.start = first;
    return segment;
}

static void set_segments(const struct profiler *profiler, struct cpu *cpu)
{
    for (unsigned i = 0; i < profiler->perfinst.segments; i++) {
        const struct perfinst_segment segment = registered_segment(profiler, i);
        uint64_t index = PROF_REG_SEGMENT + 4 * i;

        profiler_set_register(cpu, index, segment.start);
        profiler_set_register(cpu, index + 1, segment.bytes);
        profiler_set_register(cpu, index + 2, segment.table);
        profiler_set_register(cpu, index + 3, segment.kind);
    }
}

void profiler_will_change(struct profiler *profiler)
{
    if (profiler->is_changed)
        return;
    profiler->is_changed = true;
    for (unsigned i = 0; i < profiler->harts; i++)
        set_segments(profiler, &profiler->cpu[i]);
}

static void set_ranges_from(struct cpu *cpu, uint64_t first, const struct meta_range *range)
{
    for (unsigned i = 0; i < PROF_RANGES; i++) {
        if (!range[i].is_set)
            continue;
        profiler_set_register(cpu, first + 4 * i, range[i].start);
        profiler_set_register(cpu, first + 4 * i + 1, range[i].end);
    }
}

void profiler_set_ranges(struct cpu *cpu, const struct meta *meta)
{
    set_ranges_from(cpu, PROF_REG_IRANGE, meta->irange);
    set_ranges_from(cpu, PROF_REG_DRANGE, meta->drange);
}

/* With counters alone, the profiling mode stays as the program has it. */
static uint64_t first_mode(const struct profiler *profiler, const struct cpu *cpu)
{
    const struct meta *meta = profiler->meta;
    bool is_enabled = meta->marks != 0 || meta->lates != 0 || meta->areas != 0 ||
                      profiler->room_bytes != 0 ||
                      profiler_needs_monitor(profiler->config, meta) ||
                      !profiler->counters.without_marks;

    return is_enabled ? PROF_MODE_ENABLE : cpu->pmu.mode;
}

static void set_registers(const struct profiler *profiler, struct cpu *cpu)
{
    uint64_t mode = first_mode(profiler, cpu);
    unsigned changed;

    if (profiler->counters.is_maskable)
        mode |= PROF_MODE_MASKABLE;
    if (profiler_is_followed(profiler))
        mode |= PROF_MODE_USER_DATA;
    set_segments(profiler, cpu);
    profiler_area_set(profiler, cpu);
    profiler_set_ranges(cpu, profiler->meta);
    profile_csr_write(&cpu->pmu, &cpu->hart, CSR_PROF_MODE, mode, &changed);
    profiler_counters_start(profiler, cpu);
    cpu_profiling_changed(cpu);
}

enum err profiler_attach(struct profiler *profiler, struct cpu *cpu, unsigned harts,
                         struct phys *phys, struct diag *diag)
{
    uint64_t base = PHYS_RAM_BASE + phys->ram_bytes - profiler_reserved_bytes(profiler);
    enum err err = ERR_OK;

    profiler->cpu = cpu;
    profiler->harts = harts;
    profiler->phys = phys;
    err = profiler_follow_begin(profiler, diag);
    if (err == ERR_OK && profiler->meta->marks != 0)
        err = write_tables(profiler, base, diag);
    if (err == ERR_OK && !profiler_callers_attach(profiler))
        err = diag_set(diag, ERR_USAGE, "callers to mark do not fit into the machine's memory");
    if (err == ERR_OK)
        err = profiler_monitor_attach(profiler, base + profiler->table_bytes, diag);
    for (unsigned i = 0; i < harts && err == ERR_OK; i++)
        set_registers(profiler, &cpu[i]);
    return err == ERR_OK ? profiler_late_attach(profiler, diag) : err;
}

/* ---- other marks ----------------------------------------------------------------------------- */

static void drop_marks(struct profiler *profiler)
{
    flush_frames(profiler);
    profiler_threads_forget(profiler, PROFILER_MARKS);
    profiler_late_free(profiler);
    if (!profiler->is_kept)
        perfinst_free(&profiler->perfinst);
    profiler->perfinst = (struct perfinst){.segments = 0};
    profiler->is_kept = false;
    free(profiler->mark);
    profiler->mark = NULL;
}

static void follow_marks(const struct profiler *profiler)
{
    for (unsigned i = 0; i < profiler->harts; i++) {
        for (unsigned k = 0; k < PROF_SEGMENTS; k++)
            profiler_set_register(&profiler->cpu[i], PROF_REG_SEGMENT + 4 * k + 3, 0);
        set_segments(profiler, &profiler->cpu[i]);
        cpu_profiling_changed(&profiler->cpu[i]);
    }
}

static uint64_t reserved_base(const struct profiler *profiler)
{
    return PHYS_RAM_BASE + profiler->phys->ram_bytes - profiler_reserved_bytes(profiler);
}

enum err profiler_replace(struct profiler *profiler, struct meta *meta, struct diag *diag)
{
    enum err err;

    drop_marks(profiler);
    profiler->meta = meta;
    err = profiler_follow_begin(profiler, diag);
    if (err == ERR_OK && meta->marks != 0)
        err = write_tables(profiler, reserved_base(profiler), diag);
    if (err == ERR_OK)
        follow_marks(profiler);
    return err == ERR_OK && profiler_is_followed(profiler) ? profiler_late_own(profiler, diag)
                                                           : err;
}

enum err profiler_replace_kept(struct profiler *profiler, struct meta *meta,
                               struct perfinst *kept, struct diag *diag)
{
    enum err err;

    if (kept->image == NULL) {
        err = profiler_replace(profiler, meta, diag);
        if (err == ERR_OK)
            *kept = profiler->perfinst;
        profiler->is_kept = err == ERR_OK;
        return err;
    }
    drop_marks(profiler);
    profiler->meta = meta;
    profiler->perfinst = *kept;
    profiler->is_kept = true;
    phys_copy_in(profiler->phys, reserved_base(profiler), kept->image, kept->bytes);
    follow_marks(profiler);
    return ERR_OK;
}

/* ---- collect --------------------------------------------------------------------------------- */

static struct profiler_mark mark_of(const struct profiler *profiler,
                                    const struct perfinst_site *site)
{
    struct perfinst_item item = {0};

    phys_copy_out(profiler->phys, site->item, &item, sizeof item);
    return (struct profiler_mark){
        .site = site,
        .origin = site->origin,
        .count = item.count + item.cleared,
        .interrupts = item.interrupts,
    };
}

static int compare_marks(const void *a, const void *b)
{
    const struct profiler_mark *x = a, *y = b;

    return (x->site->va > y->site->va) - (x->site->va < y->site->va);
}

/* Joins the copies of a library's instruction, one for each process. */
static size_t merge_marks(struct profiler_mark *mark, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct profiler_mark *last = kept != 0 ? &mark[kept - 1] : NULL;

        if (last == NULL || last->site->va != mark[i].site->va || !mark[i].site->is_code ||
            last->origin != mark[i].origin) {
            mark[kept++] = mark[i];
            continue;
        }
        last->count += mark[i].count;
        last->interrupts += mark[i].interrupts;
    }
    return kept;
}

static enum err collect_marks(struct profiler *profiler, struct diag *diag)
{
    struct perfinst *perfinst = &profiler->perfinst;
    enum err err = profiler_callers_collect(profiler, diag);
    size_t count = perfinst->sites + profiler->found_count;

    free(profiler->mark);
    profiler->mark = calloc(count + 1, sizeof *profiler->mark);
    if (profiler->mark == NULL || err != ERR_OK)
        return diag_no_memory(diag, "results");
    for (size_t i = 0; i < perfinst->sites; i++)
        profiler->mark[i] = mark_of(profiler, &perfinst->site[i]);
    for (size_t i = 0; i < profiler->found_count; i++)
        profiler->mark[perfinst->sites + i] = mark_of(profiler, &profiler->found[i]);
    if (profiler->found_count != 0)
        qsort(profiler->mark, count, sizeof *profiler->mark, compare_marks);
    profiler->marks = profiler->lates != 0 ? merge_marks(profiler->mark, count) : count;
    return ERR_OK;
}

static void collect_range(struct profiler *profiler, unsigned index, bool is_data)
{
    const struct meta *meta = profiler->meta;
    const struct meta_range *range = is_data ? &meta->drange[index] : &meta->irange[index];
    struct profiler_range *result = &profiler->range[profiler->ranges];

    if (!range->is_set)
        return;
    *result = (struct profiler_range){.range = range, .is_data = is_data};
    snprintf(result->name, sizeof result->name, "%c%u", is_data ? 'D' : 'I', index & 7);
    for (unsigned i = 0; i < profiler->harts; i++) {
        const struct pmu *pmu = &profiler->cpu[i].pmu;
        const struct pmu_range *counts = is_data ? &pmu->drange[index] : &pmu->irange[index];

        result->entries += counts->entries;
        result->executed += counts->executed;
    }
    profiler->ranges++;
}

enum err profiler_collect(struct profiler *profiler, struct diag *diag)
{
    enum err err;

    flush_frames(profiler);
    err = collect_marks(profiler, diag);
    if (err == ERR_OK)
        err = profiler_area_collect(profiler, diag);
    profiler->ranges = 0;
    for (unsigned i = 0; i < PROF_RANGES; i++)
        collect_range(profiler, i, false);
    for (unsigned i = 0; i < PROF_RANGES; i++)
        collect_range(profiler, i, true);
    if (err == ERR_OK)
        err = profiler_threads_collect(profiler, diag);
    return err == ERR_OK ? profiler_records_collect(profiler, diag) : err;
}

size_t profiler_marks(const struct profiler *profiler, const struct profiler_mark **mark)
{
    *mark = profiler->mark;
    return profiler->mark != NULL ? profiler->marks : 0;
}

size_t profiler_ranges(const struct profiler *profiler, const struct profiler_range **range)
{
    *range = profiler->range;
    return profiler->ranges;
}

uint64_t profiler_lost(const struct profiler *profiler)
{
    uint64_t lost = 0;

    for (unsigned i = 0; i < profiler->harts; i++)
        lost += profiler->cpu[i].pmu.lost;
    return lost;
}
