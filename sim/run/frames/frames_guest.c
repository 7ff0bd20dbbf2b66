/* See frames_guest.h. */
#include "sim/run/frames/frames_guest.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/run/load/image_program.h"

uint64_t frames_guest_list(const struct frames_guest *guest, uint64_t program)
{
    for (size_t i = 0; i < guest->programs; i++)
        if (guest->program[i].program == program)
            return guest->program[i].list;
    return 0;
}

/* Writes the table's address, then the number of tables, as a walk may run on another hart. */
static void list_table(const struct frames_guest *guest, uint64_t list, uint64_t table)
{
    uint64_t count = 0, place;

    phys_copy_out(guest->phys, list, &count, sizeof count);
    if (table == 0 || count == MONITOR_MODULES)
        return;
    table += guest->offset;
    place = list + offsetof(struct monitor_modules, frames) + count * sizeof count;
    count++;
    phys_copy_in(guest->phys, place, &table, sizeof table);
    phys_copy_in(guest->phys, list, &count, sizeof count);
}

static bool add_program(struct frames_guest *guest, uint64_t program, uint64_t list)
{
    struct frames_guest_program *grown = array_grow(guest->program, guest->programs, sizeof *grown);

    if (grown == NULL)
        return false;
    guest->program = grown;
    grown[guest->programs++] = (struct frames_guest_program){program, list};
    return true;
}

/* Returns the list; 0: there is no room. */
static uint64_t begin_list(struct frames_guest *guest, uint64_t program)
{
    uint64_t list = guest->next;

    if (sizeof(struct monitor_modules) > guest->end - list || !add_program(guest, program, list))
        return 0;
    guest->next += sizeof(struct monitor_modules);
    memset(phys_host(guest->phys, list), 0, sizeof(struct monitor_modules));
    list_table(guest, list, guest->common);
    return list;
}

/* The place of these bytes, found or written; 0: there is no room. Programs that map a library at
 * the same address have one table of it. */
static uint64_t place_table(struct frames_guest *guest, const struct frames *frames)
{
    uint64_t at = guest->next;

    for (size_t i = 0; i < guest->tables; i++)
        if (guest->table[i] + frames->bytes <= at &&
            memcmp(phys_host(guest->phys, guest->table[i]), frames->table, frames->bytes) == 0)
            return guest->table[i];
    if (guest->tables == MONITOR_MODULES || frames->bytes > guest->end - at)
        return 0;
    phys_copy_in(guest->phys, at, frames->table, frames->bytes);
    guest->next = at + frames->bytes;
    guest->table[guest->tables++] = at;
    return at;
}

uint64_t frames_guest_copy(struct frames_guest *guest, const struct frames *frames,
                           uint64_t program)
{
    uint64_t list = frames_guest_list(guest, program), table;

    if (list == 0)
        list = begin_list(guest, program);
    table = list != 0 ? place_table(guest, frames) : 0;
    if (list != 0)
        list_table(guest, list, table);
    return table;
}

enum err frames_guest_add(struct frames_guest *guest, const struct image *image,
                          struct diag *diag)
{
    uint64_t program = image_program(image);
    struct frames frames;
    enum err err = frames_build(&frames, image, diag);

    if (err == ERR_OK && frames.table->bytes != 0) {
        frames.table->base -= program;
        frames_guest_copy(guest, &frames, program);
    }
    frames_free(&frames);
    return err;
}

bool frames_guest_init(struct frames_guest *guest, struct phys *phys, uint64_t start, uint64_t end,
                       uint64_t offset)
{
    *guest = (struct frames_guest){.phys = phys, .next = start, .end = end, .offset = offset};
    return begin_list(guest, 0) != 0;
}

void frames_guest_free(struct frames_guest *guest)
{
    free(guest->program);
    *guest = (struct frames_guest){.programs = 0};
}
