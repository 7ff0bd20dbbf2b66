/* The stacks of the call tree, and the effect of transfers of control on them. See calls.h.
 *
 * A frame is pushed by a call, a jump to another routine, a trap, or the delivery of a signal: a
 * kernel that names its threads leaves a trap for another place than the one interrupted.
 * Invariants: a CALLS_TAIL frame lies on the frame that jumped and is popped with it; a
 * CALLS_HANDLER frame lies on its CALLS_TRAP. */
#include <stdlib.h>
#include <string.h>

#include "pmu/abi.h"
#include "pmu/exact/calls_internal.h"

enum { ECALL_BYTES = 4 };
/* Numbers of system calls after which a thread continues elsewhere. */
enum { RT_SIGRETURN = 139, EXECVE = 221, EXECVEAT = 281 };

/* ---- frames ---------------------------------------------------------------------------------- */

static uint32_t top_node(const struct calls *calls)
{
    const struct calls_stack *stack = &calls->stack;

    return stack->depth != 0 ? stack->frame[stack->depth - 1].node : 0;
}

static bool has_frame(struct calls_stack *stack)
{
    size_t larger = stack->capacity * 2 + 64;
    struct calls_frame *grown;

    if (stack->depth < stack->capacity)
        return true;
    if (stack->depth >= CALLS_DEPTH)
        return false;
    grown = realloc(stack->frame, larger * sizeof *grown);
    if (grown == NULL)
        return false;
    stack->frame = grown;
    stack->capacity = larger;
    return true;
}

bool calls_has_kind(const struct calls_stack *stack, enum calls_kind kind)
{
    for (size_t i = 0; i < stack->depth; i++)
        if (stack->frame[i].kind == kind)
            return true;
    return false;
}

/* False: CALLS_NODES or memory left no node of its own. */
static bool is_own(const struct calls *calls, uint32_t node, uint64_t routine,
                   enum calls_kind kind)
{
    return calls->node[node].routine == routine && calls->node[node].kind == kind &&
           node != top_node(calls);
}

/* kind CALLS_ROOT: without an edge. */
static void push(struct calls *calls, const struct calls_event *event, uint64_t routine,
                 enum calls_kind kind)
{
    struct calls_stack *stack = &calls->stack;
    uint32_t edge = CALLS_NONE, node = calls_child(calls, top_node(calls), routine, kind);

    if (kind != CALLS_ROOT)
        edge = calls_edge_of(calls, event->site, routine, kind);
    if (edge != CALLS_NONE)
        calls->edge[edge].calls++;
    if (kind != CALLS_ROOT && is_own(calls, node, routine, kind))
        calls->node[node].calls++;
    if (!has_frame(stack))
        return;
    if (edge != CALLS_NONE)
        calls->edge[edge].active++;
    stack->is_new &= kind != CALLS_TRAP;
    stack->frame[stack->depth++] = (struct calls_frame){
        .ret = event->ret, .sp = event->sp, .insns = calls->insns, .units = calls->units,
        .node = node, .edge = edge, .kind = (uint8_t)kind};
    if (calls->watcher.entered != NULL)
        calls->watcher.entered(calls->watcher.arg, calls, node);
}

static void tell_end(struct calls *calls, const struct calls_frame *frame)
{
    struct calls_passage passage = {
        .routine = calls->node[frame->node].routine, .node = frame->node,
        .insns = calls->insns - frame->insns, .units = calls->units - frame->units,
        .below = frame->below,
    };
    struct calls_stack *stack = &calls->stack;
    uint64_t said;

    passage.own_insns = passage.insns - frame->below_insns;
    passage.own_units = passage.units - frame->below_units;
    said = calls->watcher.ended(calls->watcher.arg, &passage);
    if (stack->depth == 0)
        return;
    stack->frame[stack->depth - 1].below_insns += passage.insns;
    stack->frame[stack->depth - 1].below_units += passage.units;
    stack->frame[stack->depth - 1].below += said;
}

/* In a recursion only the outermost entry adds to its edge. */
static void pop(struct calls *calls)
{
    const struct calls_frame *frame = &calls->stack.frame[--calls->stack.depth];
    struct calls_edge *edge;

    if (calls->watcher.ended != NULL)
        tell_end(calls, frame);
    if (frame->edge == CALLS_NONE)
        return;
    edge = &calls->edge[frame->edge];
    if (--edge->active != 0)
        return;
    edge->insns += calls->insns - frame->insns;
    edge->units += calls->units - frame->units;
}

