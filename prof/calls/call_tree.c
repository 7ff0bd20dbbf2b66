/* See call_tree.h. */
#include "prof/calls/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "prof/calls/callgraph.h"
#include "sim/base/array.h"

/* NODE_NONE: no memory. */
#define NODE_NONE SIZE_MAX
static size_t child_of(struct call_tree *tree, size_t parent, uint64_t routine)
{
    struct call_node *grown;
    size_t at = tree->node[parent].child;

    while (at != 0 && tree->node[at].routine != routine)
        at = tree->node[at].sibling;
    if (at != 0)
        return at;
    grown = array_grow(tree->node, tree->nodes, sizeof *grown);
    if (grown == NULL)
        return NODE_NONE;
    tree->node = grown;
    tree->node[tree->nodes] = (struct call_node){
        .routine = routine, .parent = parent, .sibling = tree->node[parent].child};
    tree->node[parent].child = tree->nodes;
    return tree->nodes++;
}

static bool is_call(const struct callgraph_path *path)
{
    return path->kind == CALLGRAPH_CALL || path->kind == CALLGRAPH_TRAP;
}

static bool is_call_or_return(const struct callgraph_path *path)
{
    return is_call(path) || path->kind == CALLGRAPH_RETURN || path->kind == CALLGRAPH_TRAP_RETURN;
}

static bool add_path(struct call_tree *tree, const struct callgraph_path *path)
{
    size_t at = 0;

    if (!tree->is_sampled && !is_call_or_return(path))
        return true;
    if (tree->is_sampled && callgraph_cut(path) != 0 &&
        (at = child_of(tree, at, callgraph_cut(path))) == NODE_NONE)
        return false;
    for (unsigned i = path->depth; i-- > 0;)
        if ((at = child_of(tree, at, path->frame[i].routine)) == NODE_NONE)
            return false;
    if (tree->is_sampled) {
        tree->node[at].own[SAMPLES] += path->record->interrupts;
        return true;
    }
    if (is_call(path)) {
        tree->node[at].calls += path->record->interrupts;
        at = tree->node[at].parent;
    }
    if (path->is_handler)
        tree->node[at].calls += path->record->interrupts;
    tree->node[at].own[INSTRUCTIONS] += path->record->instructions;
    return true;
}

/* Interrupts of counters of a profile without stacks tell nothing of callers. */
static bool has_samples(const struct profile *profile, const struct callgraph *graph)
{
    if (profile->sampling != NULL && !profile->sampling->has_stacks)
        return false;
    for (size_t i = 0; i < graph->paths; i++)
        if (is_call_or_return(&graph->path[i]))
            return false;
    return graph->paths != 0;
}

static enum err add_paths(struct call_tree *tree, struct diag *diag)
{
    const struct report *report = tree->report;
    struct callgraph graph;
    enum err err = callgraph_build(&graph, report->profile, report->symbols, diag);
    bool has_room = true;

    if (err != ERR_OK)
        return err;
    tree->is_sampled = has_samples(report->profile, &graph);
    for (size_t i = 0; has_room && i < graph.paths; i++)
        has_room = add_path(tree, &graph.path[i]);
    callgraph_free(&graph);
    return has_room ? ERR_OK : diag_no_memory(diag, "the call tree");
}

/* A routine entered in several ways is one node. */
static enum err add_tree(struct call_tree *tree, struct diag *diag)
{
    const struct profile *profile = tree->report->profile;
    size_t *place = calloc(profile->calls, sizeof *place);

    for (size_t i = 1; place != NULL && i < profile->calls; i++) {
        const struct profile_call *from = &profile->call[i];
        size_t at = child_of(tree, place[from->parent], from->routine);

        if (at == NODE_NONE)
            break;
        place[i] = at;
        tree->node[at].calls += from->calls;
        tree->node[at].own[INSTRUCTIONS] += from->instructions;
        tree->node[at].own[UNITS] += from->units;
        if (i + 1 == profile->calls) {
            free(place);
            return ERR_OK;
        }
    }
    free(place);
    return diag_no_memory(diag, "the call tree");
}

/* Children have larger numbers than their parents, so one pass backwards sums up. */
static void sum_up(struct call_tree *tree)
{
    for (size_t i = 0; i < tree->nodes; i++)
        memcpy(tree->node[i].all, tree->node[i].own, sizeof tree->node[i].own);
    for (size_t i = tree->nodes; i-- > 1;)
        for (unsigned cost = 0; cost < COSTS; cost++)
            tree->node[tree->node[i].parent].all[cost] += tree->node[i].all[cost];
}

enum err call_tree_build(struct call_tree *tree, const struct report *report, struct diag *diag)
{
    bool is_exact = report->profile->calls > 1 && !report->measured;
    enum err err;

    *tree = (struct call_tree){.report = report, .nodes = 1};
    tree->node = array_grow(NULL, 0, sizeof *tree->node);
    if (tree->node == NULL)
        return diag_no_memory(diag, "the call tree");
    tree->node[0] = (struct call_node){0};
    tree->has_cycles = is_exact && report->profile->units_per_cycle != 0;
    err = is_exact ? add_tree(tree, diag) : add_paths(tree, diag);
    if (err == ERR_OK && tree->nodes == 1)
        return diag_set(diag, ERR_USAGE, "report: the profile has no call stacks: record with -g, "
                        "or mark calls with `calls(*) * interrupt`");
    sum_up(tree);
    return err;
}

void call_tree_free(struct call_tree *tree)
{
    free(tree->node);
}
