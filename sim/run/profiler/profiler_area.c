/* Work areas: translates addresses of the program to registers of the hardware, and places the
 * counts.
 *
 * An area takes a register for each physically contiguous piece of it. Counts without an array in
 * the program lie after the perfinst image. */
#include <stdlib.h>

#include "sim/run/profiler/profiler_internal.h"

#define PAGE_MASK ((uint64_t)PHYS_PAGE_BYTES - 1)

static uint64_t cells_of(const struct profiler_area *piece)
{
    uint64_t granule = piece->area->granule;

    return (piece->va + piece->bytes - 1) / granule - piece->va / granule + 1;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static enum err add_piece(struct profiler *profiler, const struct meta_area *area, uint64_t va,
                          uint64_t pa, uint64_t bytes, struct diag *diag)
{
    struct profiler_area *last = profiler->area + profiler->areas;

    if (profiler->areas != 0 && last[-1].area == area && last[-1].pa + last[-1].bytes == pa) {
        last[-1].bytes += bytes;
        return ERR_OK;
    }
    if (profiler->areas == PROF_AREAS)
        return diag_set(diag, ERR_USAGE, "%s:%u: the areas are more than %d pieces of physical "
                        "memory", profiler->meta->file[area->file], area->line, PROF_AREAS);
    profiler->area[profiler->areas++] =
        (struct profiler_area){.area = area, .va = va, .pa = pa, .bytes = bytes};
    return ERR_OK;
}

/* Unmapped pages were already warned about when they were marked. */
static enum err add_area(struct profiler *profiler, const struct meta_area *area,
                         profiler_translate *translate, void *arg, struct diag *diag)
{
    uint64_t end = area->address + area->bytes, pa;
    enum err err = ERR_OK;

    for (uint64_t va = area->address; va < end && err == ERR_OK;) {
        uint64_t next = (va | PAGE_MASK) + 1;

        if (next > end || next == 0)
            next = end;
        if (translate(arg, va, area->is_code, &pa))
            err = add_piece(profiler, area, va, pa, next - va, diag);
        va = next;
    }
    return err;
}

/* Finds the part of the program's count array that belongs to the piece. */
static enum err find_counts(struct profiler *profiler, struct profiler_area *piece,
                            profiler_translate *translate, void *arg, struct diag *diag)
{
    const struct meta_area *area = piece->area;
    uint64_t first = piece->va / area->granule - area->address / area->granule;
    uint64_t va = area->counts + first * area->size, end = va + cells_of(piece) * area->size, pa;

    for (uint64_t at = va; at < end; at = (at | PAGE_MASK) + 1) {
        bool is_mapped = translate(arg, at, false, &pa);

        if (is_mapped && at == va)
            piece->counts = pa;
        else if (!is_mapped || pa != piece->counts + (at - va))
            return diag_set(diag, ERR_USAGE, "%s:%u: the counts are not in one piece of memory",
                            profiler->meta->file[area->file], area->line);
    }
    return ERR_OK;
}

enum err profiler_area_place(struct profiler *profiler, profiler_translate *translate, void *arg,
                             struct diag *diag)
{
    const struct meta *meta = profiler->meta;
    enum err err = ERR_OK;

    profiler->areas = 0;
    for (size_t i = 0; i < meta->areas && err == ERR_OK; i++)
        err = add_area(profiler, &meta->area[i], translate, arg, diag);
    for (size_t i = 0; i < profiler->areas && err == ERR_OK; i++) {
        struct profiler_area *piece = &profiler->area[i];
        size_t offset = 0;

        if (piece->area->counts != 0) {
            err = find_counts(profiler, piece, translate, arg, diag);
        } else {
            err = perfinst_reserve(&profiler->perfinst, cells_of(piece) * piece->area->size,
                                   &offset, diag);
            piece->counts = offset;
        }
    }
    return err;
}

void profiler_area_locate(struct profiler *profiler, uint64_t base)
{
    for (size_t i = 0; i < profiler->areas; i++)
        if (profiler->area[i].area->counts == 0)
            profiler->area[i].counts += base;
}

/* ---- registers and results ------------------------------------------------------------------- */

void profiler_area_set(const struct profiler *profiler, struct cpu *cpu)
{
    for (size_t i = 0; i < profiler->areas; i++) {
        const struct profiler_area *piece = &profiler->area[i];
        const struct meta_area *area = piece->area;
        uint64_t index = PROF_REG_AREA + 8 * i;

        profiler_set_register(cpu, index + PROF_AREA_START, piece->pa);
        profiler_set_register(cpu, index + PROF_AREA_BYTES, piece->bytes);
        profiler_set_register(cpu, index + PROF_AREA_GRANULE,
                              (unsigned)__builtin_ctz(area->granule));
        profiler_set_register(cpu, index + PROF_AREA_COUNTS, piece->counts);
        profiler_set_register(cpu, index + PROF_AREA_SIZE, area->size);
        profiler_set_register(cpu, index + PROF_AREA_FLAGS,
                              (area->saturates ? PROF_AREA_SATURATES : 0) |
                              (area->is_near ? PROF_AREA_NEAR : 0));
    }
}

enum err profiler_area_collect(struct profiler *profiler, struct diag *diag)
{
    for (size_t i = 0; i < profiler->areas; i++) {
        struct profiler_area *piece = &profiler->area[i];
        uint32_t size = piece->area->size;

        piece->cells = cells_of(piece);
        if (piece->count == NULL)
            piece->count = calloc(piece->cells, sizeof *piece->count);
        if (piece->count == NULL)
            return diag_no_memory(diag, "results");
        for (uint64_t k = 0; k < piece->cells; k++) {
            piece->count[k] = 0;
            phys_copy_out(profiler->phys, piece->counts + k * size, &piece->count[k], size);
        }
    }
    return ERR_OK;
}

void profiler_area_free(struct profiler *profiler)
{
    for (size_t i = 0; i < profiler->areas; i++)
        free(profiler->area[i].count);
}

size_t profiler_areas(const struct profiler *profiler, const struct profiler_area **area)
{
    *area = profiler->area;
    return profiler->areas;
}
