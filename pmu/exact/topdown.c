/* The top-down tree, expanded from topdown.def. */
#include "pmu/exact/topdown.h"

#include <string.h>

static const struct topdown_row rows[TOPDOWN_COUNT] = {
#define TOPDOWN(id, above, text, code)                                                             \
    [TOPDOWN_##id] = {.name = text, .parent = TOPDOWN_##above, .event = EVENT_##code},
#include "pmu/exact/topdown.def"
#undef TOPDOWN
};

struct topdown_row topdown_row(enum topdown node)
{
    struct topdown_row row = rows[node];

    for (enum topdown at = node; rows[at].parent != at; at = rows[at].parent)
        row.depth++;
    return row;
}

enum topdown topdown_word_of_cause(unsigned event)
{
    switch (event) {
    case EVENT_CPI_BASE: return TOPDOWN_RETIRING;
    case EVENT_CPI_BRANCH:
    case EVENT_CPI_ORDER:
    case EVENT_CPI_FLUSH: return TOPDOWN_BAD_SPECULATION;
    case EVENT_CPI_ICACHE:
    case EVENT_CPI_ITLB:
    case EVENT_CPI_FETCH: return TOPDOWN_FRONT_END;
    case EVENT_CPI_IDLE: return TOPDOWN_IDLE;
    default: return event_scope(event) == SCOPE_CPI ? TOPDOWN_BACK_END : TOPDOWN_COUNT;
    }
}

/* From the last row back, so that a child is complete before it is added to its parent. */
void topdown_sum(const uint64_t events[EVENT_COUNT], uint64_t slots[TOPDOWN_COUNT])
{
    memset(slots, 0, TOPDOWN_COUNT * sizeof slots[0]);
    for (unsigned node = TOPDOWN_COUNT; node-- > 0;) {
        if (rows[node].event != EVENT_NONE)
            slots[node] = events[rows[node].event];
        if (rows[node].parent != node)
            slots[rows[node].parent] += slots[node];
    }
}
