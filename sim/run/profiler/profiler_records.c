/* The records of the monitor as results.
 *
 * The table has room for thousands of records, each of hundreds of bytes, and few are in use: a
 * list of their slots spares its readers the rest, which no one has touched since it was zero. */
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/run/profiler/profiler_internal.h"
#include "sim/run/profiler/profiler_records.h"

bool profiler_records_begin(struct profiler *profiler)
{
    profiler->slot = malloc(profiler->slots * sizeof *profiler->slot);
    return profiler->slot != NULL;
}

/* The host's memory of the table of the resident monitor. NULL: it is not in the guest's memory. */
static const struct monitor_header *guest_table(const struct profiler *profiler, unsigned bytes)
{
    return phys_is_ram(profiler->phys, profiler->guest_header, bytes)
               ? (const void *)phys_host(profiler->phys, profiler->guest_header) : NULL;
}

/* Asks the host for all pages of the table in one call, which takes a quarter of the time that they
 * would take one by one. */
static void prepare(const void *from, size_t bytes)
{
#ifdef MADV_POPULATE_READ
    uintptr_t page = (uintptr_t)from & ~(uintptr_t)(PHYS_PAGE_BYTES - 1);

    (void)!madvise((void *)page, (uintptr_t)from - page + bytes, MADV_POPULATE_READ);
#else
    (void)from, (void)bytes;
#endif
}

/* Copies the records in use to the same slots of the copy. A run that ends while a hart adds a
 * record may have one more than its header says. */
static void copy_records(struct profiler *profiler, const struct monitor_record *from)
{
    struct monitor_header *header = profiler->collected;
    struct monitor_record *to = (struct monitor_record *)(void *)(header + 1);
    uint64_t found = 0, most = header->lock != 0 ? profiler->slots : header->used;

    for (uint64_t i = 0; i < profiler->slots && found < most; i++) {
        if (from[i].hash == 0)
            continue;
        profiler->slot[found++] = (uint32_t)i;
        to[i] = from[i];
        profiler_modules_key(profiler, &to[i]);
    }
    header->used = found;
}

static enum err collect_guest(struct profiler *profiler, struct diag *diag)
{
    size_t bytes = sizeof(struct monitor_header) +
                   (size_t)profiler->slots * sizeof(struct monitor_record);
    const struct monitor_header *from = guest_table(profiler, (unsigned)bytes);

    if (profiler->collected == NULL)
        profiler->collected = calloc(1, bytes);
    if (profiler->collected == NULL)
        return diag_no_memory(diag, "results");
    if (from == NULL)
        return ERR_OK;
    *profiler->collected = *from;
    profiler->collected->slots = profiler->slots;
    if (from->used != 0 || from->lock != 0) {
        prepare(from, bytes);
        copy_records(profiler, (const struct monitor_record *)(const void *)(from + 1));
    }
    return ERR_OK;
}

static int compare_slots(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

enum err profiler_records_collect(struct profiler *profiler, struct diag *diag)
{
    if (profiler->monitor == MONITOR_GUEST)
        return collect_guest(profiler, diag);
    if (profiler->monitor == MONITOR_HOST)
        qsort(profiler->slot, profiler->host_header->used, sizeof *profiler->slot, compare_slots);
    return ERR_OK;
}

const struct monitor_header *profiler_records(const struct profiler *profiler,
                                              const struct monitor_record **record)
{
    const struct monitor_header *header =
        profiler->monitor == MONITOR_HOST ? profiler->host_header : profiler->collected;

    *record = header != NULL ? (const struct monitor_record *)(const void *)(header + 1) : NULL;
    return header;
}

const uint32_t *profiler_slots(const struct profiler *profiler)
{
    return profiler->slot;
}
