/* Call tree and call graph.
 *
 * If the profile has the exact call tree, each of its nodes is one here, a tail call below the
 * routine that jumped. Else, or with report->measured, the tree comes from the interrupts of marked
 * calls and returns, and of traps (a trap is a call of its kind; its return is the handler's): each
 * record is one stack. The stack of a call ends in the routine entered, and is one call of that
 * node. Instructions since the last interrupt (a call or return) belong to the caller at a call,
 * and to the routine itself at its return. So all instructions are divided exactly, except those
 * before the first mark and after the last. A routine entered by a jump has no call or return of
 * its own, and belongs to the routine that jumped. */
#include <stdlib.h>
#include <string.h>

#include "prof/callgraph.h"
#include "prof/report.h"

enum { INSTRUCTIONS, UNITS, COSTS };

struct node {
    uint64_t routine, calls;
    uint64_t own[COSTS], all[COSTS];
    size_t parent, child, sibling;      /* nodes; 0: none. Node 0 is above all roots */
};

struct calls {
    const struct report *report;
    bool has_cycles;
    struct node *node;
    size_t nodes, capacity;
};

/* Calls between two routines, in any stack. */
struct edge { uint64_t caller, routine, calls, all[COSTS]; };

/* ---- the tree -------------------------------------------------------------------------------- */

/* NODE_NONE: no memory. */
#define NODE_NONE SIZE_MAX
static size_t child_of(struct calls *calls, size_t parent, uint64_t routine)
{
    struct node *grown;
    size_t at = calls->node[parent].child;

    while (at != 0 && calls->node[at].routine != routine)
        at = calls->node[at].sibling;
    if (at != 0)
        return at;
    if (calls->nodes == calls->capacity) {
        calls->capacity *= 2;
        grown = realloc(calls->node, calls->capacity * sizeof *grown);
        if (grown == NULL)
            return NODE_NONE;
        calls->node = grown;
    }
    calls->node[calls->nodes] = (struct node){
        .routine = routine, .parent = parent, .sibling = calls->node[parent].child};
    calls->node[parent].child = calls->nodes;
    return calls->nodes++;
}

static bool add_path(struct calls *calls, const struct callgraph_path *path)
{
    size_t at = 0;
    bool is_call = path->kind == CALLGRAPH_CALL || path->kind == CALLGRAPH_TRAP;

    if (!is_call && path->kind != CALLGRAPH_RETURN && path->kind != CALLGRAPH_TRAP_RETURN)
        return true;
    for (unsigned i = path->depth; i-- > 0;)
        if ((at = child_of(calls, at, path->frame[i].routine)) == NODE_NONE)
            return false;
    if (is_call) {
        calls->node[at].calls += path->record->interrupts;
        at = calls->node[at].parent;
    }
    if (path->is_handler)
        calls->node[at].calls += path->record->interrupts;
    calls->node[at].own[INSTRUCTIONS] += path->record->instructions;
    return true;
}

static enum err add_paths(struct calls *calls, struct diag *diag)
{
    const struct report *report = calls->report;
    struct callgraph graph;
    enum err err = callgraph_build(&graph, report->profile, report->symbols, diag);
    bool has_room = true;

    if (err != ERR_OK)
        return err;
    for (size_t i = 0; has_room && i < graph.paths; i++)
        has_room = add_path(calls, &graph.path[i]);
    callgraph_free(&graph);
    return has_room ? ERR_OK : diag_no_memory(diag, "the call tree");
}

/* A routine entered in several ways is one node. */
static enum err add_tree(struct calls *calls, struct diag *diag)
{
    const struct profile *profile = calls->report->profile;
    size_t *place = calloc(profile->calls, sizeof *place);

    for (size_t i = 1; place != NULL && i < profile->calls; i++) {
        const struct profile_call *from = &profile->call[i];
        size_t at = child_of(calls, place[from->parent], from->routine);

        if (at == NODE_NONE)
            break;
        place[i] = at;
        calls->node[at].calls += from->calls;
        calls->node[at].own[INSTRUCTIONS] += from->instructions;
        calls->node[at].own[UNITS] += from->units;
        if (i + 1 == profile->calls) {
            free(place);
            return ERR_OK;
        }
    }
    free(place);
    return diag_no_memory(diag, "the call tree");
}

/* Children have larger numbers than their parents, so one pass backwards sums up. */
static void sum_up(struct calls *calls)
{
    for (size_t i = 0; i < calls->nodes; i++)
        memcpy(calls->node[i].all, calls->node[i].own, sizeof calls->node[i].own);
    for (size_t i = calls->nodes; i-- > 1;)
        for (unsigned cost = 0; cost < COSTS; cost++)
            calls->node[calls->node[i].parent].all[cost] += calls->node[i].all[cost];
}

static enum err build(struct calls *calls, const struct report *report, struct diag *diag)
{
    bool is_exact = report->profile->calls > 1 && !report->measured;
    enum err err;

