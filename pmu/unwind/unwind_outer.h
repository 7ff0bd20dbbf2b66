/* The frames of a stack walk above the innermost one: by the chain of frame pointers, else by code
 * (pmu/unwind/unwind.h). Freestanding. */
#ifndef PMU_UNWIND_UNWIND_OUTER_H
#define PMU_UNWIND_UNWIND_OUTER_H

#include "pmu/unwind/unwind.h"
#include "pmu/unwind/unwind_signal.h"

static inline bool unwind_is_return_address(struct unwind *u)
{
    unsigned before_last = 0, last;
    bool is_32 = unwind_is_32(u);

    if (!unwind_half(u, u->pc - 2, &last))
        return false;
    return unwind_half(u, u->pc - 4, &before_last) ? unwind_is_call(before_last, last, is_32)
                                                   : unwind_is_call(0, last, is_32);
}

/* True if pc belongs to code without caller, where stacks end. Run-time libraries and kernels begin
 * threads with an address of such code as return address, which need not follow a call. */
static inline bool unwind_is_base(const struct unwind *u)
{
    const struct monitor_frame *frame;

    if (!unwind_has_table(u))
        return false;
    frame = unwind_find_frame(u, u->pc - 1);
    return frame != (const struct monitor_frame *)0 && (frame->flags & UNWIND_RULE_ROOT) != 0;
}

/* Undoes an outer frame outside the table: by the chain of frame pointers, else by the code after
 * the call. */
static inline enum unwind_end unwind_guess(struct unwind *u)
{
    unsigned long long pc = u->pc, sp = u->sp, fp = u->fp;
    bool is_chained = fp != 0 && unwind_frame(u);

    if (is_chained && u->pc == 0)
        return UNWIND_ROOT;
    if (is_chained && (unwind_is_return_address(u) || unwind_is_signal(u) || unwind_is_base(u)))
        return UNWIND_FOUND;
    u->pc = pc;
    u->sp = sp;
    u->fp = fp;
    if (!unwind_code_ahead(u, true))
        return fp == 0 ? UNWIND_ROOT : UNWIND_BROKEN;
    return u->pc == 0 ? UNWIND_ROOT : UNWIND_FOUND;
}

/* Tests that the frame led to a caller, that is, pc follows a call or is the stack's base. The
 * caller of a signal handler is the code that the signal interrupted. */
static inline enum unwind_end unwind_arrive(struct unwind *u)
{
    u->is_exact = false;
    if (u->pc == 0)
        return UNWIND_ROOT;
    if (unwind_is_known_caller(u) || unwind_is_return_address(u))
        return UNWIND_FOUND;
    if (unwind_is_signal(u))
        return unwind_leave_signal(u) ? UNWIND_FOUND : UNWIND_BROKEN;
    return unwind_is_base(u) ? UNWIND_FOUND : UNWIND_BROKEN;
}

/* Undoes a frame. is_exact: pc is the next instruction to execute; else the address after a
 * call. */
static inline enum unwind_end unwind_out(struct unwind *u, bool is_exact)
{
    enum unwind_end end = unwind_by_table(u, !is_exact);

    if (end == UNWIND_UNKNOWN && is_exact && unwind_is_signal(u))
        return unwind_leave_signal(u) ? UNWIND_FOUND : UNWIND_BROKEN;
    if (end == UNWIND_UNKNOWN && is_exact)
        end = unwind_innermost(u) ? UNWIND_FOUND : UNWIND_BROKEN;
    else if (end == UNWIND_UNKNOWN)
        end = unwind_guess(u);
    return end == UNWIND_FOUND ? unwind_arrive(u) : end;
}

/* The address of the call in front of a return address. */
static inline unsigned long long unwind_call_site(struct unwind *u, unsigned long long ra)
{
    unsigned before_last = 0, last = 0;
    bool has_both = unwind_half(u, ra - 4, &before_last) && unwind_half(u, ra - 2, &last);

    return ra - (has_both && (before_last & 3) == 3 && !unwind_is_call(0, last, unwind_is_32(u))
                     ? 4 : 2);
}

#endif
