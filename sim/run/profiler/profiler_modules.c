/* Tables of frames of the guest kernel, of libraries that a program loads, and of programs that it
 * executes. The host's monitor uses them directly; the resident one has copies in guest memory
 * (struct monitor_modules).
 *
 * The resident monitor's memory is planned before any of them is known, so their room is a share of
 * the machine's memory, under the guest kernel only. A library or program whose table does not fit
 * is walked through by its code. */
#include <stdlib.h>

#include "pmu/key.h"
#include "pmu/monitor/monitor.h"
#include "sim/base/array.h"
#include "sim/run/load/image_program.h"
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

static uint64_t modules_bytes(const struct profiler *profiler)
{
    uint64_t bytes = ((uint64_t)profiler->config->machine_memory_mib << 20) / MEMORY_SHARE;
    uint64_t most = (uint64_t)ROOM_MAX_MIB << 20;

    return profiler->kernel == NULL ? 0 : bytes < most ? bytes : most;
}

uint64_t profiler_modules_plan(struct profiler *profiler)
{
    uint64_t bytes = modules_bytes(profiler) + profiler->kernel_frames.bytes;

    if (bytes == 0 || profiler->image->xlen != 64)
        return 0;
    bytes += sizeof(struct monitor_modules) + PHYS_PAGE_BYTES - 1;
    profiler->modules.bytes = bytes & ~((uint64_t)PHYS_PAGE_BYTES - 1);
    return profiler->modules.bytes;
}

/* ---- tables in guest memory ------------------------------------------------------------------ */

uint64_t profiler_modules_kernel(const struct profiler *profiler)
{
    return profiler->modules.guest.common;
}

uint64_t profiler_modules_list(const struct profiler *profiler, uint64_t program)
{
    return frames_guest_list(&profiler->modules.guest, program);
}

/* Walks of every program pass through the kernel. */
enum err profiler_modules_attach(struct profiler *profiler, uint64_t end, struct diag *diag)
{
    struct frames_guest *guest = &profiler->modules.guest;
    enum err err = ERR_OK;

    if (profiler->modules.bytes == 0)
        return ERR_OK;
    profiler->modules.at = end - profiler->modules.bytes;
    if (!frames_guest_init(guest, profiler->phys, profiler->modules.at, end, 0))
        return diag_no_memory(diag, "the monitor");
    if (profiler->kernel_frames.bytes != 0)
        guest->common = frames_guest_copy(guest, &profiler->kernel_frames, 0);
    for (size_t i = 0; i < profiler->earlies && err == ERR_OK; i++)
        err = frames_guest_add(guest, profiler->early[i], diag);
    return err;
}

void profiler_modules_free(struct profiler *profiler)
{
    free(profiler->early);
    free(profiler->cover);
    frames_guest_free(&profiler->modules.guest);
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
                                     : frames_guest_add(&profiler->modules.guest, image, diag);
}

/* ---- stacks of the resident monitor ---------------------------------------------------------- */

void profiler_modules_cover(struct profiler *profiler, const char *path, uint64_t bias,
                            uint64_t plain)
{
    struct profiler_cover *grown, cover;
    struct image image;

    if (profiler->monitor != MONITOR_GUEST ||
        image_open_module(&image, path, plain, NULL) != ERR_OK)
        return;
    cover = (struct profiler_cover){.plain = image_program(&image)};
    cover.place.start = image.segments[0].vaddr - cover.plain;
    cover.place.end = image.segments[image.segment_count - 1].vaddr +
                      image.segments[image.segment_count - 1].mem_bytes - cover.plain;
    cover.place.program = cover.plain + (bias - plain);
    image_close(&image);
    for (size_t i = 0; i < profiler->covers; i++)
        if (profiler->cover[i].place.program == cover.place.program)
            return;
    grown = array_grow(profiler->cover, profiler->covers, sizeof *grown);
    if (grown == NULL)
        return;
    profiler->cover = grown;
    grown[profiler->covers++] = cover;
}

/* The program of a covering file's process (pmu/key.h); any other program unchanged. */
static uint64_t plain_program(const struct profiler *profiler, uint64_t program)
{
    for (size_t i = 0; i < profiler->covers; i++)
        if (profiler->cover[i].place.program == program)
            return profiler->cover[i].plain;
    return program;
}

static bool is_within(const struct profiler_cover *cover, uint64_t va)
{
    return va >= cover->place.start && va < cover->place.end;
}

/* The key of va on a stack whose interrupted instruction has the key `place`. If several files were
 * mapped at va, the file of the interrupted instruction was there at that time, and files that also
 * cover the instruction's own address were not. If another file remains, the key is unknown. */
static uint64_t key_beside(const struct profiler *profiler, uint64_t place, uint64_t va)
{
    uint64_t program = key_program(place), plain = plain_program(profiler, program), found = plain;

    for (size_t i = 0; i < profiler->covers; i++) {
        const struct profiler_cover *cover = &profiler->cover[i];

        if (cover->plain != plain || !is_within(cover, va))
            continue;
        if (cover->place.program == program)
            return key_of(program, va);
        if (!is_within(cover, place - program))
            found = KEY_UNKNOWN;
    }
    return key_of(found, va);
}

void profiler_modules_key(const struct profiler *profiler, struct monitor_record *record)
{
    if (key_program(record->iaddr) == 0 && profiler->covers == 0)
        return;
    for (unsigned k = 0; k < record->depth && k < MONITOR_DEPTH_MAX; k++)
        record->stack[k] = key_beside(profiler, record->iaddr, record->stack[k]);
}
