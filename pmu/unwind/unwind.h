/* Callers of the interrupted code: the stack walk of a profiling monitor, resident or on the host.
 *
 * Frames are undone by the table of the program's frames (pmu/unwind/unwind_table.h). This file is
 * for code outside that table.
 *
 * For such code the innermost frame is undone by reading the code ahead of the interrupted pc: its
 * epilogue shows where ra and s0 are. The walk follows the straight line (conditional branches not
 * taken, calls stepped over, jumps taken, except those back into the line itself: loops) and tracks
 * sp until it meets
 *   ret              ra is at the address from which the epilogue loads it, else still in the
 *                    register (a leaf, or after the load); the same for s0;
 *   sd ra / sd s0 to the stack, or sp going down: a prologue: nothing is saved yet; after a tail
 *                    jump it is the next function's, and the loads before it hold.
 * If it meets neither within UNWIND_STEPS, or a call that does not return or an unknown jump, the
 * frame is taken to be complete, ra at s0-8, s0 at s0-16 (RV32: s0-4, s0-8; sw for sd). The outer
 * frames follow that chain: each one readable, aligned, above the last, and its return address
 * after a call. If the chain has no such frame (code without frame pointers), the code ahead of the
 * return address is read as for the innermost frame. If that fails too, a frame pointer of zero is
 * the end of the stack, and any other value a broken stack. Rules read from code are kept while
 * there is room for it (u->rules). Freestanding, no dependencies: guest code includes this too. */
#ifndef PMU_UNWIND_UNWIND_H
#define PMU_UNWIND_UNWIND_H

#include "pmu/abi.h"
#include "pmu/unwind/unwind_code.h"
#include "pmu/unwind/unwind_table.h"

enum { UNWIND_STEPS = 256 };

enum unwind_step { UNWIND_GO_ON, UNWIND_DONE, UNWIND_LOST };

/* The line ends with a prologue or a return: the frame is known, unless a call on the way has
 * overwritten ra. */
static inline enum unwind_step unwind_end(const struct unwind *u, bool is_prologue)
{
    return u->has_called && (is_prologue || !u->has_ra) ? UNWIND_LOST : UNWIND_DONE;
}

static inline enum unwind_step unwind_load(struct unwind *u, const struct unwind_code *code)
{
    bool is_ra = code->reg == UNWIND_RA;

    if (!is_ra && code->reg != UNWIND_FP)
        return UNWIND_GO_ON;
    unwind_rule_load(u, is_ra, code->offset);
    if (!unwind_saved(u, u->sp + code->offset, is_ra ? &u->ra : &u->fp)) {
        u->is_plain = false;
        return UNWIND_LOST;
    }
    u->has_ra |= is_ra;
    return UNWIND_GO_ON;
}

static inline enum unwind_step unwind_move_sp(struct unwind *u, const struct unwind_code *code)
{
    if (code->reg == UNWIND_SP && (long long)code->offset < 0)
        return unwind_end(u, true);
    if (code->reg != UNWIND_SP && code->reg != UNWIND_FP)
        return UNWIND_LOST;
    u->has_moved = true;
    unwind_rule_move(u, code->reg, code->offset);
    u->sp = unwind_address(u, (code->reg == UNWIND_SP ? u->sp : u->fp) + code->offset);
    return UNWIND_GO_ON;
}

/* Code after the end of a loop belongs to the same frame. After an epilogue a jump leaves the
 * function. */
static inline bool unwind_is_loop(const struct unwind *u, unsigned long long offset)
{
    return !u->has_ra && !u->has_moved && u->pc - u->from >= 0 - offset;
}

static inline void unwind_go_on(struct unwind *u, const struct unwind_code *code, unsigned insn)
{
    bool is_followed = code->kind == UNWIND_JUMP && !unwind_is_loop(u, code->offset);

    u->pc = unwind_address(u, u->pc + (is_followed ? code->offset : (insn & 3) == 3 ? 4u : 2u));
    if (is_followed)
        u->from = u->pc;
}

/* Follows one instruction; u->pc advances. */
static inline enum unwind_step unwind_insn(struct unwind *u)
{
    struct unwind_code code;
    unsigned insn;

    if (!unwind_fetch(u, &insn))
        return UNWIND_LOST;
    code = unwind_decode(insn, unwind_is_32(u));
    if (unwind_rule_depends(&code))
        unwind_rule_note(u);
    unwind_go_on(u, &code, insn);
    if (code.kind == UNWIND_LOAD)
        return unwind_load(u, &code);
    if (code.kind == UNWIND_SAVE && (code.reg == UNWIND_RA || code.reg == UNWIND_FP))
        return unwind_end(u, true);
    if (code.kind == UNWIND_MOVE_SP)
        return unwind_move_sp(u, &code);
    if (code.kind == UNWIND_RETURN)
        return unwind_end(u, false);
    u->has_called |= code.kind == UNWIND_CALL;
    return code.kind == UNWIND_AWAY || code.kind == UNWIND_SET_SP ? UNWIND_LOST : UNWIND_GO_ON;
}

static inline bool unwind_read_ahead(struct unwind *u)
{
    unsigned long long sp = u->sp, fp = u->fp;
    enum unwind_step step = UNWIND_GO_ON;

    u->has_ra = u->has_moved = false;
    u->from = u->pc;
    for (unsigned i = 0; i < UNWIND_STEPS && step == UNWIND_GO_ON; i++)
        step = unwind_insn(u);
    u->pc = u->ra;
    if (step == UNWIND_DONE)
        return true;
    u->sp = sp;
    u->fp = fp;
    return false;
}

/* Reads the code ahead, or takes the rule of an earlier walk. has_called: ra is not in its
 * register. False: the code gives no answer; sp and fp are unchanged. */
static inline bool unwind_code_ahead(struct unwind *u, bool has_called)
{
    struct monitor_rule *place;
    bool is_found;

    u->has_called = has_called;
    place = unwind_rule_place(u);
    if (place != (struct monitor_rule *)0 && unwind_rule_holds(u, place))
        return unwind_rule_apply(u, place);
    is_found = unwind_read_ahead(u);
    if (place != (struct monitor_rule *)0)
        unwind_rule_keep(u, place, is_found);
    return is_found;
}

/* Undoes the innermost frame. False: neither its code nor its frame pointer shows how. */
static inline bool unwind_innermost(struct unwind *u)
{
    return unwind_code_ahead(u, false) || unwind_frame(u);
}

#endif
