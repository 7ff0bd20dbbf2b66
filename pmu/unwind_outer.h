/* The frames of a stack walk behind the innermost one: by the chain of frame pointers, else by code
 * (pmu/unwind.h). Freestanding. */
#ifndef PMU_UNWIND_OUTER_H
#define PMU_UNWIND_OUTER_H

#include "pmu/unwind.h"

static inline bool unwind_is_return_address(struct unwind *u)
{
    unsigned before_last = 0, last;
    bool is_32 = unwind_is_32(u);

    if (!unwind_half(u, u->pc - 2, &last))
        return false;
    return unwind_half(u, u->pc - 4, &before_last) ? unwind_is_call(before_last, last, is_32)
                                                   : unwind_is_call(0, last, is_32);
}

enum unwind_end { UNWIND_FOUND, UNWIND_ROOT, UNWIND_BROKEN };

/* Undoes a frame further out, of which pc is the address behind a call. */
static inline enum unwind_end unwind_outer(struct unwind *u)
{
    unsigned long long pc = u->pc, sp = u->sp, fp = u->fp;
    bool is_chained = fp != 0 && unwind_frame(u);

    if (is_chained && u->pc == 0)
        return UNWIND_ROOT;
    if (is_chained && unwind_is_return_address(u))
        return UNWIND_FOUND;
    u->pc = pc;
    u->sp = sp;
    u->fp = fp;
    if (!unwind_code_ahead(u, true))
        return fp == 0 ? UNWIND_ROOT : UNWIND_BROKEN;
    if (u->pc == 0)
        return UNWIND_ROOT;
    return unwind_is_return_address(u) ? UNWIND_FOUND : UNWIND_BROKEN;
}

/* The call in front of a return address. */
static inline unsigned long long unwind_call_site(struct unwind *u, unsigned long long ra)
{
    unsigned before_last = 0, last = 0;
    bool has_both = unwind_half(u, ra - 4, &before_last) && unwind_half(u, ra - 2, &last);

    return ra - (has_both && (before_last & 3) == 3 && !unwind_is_call(0, last, unwind_is_32(u))
                     ? 4 : 2);
}

#endif