void calls_pop_to(struct calls *calls, size_t depth)
{
    while (calls->stack.depth > depth)
        pop(calls);
}

/* Begins a routine whose caller is unknown. */
static void begin_root(struct calls *calls, uint64_t address, uint64_t sp)
{
    const struct calls_event event = {.sp = sp};

    push(calls, &event, calls_routine_at(calls, address), CALLS_ROOT);
}

/* ---- where a return leads -------------------------------------------------------------------- */

static bool is_return(const struct calls_frame *frame, const struct calls_event *event)
{
    return frame->kind == CALLS_CALL && frame->ret == event->target && frame->sp == event->sp;
}

static bool is_trap_return(const struct calls_frame *frame, const struct calls_event *event)
{
    return frame->kind == CALLS_TRAP && frame->sp == event->sp &&
           (frame->ret == event->target || frame->ret + ECALL_BYTES == event->target);
}

size_t calls_find_end(const struct calls_stack *stack, const struct calls_event *event,
                      calls_ends *ends)
{
    for (size_t i = stack->depth; i-- > 0;)
        if (ends(&stack->frame[i], event))
            return i;
    return SIZE_MAX;
}

/* ---- signals --------------------------------------------------------------------------------- */

/* The topmost frame of the first `depth` that is a trap, or a signal; SIZE_MAX: none. */
static size_t top_trap(const struct calls *calls, size_t depth, bool is_signal)
{
    const uint64_t signal = calls_trap_routine(CALLS_SIGNAL, 0, 0);
    const struct calls_frame *frame = calls->stack.frame;

    while (depth-- > 0)
        if (frame[depth].kind == CALLS_TRAP &&
            (!is_signal || calls->node[frame[depth].node].routine == signal))
            return depth;
    return SIZE_MAX;
}

static bool is_system_call(uint64_t routine, uint32_t number)
{
    return (routine >> 56 & 0xf) == IND_KIND_SYSCALL && (uint32_t)routine == number;
}

/* A thread's kernel leaves a trap for another place: for a signal handler. It stands below what the
 * trap interrupted, and after rt_sigreturn below what the signal before it interrupted. */
static bool begin_signal(struct calls *calls, const struct calls_event *event)
{
    const struct calls_stack *stack = &calls->stack;
    size_t at = stack->thread != 0 ? top_trap(calls, stack->depth, false) : SIZE_MAX;
    struct calls_event signal = *event;
    uint64_t trap;

    if (at == SIZE_MAX)
        return false;
    trap = calls->node[stack->frame[at].node].routine;
    if (is_system_call(trap, RT_SIGRETURN))
        at = top_trap(calls, at, true);
    if (at == SIZE_MAX || is_system_call(trap, EXECVE) || is_system_call(trap, EXECVEAT))
        return false;
    signal.site = signal.ret = stack->frame[at].ret;
    signal.sp = stack->frame[at].sp;
    calls_pop_to(calls, at);
    push(calls, &signal, calls_trap_routine(CALLS_SIGNAL, 0, 0), CALLS_TRAP);
    signal.site = calls_trap_routine(CALLS_SIGNAL, 0, 0);
    signal.sp = event->sp;
    push(calls, &signal, calls_routine_at(calls, event->target), CALLS_HANDLER);
    return true;
}

/* The first frame below those entered by jumps. */
static size_t base_of(const struct calls_stack *stack)
{
    size_t at = stack->depth;

    while (at != 0 && stack->frame[at - 1].kind == CALLS_TAIL)
        at--;
    return at;
}

/* A signal handler returns to the code that calls rt_sigreturn, a part of the signal. */
static bool leave_handler(struct calls *calls, const struct calls_event *event)
{
    const struct calls_stack *stack = &calls->stack;
    size_t base = base_of(stack);

    if (base < 2 || stack->frame[base - 1].kind != CALLS_HANDLER ||
        stack->frame[base - 1].sp != event->sp || top_trap(calls, base, true) != base - 2)
        return false;
    calls_pop_to(calls, base - 1);
    return true;
}

