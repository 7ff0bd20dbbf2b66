/* Marks on code of libraries, set as the pages of the code come into memory.
 *
 * A library gets virtual addresses when it is mapped, and physical pages one by one when its code
 * is first executed. Until then its marks wait. A physical page that is reused loses its marks;
 * their counts are kept. Segments cover large ranges of memory, since a library's pages are
 * scattered. */
#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "sim/base/array.h"
#include "sim/run/profiler/profiler_internal.h"

enum { ROOM_SHARE = 16, ROOM_MAX_MIB = 16 };

struct late_part {
    const struct image *image;
    struct meta_part marks;
};

uint64_t profiler_late_plan(const struct profiler *profiler)
{
    uint64_t bytes = ((uint64_t)profiler->config->machine_memory_mib << 20) / ROOM_SHARE;
    uint64_t most = (uint64_t)ROOM_MAX_MIB << 20;

    return profiler->meta->lates == 0 ? 0 : bytes < most ? bytes : most;
}

/* ---- one page -------------------------------------------------------------------------------- */

static bool is_below(const void *row, const void *va)
{
    const struct meta_mark *mark = row;

    return mark->address < *(const uint64_t *)va;
}

/* The first mark at or above the address. */
static size_t first_mark(const struct meta_part *part, uint64_t va)
{
    return sorted_place(part->mark, part->marks, sizeof part->mark[0], is_below, &va);
}

static enum err set_marks(struct profiler *profiler, const struct meta_part *part, uint64_t va,
                          uint64_t pa, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = first_mark(part, va); i < part->marks && err == ERR_OK; i++) {
        const struct meta_mark *mark = &part->mark[i];

        if (mark->address - va >= PHYS_PAGE_BYTES)
            break;
        err = profiler_mark_add(profiler, mark, pa + (mark->address - va), diag);
    }
    return err;
}

static bool is_of(const struct late_part *late, const char *path, uint64_t bias)
{
    return late->image->bias == bias && strcmp(late->image->path, path) == 0;
}

static void warn(struct profiler *profiler, const struct diag *diag)
{
    meta_warn(profiler->meta, "%s: not marked", diag->text);
}

void profiler_page(struct profiler *profiler, const char *path, uint64_t bias, uint64_t va,
                   uint64_t pa)
{
    struct diag diag = {""};

    if (profiler->lates == 0 || profiler->phys == NULL)
        return;
    profiler_forget_page(profiler, pa);
    for (size_t i = 0; path != NULL && i < profiler->lates; i++)
        if (is_of(&profiler->late[i], path, bias) &&
            set_marks(profiler, &profiler->late[i].marks, va, pa, &diag) != ERR_OK)
            warn(profiler, &diag);
}

/* ---- libraries ------------------------------------------------------------------------------- */

/* Sets marks on pages that are already in memory, as the first hart sees them. */
static enum err set_mapped(struct profiler *profiler, const struct meta_part *part,
                           struct diag *diag)
{
    uint64_t va = UINT64_MAX, pa;
    enum err err = ERR_OK;

    for (size_t i = 0; i < part->marks && err == ERR_OK; i++) {
        uint64_t page = part->mark[i].address & ~((uint64_t)PHYS_PAGE_BYTES - 1);

        if (page == va)
            continue;
        va = page;
        if (profiler_translate_mapped(&profiler->cpu[0], va, true, &pa))
            err = set_marks(profiler, part, va, pa, diag);
    }
    return err;
}

enum err profiler_late_attach(struct profiler *profiler, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < profiler->lates && err == ERR_OK; i++)
        err = set_mapped(profiler, &profiler->late[i].marks, diag);
    return err;
}

enum err profiler_add_late(struct profiler *profiler, const struct image *image,
                           const struct meta_part *part, struct diag *diag)
{
    struct late_part *grown;

    if (profiler->phys != NULL)
        for (unsigned i = 0; i < profiler->harts; i++) {
            profiler_set_ranges(&profiler->cpu[i], profiler->meta);
            cpu_profiling_changed(&profiler->cpu[i]);
        }
    if (part->marks == 0)
        return ERR_OK;
    grown = array_grow(profiler->late, profiler->lates, sizeof *grown);
    if (grown == NULL)
        return diag_no_memory(diag, "metadata");
    profiler->late = grown;
    grown[profiler->lates++] = (struct late_part){image, *part};
    return profiler->phys != NULL ? set_mapped(profiler, part, diag) : ERR_OK;
}

void profiler_late_free(struct profiler *profiler)
{
    free(profiler->late);
    profiler->late = NULL;
    profiler->lates = 0;
}
