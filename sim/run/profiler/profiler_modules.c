/* Tables of frames of the guest kernel, of libraries that a program loads, and of programs that it
 * executes. The host's monitor uses them directly; the resident one has copies in guest memory
 * (struct monitor_modules).
 *
 * The resident monitor's memory is planned before any of them is known, so their room is a share of
 * the machine's memory, under the guest kernel only. A library or program whose table does not fit
 * is walked through by its code. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* Physical addresses; 0: none. Tables of each program (pmu/key.h) are in a struct monitor_modules
 * of its own; each table is there once. */
struct guest_tables {
    uint64_t kernel;                /* the guest kernel's table */
    uint64_t table[MONITOR_MODULES];
    size_t tables, programs;
    struct guest_program { uint64_t program, list; } *program;
};

uint64_t profiler_modules_kernel(const struct profiler *profiler)
{
    return profiler->modules.tables != NULL ? profiler->modules.tables->kernel : 0;
}

uint64_t profiler_modules_list(const struct profiler *profiler, uint64_t program)
{
    const struct guest_tables *tables = profiler->modules.tables;

    for (size_t i = 0; tables != NULL && i < tables->programs; i++)
        if (tables->program[i].program == program)
            return tables->program[i].list;
    return 0;
}

/* Writes the table's address, then the number of tables, as a monitor may run on another hart. */
static void list_table(const struct profiler *profiler, uint64_t list, uint64_t table)
{
    uint64_t count = 0, place;

    phys_copy_out(profiler->phys, list, &count, sizeof count);
    if (table == 0 || count == MONITOR_MODULES)
        return;
    place = list + offsetof(struct monitor_modules, frames) + count * sizeof count;
    count++;
    phys_copy_in(profiler->phys, place, &table, sizeof table);
    phys_copy_in(profiler->phys, list, &count, sizeof count);
}

static bool add_program(struct guest_tables *tables, uint64_t program, uint64_t list)
{
    struct guest_program *grown = array_grow(tables->program, tables->programs, sizeof *grown);

    if (grown == NULL)
        return false;
    tables->program = grown;
    grown[tables->programs++] = (struct guest_program){program, list};
    return true;
}

/* Walks of every program pass through the kernel. Returns the list; 0: there is no room. */
static uint64_t begin_list(struct profiler *profiler, uint64_t program)
{
    uint64_t list = profiler->modules.next;

    if (sizeof(struct monitor_modules) > profiler->modules.end - list ||
        !add_program(profiler->modules.tables, program, list))
        return 0;
    profiler->modules.next += sizeof(struct monitor_modules);
    memset(phys_host(profiler->phys, list), 0, sizeof(struct monitor_modules));
    list_table(profiler, list, profiler->modules.tables->kernel);
    return list;
}

/* The place of these bytes, found or written; 0: there is no room. Programs that map a library at
 * the same address have one table of it. */
static uint64_t place_table(struct profiler *profiler, const struct frames *frames)
{
    struct guest_tables *tables = profiler->modules.tables;
    uint64_t at = profiler->modules.next;

    for (size_t i = 0; i < tables->tables; i++)
        if (tables->table[i] + frames->bytes <= at &&
            memcmp(phys_host(profiler->phys, tables->table[i]), frames->table,
                   frames->bytes) == 0)
            return tables->table[i];
    if (tables->tables == MONITOR_MODULES || frames->bytes > profiler->modules.end - at)
        return 0;
    phys_copy_in(profiler->phys, at, frames->table, frames->bytes);
    profiler->modules.next = at + frames->bytes;
    tables->table[tables->tables++] = at;
    return at;
}

/* Returns the table's place, or 0. */
static uint64_t copy_module(struct profiler *profiler, const struct frames *frames,
                            uint64_t program)
{
    uint64_t list = profiler_modules_list(profiler, program), table;

    if (list == 0)
        list = begin_list(profiler, program);
    table = list != 0 ? place_table(profiler, frames) : 0;
    if (list != 0)
        list_table(profiler, list, table);
    return table;
}

static enum err build_and_copy(struct profiler *profiler, const struct image *image,
                               struct diag *diag)
{
    uint64_t program = image_program(image);
    struct frames frames;
    enum err err = frames_build(&frames, image, diag);

    if (err == ERR_OK && frames.table->bytes != 0) {
        frames.table->base -= program;
        copy_module(profiler, &frames, program);
    }
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
    profiler->modules.tables = calloc(1, sizeof *profiler->modules.tables);
    if (profiler->modules.tables == NULL ||
        !add_program(profiler->modules.tables, 0, profiler->modules.at))
        return diag_no_memory(diag, "the monitor");
    if (profiler->kernel_frames.bytes != 0)
        profiler->modules.tables->kernel = copy_module(profiler, &profiler->kernel_frames, 0);
    for (size_t i = 0; i < profiler->earlies && err == ERR_OK; i++)
        err = build_and_copy(profiler, profiler->early[i], diag);
    return err;
}

void profiler_modules_free(struct profiler *profiler)
{
    free(profiler->early);
    if (profiler->modules.tables != NULL)
        free(profiler->modules.tables->program);
    free(profiler->modules.tables);
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
