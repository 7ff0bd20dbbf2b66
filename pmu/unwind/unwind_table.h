/* A stack walk by struct monitor_frames: the rule for a pc is looked up, and kept among the walk's
 * rules (u->rules), where a later walk finds it without a search or a look at the code. A return
 * address kept here is known to follow a call.
 *
 * Code outside the table is left to pmu/unwind/unwind.h. Freestanding. */
#ifndef PMU_UNWIND_UNWIND_TABLE_H
#define PMU_UNWIND_UNWIND_TABLE_H

#include "pmu/unwind/unwind_rule_kept.h"

enum unwind_end { UNWIND_FOUND, UNWIND_ROOT, UNWIND_BROKEN, UNWIND_UNKNOWN };

/* The walk has a table, of code of its own width. */
static inline bool unwind_has_table(const struct unwind *u)
{
    return u->frames != (const struct monitor_frames *)0 &&
           (u->frames->xlen == 32) == unwind_is_32(u);
}

/* The table that contains a pc: the program's, or that of a library. */
static inline const struct monitor_frames *unwind_table_at(const struct unwind *u,
                                                           unsigned long long pc)
{
    for (unsigned i = 0; i < u->modules && pc - u->frames->base >= u->frames->bytes; i++)
        if (pc - u->module[i]->base < u->module[i]->bytes)
            return u->module[i];
    return u->frames;
}

/* The rule of a pc; a null pointer if the table does not contain it. */
static inline const struct monitor_frame *unwind_find_frame(const struct unwind *u,
                                                            unsigned long long pc)
{
    const struct monitor_frames *table = unwind_table_at(u, pc);
    const struct monitor_row *row = (const struct monitor_row *)(const void *)(table + 1);
    unsigned low = 0, high, offset;

    if (pc - table->base >= table->bytes)
        return (const struct monitor_frame *)0;
    offset = (unsigned)(pc - table->base);
    high = table->rows;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;

        if (row[middle].pc <= offset)
            low = middle;
        else
            high = middle;
    }
    return (const struct monitor_frame *)(const void *)(row + table->rows) + row[low].frame;
}

static inline struct monitor_rule *unwind_table_place(const struct unwind *u, bool has_called)
{
    return u->rules != (struct monitor_rule *)0
               ? &u->rules[unwind_rule_slot(u->pc | has_called)] : (struct monitor_rule *)0;
}

static inline bool unwind_is_kept(const struct monitor_rule *place, unsigned long long tag)
{
    return place->tag == tag && (place->flags & UNWIND_RULE_KEPT) != 0;
}

/* Fills *rule from the table's entry for the pc. False: there is none. */
static inline bool unwind_table_rule(const struct unwind *u, bool has_called,
                                     struct monitor_rule *rule)
{
    const struct monitor_frame *frame = unwind_find_frame(u, u->pc - has_called);

    if (frame == (const struct monitor_frame *)0 || frame->flags == 0)
        return false;
    rule->tag = u->pc | has_called;
    rule->sp = frame->sp;
    rule->ra = frame->ra;
    rule->fp = frame->fp;
    rule->flags = frame->flags | UNWIND_RULE_TABLE;
    return true;
}

/* Undoes the frame; has_called: ra is not in its register. */
static inline enum unwind_end unwind_by_table(struct unwind *u, bool has_called)
{
    struct monitor_rule *place = unwind_table_place(u, has_called), found;
    bool is_place = place != (struct monitor_rule *)0;

    if (!unwind_has_table(u))
        return UNWIND_UNKNOWN;
    if (!is_place)
        place = &found;
    if (is_place && unwind_is_kept(place, u->pc | has_called)) {
        if ((place->flags & UNWIND_RULE_TABLE) == 0)
            return UNWIND_UNKNOWN;
    } else if (!unwind_table_rule(u, has_called, place)) {
        return UNWIND_UNKNOWN;
    }
    if ((place->flags & (UNWIND_RULE_ROOT | UNWIND_RULE_LOST)) != 0)
        return (place->flags & UNWIND_RULE_ROOT) != 0 ? UNWIND_ROOT : UNWIND_BROKEN;
    if ((has_called && (place->flags & UNWIND_RULE_HAS_RA) == 0) || !unwind_rule_apply(u, place))
        return UNWIND_UNKNOWN;
    return u->pc == 0 ? UNWIND_ROOT : UNWIND_FOUND;
}

/* True if an earlier walk has found this return address in the table. */
static inline bool unwind_is_known_caller(const struct unwind *u)
{
    const struct monitor_rule *place = unwind_table_place(u, true);

    return place != (const struct monitor_rule *)0 && unwind_is_kept(place, u->pc | 1) &&
           (place->flags & UNWIND_RULE_TABLE) != 0;
}

#endif
