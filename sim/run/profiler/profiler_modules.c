/* Tables of frames of the guest kernel and of libraries that a program loads. The host's monitor
 * uses them directly; the resident one has copies in guest memory (struct monitor_modules).
 *
 * The resident monitor's memory is planned before any library is known, so their room is a share of
 * the machine's memory. A library whose table does not fit is walked through by its code. */
#include <stddef.h>
#include <stdlib.h>

#include "sim/base/array.h"
#include "sim/run/profiler/profiler_internal.h"

enum { MEMORY_SHARE = 64, ROOM_MAX_MIB = 4 };

enum err profiler_modules_begin(struct profiler *profiler, struct diag *diag)
{
    if (profiler->kernel == NULL)
        return ERR_OK;
    if (profiler->monitor == MONITOR_HOST)
        return frames_add_module(&profiler->frames, profiler->kernel, diag);
    return profiler->monitor == MONITOR_GUEST
               ? frames_build(&profiler->kernel_frames, profiler->kernel, diag) : ERR_OK;
}

static uint64_t libraries_bytes(const struct profiler *profiler)
{
    uint64_t bytes = ((uint64_t)profiler->config->machine_memory_mib << 20) / MEMORY_SHARE;
    uint64_t most = (uint64_t)ROOM_MAX_MIB << 20;

    return profiler->image->interpreter == 0 ? 0 : bytes < most ? bytes : most;
}

uint64_t profiler_modules_plan(struct profiler *profiler)
{
    uint64_t bytes = libraries_bytes(profiler) + profiler->kernel_frames.bytes;

    if (bytes == 0 || profiler->image->xlen != 64)
        return 0;
    bytes += sizeof(struct monitor_modules) + PHYS_PAGE_BYTES - 1;
    profiler->modules.bytes = bytes & ~((uint64_t)PHYS_PAGE_BYTES - 1);
    return profiler->modules.bytes;
}

/* Writes the table, its address, then the number of tables, as a monitor may run on another
 * hart. */
static void copy_module(struct profiler *profiler, const struct frames *frames)
{
    uint64_t place = profiler->modules.at + offsetof(struct monitor_modules, frames) +
                     profiler->modules.count * sizeof(unsigned long long);
    uint64_t table = profiler->modules.next, count = profiler->modules.count + 1;

    if (profiler->modules.count == MONITOR_MODULES ||
        frames->bytes > profiler->modules.end - table)
        return;
    phys_copy_in(profiler->phys, table, frames->table, frames->bytes);
    phys_copy_in(profiler->phys, place, &table, sizeof table);
    phys_copy_in(profiler->phys, profiler->modules.at, &count, sizeof count);
    profiler->modules.next = table + frames->bytes;
    profiler->modules.count = count;
}

static enum err build_and_copy(struct profiler *profiler, const struct image *image,
                               struct diag *diag)
{
    struct frames frames;
    enum err err = frames_build(&frames, image, diag);

    if (err == ERR_OK)
        copy_module(profiler, &frames);
    frames_free(&frames);
    return err;
}

enum err profiler_modules_attach(struct profiler *profiler, uint64_t end, struct diag *diag)
{
    enum err err = ERR_OK;

    if (profiler->modules.bytes == 0)
        return ERR_OK;
    profiler->modules.at = end - profiler->modules.bytes;
    profiler->modules.next = profiler->modules.at + sizeof(struct monitor_modules);
    profiler->modules.end = end;
    if (profiler->kernel_frames.bytes != 0)
        copy_module(profiler, &profiler->kernel_frames);
    for (size_t i = 0; i < profiler->earlies && err == ERR_OK; i++)
        err = build_and_copy(profiler, profiler->early[i], diag);
    return err;
}

void profiler_modules_free(struct profiler *profiler)
{
    free(profiler->early);
    frames_free(&profiler->kernel_frames);
}

/* At least the dynamic linker is in memory before the monitor. */
static enum err add_early(struct profiler *profiler, const struct image *image, struct diag *diag)
{
    const struct image **grown = array_grow(profiler->early, profiler->earlies, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(diag, image->path);
    profiler->early = grown;
    grown[profiler->earlies++] = image;
    return ERR_OK;
}

enum err profiler_add_module(struct profiler *profiler, const struct image *image,
                             struct diag *diag)
{
    if (profiler->monitor == MONITOR_HOST)
        return frames_add_module(&profiler->frames, image, diag);
    if (profiler->monitor != MONITOR_GUEST || profiler->modules.bytes == 0)
        return ERR_OK;
    return profiler->modules.at == 0 ? add_early(profiler, image, diag)
                                     : build_and_copy(profiler, image, diag);
}
