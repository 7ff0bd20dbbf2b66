/* See active_stacks.h. */
#include "sim/cli/command/active/active_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"

/* FRAME: what the kernel puts on the stack for a signal, at most. */
enum { REG_SP = 2, FRAME = 16384 };

static void find_innermost(struct active_stacks *stacks)
{
    size_t at = stacks->opens;

    while (at > 0 && stacks->open[at - 1].stack != stacks->current)
        at--;
    stacks->innermost = at;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static bool has(const struct active_stack *stack, uint64_t sp)
{
    return sp >= stack->low && sp <= stack->high;
}

static void reach(struct active_stacks *stacks, uint64_t sp)
{
    struct active_stack *stack = &stacks->stack[stacks->current];

    stack->low = sp < stack->low ? sp : stack->low;
    stack->high = sp > stack->high ? sp : stack->high;
}

static bool begin(struct active_stacks *stacks, uint64_t sp)
{
    struct active_stack *grown = array_grow(stacks->stack, stacks->stacks, sizeof *grown);

    if (grown == NULL)
        return false;
    stacks->stack = grown;
    grown[stacks->stacks] = (struct active_stack){
        .low = sp, .high = sp, .is_signal = stacks->stacks != 0 && !stacks->has_written,
    };
    stacks->current = stacks->stacks++;
    return true;
}

/* True if the stack is the same as before. The kernel sets sp for a signal handler. */
static bool is_same(const struct active_stacks *stacks, uint64_t sp)
{
    if (stacks->stacks == 0)
        return false;
    if (has(&stacks->stack[stacks->current], sp))
        return true;
    if (stacks->has_written)
        return !stacks->may_switch;
    return sp < stacks->sp && stacks->sp - sp <= FRAME;
}

/* Moves the sections of the stack `before`, which longjmp has left, to the current stack; sp 0
 * makes them end there. */
static void take_over(struct active_stacks *stacks, size_t before)
{
    for (size_t i = 0; i < stacks->opens; i++)
        if (stacks->open[i].stack == before) {
            stacks->open[i].stack = stacks->current;
            stacks->open[i].sp = 0;
        }
}

static bool change(struct active_stacks *stacks, uint64_t sp)
{
    const size_t before = stacks->current;
    const bool is_first = stacks->stacks == 0;
    size_t at = 0;

    while (at < stacks->stacks && !has(&stacks->stack[at], sp))
        at++;
    if (at == stacks->stacks && !begin(stacks, sp))
        return false;
    stacks->current = at;
    if (!is_first && stacks->has_written && stacks->stack[before].is_signal)
        take_over(stacks, before);
    find_innermost(stacks);
    return true;
}

bool active_stacks_move(struct active_stacks *stacks, uint64_t sp)
{
    bool fits = true;

    if (stacks->stacks != 0 && sp == stacks->sp)
        return true;
    if (is_same(stacks, sp))
        reach(stacks, sp);
    else
        fits = change(stacks, sp);
    stacks->sp = sp;
    return fits;
}

void active_stacks_step(struct active_stacks *stacks, const struct insn *insn)
{
    stacks->has_written = insn->rd == REG_SP;
    stacks->may_switch = stacks->has_written &&
                         (insn_info[insn->op].mem_bytes != 0 ||
                          (insn->rs1 != REG_SP && insn->rs2 != REG_SP));
}

/* ---- sections -------------------------------------------------------------------------------- */

bool active_stacks_open(struct active_stacks *stacks, const struct active_open *open)
{
    struct active_open *grown = array_grow(stacks->open, stacks->opens, sizeof *grown);

    if (grown == NULL)
        return false;
    stacks->open = grown;
    grown[stacks->opens] = *open;
    grown[stacks->opens].stack = stacks->current;
    stacks->innermost = ++stacks->opens;
    reach(stacks, open->sp);
    return true;
}

void active_stacks_close(struct active_stacks *stacks)
{
    size_t at = stacks->innermost - 1;

    stacks->opens--;
    memmove(&stacks->open[at], &stacks->open[at + 1],
            (stacks->opens - at) * sizeof stacks->open[0]);
    find_innermost(stacks);
}

void active_stacks_free(struct active_stacks *stacks)
{
    free(stacks->stack);
    free(stacks->open);
}
