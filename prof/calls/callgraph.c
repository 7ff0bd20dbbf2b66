/* Stacks into paths, paths into callers. See callgraph.h. */
#include "prof/calls/callgraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "isa/trap.h"
#include "pmu/exact/calls.h"

enum { LARGEST_DECIMAL = 10000 };       /* of a number of a system call */

/* ---- paths ----------------------------------------------------------------------------------- */

static uint64_t routine_of(const struct symbols *symbols, uint64_t address)
{
    const struct symbols_entry *entry = symbols_at(symbols, address);

    return entry != NULL && entry->is_function ? entry->address : address;
}

/* True if the instruction jumped through a register to the address after a call, in another
 * routine. swapcontext returns in this way. */
static bool is_resumed(const struct symbols *symbols, const struct profile_record *record,
                       const struct insn *insn)
{
    uint64_t target = record->stack[0], site = symbols_call_site(symbols, target);
    struct insn call;

    return insn_info[insn->op].kind == KIND_JALR && !insn_is_call(insn) &&
           routine_of(symbols, record->address) != routine_of(symbols, target) &&
           routine_of(symbols, target) != target && symbols_insn(symbols, site, &call) &&
           insn_is_call(&call);
}

/* Effect of the marked instruction on the stack. */
static enum callgraph_kind kind_of(const struct profile *profile, const struct symbols *symbols,
                                   const struct profile_record *record)
{
    const struct profile_sampling *sampling = profile->sampling;
    struct insn insn;

    if (record->kind == IND_KIND_XRET)
        return CALLGRAPH_TRAP_RETURN;
    if (record->kind != IND_KIND_MARK && record->kind != IND_KIND_NEAR &&
        record->kind != IND_KIND_LIMIT && record->kind != IND_KIND_THREAD)
        return CALLGRAPH_TRAP;
    if (record->is_data)
        return CALLGRAPH_DATA;
    if (record->kind == IND_KIND_LIMIT || record->kind == IND_KIND_THREAD ||
        (sampling != NULL && sampling->period != 0) ||      /* the marked instruction has not
                                                             * executed yet */
        !symbols_insn(symbols, record->address, &insn))
        return CALLGRAPH_INSIDE;
    if (insn_is_call(&insn))
        return CALLGRAPH_CALL;
    if (insn_is_return(&insn) || is_resumed(symbols, record, &insn))
        return CALLGRAPH_RETURN;
    return routine_of(symbols, record->address) == record->address ? CALLGRAPH_ENTRY
                                                                   : CALLGRAPH_INSIDE;
}

static void push(struct callgraph_path *path, const struct symbols *symbols, uint64_t address)
{
    path->frame[path->depth++] =
        (struct callgraph_frame){.routine = routine_of(symbols, address), .address = address};
}

static uint64_t trap_routine(const struct profile_record *record)
{
    return calls_trap_routine(record->trap, record->cause, record->number);
}

static void push_trap(struct callgraph_path *path, const struct profile_record *record)
{
    path->frame[path->depth++] = (struct callgraph_frame){
        .routine = trap_routine(record), .address = record->address};
}

/* The place in the caller that a return leads to. A new thread begins with a return to the first
 * instruction of its routine, which no call precedes. */
static uint64_t return_place(const struct symbols *symbols, uint64_t to)
{
    return routine_of(symbols, to) == to ? to : symbols_call_site(symbols, to);
}

/* Pushes the leaf, and its caller if the stack does not have it. */
static void push_leaf(struct callgraph_path *path, const struct symbols *symbols,
                      const struct profile_record *record)
{
    switch (path->kind) {
    case CALLGRAPH_CALL:
        push(path, symbols, record->stack[0]);
        break;
    case CALLGRAPH_RETURN:
        push(path, symbols, record->address);
        push(path, symbols, return_place(symbols, record->stack[0]));
        break;
    case CALLGRAPH_TRAP:
        push_trap(path, record);
        push(path, symbols, record->address);
        break;
    case CALLGRAPH_TRAP_RETURN:                     /* of the trap itself: the host served it */
        path->is_handler =
            routine_of(symbols, record->address) != routine_of(symbols, record->stack[0]);
        if (path->is_handler)
            push(path, symbols, record->address);
        push_trap(path, record);
        push(path, symbols, record->stack[0]);
        break;
    default:
        push(path, symbols, record->address);
    }
}

/* A return's interrupt comes in the caller; any other in the routine, or at the target of its
 * jump. */
