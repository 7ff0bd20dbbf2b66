/* Groups of functions that are never on one stack together: a colouring of the graph of functions
 * that are. DSATUR (Brelaz, "New methods to color the vertices of a graph", CACM 1979): the next
 * function is the one whose conflicts are in the most groups, among these the one with the most
 * conflicts, among these the first. It takes the first group without a conflict, so there is at
 * most one group more than the largest number of conflicts of a function. */
#include "prof/api/api.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };
#define NO_GROUP UINT32_MAX

struct graph {
    size_t functions, words;
    uint64_t *conflict;             /* [functions][words] */
    uint64_t *taken;                /* [functions][words] groups of its conflicts */
    uint32_t *conflicts, *takes;    /* [functions] number of bits in these */
};

static bool set_bit(uint64_t *row, size_t bit)
{
    uint64_t mask = (uint64_t)1 << bit % WORD_BITS;
    bool was_set = (row[bit / WORD_BITS] & mask) != 0;

    row[bit / WORD_BITS] |= mask;
    return !was_set;
}

static bool get_bit(const uint64_t *row, size_t bit)
{
    return (row[bit / WORD_BITS] >> bit % WORD_BITS & 1) != 0;
}

static void add_conflict(struct graph *graph, uint32_t a, uint32_t b)
{
    if (a == b || !set_bit(&graph->conflict[a * graph->words], b))
        return;
    set_bit(&graph->conflict[b * graph->words], a);
    graph->conflicts[a]++;
    graph->conflicts[b]++;
}

/* Adds all pairs of functions of a stack. */
static enum err add_stack(struct graph *graph, const struct names *function, const char *stack,
                          struct diag *diag)
{
    char *copy = strdup(stack), *rest = copy, *name;
    uint32_t *frame = malloc((strlen(stack) + 1) * sizeof *frame);
    size_t frames = 0;

    if (copy == NULL || frame == NULL) {
        free(copy);
        free(frame);
        return diag_no_memory(diag, "stacks");
    }
    while ((name = strsep(&rest, ";")) != NULL) {
        frame[frames] = (uint32_t)names_find(function, name);
        for (size_t i = 0; i < frames; i++)
            add_conflict(graph, frame[i], frame[frames]);
        frames++;
    }
    free(frame);
    free(copy);
    return ERR_OK;
}

static uint32_t pick(const struct graph *graph, const uint32_t *group)
{
    uint32_t best = NO_GROUP;

    for (uint32_t i = 0; i < graph->functions; i++) {
        if (group[i] != NO_GROUP)
            continue;
        if (best == NO_GROUP || graph->takes[i] > graph->takes[best] ||
            (graph->takes[i] == graph->takes[best] && graph->conflicts[i] > graph->conflicts[best]))
            best = i;
    }
    return best;
}

static void put(struct graph *graph, uint32_t *group, uint32_t function, struct api_groups *groups)
{
    const uint64_t *taken = &graph->taken[function * graph->words];
    uint32_t free_group = 0;

    while (get_bit(taken, free_group))
        free_group++;
    group[function] = free_group;
    if (free_group >= groups->groups)
        groups->groups = free_group + 1;
    for (uint32_t i = 0; i < graph->functions; i++)
        if (get_bit(&graph->conflict[function * graph->words], i))
            graph->takes[i] += set_bit(&graph->taken[i * graph->words], free_group);
}

static void free_graph(struct graph *graph)
{
    free(graph->conflict);
    free(graph->taken);
    free(graph->conflicts);
    free(graph->takes);
}

static enum err make_graph(struct graph *graph, const struct api *api, struct diag *diag)
{
    size_t count = api->table.function.count, words = count / WORD_BITS + 1;
    enum err err = ERR_OK;

    *graph = (struct graph){.functions = count, .words = words};
    graph->conflict = calloc(count * words + 1, sizeof *graph->conflict);
    graph->taken = calloc(count * words + 1, sizeof *graph->taken);
    graph->conflicts = calloc(count + 1, sizeof *graph->conflicts);
    graph->takes = calloc(count + 1, sizeof *graph->takes);
    if (graph->conflict == NULL || graph->taken == NULL || graph->conflicts == NULL ||
        graph->takes == NULL)
        return diag_no_memory(diag, "groups");
    for (size_t i = 0; i < api->stacks.function.count && err == ERR_OK; i++)
        err = add_stack(graph, &api->table.function, api->stacks.function.text[i], diag);
    return err;
}

enum err api_groups_make(struct api_groups *groups, const struct api *api, struct diag *diag)
{
    struct graph graph;
    enum err err = make_graph(&graph, api, diag);

    *groups = (struct api_groups){.functions = graph.functions};
    groups->group = malloc((graph.functions + 1) * sizeof *groups->group);
    if (err == ERR_OK && groups->group == NULL)
        err = diag_no_memory(diag, "groups");
    if (err == ERR_OK) {
        for (size_t i = 0; i < graph.functions; i++)
            groups->group[i] = NO_GROUP;
        for (size_t i = 0; i < graph.functions; i++)
            put(&graph, groups->group, pick(&graph, groups->group), groups);
    }
    free_graph(&graph);
    return err;
}

void api_groups_free(struct api_groups *groups)
{
    free(groups->group);
}