/* For longjmp or an exception that ends in a routine on the stack. Each part between two signals is
 * searched by itself: handlers may run on stacks at any address, so stack pointers are comparable
 * only within a part. */
static bool unwind_signals(struct calls *calls, const struct calls_event *event)
{
    const struct calls_frame *frame = calls->stack.frame;
    uint64_t routine = calls_routine_at(calls, event->target);
    size_t depth = calls->stack.depth, signal = top_trap(calls, depth, true);

    while (signal != SIZE_MAX || depth != 0) {
        size_t bottom = signal != SIZE_MAX ? signal + 1 : 0;

        while (depth > bottom && frame[depth - 1].sp <= event->sp)
            depth--;
        if (depth > bottom && calls->node[frame[depth - 1].node].routine == routine) {
            calls_pop_to(calls, depth);
            return true;
        }
        depth = signal != SIZE_MAX ? signal : 0;
        signal = top_trap(calls, depth, true);
    }
    return false;
}

/* ---- longjmp and exceptions ------------------------------------------------------------------ */

/* True for the routine that ran before the first transfer: its stack pointer at entry is
 * unknown. */
static bool is_first(const struct calls_frame *frame)
{
    return frame->kind == CALLS_ROOT && frame->sp == UINT64_MAX;
}

/* For longjmp or an exception: ends all routines whose stack pointer at entry is not above that of
 * the event. False: no routine is left in which the event ends; if it leaves the first routine,
 * that ends too, unless a trap is on the stack (a kernel switches from one thread's trap to
 * another's). */
static bool unwind(struct calls *calls, const struct calls_event *event)
{
    const struct calls_stack *stack = &calls->stack;
    size_t depth = stack->depth, own = calls_find(calls, event->target);

    if (top_trap(calls, depth, true) != SIZE_MAX && unwind_signals(calls, event))
        return true;
    while (depth != 0 && stack->frame[depth - 1].sp <= event->sp)
        depth--;
    if (depth == stack->depth && calls_has_kind(stack, CALLS_TRAP))
        return false;                   /* a kernel switches to a stack not seen before */
    if (depth == 0 || own == SIZE_MAX || calls->map.routine[own].start == event->target)
        return false;
    if (is_first(&stack->frame[depth - 1]) &&
        calls->node[stack->frame[depth - 1].node].routine != calls->map.routine[own].start) {
        calls_pop_to(calls, calls_has_kind(stack, CALLS_TRAP) ? stack->depth : 0);
        return false;
    }
    calls_pop_to(calls, depth);
    return true;
}

/* True for a jump through a link register that stays in its routine and frame: assembly may use t0
 * for other addresses than return addresses. */
static bool is_within(const struct calls *calls, const struct calls_event *event)
{
    const struct calls_stack *stack = &calls->stack;
    size_t own = calls_find(calls, event->target);
    uint64_t start;

    if (own == SIZE_MAX || stack->depth == 0 || stack->frame[stack->depth - 1].sp < event->sp)
        return false;
    start = calls->map.routine[own].start;
    return event->target != start && event->site >= start &&
           event->site < calls->map.routine[own].end;
}

/* True for an exception that ends in an older activation of the routine that made the call of
 * frame[at]: its landing pad may be the address after that call, of _Unwind_Resume. */
static bool is_older(struct calls *calls, const struct calls_event *event, size_t at)
{
    const struct calls_frame *frame = calls->stack.frame;
    size_t depth = at;

    if (event->sp <= frame[at].sp)
        return false;
    while (depth != 0 && frame[depth - 1].sp <= event->sp && frame[depth - 1].kind != CALLS_TRAP)
        depth--;
    return depth != 0 && depth != at && frame[depth - 1].sp > event->sp &&
           calls->node[frame[depth - 1].node].routine == calls_routine_at(calls, event->target);
}

static void leave(struct calls *calls, const struct calls_event *event)
{
    const struct calls_stack *stack = &calls->stack;
    size_t base = base_of(stack), end;

    if (base != 0 && stack->frame[base - 1].kind == CALLS_CALL &&
        stack->frame[base - 1].ret == event->target && !is_older(calls, event, base - 1)) {
        calls_pop_to(calls, base - 1);
        return;
    }
    end = calls_find_end(stack, event, is_return);
    if (end != SIZE_MAX) {
        calls_pop_to(calls, end);
        return;
    }
    if (is_within(calls, event))
        return;
    if (leave_handler(calls, event) || calls_find_parked(calls, event, is_return) ||
        unwind(calls, event))
        return;
    calls_park(calls);
    begin_root(calls, event->target, event->sp);
}

