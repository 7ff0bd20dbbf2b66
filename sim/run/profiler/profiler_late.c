/* Marks on code of libraries and executed programs, set as the pages of the code come into memory,
 * and marks on pages of the program that another process has, too.
 *
 * A library gets virtual addresses when it is mapped, and physical pages one by one when its code
 * is first executed. Until then its marks wait. Each process has copies of its own; all copies of a
 * page have one set of blocks, so that the counter of an instruction or datum is that of all
 * processes. The program itself has copies, too, of data that a process writes after a fork, and of
 * all where a process executes it again. A physical page that is reused loses its marks; their
 * counts are kept. Segments cover large ranges of memory, since such pages
 * are scattered. */
#include "sim/run/profiler/profiler_late.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "sim/base/array.h"
#include "sim/run/kernel/kernel.h"
#include "sim/run/profiler/profiler_change.h"

enum { ROOM_SHARE = 16, ROOM_MAX_MIB = 16, TABLES_SHARE = 32, ROOM_MOST_SHARE = 4 };

#define PAGE_MASK ((uint64_t)PHYS_PAGE_BYTES - 1)

/* A page with marks that has come into memory: the blocks of its lines. */
struct late_page { uint64_t va, *block; };

struct late_part {
    char *path;
    uint64_t bias;
    bool is_code;                       /* its marks are all of code, or all of data */
    bool is_replaced;                   /* another file has come to its addresses since */
    struct meta_part marks;             /* of data one for each granule */
    struct meta_mark *own;              /* their array, if it is the part's own */
    struct late_page *page;             /* [pages] in order of va */
    size_t pages;
};

