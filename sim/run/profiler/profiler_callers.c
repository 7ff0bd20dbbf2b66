/* Callers that the monitor marks as it finds them (pmu/monitor/monitor_mark.h): their memory, the
 * marking by the host's monitor, and their counts.
 *
 * The area lies after the monitor's in reserved memory: struct monitor_callers, its list of sites,
 * and zeroed room for perfinst blocks, enough for every call of the program. The resident monitor
 * uses it directly. Other harts see a new mark when they fill the line again. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/monitor/monitor_mark.h"
#include "sim/run/profiler/profiler_internal.h"

enum { SITES_LEAST = 64, BLOCK_ALIGN = 16, RAM_SHARE = 8 };

static uint64_t blocks_offset(const struct profiler *profiler)
{
    return sizeof(struct monitor_callers) + profiler->callers_sites * sizeof(struct monitor_site);
}

/* Estimates from the program's code: calls (or instructions like calls) and the lines they are in;
 * each with a minimum. */
struct extent { uint64_t calls, lines; };

static unsigned half_at(const struct image_segment *segment, uint64_t offset)
{
    return segment->bytes[offset] | (unsigned)segment->bytes[offset + 1] << 8;
}

static void add_segment(const struct image_segment *segment, bool is_32, uint64_t line_bytes,
                        struct extent *extent)
{
    unsigned before = 0, half;
    uint64_t last = UINT64_MAX;

    for (uint64_t at = 0; at + 2 <= segment->file_bytes; at += 2, before = half) {
        uint64_t end = (segment->vaddr + at) / line_bytes;
        uint64_t begin = (segment->vaddr + at - 2) / line_bytes;

        half = half_at(segment, at);
        if (!unwind_is_call(before, half, is_32))
            continue;
        extent->calls++;
        extent->lines += (end != last ? 1u : 0u) + (begin != end ? 1u : 0u);
        last = end;
    }
}

static struct extent measure_calls(const struct profiler *profiler)
{
    const struct image *image = profiler->image;
    struct extent extent = {.calls = SITES_LEAST / 2, .lines = SITES_LEAST / 2};

    for (size_t i = 0; i < image->segment_count; i++)
        if ((image->segments[i].flags & PF_X) != 0)
            add_segment(&image->segments[i], image->xlen == 32, profiler->config->l1i_line_bytes,
                        &extent);
    return extent;
}

/* A list of twice the number of calls, and a block for each line; small machines get as many as an
 * eighth of memory holds. */
uint64_t profiler_callers_plan(struct profiler *profiler)
{
    uint64_t items = profiler->config->l1i_line_bytes >> MONITOR_TEXT_GRANULE_LOG2;
    uint64_t block = MONITOR_BLOCK_BYTES + items * MONITOR_ITEM_BYTES, bytes;
    uint64_t most = ((uint64_t)profiler->config->machine_memory_mib << 20) / RAM_SHARE;
    struct extent extent;

    if (profiler->config->pmu_callers == 0 || profiler->monitor == MONITOR_NONE)
        return 0;
    extent = measure_calls(profiler);
    profiler->callers_sites = SITES_LEAST;
    while (profiler->callers_sites < 2 * extent.calls &&
           2 * profiler->callers_sites * sizeof(struct monitor_site) < most / 2)
        profiler->callers_sites *= 2;
    bytes = blocks_offset(profiler) + BLOCK_ALIGN + extent.lines * block;
    bytes = bytes < most ? bytes : most;
    return (bytes + PHYS_PAGE_BYTES - 1) & ~((uint64_t)PHYS_PAGE_BYTES - 1);
}

uint64_t profiler_callers_base(const struct profiler *profiler)
{
    if (profiler->callers_bytes == 0)
        return 0;
    return PHYS_RAM_BASE + profiler->phys->ram_bytes - profiler->callers_bytes;
}

bool profiler_callers_attach(struct profiler *profiler)
{
    uint64_t base = profiler_callers_base(profiler);
    struct monitor_callers callers = {
        .limit = profiler->config->pmu_callers,
        .next = (base + blocks_offset(profiler) + BLOCK_ALIGN - 1) & ~(uint64_t)(BLOCK_ALIGN - 1),
        .end = base + profiler->callers_bytes,
        .sites = profiler->callers_sites,
    };

    if (base == 0)
        return true;
    if (!phys_is_ram(profiler->phys, base, (unsigned)profiler->callers_bytes))
        return false;
    memset(phys_host(profiler->phys, base), 0, profiler->callers_bytes);
    return phys_copy_in(profiler->phys, base, &callers, sizeof callers);
}

