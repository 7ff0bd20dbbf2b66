/* The top-down tree of dispatch slots (topdown.def) as data. */
#ifndef PMU_EXACT_TOPDOWN_H
#define PMU_EXACT_TOPDOWN_H

#include "pmu/pmu.h"

enum topdown {
#define TOPDOWN(id, parent, name, event) TOPDOWN_##id,
#include "pmu/exact/topdown.def"
#undef TOPDOWN
    TOPDOWN_COUNT
};

struct topdown_row {
    const char *name;
    enum topdown parent;            /* of the root: itself */
    unsigned event;                 /* of a leaf; EVENT_NONE: the sum of the children */
    unsigned depth;                 /* of the root: 0 */
};

struct topdown_row topdown_row(enum topdown node);

/* The child of the root that contains a cpi_* event; TOPDOWN_COUNT for every other event. */
enum topdown topdown_word_of_cause(unsigned event);

/* The slots of each node, from counts by event code. The root is the sum of all leaves. */
void topdown_sum(const uint64_t events[EVENT_COUNT], uint64_t slots[TOPDOWN_COUNT]);

#endif
