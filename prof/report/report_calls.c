/* Call tree and call graph as text. */
#include <stdlib.h>
#include <string.h>

#include "prof/calls/call_tree.h"
#include "prof/calls/callgraph.h"

/* ---- the tree -------------------------------------------------------------------------------- */

/* The occurrences of the sampled event for which a sample stands; 0: unknown. */
static uint64_t period_of(const struct call_tree *calls)
{
    const struct profile_sampling *sampling = calls->report->profile->sampling;

    return sampling != NULL ? sampling->period : 0;
}

static void print_sampled_head(const struct call_tree *calls, const char *title)
{
    FILE *out = calls->report->out;
    const char *what = calls->report->profile->sampling != NULL ? "samples" : "interrupts";

    fprintf(out, "\n%16s %7s %16s ", "with callees", "", what);
    if (period_of(calls) != 0)
        fprintf(out, "%18s ", calls->report->profile->sampling->event);
    fprintf(out, " %s\n", title);
}

static void print_sampled_row(const struct call_tree *calls, uint64_t own, uint64_t all,
                              unsigned indent, const char *name)
{
    const struct report *report = calls->report;
    char text[REPORT_NUMBER];

    fprintf(report->out, "%16s", report_number(all, text));
    report_share(report, all, calls->node[0].all[SAMPLES]);
    fprintf(report->out, " %16s ", report_number(own, text));
    if (period_of(calls) != 0)
        fprintf(report->out, "%18s ", report_number(own * period_of(calls), text));
    fprintf(report->out, " %*s%s\n", (int)indent, "", name);
}

static void print_head(const struct call_tree *calls, const char *title)
{
    if (calls->is_sampled) {
        print_sampled_head(calls, title);
        return;
    }
    fprintf(calls->report->out, "\n%14s %16s %16s ", "calls", "instructions", "with callees");
    if (calls->has_cycles)
        fprintf(calls->report->out, "%18s %18s ", "cycles", "with callees");
    fprintf(calls->report->out, " %s\n", title);
}

static void print_row(const struct call_tree *calls, uint64_t count, const uint64_t own[COSTS],
                      const uint64_t all[COSTS], unsigned indent, const char *name)
{
    const struct report *report = calls->report;
    char text[3][REPORT_NUMBER];

    if (calls->is_sampled) {
        print_sampled_row(calls, own[SAMPLES], all[SAMPLES], indent, name);
        return;
    }
    fprintf(report->out, "%14s %16s %16s ", report_number(count, text[0]),
            report_number(own[INSTRUCTIONS], text[1]), report_number(all[INSTRUCTIONS], text[2]));
    if (calls->has_cycles)
        fprintf(report->out, "%18s %18s ", report_cycles(report->profile, own[UNITS], text[0]),
                report_cycles(report->profile, all[UNITS], text[1]));
    fprintf(report->out, " %*s%s\n", (int)indent, "", name);
}

