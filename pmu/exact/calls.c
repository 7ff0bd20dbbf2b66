/* The exact call tree: its inputs, and the moment at which each acts. See calls.h. */
#include "pmu/exact/calls.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/exact/calls_internal.h"

enum { REG_RA = 1, REG_ALTERNATE = 5 };

/* ---- life ------------------------------------------------------------------------------------ */

struct calls *calls_new(const struct calls_map *map, uint64_t base)
{
    struct calls *calls = calloc(1, sizeof *calls);

    if (calls == NULL)
        return NULL;
    calls->map = *map;
    calls->last = SIZE_MAX;
    calls->insns = base;
    calls->node_capacity = 256;
    calls->node = calloc(calls->node_capacity, sizeof calls->node[0]);
    calls->nodes = 1;
    calls->peer = calls;
    if (calls->node != NULL)
        return calls;
    free(calls);
    return NULL;
}

void calls_join(struct calls *calls, struct calls *other)
{
    struct calls *after = calls->peer;

    calls->peer = other->peer;
    other->peer = after;
}

void calls_set_map(struct calls *calls, const struct calls_map *map)
{
    calls->map = *map;
    calls->last = SIZE_MAX;
}

void calls_free(struct calls *calls)
{
    if (calls == NULL)
        return;
    for (size_t i = 0; i < calls->parks; i++)
        free(calls->parked[i].frame);
    free(calls->stack.frame);
    free(calls->edge);
    free(calls->node);
    free(calls);
}

uint64_t calls_trap_routine(unsigned kind, uint32_t cause, uint32_t number)
{
    return UINT64_C(0xf) << 60 | (uint64_t)kind << 56 | (uint64_t)cause << 32 | number;
}

/* ---- transfers ------------------------------------------------------------------------------- */

static bool is_link(unsigned reg)
{
    return reg == REG_RA || reg == REG_ALTERNATE;
}

/* Applies events up to the first that must wait. */
static void apply(struct calls *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        calls_apply(calls, &calls->event[i]);
    calls->events -= count;
    memmove(&calls->event[0], &calls->event[count], calls->events * sizeof calls->event[0]);
}

static void add(struct calls *calls, const struct calls_event *event)
{
    if (!calls->is_charged) {
        calls_apply(calls, event);
        return;
    }
    if (calls->events == CALLS_QUEUE)
        apply(calls, 1);
    calls->event[calls->events++] = *event;
}

bool calls_concern(const struct calls *calls, const struct insn *insn, uint64_t pc)
{
    unsigned kind = insn_info[insn->op].kind;

    if (kind == KIND_JALR || (kind == KIND_JAL && is_link(insn->rd)))
        return true;
    return (kind == KIND_JAL || kind == KIND_BRANCH) &&
           calls_is_entry(calls, pc, pc + (uint64_t)(int64_t)insn->imm);
}

/* True for a jump through t0 that calls rather than returns: a trampoline (code on the stack that
 * leads to a nested function), or assembly. A return never leads to a routine's first
 * instruction. */
static bool is_trampoline(const struct calls *calls, const struct insn *insn, uint64_t pc,
                          uint64_t next_pc)
{
    return insn->rs1 == REG_ALTERNATE && calls_is_entry(calls, pc, next_pc);
}

void calls_transfer(struct calls *calls, const struct insn *insn, uint64_t pc, uint64_t next_pc,
                    uint64_t sp, uint64_t at)
{
    unsigned kind = insn_info[insn->op].kind;
    struct calls_event event = {
        .at = at, .site = pc, .target = next_pc, .sp = sp, .ret = pc + insn->length};

    if (kind != KIND_JAL && kind != KIND_JALR && kind != KIND_BRANCH)
        event.action = CALLS_XRET;
    else if (kind != KIND_BRANCH && is_link(insn->rd))
        event.action = CALLS_ENTER;
    else if (kind == KIND_JALR && is_link(insn->rs1) && !is_trampoline(calls, insn, pc, next_pc))
        event.action = CALLS_LEAVE;
    else if (calls_is_entry(calls, pc, next_pc))
        event.action = kind == KIND_JALR ? CALLS_GO : CALLS_JUMP;
    else if (kind == KIND_JALR && calls_is_elsewhere(calls, pc, next_pc))
        event.action = CALLS_RESUME;
    else
        return;
    add(calls, &event);
}

