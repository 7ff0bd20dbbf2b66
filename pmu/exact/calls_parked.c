/* The stacks of the call tree that wait; see calls.h. A thread's stack waits while the hart runs
 * another thread, other stacks of a thread while it runs a coroutine.
 *
 * Invariant: an edge's `active` counts the frames of the current stack alone, so that in each stack
 * the outermost entry of a recursion has the whole count. */
#include <stdlib.h>
#include <string.h>

#include "pmu/exact/calls_internal.h"

/* The stack becomes current: moves the starting counts of its frames forward by the processor's
 * counts since the stack was left, which so stay excluded. */
static void skip_absence(const struct calls *calls, struct calls_stack *stack)
{
    for (size_t i = 0; i < stack->depth; i++) {
        stack->frame[i].insns += calls->insns - stack->insns;
        stack->frame[i].units += calls->units - stack->units;
    }
    stack->insns = calls->insns;
    stack->units = calls->units;
}

static void become_active(struct calls *calls, const struct calls_stack *stack)
{
    for (size_t i = 0; i < stack->depth; i++)
        if (stack->frame[i].edge != CALLS_NONE)
            calls->edge[stack->frame[i].edge].active++;
}

static void become_passive(struct calls *calls, const struct calls_stack *stack)
{
    for (size_t i = 0; i < stack->depth; i++)
        if (stack->frame[i].edge != CALLS_NONE)
            calls->edge[stack->frame[i].edge].active--;
}

/* Replaces the nodes and edges of another hart's tree by those of this one. A frame without a node
 * of its own takes that of the frame below it. */
static void move_frames(struct calls *calls, const struct calls *from,
                        const struct calls_stack *stack)
{
    uint32_t below = 0, below_from = 0;

    for (size_t i = 0; i < stack->depth; i++) {
        struct calls_frame *frame = &stack->frame[i];
        const struct calls_node *node = &from->node[frame->node];

        if (frame->node != below_from)
            below = calls_child(calls, below, node->routine, (enum calls_kind)node->kind);
        below_from = frame->node;
        frame->node = below;
        if (frame->edge != CALLS_NONE) {
            const struct calls_edge *edge = &from->edge[frame->edge];

            frame->edge = calls_edge_of(calls, edge->site, edge->routine,
                                        (enum calls_kind)edge->kind);
        }
    }
}

static struct calls_stack remove_parked(struct calls *from, size_t number)
{
    struct calls_stack stack = from->parked[number];

    memmove(&from->parked[number], &from->parked[number + 1],
            (--from->parks - number) * sizeof stack);
    return stack;
}

/* A stack that waited at `from` becomes the current stack, in place of an empty one. */
static void enter(struct calls *calls, const struct calls *from, struct calls_stack stack)
{
    if (from != calls)
        move_frames(calls, from, &stack);
    skip_absence(calls, &stack);
    become_active(calls, &stack);
    stack.is_waiting = false;
    stack.thread = calls->stack.thread;
    free(calls->stack.frame);
    calls->stack = stack;
}

/* Drops the oldest waiting stack; the current stack stays. */
static void drop_oldest(struct calls *calls)
{
    struct calls_stack current = calls->stack;

    become_passive(calls, &current);
    calls->stack = (struct calls_stack){.frame = NULL};
    enter(calls, calls, remove_parked(calls, 0));
    calls_pop_to(calls, 0);
    free(calls->stack.frame);
    calls->stack = current;
    become_active(calls, &current);
}

static void wait_there(struct calls *calls, bool is_waiting)
{
    const struct calls_stack empty = {.thread = calls->stack.thread};

    if (calls->parks == CALLS_PARKED)
        drop_oldest(calls);
    become_passive(calls, &calls->stack);
    calls->stack.insns = calls->insns;
    calls->stack.units = calls->units;
    calls->stack.is_waiting = is_waiting;
    calls->parked[calls->parks++] = calls->stack;
    calls->stack = empty;
}

void calls_park(struct calls *calls)
{
    bool is_returned_to = calls_has_kind(&calls->stack, CALLS_CALL) ||
                          calls_has_kind(&calls->stack, CALLS_TRAP);

    if (is_returned_to && !calls->stack.is_new)
        wait_there(calls, false);
    else
        calls_pop_to(calls, 0);
    calls->stack.is_new = false;
}

/* ---- stacks that come back ------------------------------------------------------------------- */

static bool find_at(struct calls *calls, struct calls *from, bool is_of_thread,
                    const struct calls_event *event, calls_ends *ends)
{
    for (size_t i = from->parks; i-- > 0;) {
        const struct calls_stack *parked = &from->parked[i];
        bool may_end = !parked->is_waiting &&
                       (parked->thread == calls->stack.thread) == is_of_thread;
        size_t end = may_end ? calls_find_end(parked, event, ends) : SIZE_MAX;

        if (end != SIZE_MAX) {
            struct calls_stack stack = remove_parked(from, i);

            calls_park(calls);
            enter(calls, from, stack);
            calls_pop_to(calls, end);
            return true;
        }
    }
    return false;
}

/* Searches the thread's own stacks first, as addresses repeat in other processes. */
bool calls_find_parked(struct calls *calls, const struct calls_event *event, calls_ends *ends)
{
    for (unsigned is_other = 0; is_other < 2; is_other++) {
        struct calls *from = calls;

        do {
            if (find_at(calls, from, is_other == 0, event, ends))
                return true;
            from = from->peer;
        } while (from != calls);
    }
    return false;
}

static bool resume(struct calls *calls, struct calls *from, uint64_t thread)
{
    for (size_t i = from->parks; i-- > 0;)
        if (from->parked[i].is_waiting && from->parked[i].thread == thread) {
            enter(calls, from, remove_parked(from, i));
            return true;
        }
    return false;
}

/* Each hart has a thread 0 of its own. */
void calls_change_thread(struct calls *calls, uint64_t thread)
{
    struct calls *from = calls;
    bool is_here;

    if (thread == calls->stack.thread)
        return;
    wait_there(calls, true);
    calls->stack.thread = thread;
    is_here = resume(calls, calls, thread);
    while (!is_here && thread != 0 && from->peer != calls) {
        from = from->peer;
        is_here = resume(calls, from, thread);
    }
    calls->stack.is_new = !is_here;
}

/* ---- the end of a run ------------------------------------------------------------------------ */

static void note_stack(struct calls *calls, const struct calls_stack *stack)
{
    for (size_t i = 0; i < stack->depth; i++) {
        const struct calls_frame *frame = &stack->frame[i];
        struct calls_edge *edge = frame->edge != CALLS_NONE ? &calls->edge[frame->edge] : NULL;

        if (edge == NULL || edge->active++ != 0)
            continue;
        edge->open_insns += calls->insns - frame->insns;
        edge->open_units += calls->units - frame->units;
    }
    become_passive(calls, stack);
}

void calls_note_open(struct calls *calls)
{
    for (size_t i = 0; i < calls->edges; i++)
        calls->edge[i].open_insns = calls->edge[i].open_units = 0;
    become_passive(calls, &calls->stack);
    for (size_t i = 0; i < calls->parks; i++) {
        skip_absence(calls, &calls->parked[i]);
        note_stack(calls, &calls->parked[i]);
    }
    note_stack(calls, &calls->stack);
    become_active(calls, &calls->stack);
}

void calls_end_open(struct calls *calls)
{
    calls_pop_to(calls, 0);
    while (calls->parks != 0) {
        enter(calls, calls, remove_parked(calls, calls->parks - 1));
        calls_pop_to(calls, 0);
    }
    calls_note_open(calls);
}