    *calls = (struct calls){.report = report, .nodes = 1, .capacity = 64};
    calls->node = calloc(calls->capacity, sizeof *calls->node);
    if (calls->node == NULL)
        return diag_no_memory(diag, "the call tree");
    calls->has_cycles = is_exact && report->profile->units_per_cycle != 0;
    err = is_exact ? add_tree(calls, diag) : add_paths(calls, diag);
    if (err == ERR_OK && calls->nodes == 1)
        return diag_set(diag, ERR_USAGE, "report: no call interrupted: mark them with "
                        "`calls(*) * interrupt`");
    sum_up(calls);
    return err;
}

/* ---- the tree as text ------------------------------------------------------------------------ */

static void print_head(const struct calls *calls, const char *title)
{
    fprintf(calls->report->out, "\n%14s %16s %16s ", "calls", "instructions", "with callees");
    if (calls->has_cycles)
        fprintf(calls->report->out, "%18s %18s ", "cycles", "with callees");
    fprintf(calls->report->out, " %s\n", title);
}

static void print_row(const struct calls *calls, uint64_t count, const uint64_t own[COSTS],
                      const uint64_t all[COSTS], unsigned indent, const char *name)
{
    const struct report *report = calls->report;
    char text[3][REPORT_NUMBER];

    fprintf(report->out, "%14s %16s %16s ", report_number(count, text[0]),
            report_number(own[INSTRUCTIONS], text[1]), report_number(all[INSTRUCTIONS], text[2]));
    if (calls->has_cycles)
        fprintf(report->out, "%18s %18s ", report_cycles(report->profile, own[UNITS], text[0]),
                report_cycles(report->profile, all[UNITS], text[1]));
    fprintf(report->out, " %*s%s\n", (int)indent, "", name);
}

/* Before the first marked call, calls are unknown. */
static void print_node(const struct calls *calls, size_t at, unsigned depth)
{
    const struct node *node = &calls->node[at];
    char name[SYMBOLS_TEXT];

    print_row(calls, node->calls, node->own, node->all, 2 * depth,
              callgraph_name(calls->report->profile, calls->report->symbols, node->routine, name));
}

/* Orders by falling cost: by cycles if known. */
static int compare_all(const uint64_t a[COSTS], const uint64_t b[COSTS])
{
    for (unsigned cost = COSTS; cost-- > 0;)
        if (a[cost] != b[cost])
            return a[cost] > b[cost] ? -1 : 1;
    return 0;
}

static bool comes_first(const struct node *a, const struct node *b)
{
    int order = compare_all(a->all, b->all);

    if (order != 0)
        return order < 0;
    return a->calls != b->calls ? a->calls > b->calls : a->routine < b->routine;
}

/* The child after `last` (NODE_NONE: the first), or 0. */
static size_t next_child(const struct calls *calls, size_t parent, size_t last)
{
    size_t best = 0;

    for (size_t at = calls->node[parent].child; at != 0; at = calls->node[at].sibling) {
        if (last != NODE_NONE && !comes_first(&calls->node[last], &calls->node[at]))
            continue;
        if (best == 0 || comes_first(&calls->node[at], &calls->node[best]))
            best = at;
    }
    return best;
}

/* Depth first, without recursion: stacks may be as deep as the monitor walks. */
static void print_tree(const struct calls *calls, size_t *left)
{
    size_t parent = 0, last = NODE_NONE;
    unsigned depth = 0;

    for (;;) {
        size_t at = next_child(calls, parent, last);

        if (at != 0) {
            if (*left == 0)
                return;
            --*left;
            print_node(calls, at, depth++);
            parent = at;
            last = NODE_NONE;
            continue;
        }
        if (parent == 0)
            return;
        last = parent;
        parent = calls->node[parent].parent;
        depth--;
    }
}

static void print_losses(const struct calls *calls)
{
    const struct report *report = calls->report;
    const struct profile *profile = report->profile;
    uint64_t cut = profile_walks(profile, MONITOR_WALK_TRUNCATED);
    uint64_t broken = profile_walks(profile, MONITOR_WALK_BROKEN);
    char number[REPORT_NUMBER];

    if (profile->calls > 1 && !report->measured) {
        if (profile->cut != 0)
            fprintf(report->out, "%s calls too deep for a row of their own\n",
                    report_number(profile->cut, number));
        return;
    }
    if (profile->dropped + profile->lost != 0)
        fprintf(report->out, "%s interrupts not stored or lost: the counts are too small\n",
                report_number(profile->dropped + profile->lost, number));
    if (cut + broken != 0)
        fprintf(report->out, "%s stacks do not reach the root\n",
                report_number(cut + broken, number));
}

enum err report_calltree(const struct report *report, struct diag *diag)
{
    struct calls calls;
    size_t left = report->top != 0 ? report->top : SIZE_MAX;
    enum err err = build(&calls, report, diag);