/* A line with marks has a record for each two bytes, 17 times its size. */
uint64_t profiler_late_plan(const struct profiler *profiler)
{
    uint64_t memory = (uint64_t)profiler->config->machine_memory_mib << 20;
    uint64_t bytes = memory / ROOM_SHARE, most = (uint64_t)ROOM_MAX_MIB << 20, wanted;

    if (!profiler_has_late(profiler->image, profiler->kernel, profiler->meta) &&
        !profiler_may_follow(profiler))
        return 0;
    bytes = bytes < most ? bytes : most;
    if (profiler->meta->late_bytes == 0)
        return bytes;
    wanted = bytes + memory / TABLES_SHARE + 17 * profiler->meta->late_bytes;
    return wanted < memory / ROOM_MOST_SHARE ? wanted : memory / ROOM_MOST_SHARE;
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

static bool is_page_below(const void *row, const void *va)
{
    return ((const struct late_page *)row)->va < *(const uint64_t *)va;
}

static size_t page_place(const struct late_part *late, uint64_t va)
{
    return sorted_place(late->page, late->pages, sizeof late->page[0], is_page_below, &va);
}

/* Keeps the blocks of the page at pa for its next copies. */
static enum err keep_blocks(const struct profiler *profiler, struct late_part *late, uint64_t va,
                            uint64_t pa, struct diag *diag)
{
    size_t lines = profiler_page_lines(profiler, late->is_code), at = page_place(late, va);
    struct late_page *grown = array_grow(late->page, late->pages, sizeof *grown);
    uint64_t *block = calloc(lines, sizeof *block);

    late->page = grown != NULL ? grown : late->page;
    if (grown == NULL || block == NULL) {
        free(block);
        return diag_no_memory(diag, "metadata");
    }
    profiler_page_blocks(profiler, pa, late->is_code, block);
    memmove(&grown[at + 1], &grown[at], (late->pages++ - at) * sizeof *grown);
    grown[at] = (struct late_page){va, block};
    return ERR_OK;
}

static enum err set_marks(struct profiler *profiler, struct late_part *late, uint64_t va,
                          uint64_t pa, struct diag *diag)
{
    const struct meta_part *part = &late->marks;
    size_t page = page_place(late, va), first = first_mark(part, va), end = first;
    enum err err;

    if (page < late->pages && late->page[page].va == va)
        return profiler_page_link(profiler, va, pa, late->is_code, late->page[page].block, diag);
    while (end < part->marks && part->mark[end].address - va < PHYS_PAGE_BYTES)
        end++;
    if (end == first)
        return ERR_OK;
    err = profiler_page_mark(profiler, &part->mark[first], end - first, pa, diag);
    return err == ERR_OK ? keep_blocks(profiler, late, va, pa, diag) : err;
}

static bool is_of(const struct late_part *late, const char *path, uint64_t bias)
{
    return late->bias == bias && strcmp(late->path, path) == 0;
}

static void warn(struct profiler *profiler, const char *path, const struct diag *diag)
{
    meta_warn(profiler->meta, "%s: code that is not marked: %s", path, diag->text);
}

/* A page that came into memory before the profiler. */
struct early_page { char *path; uint64_t bias, va, pa; };

static void mark_page(struct profiler *profiler, const struct early_page *page)
{
    struct diag diag = {""};

    for (size_t i = 0; i < profiler->lates; i++)
        if (is_of(&profiler->late[i], page->path, page->bias) &&
            set_marks(profiler, &profiler->late[i], page->va, page->pa, &diag) != ERR_OK)
            warn(profiler, page->path, &diag);
}

/* Without memory the page stays unmarked, with a warning. */
static void note_early(struct profiler *profiler, const char *path, const struct early_page *page)
{
    struct early_page *grown = array_grow(profiler->page, profiler->pages, sizeof *grown);
    char *copy = strdup(path);

    if (grown == NULL || copy == NULL) {
        free(copy);
        warn(profiler, path, &(struct diag){"no memory"});
        return;
    }
    profiler->page = grown;
    grown[profiler->pages] = *page;
    grown[profiler->pages++].path = copy;
}

void profiler_page(struct profiler *profiler, const char *path, uint64_t bias, uint64_t va,
                   uint64_t pa)
{
    struct early_page page = {(char *)(uintptr_t)path, bias, va, pa};

    if (profiler->phys == NULL && path != NULL)
        note_early(profiler, path, &page);
    if (profiler->lates == 0 || profiler->phys == NULL)
        return;
    profiler_forget_page(profiler, pa);
    if (path != NULL)
        mark_page(profiler, &page);
}

/* ---- libraries ------------------------------------------------------------------------------- */

/* NULL: no memory. */
static struct late_part *add_part(struct profiler *profiler, const char *path, uint64_t bias,
                                  bool is_code)
{
    struct late_part *grown = array_grow(profiler->late, profiler->lates, sizeof *grown);

    if (grown == NULL)
        return NULL;
    profiler->late = grown;
    grown += profiler->lates;
    *grown = (struct late_part){.path = strdup(path), .bias = bias, .is_code = is_code};
    profiler->lates += grown->path != NULL;
    return grown->path != NULL ? grown : NULL;
}

/* Sets the marks of the page in all processes; without a kernel, as the first hart sees it. */
static enum err set_page(struct profiler *profiler, struct late_part *late, uint64_t va,
                         struct diag *diag)
{
    uint64_t pa;

    if (profiler_is_followed(profiler))
        return profiler_follow_page(profiler, va, diag);
    return profiler_translate_mapped(&profiler->cpu[0], va, late->is_code, &pa)
               ? set_marks(profiler, late, va, pa, diag) : ERR_OK;
}

/* Sets marks on pages that are already in memory. */
static enum err set_mapped(struct profiler *profiler, struct late_part *late, struct diag *diag)
{
    const struct meta_part *part = &late->marks;
    uint64_t va = UINT64_MAX;
    enum err err = ERR_OK;

    for (size_t i = 0; i < part->marks && err == ERR_OK; i++) {
        uint64_t page = part->mark[i].address & ~PAGE_MASK;

        if (page == va)
            continue;
        va = page;
        err = set_page(profiler, late, va, diag);
    }
    return err;
}

static enum err keep_own_page(struct profiler *profiler, struct late_part *own, uint64_t va,
                              struct diag *diag)
{
    size_t at = page_place(own, va);
    uint64_t pa;

    if ((at < own->pages && own->page[at].va == va) ||
        !profiler_translate_followed(profiler, va, own->is_code, &pa))
        return ERR_OK;
    return keep_blocks(profiler, own, va, pa, diag);
}

static bool has_marks_of(const struct meta *meta, bool is_code)
{
    for (size_t i = 0; i < meta->marks; i++)
        if (meta->mark[i].is_code == is_code)
            return true;
    return false;
}

/* Keeps the blocks of the program's own pages, which other processes of the program will share. */
static enum err keep_own(struct profiler *profiler, const char *path, bool is_code,
                         struct diag *diag)
{
    const struct meta *meta = profiler->meta;
    struct late_part *own = add_part(profiler, path, profiler->image->bias, is_code);
    enum err err = own == NULL ? diag_no_memory(diag, "metadata") : ERR_OK;

    for (size_t i = 0; own != NULL && i < meta->marks; i++) {
        const struct meta_mark *mark = &meta->mark[i];
        uint64_t va = mark->address & ~PAGE_MASK;

        for (; mark->is_code == is_code && va < mark->address + mark->bytes && err == ERR_OK;
             va += PHYS_PAGE_BYTES)
            err = keep_own_page(profiler, own, va, diag);
    }
    for (size_t i = 0; own != NULL && i < own->pages && err == ERR_OK; i++)
        if (profiler_is_followed(profiler))
            err = profiler_follow_page(profiler, own->page[i].va, diag);
    return err;
}

enum err profiler_late_own(struct profiler *profiler, struct diag *diag)
{
    char *path = realpath(profiler->image->path, NULL);
    enum err err = ERR_OK;

    if (path != NULL && has_marks_of(profiler->meta, true))
        err = keep_own(profiler, path, true, diag);
    if (path != NULL && err == ERR_OK && profiler_is_followed(profiler) &&
        has_marks_of(profiler->meta, false))
        err = keep_own(profiler, path, false, diag);
    free(path);
    return err;
}

bool profiler_late_has_data(const struct profiler *profiler)
{
    for (size_t i = 0; i < profiler->lates; i++) {
        const struct late_part *late = &profiler->late[i];

        if (!late->is_code && late->marks.marks + late->pages != 0)
            return true;
    }
    return false;
}

enum err profiler_late_link(struct profiler *profiler, uint64_t key, uint64_t pa,
                            struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < profiler->lates && err == ERR_OK; i++)
        if (!profiler->late[i].is_replaced)
            err = set_marks(profiler, &profiler->late[i], key, pa, diag);
    return err;
}

