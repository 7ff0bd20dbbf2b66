/* Marks follow the pages of processes under the guest kernel.
 *
 * Marks belong to addresses of a program; the hardware knows pages of memory. An address may have
 * several pages at a time, one for each process of the program, and others from time to time. All
 * of them share their blocks, so that a counter has what all processes do. The processes are found
 * when marks are set. From then on the kernel tells which page an address gets and which page is
 * free, but only if data are marked: pages of code come from files, which the host reads. */
#include <stddef.h>
#include <stdlib.h>

#include "pmu/key.h"
#include "sim/run/profiler/profiler_change.h"
#include "sim/run/profiler/profiler_late.h"

#define PAGE_MASK ((uint64_t)PHYS_PAGE_BYTES - 1)

void profiler_follow_memory(struct profiler *profiler, const struct profiler_memory *memory)
{
    profiler->memory = *memory;
}

bool profiler_is_followed(const struct profiler *profiler)
{
    return profiler->memory.copies != NULL;
}

/* An address in none of the program's segments may be code of a library that is still to come. */
static bool has_data(const struct profiler *profiler)
{
    const struct meta *meta = profiler->meta;

    for (size_t i = 0; i < meta->marks; i++)
        if (!meta->mark[i].is_code &&
            image_segment_at(profiler->image, meta->mark[i].address) != NULL)
            return true;
    return false;
}

bool profiler_may_follow(const struct profiler *profiler)
{
    return profiler->kernel != NULL && has_data(profiler);
}

void profiler_follow_data(struct profiler *profiler)
{
    const unsigned long long is_on = 1;

    if (profiler->phys == NULL || !profiler_is_followed(profiler))
        return;
    phys_copy_in(profiler->phys, KERNEL_BOOT_PA + offsetof(struct kernel_boot, follows_pages),
                 &is_on, sizeof is_on);
}

/* Pages that the hart sees are only the program's if its process is of the program. */
bool profiler_translate_followed(void *arg, uint64_t va, bool is_code, uint64_t *pa)
{
    struct profiler *profiler = arg;
    struct cpu *cpu = &profiler->cpu[0];
    const uint64_t *copy;

    if (profiler_is_followed(profiler) && va >> KEY_USER_BITS == 0) {
        if (profiler->memory.copies(profiler->memory.arg, va & ~PAGE_MASK, &copy) != 0) {
            *pa = copy[0] | (va & PAGE_MASK);
            return true;
        }
        if (cpu->pmu.thread.program != 0)
            return false;
    }
    return profiler_translate_mapped(cpu, va, is_code, pa);
}

enum err profiler_follow_begin(struct profiler *profiler, struct diag *diag)
{
    if (!profiler_is_followed(profiler))
        return ERR_OK;
    if (has_data(profiler) || profiler_late_has_data(profiler))
        profiler_follow_data(profiler);
    return profiler->memory.take(profiler->memory.arg, diag);
}

/* Sets the marks of one page in all processes. */
enum err profiler_follow_page(struct profiler *profiler, uint64_t key, struct diag *diag)
{
    const uint64_t *copy;
    size_t copies = profiler->memory.copies(profiler->memory.arg, key, &copy);
    enum err err = ERR_OK;

    for (size_t i = 0; i < copies && err == ERR_OK; i++)
        err = profiler_late_link(profiler, key, copy[i], diag);
    return err;
}

/* The registers of work areas are of the pages at the start: there are too few for others. */
static void warn_of_areas(struct profiler *profiler, uint64_t key)
{
    struct meta *meta = profiler->meta;

    for (size_t i = 0; i < meta->areas; i++)
        if (!meta->area[i].is_code && key < meta->area[i].address + meta->area[i].bytes &&
            key + PHYS_PAGE_BYTES > meta->area[i].address)
            meta_warn(meta, "%s:%u: a work area counts in the pages that it has at the start, and "
                      "a process has got another one", meta->file[meta->area[i].file],
                      meta->area[i].line);
}

void profiler_page_came(void *arg, uint64_t key, uint64_t pa)
{
    struct profiler *profiler = arg;
    struct diag diag = {""};

    if (profiler->phys == NULL)
        return;
    warn_of_areas(profiler, key);
    profiler_forget_page(profiler, pa);
    if (profiler_late_link(profiler, key, pa, &diag) != ERR_OK)
        meta_warn(profiler->meta, "a page at 0x%llx is not marked: %s",
                  (unsigned long long)(key & KEY_ADDRESS), diag.text);
}

void profiler_page_freed(void *arg, uint64_t pa)
{
    struct profiler *profiler = arg;

    if (profiler->phys != NULL)
        profiler_forget_page(profiler, pa);
}