/* Before the first marked call, calls are unknown. */
static void print_node(const struct call_tree *calls, size_t at, unsigned depth)
{
    const struct call_node *node = &calls->node[at];
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

static bool comes_first(const struct call_node *a, const struct call_node *b)
{
    int order = compare_all(a->all, b->all);

    if (order != 0)
        return order < 0;
    return a->calls != b->calls ? a->calls > b->calls : a->routine < b->routine;
}

/* The child after `last` (SIZE_MAX: the first), or 0. */
static size_t next_child(const struct call_tree *calls, size_t parent, size_t last)
{
    size_t best = 0;

    for (size_t at = calls->node[parent].child; at != 0; at = calls->node[at].sibling) {
        if (last != SIZE_MAX && !comes_first(&calls->node[last], &calls->node[at]))
            continue;
        if (best == 0 || comes_first(&calls->node[at], &calls->node[best]))
            best = at;
    }
    return best;
}

/* Depth first, without recursion: stacks may be as deep as the monitor walks. */
static void print_tree(const struct call_tree *calls, size_t *left)
{
    size_t parent = 0, last = SIZE_MAX;
    unsigned depth = 0;

    for (;;) {
        size_t at = next_child(calls, parent, last);

        if (at != 0) {
            if (*left == 0)
                return;
            --*left;
            print_node(calls, at, depth++);
            parent = at;
            last = SIZE_MAX;
            continue;
        }
        if (parent == 0)
            return;
        last = parent;
        parent = calls->node[parent].parent;
        depth--;
    }
}

static void print_losses(const struct call_tree *calls)
{
    const struct report *report = calls->report;
    const struct profile *profile = report->profile;
    uint64_t cut = profile_walks(profile, MONITOR_WALK_TRUNCATED);
    uint64_t broken = profile_walks(profile, MONITOR_WALK_BROKEN);
    char number[REPORT_NUMBER];

    if (profile->calls > 1 && !report->measured) {
        if (profile->cut != 0)
            fprintf(report->out, "%s call%s too deep for a row of %s own\n",
                    report_number(profile->cut, number), report_s(profile->cut),
                    profile->cut == 1 ? "its" : "their");
        return;
    }
    if (profile->dropped + profile->lost != 0)
        fprintf(report->out, "%s interrupt%s not stored or lost: the counts are too small\n",
                report_number(profile->dropped + profile->lost, number),
                report_s(profile->dropped + profile->lost));
    if (cut + broken != 0)
        fprintf(report->out, "%s stack%s not reach the root\n",
                report_number(cut + broken, number), cut + broken == 1 ? " does" : "s do");
}

enum err report_calltree(const struct report *report, struct diag *diag)
{
    struct call_tree calls;
    size_t left = report->top != 0 ? report->top : SIZE_MAX;
    enum err err = call_tree_build(&calls, report, diag);

    if (err == ERR_OK) {
        print_head(&calls, "call tree");
        print_tree(&calls, &left);
        if (left == 0 && calls.nodes - 1 > report->top)
            fprintf(report->out, "... and %zu more; --top 0 shows all\n",
                    calls.nodes - 1 - report->top);
        print_losses(&calls);
    }
    call_tree_free(&calls);
    return err;
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* Calls between two routines, in any stack. */
struct edge { uint64_t caller, routine, calls, all[COSTS]; };

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return (x->caller > y->caller) - (x->caller < y->caller);
}

/* True if the routine is also further out on the stack; then the outermost call has all
 * instructions. */
static bool is_below_itself(const struct call_tree *calls, size_t at)
{
    uint64_t routine = calls->node[at].routine;

    while ((at = calls->node[at].parent) != 0)
        if (calls->node[at].routine == routine)
            return true;
    return false;
}

static size_t make_edges(const struct call_tree *calls, struct edge *edge)
{
    size_t edges = 0, kept = 0;

    for (size_t i = 1; i < calls->nodes; i++) {
        const struct call_node *node = &calls->node[i];

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

static void add_own(const struct call_tree *calls, struct called *called)
{
    for (size_t i = 1; i < calls->nodes; i++)
        for (unsigned cost = 0; cost < COSTS && calls->node[i].routine == called->routine; cost++)
            called->own[cost] += calls->node[i].own[cost];
}

static size_t make_called(const struct call_tree *calls, const struct edge *edge, size_t edges,
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

/* A caller: its calls, or the samples in them. */
static void print_edge(const struct call_tree *calls, const struct edge *edge)
{
    const struct report *report = calls->report;
    uint64_t count = calls->is_sampled ? edge->all[SAMPLES] : edge->calls;
    char name[SYMBOLS_TEXT], number[REPORT_NUMBER];

    if (count == 0 || (calls->is_sampled && edge->caller == 0))
        return;
    fprintf(report->out, "%*s %*s    from %s\n", calls->is_sampled ? 16 : 14,
            report_number(count, number), calls->is_sampled ? (period_of(calls) != 0 ? 44 : 25)
                                                            : (calls->has_cycles ? 71 : 33), "",
            callgraph_name(report->profile, report->symbols, edge->caller, name));
}

static void print_called(const struct call_tree *calls, const struct called *called)
{
    const struct report *report = calls->report;
    char name[SYMBOLS_TEXT];

    print_row(calls, called->calls, called->own, called->all, 0,
              callgraph_name(report->profile, report->symbols, called->routine, name));
    for (size_t i = 0; i < called->edges; i++)
        print_edge(calls, &called->edge[i]);
}

enum err report_callgraph(const struct report *report, struct diag *diag)
{
    struct call_tree calls;
    struct edge *edge = NULL;
    struct called *called = NULL;
    enum err err = call_tree_build(&calls, report, diag);
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
    call_tree_free(&calls);
    return err;
}