static void make_path(struct callgraph_path *path, const struct profile *profile,
                      const struct symbols *symbols, const struct profile_record *record)
{
    path->record = record;
    path->kind = kind_of(profile, symbols, record);
    push_leaf(path, symbols, record);
    for (unsigned at = 1; at < record->depth; at++)
        push(path, symbols, symbols_call_site(symbols, record->stack[at]));
}

static enum err make_paths(struct callgraph *graph, const struct profile *profile,
                           const struct symbols *symbols, struct diag *diag)
{
    graph->path = calloc(profile->records + 1, sizeof graph->path[0]);
    if (graph->path == NULL)
        return diag_no_memory(diag, "the call graph");
    for (size_t i = 0; i < profile->records; i++) {
        const struct profile_record *record = &profile->record[i];
        struct callgraph_path *path = &graph->path[graph->paths];

        if (record->depth == 0)
            continue;
        path->frame = calloc(record->depth + 2u, sizeof path->frame[0]);
        if (path->frame == NULL)
            return diag_no_memory(diag, "the call graph");
        graph->paths++;
        make_path(path, profile, symbols, record);
    }
    return ERR_OK;
}

/* ---- callers --------------------------------------------------------------------------------- */

static int compare_keys(const struct callgraph_caller *x, const struct callgraph_caller *y)
{
    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return 0;
}

static int compare_callers(const void *a, const void *b)
{
    const struct callgraph_caller *x = a, *y = b;
    int order = compare_keys(x, y);

    return order != 0 ? order : (x->caller > y->caller) - (x->caller < y->caller);
}

static int compare_falling(uint64_t x, uint64_t y)
{
    return (x < y) - (x > y);
}

static int compare_weights(const void *a, const void *b)
{
    const struct callgraph_caller *x = a, *y = b;
    int order = compare_falling(x->total, y->total);

    if (order == 0)
        order = compare_keys(x, y);
    if (order == 0)
        order = compare_falling(x->interrupts, y->interrupts);
    return order != 0 ? order : (x->caller > y->caller) - (x->caller < y->caller);
}

static struct callgraph_caller caller_of(const struct callgraph_path *path)
{
    return (struct callgraph_caller){
        .routine = path->frame[0].routine,
        .caller = path->depth > 1 ? path->frame[1].routine : 0,
        .kind = path->kind,
        .interrupts = path->record->interrupts,
        .executions = path->record->executions,
        .instructions = path->record->instructions,
        .cycles = path->record->cycles,
    };
}

/* Joins rows with the same routine, kind and caller. */
static void join_callers(struct callgraph *graph)
{
    size_t kept = 0;

    qsort(graph->caller, graph->callers, sizeof graph->caller[0], compare_callers);
    for (size_t i = 0; i < graph->callers; i++) {
        struct callgraph_caller *last = &graph->caller[kept], *next = &graph->caller[i];

        if (kept == 0 || compare_callers(&last[-1], next) != 0) {
            graph->caller[kept++] = *next;
            continue;
        }
        last[-1].interrupts += next->interrupts;
        last[-1].executions += next->executions;
        last[-1].instructions += next->instructions;
        last[-1].cycles += next->cycles;
    }
    graph->callers = kept;
}

static void sum_totals(struct callgraph *graph)
{
    for (size_t first = 0, end; first < graph->callers; first = end) {
        uint64_t total = 0;

        for (end = first; end < graph->callers &&
             compare_keys(&graph->caller[first], &graph->caller[end]) == 0; end++)
            total += graph->caller[end].interrupts;
        for (size_t i = first; i < end; i++)
            graph->caller[i].total = total;
    }
}

/* A routine entered by a jump returns to the caller of the routine that jumped; a walk of the stack
 * finds that caller. */
static uint64_t tree_caller(const struct profile *profile, const struct profile_call *call)
{
    while (call->kind == CALLS_TAIL)
        call = &profile->call[call->parent];
    return profile->call[call->parent].routine;
}

/* Adds the exact call tree's counts to the rows, which are in the order of compare_callers(). */
static void add_own(struct callgraph *graph, const struct profile *profile)
{
    for (size_t i = 1; i < profile->calls; i++) {
        const struct profile_call *call = &profile->call[i];
        struct callgraph_caller key = {
            .routine = call->routine, .caller = tree_caller(profile, call)};

        for (key.kind = CALLGRAPH_ENTRY; key.kind <= CALLGRAPH_TRAP_RETURN; key.kind++) {
            struct callgraph_caller *row = bsearch(&key, graph->caller, graph->callers,
                                                   sizeof key, compare_callers);

            if (row == NULL)
                continue;
            row->own += call->instructions;
            row->has_own = true;
        }
    }
}