    if (err == ERR_OK) {
        print_head(&calls, "call tree");
        print_tree(&calls, &left);
        if (left == 0 && calls.nodes - 1 > report->top)
            fprintf(report->out, "... and %zu more; --top 0 shows all\n",
                    calls.nodes - 1 - report->top);
        print_losses(&calls);
    }
    free(calls.node);
    return err;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return (x->caller > y->caller) - (x->caller < y->caller);
}

/* True if the routine is also further out on the stack; then the outermost call has all
 * instructions. */
static bool is_below_itself(const struct calls *calls, size_t at)
{
    uint64_t routine = calls->node[at].routine;

    while ((at = calls->node[at].parent) != 0)
        if (calls->node[at].routine == routine)
            return true;
    return false;
}

static size_t make_edges(const struct calls *calls, struct edge *edge)
{
    size_t edges = 0, kept = 0;

    for (size_t i = 1; i < calls->nodes; i++) {
        const struct node *node = &calls->node[i];

        edge[edges++] = (struct edge){
            .caller = node->parent != 0 ? calls->node[node->parent].routine : 0,
            .routine = node->routine, .calls = node->calls};
        if (!is_below_itself(calls, i))
            memcpy(edge[edges - 1].all, node->all, sizeof node->all);
    }
    qsort(edge, edges, sizeof *edge, compare_edges);
    for (size_t i = 0; i < edges; i++) {
        if (kept == 0 || compare_edges(&edge[kept - 1], &edge[i]) != 0) {
            edge[kept++] = edge[i];
            continue;
        }
        edge[kept - 1].calls += edge[i].calls;
        for (unsigned cost = 0; cost < COSTS; cost++)
            edge[kept - 1].all[cost] += edge[i].all[cost];
    }
    return kept;
}

/* A routine with its callers. */
struct called {
    uint64_t routine, calls, own[COSTS], all[COSTS];
    const struct edge *edge;
    size_t edges;
};

static int compare_called(const void *a, const void *b)
{
    const struct called *x = a, *y = b;

    int order = compare_all(x->all, y->all);

    if (order != 0)
        return order;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return (x->routine > y->routine) - (x->routine < y->routine);
}

static void add_own(const struct calls *calls, struct called *called)
{
    for (size_t i = 1; i < calls->nodes; i++)
        for (unsigned cost = 0; cost < COSTS && calls->node[i].routine == called->routine; cost++)
            called->own[cost] += calls->node[i].own[cost];
}

static size_t make_called(const struct calls *calls, const struct edge *edge, size_t edges,
                          struct called *called)
{
    size_t count = 0;

    for (size_t i = 0; i < edges; i++) {
        if (count == 0 || called[count - 1].routine != edge[i].routine) {
            called[count++] = (struct called){.routine = edge[i].routine, .edge = &edge[i]};
            add_own(calls, &called[count - 1]);
        }
        called[count - 1].calls += edge[i].calls;
        for (unsigned cost = 0; cost < COSTS; cost++)
            called[count - 1].all[cost] += edge[i].all[cost];
        called[count - 1].edges++;
    }
    qsort(called, count, sizeof *called, compare_called);
    return count;
}

static void print_called(const struct calls *calls, const struct called *called)
{
    const struct report *report = calls->report;
    char name[SYMBOLS_TEXT], number[REPORT_NUMBER];

    print_row(calls, called->calls, called->own, called->all, 0,
              callgraph_name(report->profile, report->symbols, called->routine, name));
    for (size_t i = 0; i < called->edges; i++)
        if (called->edge[i].calls != 0)
            fprintf(report->out, "%14s %16s %*s    from %s\n",
                    report_number(called->edge[i].calls, number), "",
                    calls->has_cycles ? 54 : 16, "",
                    callgraph_name(report->profile, report->symbols, called->edge[i].caller, name));
}

enum err report_callgraph(const struct report *report, struct diag *diag)
{
    struct calls calls;
    struct edge *edge = NULL;
    struct called *called = NULL;
    enum err err = build(&calls, report, diag);
    size_t count = 0;

    if (err == ERR_OK) {
        edge = calloc(calls.nodes, sizeof *edge);
        called = calloc(calls.nodes, sizeof *called);
        if (edge == NULL || called == NULL)
            err = diag_no_memory(diag, "the call graph");
    }
    if (err == ERR_OK) {
        count = make_called(&calls, edge, make_edges(&calls, edge), called);
        print_head(&calls, "call graph");
        for (size_t i = 0; i < count && (report->top == 0 || i < report->top); i++)
            print_called(&calls, &called[i]);
        if (report->top != 0 && count > report->top)
            fprintf(report->out, "... and %zu more; --top 0 shows all\n", count - report->top);
        print_losses(&calls);
    }
    free(edge);
    free(called);
    free(calls.node);
    return err;
}
