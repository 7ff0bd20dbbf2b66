/* Rules found by reading the code ahead of a pc, kept for the next walk that passes there: the
 * places of the caller's ra, s0 and sp, relative to sp or s0, or that the code gives no answer.
 *
 * A rule holds while the doublewords of code from which it was made are unchanged: that of its pc,
 * and those with loads of ra and s0, moves of sp, jumps taken, and the end of the line. They are
 * read each time, so that other code at the same address (another address space, a page brought in
 * later) finds no rule. A call inserted into the line later is not noticed. No rule is made from a
 * line that could not be read to its end, needs more doublewords, or loads a register twice. The
 * registers' values are loaded anew each time: the walk is the same as without rules. Here a rule
 * is made, while code is read (u->rule); pmu/unwind/unwind_rule_kept.h keeps it. Freestanding. */
#ifndef PMU_UNWIND_UNWIND_RULE_H
#define PMU_UNWIND_UNWIND_RULE_H

#include "pmu/unwind/unwind_kind.h"
#include "pmu/unwind/unwind_read.h"

enum {
    UNWIND_RULE_KEPT = 1,
    UNWIND_RULE_LOST = 2,           /* the code gives no answer; in a table: nor does a guess */
    UNWIND_RULE_32 = 4,             /* it is RV32 code */
    UNWIND_RULE_HAS_RA = 8,         /* ra, s0 are loaded from memory */
    UNWIND_RULE_HAS_FP = 16,
    UNWIND_RULE_SP_BY_FP = 32,      /* offsets from s0, not sp */
    UNWIND_RULE_RA_BY_FP = 64,
    UNWIND_RULE_FP_BY_FP = 128,
    UNWIND_RULE_ROOT = 256,         /* this code has no caller */
    UNWIND_RULE_TABLE = 512,        /* from struct monitor_frames: no code to compare */
    UNWIND_RULE_LINES = sizeof ((struct monitor_rule *)0)->line / sizeof(int),
};

/* A register saved at `address`, of the interrupted code's width. */
static inline bool unwind_saved(const struct unwind *u, unsigned long long address,
                                unsigned long long *value)
{
    address = unwind_address(u, address);
    return (address & (unwind_word_bytes(u) - 1)) == 0 && unwind_word(u, address, value);
}

static inline unsigned long long unwind_rule_line(const struct unwind *u, int line)
{
    return unwind_address(u, (u->rule.tag & ~7ull) + (unsigned long long)(long long)line);
}

static inline unsigned long long unwind_rule_hash(unsigned long long hash, unsigned long long value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15ull;
}

/* Adds the doubleword u->line to those of the rule. */
static inline void unwind_rule_note(struct unwind *u)
{
    int line = (int)(long long)(u->line - (u->rule.tag & ~7ull));

    if (line == 0 || (u->lines != 0 && u->rule.line[u->lines - 1] == line))
        return;
    u->is_plain &= u->lines < UNWIND_RULE_LINES;
    if (!u->is_plain)
        return;
    u->rule.line[u->lines++] = line;
    u->rule.code = unwind_rule_hash(u->rule.code, u->line_value);
}

static inline bool unwind_rule_depends(const struct unwind_code *code)
{
    if (code->kind == UNWIND_LOAD || code->kind == UNWIND_SAVE)
        return code->reg == UNWIND_RA || code->reg == UNWIND_FP;
    return code->kind != UNWIND_OTHER && code->kind != UNWIND_CALL;
}

static inline void unwind_rule_load(struct unwind *u, bool is_ra, unsigned long long offset)
{
    struct monitor_rule *rule = &u->rule;
    unsigned has = is_ra ? UNWIND_RULE_HAS_RA : UNWIND_RULE_HAS_FP;
    unsigned by_fp = is_ra ? UNWIND_RULE_RA_BY_FP : UNWIND_RULE_FP_BY_FP;

    u->is_plain &= (rule->flags & has) == 0;
    rule->flags |= has | ((rule->flags & UNWIND_RULE_SP_BY_FP) != 0 ? by_fp : 0);
    *(is_ra ? &rule->ra : &rule->fp) = rule->sp + (int)(long long)offset;
}

static inline void unwind_rule_move(struct unwind *u, unsigned reg, unsigned long long offset)
{
    struct monitor_rule *rule = &u->rule;

    rule->sp = (reg == UNWIND_FP ? 0 : rule->sp) + (int)(long long)offset;
    if (reg == UNWIND_FP) {
        u->is_plain &= (rule->flags & UNWIND_RULE_HAS_FP) == 0;
        rule->flags |= UNWIND_RULE_SP_BY_FP;
    }
}

#endif