static enum err make_callers(struct callgraph *graph, const struct profile *profile,
                             struct diag *diag)
{
    graph->caller = calloc(graph->paths + 1, sizeof graph->caller[0]);
    if (graph->caller == NULL)
        return diag_no_memory(diag, "the call graph");
    for (; graph->callers < graph->paths; graph->callers++)
        graph->caller[graph->callers] = caller_of(&graph->path[graph->callers]);
    if (graph->callers == 0)
        return ERR_OK;
    join_callers(graph);
    add_own(graph, profile);
    sum_totals(graph);
    qsort(graph->caller, graph->callers, sizeof graph->caller[0], compare_weights);
    return ERR_OK;
}

/* ---- the interface --------------------------------------------------------------------------- */

enum err callgraph_build(struct callgraph *graph, const struct profile *profile,
                         const struct symbols *symbols, struct diag *diag)
{
    enum err err;

    *graph = (struct callgraph){0};
    err = make_paths(graph, profile, symbols, diag);
    if (err == ERR_OK)
        err = make_callers(graph, profile, diag);
    if (err != ERR_OK)
        callgraph_free(graph);
    return err;
}

void callgraph_free(struct callgraph *graph)
{
    for (size_t i = 0; i < graph->paths; i++)
        free(graph->path[i].frame);
    free(graph->path);
    free(graph->caller);
    *graph = (struct callgraph){0};
}

const char *callgraph_kind_name(enum callgraph_kind kind)
{
    static const char *const name[] = {"entry", "call", "return", "inside", "data", "trap",
                                       "trap return"};

    return name[kind];
}

/* Addresses of kernels have all upper bits set, so they collide with no trap. */
static unsigned trap_kind(uint64_t routine)
{
    unsigned kind = (unsigned)(routine >> 56 & 0xf);

    bool is_kind = (kind >= IND_KIND_EXCEPTION && kind <= IND_KIND_SYSCALL) || kind == CALLS_SIGNAL;

    return routine >> 60 == 0xf && is_kind ? kind : 0;
}

static const char *syscall_name(const struct profile *profile, uint64_t routine)
{
    for (size_t i = 1; profile != NULL && i < profile->calls; i++)
        if (profile->call[i].name != NULL && profile->call[i].routine == routine)
            return profile->call[i].name;
    for (size_t i = 0; profile != NULL && i < profile->records; i++)
        if (profile->record[i].name != NULL && trap_routine(&profile->record[i]) == routine)
            return profile->record[i].name;
    return NULL;
}

static void describe_trap(const struct profile *profile, uint64_t routine, char text[SYMBOLS_TEXT])
{
    unsigned kind = trap_kind(routine), cause = (unsigned)(routine >> 32 & 0xffffff);
    unsigned number = (unsigned)routine;
    const char *name = kind == IND_KIND_SYSCALL ? syscall_name(profile, routine) : NULL;

    if (kind == CALLS_SIGNAL)
        snprintf(text, SYMBOLS_TEXT, "[signal]");
    else if (kind != IND_KIND_SYSCALL)
        snprintf(text, SYMBOLS_TEXT, "[%s]",
                 trap_name(cause | (kind == IND_KIND_INTERRUPT ? TRAP_INTERRUPT : 0)));
    else if (name != NULL)
        snprintf(text, SYMBOLS_TEXT, "[system call %.64s]", name);
    else if (cause == TRAP_ECALL_M)
        snprintf(text, SYMBOLS_TEXT, "[system call]");
    else
        snprintf(text, SYMBOLS_TEXT, number < LARGEST_DECIMAL ? "[system call %u]"
                                                              : "[system call 0x%x]", number);
}

uint64_t callgraph_cut(const struct callgraph_path *path)
{
    if (path->record->walk == MONITOR_WALK_TRUNCATED)
        return CALLGRAPH_TRUNCATED;
    return path->record->walk == MONITOR_WALK_BROKEN ? CALLGRAPH_BROKEN : 0;
}

const char *callgraph_name(const struct profile *profile, const struct symbols *symbols,
                           uint64_t routine, char text[SYMBOLS_TEXT])
{
    if (routine == CALLGRAPH_TRUNCATED)
        return "[truncated]";
    if (routine == CALLGRAPH_BROKEN)
        return "[broken]";
    if (trap_kind(routine) != 0) {
        describe_trap(profile, routine, text);
        return text;
    }
    if (routine == 0) {
        memcpy(text, "?", 2);
        return text;
    }
    return symbols_describe(symbols, routine, text);
}
