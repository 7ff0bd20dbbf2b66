/* The part of a profile that `--count` fills. */
#ifndef PROF_PROFILE_PROFILE_COUNT_H
#define PROF_PROFILE_PROFILE_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/profile/profile_share.h"

/* A programmable counter that the user requested. */
struct profile_count {
    const char *text;               /* as requested: "loads:user,marked" */
    const char *event;
    bool is_sum;                    /* only the sum of the harts is of interest */
    bool is_known;                  /* the engine counts it */
    uint64_t value, *hart;          /* the sum; [harts] */
    size_t harts;
    struct profile_shares by_thread;
};

#endif
