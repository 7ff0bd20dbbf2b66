/* The table of a stack walk's rules (pmu/unwind/unwind_rule.h): direct-mapped, by pc and whether it
 * lies after a call; each hart has its own, which only its monitor uses. Freestanding. */
#ifndef PMU_UNWIND_UNWIND_RULE_KEPT_H
#define PMU_UNWIND_UNWIND_RULE_KEPT_H

#include "pmu/unwind/unwind_rule.h"

/* The index of the rule of a tag. */
static inline unsigned unwind_rule_slot(unsigned long long tag)
{
    return (unsigned)tag * 0x9e3779b1u >> 16 & (MONITOR_RULES - 1);
}

/* The slot for the rule of the code ahead; a null pointer: there is none. */
static inline struct monitor_rule *unwind_rule_place(struct unwind *u)
{
    unsigned half;

    u->is_plain = u->rules != (struct monitor_rule *)0 && unwind_half(u, u->pc, &half);
    u->lines = 0;
    u->rule.tag = u->pc | u->has_called;    /* the pc of code is even */
    u->rule.code = u->is_plain ? unwind_rule_hash(0, u->line_value) : 0;
    u->rule.sp = 0;
    u->rule.flags = UNWIND_RULE_KEPT | (unwind_is_32(u) ? UNWIND_RULE_32 : 0);
    return u->is_plain ? &u->rules[unwind_rule_slot(u->rule.tag)] : (struct monitor_rule *)0;
}

/* After unwind_rule_place. */
static inline bool unwind_rule_holds(struct unwind *u, const struct monitor_rule *rule)
{
    unsigned half, width = UNWIND_RULE_KEPT | UNWIND_RULE_32 | UNWIND_RULE_TABLE;
    unsigned long long code = u->rule.code;

    if (rule->tag != u->rule.tag || (rule->flags & width) != (u->rule.flags & width))
        return false;
    for (unsigned i = 0; i < UNWIND_RULE_LINES && rule->line[i] != 0; i++) {
        if (!unwind_half(u, unwind_rule_line(u, rule->line[i]), &half))
            return false;
        code = unwind_rule_hash(code, u->line_value);
    }
    return code == rule->code;
}

/* The code ahead has been read. By fields: the resident monitor has no memcpy. */
static inline void unwind_rule_keep(struct unwind *u, struct monitor_rule *place, bool is_found)
{
    unwind_rule_note(u);
    if (!u->is_plain || !u->has_line)
        return;
    place->tag = u->rule.tag;
    place->code = u->rule.code;
    for (unsigned i = 0; i < UNWIND_RULE_LINES; i++)
        place->line[i] = i < u->lines ? u->rule.line[i] : 0;
    place->sp = u->rule.sp;
    place->ra = u->rule.ra;
    place->fp = u->rule.fp;
    place->flags = u->rule.flags | (is_found ? 0 : UNWIND_RULE_LOST);
}

static inline unsigned long long unwind_rule_address(const struct unwind *u, int offset,
                                                     bool is_by_fp)
{
    return unwind_address(u, (is_by_fp ? u->fp : u->sp) + (unsigned long long)(long long)offset);
}

/* As unwind_code_ahead. */
static inline bool unwind_rule_apply(struct unwind *u, const struct monitor_rule *rule)
{
    unsigned long long ra = u->ra, fp = u->fp;
    unsigned flags = rule->flags;
    bool is_ra_by_fp = (flags & UNWIND_RULE_RA_BY_FP) != 0;
    bool is_fp_by_fp = (flags & UNWIND_RULE_FP_BY_FP) != 0;

    if ((flags & UNWIND_RULE_LOST) != 0 ||
        ((flags & UNWIND_RULE_HAS_RA) != 0 &&
         !unwind_saved(u, unwind_rule_address(u, rule->ra, is_ra_by_fp), &ra)) ||
        ((flags & UNWIND_RULE_HAS_FP) != 0 &&
         !unwind_saved(u, unwind_rule_address(u, rule->fp, is_fp_by_fp), &fp)))
        return false;
    u->sp = unwind_rule_address(u, rule->sp, (flags & UNWIND_RULE_SP_BY_FP) != 0);
    u->fp = fp;
    u->pc = u->ra = ra;
    return true;
}

#endif
