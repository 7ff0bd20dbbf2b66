/* Tables of frames in guest memory, for walks that run on the simulated machine: those of libraries
 * that a program has loaded, and of programs that it executes.
 *
 * The room for them is reserved before any of them is known. A table that does not fit is left out:
 * its code is then walked by the code itself. Each program (pmu/key.h) has a list of its tables, a
 * struct monitor_modules; equal tables are there once. */
#ifndef SIM_RUN_FRAMES_GUEST_H
#define SIM_RUN_FRAMES_GUEST_H

#include "sim/mem/phys.h"
#include "sim/run/frames/frames.h"

struct frames_guest {
    struct phys *phys;
    uint64_t next, end;             /* free memory: physical addresses */
    uint64_t offset;                /* added to these where the guest reads its tables */
    uint64_t common;                /* the table in every list; 0: none */
    uint64_t table[MONITOR_MODULES];
    size_t tables, programs;
    struct frames_guest_program { uint64_t program, list; } *program;
};

/* With the memory from start to end, in which the list of the first program comes first. False: no
 * memory on the host, or not even the list fits. */
bool frames_guest_init(struct frames_guest *guest, struct phys *phys, uint64_t start, uint64_t end,
                       uint64_t offset);
void frames_guest_free(struct frames_guest *guest);
/* The list of a program, as in a key: its physical address; 0: none. */
uint64_t frames_guest_list(const struct frames_guest *guest, uint64_t program);
/* Adds a copy of a table to the list of a program. Returns its physical address; 0: no room. */
uint64_t frames_guest_copy(struct frames_guest *guest, const struct frames *frames,
                           uint64_t program);
/* Builds the table of a library or program, whose addresses are keys, and adds it. */
enum err frames_guest_add(struct frames_guest *guest, const struct image *image,
                          struct diag *diag);

#endif
