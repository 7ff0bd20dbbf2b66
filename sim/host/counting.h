/* Translates counters as users write them, EVENT[:FILTER,...], to values of mhpmevent, for the
 * command line and the library. The filters are in count_filter.def. */
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

/* Reads "loads:user,marked". ERR_USAGE: diag has the error and the nearest name. */
enum err counting_parse(struct counting *counting, const char *text, struct diag *diag);
/* Adds "; did you mean X?" to a diagnosis about an unknown event: X is near, or counts what users
 * may expect under the name or a near one (event_expected.def). ERR_USAGE. */
enum err counting_suggest(struct diag *diag, const char *name);
/* True if the counter needs marks (or hints in the instruction stream). */
bool counting_needs_marks(const struct counting *counting);

/* True if the engine counts it. Without is_detailed (--mode fast) there are no time, caches or
 * predictors; with has_memory too (--mode warm) there are caches and TLBs, whose events count only
 * without a filter. */
bool counting_is_possible(const struct counting *counting, bool is_detailed, bool has_memory);

/* The rows of the table; NULL past the last. */
struct counting_filter { const char *name, *argument, *meaning; };
const struct counting_filter *counting_filter_at(unsigned index);

#endif