bool profiler_has_late(const struct image *image, const struct image *kernel,
                       const struct meta *meta)
{
    return meta->lates != 0 ||
           (meta->marks != 0 && kernel != NULL && kernel_may_execute(image));
}

enum err profiler_late_attach(struct profiler *profiler, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < profiler->pages; i++)
        mark_page(profiler, &profiler->page[i]);
    for (size_t i = 0; i < profiler->lates && err == ERR_OK; i++)
        err = set_mapped(profiler, &profiler->late[i], diag);
    if (err == ERR_OK && (profiler_has_late(profiler->image, profiler->kernel, profiler->meta) ||
                          profiler_may_follow(profiler)))
        err = profiler_late_own(profiler, diag);
    return err;
}

/* Sets the range registers again; code of the new library is to be profiled. */
static void tell_harts(const struct profiler *profiler)
{
    for (unsigned i = 0; profiler->phys != NULL && i < profiler->harts; i++) {
        profiler_set_ranges(&profiler->cpu[i], profiler->meta);
        cpu_profiling_changed(&profiler->cpu[i]);
    }
}

static uint64_t granule_of(const struct profiler *profiler, const struct meta_mark *mark)
{
    return mark->action.granule != 0 ? mark->action.granule
                                     : profiler->config->pmu_granule_bytes;
}

