/* The content of a callgrind file: each routine's own costs, and inclusive calls. */
#include <stdlib.h>

#include "prof/export/export_callgrind.h"
#include "sim/base/array.h"

struct collecting {
    struct callgrind *all;
    const struct profile *profile;
    const struct symbols *symbols;
};

uint64_t callgrind_routine(const struct callgrind *all, const struct symbols *symbols,
                           uint64_t address)
{
    const struct symbols_entry *entry = symbols_at(symbols, address);
    uint64_t made = entry == NULL ? made_code_routine(&all->made, address) : 0;

    if (entry != NULL)
        return entry->address;
    return made != 0 ? made : address;
}

uint64_t callgrind_period(const struct profile *profile)
{
    return profile->sampling != NULL ? profile->sampling->period : 0;
}

void callgrind_add(struct callgrind_costs *to, const struct callgrind_costs *from)
{
    for (unsigned i = 0; i < COLUMNS; i++)
        to->of[i] += from->of[i];
}

/* ---- a routine's own ------------------------------------------------------------------------- */

static int compare_points(const void *a, const void *b)
{
    const struct callgrind_point *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static void add_point(struct collecting *from, uint64_t address, struct callgrind_costs costs)
{
    from->all->point[from->all->points++] = (struct callgrind_point){
        .routine = callgrind_routine(from->all, from->symbols, address), .address = address,
        .costs = costs};
}

static void add_oracle(struct collecting *from)
{
    for (size_t i = 0; i < from->profile->costs; i++) {
        const struct profile_cost *cost = &from->profile->cost[i];

        add_point(from, cost->address,
                  (struct callgrind_costs){.of = {[INSTRUCTIONS] = cost->count,
                                                  [CYCLES] = cost->units,
                                                  [MISPREDICTED] = cost->mispredicted}});
        if (cost->is_monitor)
            from->all->point[from->all->points - 1].routine =
                from->all->point[from->all->points - 1].address = CALLGRIND_MONITOR;
    }
}

static void add_tree(struct collecting *from)
{
    for (size_t i = 1; i < from->profile->calls; i++) {
        const struct profile_call *call = &from->profile->call[i];

        if (call->instructions != 0)
            add_point(from, call->routine,
                      (struct callgrind_costs){.of = {[INSTRUCTIONS] = call->instructions}});
    }
}

static void add_marks(struct collecting *from)
{
    for (size_t i = 0; i < from->profile->marks; i++) {
        const struct profile_mark *mark = &from->profile->mark[i];

        if (mark->is_code)
            add_point(from, mark->address,
                      (struct callgrind_costs){.of = {[COUNT] = mark->count,
                                            [INTERRUPTS] = mark->interrupts}});
    }
}

/* True if the instruction that interrupted has a count of its own, which its callers include: all
 * but those whose mark has no counter. */
static bool is_counted(const struct profile *profile, const struct profile_record *record)
{
    if (record->is_data)
        return false;
    for (size_t at = profile_marks_from(profile, record->address);
         at < profile->marks && profile->mark[at].address == record->address; at++)
        if (profile->mark[at].is_code)
            return profile->mark[at].has_counter;
    return true;
}

static struct callgrind_costs costs_of(const struct profile *profile,
                                       const struct profile_record *record)
{
    uint64_t period = callgrind_period(profile);

    if (period != 0)
        return (struct callgrind_costs){.of = {[SAMPLED] = record->interrupts * period,
                                               [SAMPLES] = record->interrupts}};
    return (struct callgrind_costs){
        .of = {[COUNT] = is_counted(profile, record) ? record->executions : 0,
               [INTERRUPTS] = record->interrupts}};
}

/* Data has no line of code: its interrupts are those of the instructions that accessed it. */
static void add_data(struct collecting *from)
{
    const struct profile *profile = from->profile;

    for (size_t i = 0; callgrind_period(profile) == 0 && i < profile->records; i++)
        if (profile->record[i].is_data)
            add_point(from, profile->record[i].address, costs_of(profile, &profile->record[i]));
}

static void add_samples(struct collecting *from)
{
    const struct profile *profile = from->profile;

    for (size_t i = 0; callgrind_period(profile) != 0 && i < profile->records; i++)
        add_point(from, profile->record[i].address, costs_of(profile, &profile->record[i]));
}

static bool collect_points(struct collecting *from)
{
    const struct profile *profile = from->profile;
    size_t kept = 0;

    from->all->point = calloc(profile->costs + profile->calls + profile->marks +
                              profile->records + 1, sizeof from->all->point[0]);
    if (from->all->point == NULL)
        return false;
    if (profile->units_per_cycle != 0)
        add_oracle(from);
    else
        add_tree(from);
    add_marks(from);
    add_data(from);
    add_samples(from);
    qsort(from->all->point, from->all->points, sizeof from->all->point[0], compare_points);
    for (size_t i = 0; i < from->all->points; i++) {
        struct callgrind_point *last = &from->all->point[kept];

        if (kept != 0 && compare_points(&last[-1], &from->all->point[i]) == 0)
            callgrind_add(&last[-1].costs, &from->all->point[i].costs);
        else
            from->all->point[kept++] = from->all->point[i];
    }
    from->all->points = kept;
    return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
    const struct callgrind_edge *x = a, *y = b;

    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/* The call from level `at` to level at - 1 of a path. Its number is known only for the leaf: a call
 * further out may be in many stacks. */
static struct callgrind_edge edge_of(const struct profile *profile,
                                     const struct callgraph_path *path, unsigned at)
{
    const struct profile_record *record = path->record;
    struct callgrind_edge edge = {
        .caller = path->frame[at].routine, .site = path->frame[at].address,
        .callee = path->frame[at - 1].routine,
        .costs = costs_of(profile, record),
    };

    if (at != 1)
        return edge;
    if (path->kind == CALLGRAPH_ENTRY)
        edge.calls = record->executions;
    if (path->kind == CALLGRAPH_CALL || path->kind == CALLGRAPH_TRAP) {
        edge.calls = record->interrupts;
        edge.costs = (struct callgrind_costs){.of = {0}};     /* the cost belongs to the caller
                                                               * itself */
    }
    return edge;
}

/* True if the same edge is further in on the path: in a recursion a cost counts once for each edge,
 * not once for each level. */
static bool is_repeated(const struct profile *profile, const struct callgraph_path *path,
                        unsigned at)
{
    struct callgrind_edge edge = edge_of(profile, path, at);

    for (unsigned i = 1; i < at; i++) {
        struct callgrind_edge inner = edge_of(profile, path, i);

        if (compare_edges(&edge, &inner) == 0)
            return true;
    }
    return false;
}

static bool add_edge(struct collecting *from, const struct callgrind_edge *edge)
{
    struct callgrind_edge *larger = array_grow(from->all->edge, from->all->edges, sizeof *larger);

    if (larger == NULL)
        return false;
    from->all->edge = larger;
    from->all->edge[from->all->edges++] = *edge;
    return true;
}

static void join_edges(struct collecting *from)
{
    size_t kept = 0;

    if (from->all->edges != 0)
        qsort(from->all->edge, from->all->edges, sizeof from->all->edge[0], compare_edges);
    for (size_t i = 0; i < from->all->edges; i++) {
        struct callgrind_edge *last = &from->all->edge[kept], *next = &from->all->edge[i];

        if (kept == 0 || compare_edges(&last[-1], next) != 0) {
            from->all->edge[kept++] = *next;
            continue;
        }
        last[-1].calls += next->calls;
        callgrind_add(&last[-1].costs, &next->costs);
    }
    from->all->edges = kept;
}

static bool add_stacks(struct collecting *from, const struct callgraph *graph)
{
    for (size_t i = 0; i < graph->paths; i++) {
        const struct callgraph_path *path = &graph->path[i];

        for (unsigned at = 1; at < path->depth; at++) {
            struct callgrind_edge edge = edge_of(from->profile, path, at);

            if (!is_repeated(from->profile, path, at) && !add_edge(from, &edge))
                return false;
        }
    }
    join_edges(from);
    return true;
}

/* Adds exact calls; from stacks only the costs below them are used. */
static bool add_exact(struct collecting *from)
{
    const struct profile *profile = from->profile;
    struct callgrind_edge *seen = from->all->edge;
    size_t count = from->all->edges;
    bool has_room = true;

    from->all->edge = NULL;
    from->all->edges = 0;
    for (size_t i = 0; has_room && i < profile->edges; i++) {
        const struct profile_edge *exact = &profile->edge[i];
        struct callgrind_edge edge = {
            .caller = callgrind_routine(from->all, from->symbols, exact->site),
            .site = exact->site,
            .callee = exact->routine, .calls = exact->calls,
            .costs.of = {[INSTRUCTIONS] = exact->instructions, [CYCLES] = exact->units}};
        const struct callgrind_edge *same =
            count == 0 ? NULL : bsearch(&edge, seen, count, sizeof edge, compare_edges);

        if (same != NULL)
            callgrind_add(&edge.costs, &same->costs);
        has_room = add_edge(from, &edge);
    }
    free(seen);
    if (has_room)
        join_edges(from);
    return has_room;
}

enum err callgrind_collect(struct callgrind *all, const struct profile *profile,
                           const struct symbols *symbols, const struct callgraph *graph,
                           struct diag *diag)
{
    struct collecting collecting = {.all = all, .profile = profile, .symbols = symbols};
    enum err err;

    *all = (struct callgrind){.point = NULL};
    err = made_code_find(&all->made, profile, symbols, diag);
    if (err == ERR_OK && !(add_stacks(&collecting, graph) &&
                           (profile->calls <= 1 || add_exact(&collecting)) &&
                           collect_points(&collecting)))
        err = diag_no_memory(diag, "the call graph");
    return err;
}

void callgrind_free(struct callgrind *all)
{
    made_code_free(&all->made);
    free(all->point);
    free(all->edge);
}