/* ---- the host's monitor ---------------------------------------------------------------------- */

static bool locate(void *arg, unsigned long long va, unsigned long long *pa)
{
    const struct cpu *cpu = arg;
    uint64_t found;

    if (mmu_probe(&cpu->mmu, va, MMU_FETCH, cpu->hart.priv, &found) != TRAP_NONE ||
        !phys_is_ram(cpu->phys, found, 2))
        return false;
    *pa = found;
    return true;
}

static unsigned long long read_memory(void *arg, unsigned long long pa)
{
    const struct cpu *cpu = arg;
    unsigned long long value = 0;

    phys_copy_out(cpu->phys, pa, &value, sizeof value);
    return value;
}

static void write_memory(void *arg, unsigned long long pa, unsigned long long value)
{
    const struct cpu *cpu = arg;

    phys_copy_in(cpu->phys, pa, &value, sizeof value);
}

static unsigned long long get_register(void *arg, unsigned long long index)
{
    struct cpu *cpu = arg;
    uint64_t before = cpu->pmu.index, value = 0;

    cpu->pmu.index = index;
    profile_csr_read(&cpu->pmu, &cpu->hart, CSR_PROF_DATA, &value);
    cpu->pmu.index = before;
    return value;
}

static void set_register(void *arg, unsigned long long index, unsigned long long value)
{
    struct cpu *cpu = arg;

    profiler_set_register(cpu, index, value);
    cpu_profiling_changed(cpu);
}

bool profiler_callers_mark(struct profiler *profiler, struct cpu *cpu, struct unwind *unwind,
                           const struct monitor_stack *stack)
{
    const struct monitor_access access = {
        .locate = locate,
        .read = read_memory,
        .write = write_memory,
        .get = get_register,
        .set = set_register,
        .arg = cpu,
        .line_log2 = cpu->pmu.iline_log2,
        .sites = profiler->callers_sites,
    };
    uint64_t base = profiler_callers_base(profiler);

    return base != 0 &&
           monitor_mark_caller(&access,
                               (struct monitor_callers *)(void *)phys_host(profiler->phys, base),
                               unwind, stack);
}

/* ---- results --------------------------------------------------------------------------------- */

static int compare_va(const void *key, const void *site)
{
    uint64_t va = *(const uint64_t *)key, other = ((const struct perfinst_site *)site)->va;

    return (va > other) - (va < other);
}

/* True if the address is among the marks set at the start. */
static bool has_site(const struct profiler *profiler, uint64_t va)
{
    const struct perfinst *perfinst = &profiler->perfinst;
    const struct perfinst_site *site =
        perfinst->sites != 0 ? bsearch(&va, perfinst->site, perfinst->sites,
                                       sizeof *perfinst->site, compare_va) : NULL;

    return site != NULL && site->is_code;
}

/* A guest's monitor may have written anything, so invalid entries are skipped. */
enum err profiler_callers_collect(struct profiler *profiler, struct diag *diag)
{
    uint64_t base = profiler_callers_base(profiler);
    struct monitor_callers callers;
    struct monitor_site site;

    if (base == 0)
        return ERR_OK;
    free(profiler->found);
    profiler->found_count = 0;
    profiler->found = calloc(profiler->callers_sites, sizeof *profiler->found);
    if (profiler->found == NULL)
        return diag_no_memory(diag, "results");
    phys_copy_out(profiler->phys, base, &callers, sizeof callers);
    for (uint64_t i = 0; i < profiler->callers_sites; i++) {
        phys_copy_out(profiler->phys, base + sizeof callers + i * sizeof site, &site, sizeof site);
        if (site.va == 0 || has_site(profiler, site.va))
            continue;
        profiler->found[profiler->found_count++] = (struct perfinst_site){
            .va = site.va, .bytes = 2, .is_code = true, .item = site.item,
            .action = {.flags = MARK_COUNTER | MARK_INTERRUPT, .limit = (uint32_t)callers.limit},
        };
    }
    return ERR_OK;
}
