/* A run under the guest kernel, by code: the program in user mode, the kernel (its idle
 * loop and machine mode included), and none, while a hart waits in WFI. For each hart the cycles
 * of the three are all its cycles, and the instructions of the first two all its instructions. */
#ifndef PROF_PROFILE_PROFILE_MODES_H
#define PROF_PROFILE_PROFILE_MODES_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "prof/profile/profile.h"

struct profile_mode { uint64_t cycles, instructions; };
struct profile_hart_modes { struct profile_mode user, kernel, idle; };

struct profile_modes {
    uint64_t boot_instructions;         /* of all harts, before the first of the program; in no
                                           other number of the profile */
    struct profile_hart_modes all;
    struct profile_hart_modes *hart;    /* [harts] */
    size_t harts;
};

/* `all` becomes the sum of the harts. */
void profile_add_modes(struct profile_modes *modes);
/* The three parts as members. */
void profile_write_parts(cJSON *object, const struct profile_hart_modes *modes);
/* Nothing if modes is NULL, for a run without the guest kernel. */
void profile_write_modes(cJSON *root, const struct profile_modes *modes);
void profile_write_modes_csv(const struct profile_modes *modes, FILE *out);

#endif
