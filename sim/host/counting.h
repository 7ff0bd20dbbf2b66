/* Counters as people write them, EVENT[:FILTER,...], for the command line and the library: from the
 * words to the value of mhpmevent. The filters are count_filter.def. */
#ifndef SIM_HOST_COUNTING_H
#define SIM_HOST_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/err.h"

struct counting {
    unsigned event;                 /* enum event */
    uint64_t select;                /* mhpmevent (pmu/abi_register.h) */
    int range;                      /* of the filter `range`; -1: none */
    bool is_sum;
};

/* Reads "loads:user,marked". ERR_USAGE: diag tells the error, with the nearest name. */
enum err counting_parse(struct counting *counting, const char *text, struct diag *diag);
/* Must marks (or indicators in the instruction stream) be looked at for it? */
bool counting_needs_marks(const struct counting *counting);

/* Does the engine count it? The fast one (is_detailed false) has no time, caches or predictors; the
 * warm one (besides, has_memory) has caches and TLBs, whose events it counts without a filter. */
bool counting_is_possible(const struct counting *counting, bool is_detailed, bool has_memory);

/* The rows of the table; NULL past the last. */
struct counting_filter { const char *name, *argument, *meaning; };
const struct counting_filter *counting_filter_at(unsigned index);

#endif