/* ---- jumps through a register ---------------------------------------------------------------- */

/* A tail call happens where the stack is as it was at the routine's entry; with another stack
 * pointer a coroutine or another context begins (setcontext). */
static void go(struct calls *calls, const struct calls_event *event)
{
    const struct calls_stack *stack = &calls->stack;
    size_t base = base_of(stack);

    if (base == 0 || stack->frame[base - 1].kind != CALLS_CALL ||
        stack->frame[base - 1].sp == event->sp) {
        push(calls, event, event->target, CALLS_TAIL);
        return;
    }
    calls_park(calls);
    begin_root(calls, event->target, event->sp);
}

/* Into the middle of a routine: swapcontext and setcontext return so. If no routine waits there,
 * the code stays part of the routine that jumped. */
static void go_on(struct calls *calls, const struct calls_event *event)
{
    size_t end = calls_find_end(&calls->stack, event, is_return);

    if (end != SIZE_MAX)
        calls_pop_to(calls, end);
    else if (!calls_find_parked(calls, event, is_return))
        unwind_signals(calls, event);
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* True if the trap that is left elsewhere gave the thread another program. */
static bool has_executed(const struct calls *calls)
{
    size_t at = top_trap(calls, calls->stack.depth, false);
    uint64_t trap = at != SIZE_MAX ? calls->node[calls->stack.frame[at].node].routine : 0;

    return at != SIZE_MAX && (is_system_call(trap, EXECVE) || is_system_call(trap, EXECVEAT));
}

static void leave_trap(struct calls *calls, const struct calls_event *event)
{
    const struct calls_stack *stack = &calls->stack;
    size_t end = calls_find_end(stack, event, is_trap_return);
    bool may_end = end == SIZE_MAX && !has_executed(calls);

    for (size_t i = stack->depth; may_end && end == SIZE_MAX && i-- > 0;)
        if (stack->frame[i].kind == CALLS_TRAP && stack->frame[i].sp == event->sp)
            end = i;
    if (end != SIZE_MAX) {
        calls_pop_to(calls, end);
        return;
    }
    if (calls_find_parked(calls, event, is_trap_return) || begin_signal(calls, event))
        return;
    calls_park(calls);
    begin_root(calls, event->target, event->sp);
}

/* ---- the interface --------------------------------------------------------------------------- */

static void take_trap(struct calls *calls, const struct calls_event *event)
{
    struct calls_event handler = *event;

    push(calls, event, event->trap, CALLS_TRAP);
    if (event->action == CALLS_SERVE) {
        pop(calls);
        return;
    }
    handler.site = event->trap;
    push(calls, &handler, calls_routine_at(calls, event->target), CALLS_HANDLER);
}

void calls_apply(struct calls *calls, const struct calls_event *event)
{
    if (calls->stack.depth == 0 && event->action == CALLS_THREAD) {
        calls_change_thread(calls, event->target);
        return;
    }
    if (calls->stack.depth == 0)
        calls_begin(calls, event->site);
    calls->node[top_node(calls)].insns += event->at - calls->insns;
    calls->insns = event->at;
    switch (event->action) {
    case CALLS_ENTER:
        push(calls, event, calls_routine_at(calls, event->target), CALLS_CALL);
        break;
    case CALLS_JUMP:
        push(calls, event, event->target, CALLS_TAIL);
        break;
    case CALLS_GO:
        go(calls, event);
        break;
    case CALLS_LEAVE:
        leave(calls, event);
        break;
    case CALLS_RESUME:
        go_on(calls, event);
        break;
    case CALLS_TAKE:
    case CALLS_SERVE:
        take_trap(calls, event);
        break;
    case CALLS_XRET:
        leave_trap(calls, event);
        break;
    case CALLS_THREAD:
        calls_change_thread(calls, event->target);
        break;
    }
}

void calls_begin(struct calls *calls, uint64_t pc)
{
    begin_root(calls, pc, UINT64_MAX);
}