/* The marks of one kind: those of data by granule. Returns their number; to NULL: no more. */
static size_t copy_marks(const struct profiler *profiler, const struct meta_part *part,
                         bool is_code, struct meta_mark *to)
{
    size_t count = 0;

    for (size_t i = 0; i < part->marks; i++) {
        const struct meta_mark *mark = &part->mark[i];
        uint64_t bytes = is_code ? mark->bytes : granule_of(profiler, mark);
        uint64_t va = is_code ? mark->address : mark->address & ~(bytes - 1);

        for (; mark->is_code == is_code && va < mark->address + mark->bytes; va += bytes) {
            if (to != NULL) {
                to[count] = *mark;
                to[count].address = va;
                to[count].bytes = bytes;
            }
            count++;
        }
    }
    return count;
}

static enum err add_kind(struct profiler *profiler, const struct image *image,
                         const struct meta_part *part, bool is_code, struct diag *diag)
{
    size_t count = copy_marks(profiler, part, is_code, NULL);
    struct meta_mark *own = calloc(count + 1, sizeof *own);
    struct late_part *late = NULL;

    if (own != NULL && count != 0)
        late = add_part(profiler, image->path, image->bias, is_code);
    if (late == NULL) {
        free(own);
        return count == 0 ? ERR_OK : diag_no_memory(diag, "metadata");
    }
    copy_marks(profiler, part, is_code, own);
    late->own = own;
    late->marks = (struct meta_part){own, count};
    if (!is_code)
        profiler_follow_data(profiler);
    return profiler->phys != NULL ? set_mapped(profiler, late, diag) : ERR_OK;
}

enum err profiler_add_late(struct profiler *profiler, const struct image *image,
                           const struct meta_part *part, struct diag *diag)
{
    enum err err = ERR_OK;

    tell_harts(profiler);
    if (part->marks != 0 && profiler->phys != NULL)
        err = profiler_follow_begin(profiler, diag);
    if (err == ERR_OK)
        err = add_kind(profiler, image, part, true, diag);
    return err == ERR_OK ? add_kind(profiler, image, part, false, diag) : err;
}

static bool has_marks_in(const struct late_part *late, const struct image *image)
{
    const struct meta_part *part = &late->marks;

    for (size_t i = 0; i < image->segment_count && part->marks != 0; i++) {
        const struct image_segment *segment = &image->segments[i];

        if (part->mark[0].address < segment->vaddr + segment->mem_bytes &&
            part->mark[part->marks - 1].address >= segment->vaddr)
            return true;
    }
    return false;
}

void profiler_module_placed(struct profiler *profiler, const char *path, uint64_t bias,
                            uint64_t plain)
{
    struct image image;

    if (bias != plain)
        profiler_modules_cover(profiler, path, bias, plain);
    if (!profiler_late_has_data(profiler) ||
        image_open_module(&image, path, plain, NULL) != ERR_OK)
        return;
    for (size_t i = 0; i < profiler->lates; i++) {
        struct late_part *late = &profiler->late[i];

        if (!late->is_code && (is_of(late, path, bias) || has_marks_in(late, &image)))
            late->is_replaced = !is_of(late, path, bias);
    }
    image_close(&image);
}

static void free_part(struct late_part *late)
{
    for (size_t i = 0; i < late->pages; i++)
        free(late->page[i].block);
    free(late->page);
    free(late->own);
    free(late->path);
}

void profiler_late_free(struct profiler *profiler)
{
    for (size_t i = 0; i < profiler->lates; i++)
        free_part(&profiler->late[i]);
    free(profiler->late);
    for (size_t i = 0; i < profiler->pages; i++)
        free(profiler->page[i].path);
    free(profiler->page);
    profiler->late = NULL;
    profiler->page = NULL;
    profiler->lates = profiler->pages = 0;
}