void calls_take_trap(struct calls *calls, const struct calls_trap *trap)
{
    const struct calls_event event = {
        .action = trap->handler != 0 ? CALLS_TAKE : CALLS_SERVE, .at = trap->at,
        .site = trap->pc, .target = trap->handler, .ret = trap->pc, .trap = trap->routine,
        .sp = trap->sp};

    add(calls, &event);
}

void calls_name_thread(struct calls *calls, uint64_t thread, uint64_t at)
{
    const struct calls_event event = {.action = CALLS_THREAD, .at = at, .target = thread};

    add(calls, &event);
}

void calls_set_sp(struct calls *calls, uint64_t sp)
{
    calls->sp = sp;
    calls->has_sp = true;
}

uint64_t calls_take_sp(struct calls *calls, uint64_t sp)
{
    if (calls->has_sp)
        sp = calls->sp;
    calls->has_sp = false;
    return sp;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

void calls_expect_charges(struct calls *calls)
{
    calls->is_charged = true;
}

void calls_charge_event(struct calls *calls, unsigned event)
{
    calls->charged_event = event;
}

unsigned calls_event(const struct calls *calls)
{
    return calls->charged_event;
}

uint64_t calls_happened(struct calls *calls, uint64_t count)
{
    uint64_t more = count - calls->happened;

    calls->happened = count;
    return more;
}

static void charge(struct calls *calls, uint64_t pc, uint64_t units)
{
    const struct calls_stack *stack = &calls->stack;

    if (stack->depth == 0)
        calls_begin(calls, pc);
    calls->node[stack->depth != 0 ? stack->frame[stack->depth - 1].node : 0].units += units;
    calls->units += units;
}

/* True if the event comes before the instruction at pc, and is not the trap that was taken in its
 * place. */
static bool is_before(const struct calls_event *event, uint64_t at, uint64_t pc)
{
    bool is_trap = event->action == CALLS_TAKE || event->action == CALLS_SERVE;

    return event->at < at && !(is_trap && event->site == pc);
}

void calls_charge(struct calls *calls, uint64_t at, uint64_t pc, uint64_t units)
{
    size_t count = 0;

    while (count < calls->events && is_before(&calls->event[count], at, pc))
        count++;
    if (count != 0)
        apply(calls, count);
    charge(calls, pc, units);
}

void calls_charge_monitor(struct calls *calls, uint64_t units)
{
    calls->monitor_units += units;
}

/* ---- results --------------------------------------------------------------------------------- */

void calls_update(struct calls *calls, uint64_t pc, uint64_t at)
{
    const struct calls_stack *stack = &calls->stack;

    apply(calls, calls->events);
    if (stack->depth == 0)
        calls_begin(calls, pc);
    calls->node[stack->depth != 0 ? stack->frame[stack->depth - 1].node : 0].insns +=
        at - calls->insns;
    calls->insns = at;
    calls_note_open(calls);
}

bool calls_is_watched(const struct calls *calls)
{
    return calls->watcher.ended != NULL;
}

void calls_watch(struct calls *calls, const struct calls_watcher *watcher)
{
    calls->watcher = *watcher;
}

size_t calls_nodes(const struct calls *calls, const struct calls_node **node)
{
    *node = calls->node;
    return calls->nodes;
}

size_t calls_edges(const struct calls *calls, const struct calls_edge **edge)
{
    *edge = calls->edge;
    return calls->edges;
}

uint64_t calls_cut(const struct calls *calls)
{
    return calls->cut;
}
