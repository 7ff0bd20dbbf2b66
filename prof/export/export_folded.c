/* Folded stacks of the exact call tree, or of interrupts; of one profile or of two. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "prof/calls/callgraph.h"
#include "prof/export/export.h"
#include "prof/export/stacks.h"

struct folded {
    char *text;
    uint64_t weight;
};

/* All stacks of a profile. */
struct stack_list {
    struct folded *folded;          /* [count], each with its own text; NULL: none yet */
    size_t count;
    size_t joined;                  /* number of first elements that are sorted and distinct */
    uint64_t unit;                  /* unit of the weights before they are joined */
};

/* A semicolon in a name would separate frames, and is replaced. */
static void print_name(FILE *out, const char *name)
{
    for (; *name != '\0'; name++)
        fputc(*name == ';' ? ':' : *name, out);
}

static void print_frame(FILE *out, const struct profile *profile, const struct symbols *symbols,
                        uint64_t routine, bool is_leaf)
{
    char name[SYMBOLS_TEXT];

    print_name(out, callgraph_name(profile, symbols, routine, name));
    if (!is_leaf)
        fputc(';', out);
}

static char *fold(const struct profile *profile, const struct callgraph_path *path,
                  const struct symbols *symbols)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    if (callgraph_cut(path) != 0)
        print_frame(out, profile, symbols, callgraph_cut(path), false);
    for (unsigned i = path->depth; i-- > 0;)
        print_frame(out, profile, symbols, path->frame[i].routine, i == 0);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* A node of the call tree, for its stack. A caller comes before its callees. */
struct fold_node {
    uint64_t weight;                /* with those that have no stack of their own */
    size_t above;                   /* room for its ancestors */
    uint32_t depth;
    uint32_t top;                   /* itself, or the node deeper than STACKS_DEPTH that stands
                                     * for it */
};

static void weigh(struct fold_node *nodes, const struct profile *profile)
{
    for (uint32_t n = 1; n < profile->calls; n++) {
        const struct profile_call *call = &profile->call[n];
        uint64_t weight = profile->units_per_cycle != 0 ? call->units : call->instructions;

        nodes[n].depth = nodes[call->parent].depth + 1;
        nodes[n].top = nodes[n].depth <= STACKS_DEPTH + 1 ? n : nodes[call->parent].top;
        nodes[nodes[n].top].weight += weight;
    }
}

/* Finds the path from the node up to the root, then writes it from the root. */
static char *fold_node(const struct profile *profile, size_t node, const struct symbols *symbols,
                       struct fold_node *nodes)
{
    bool is_deep = nodes[node].depth > STACKS_DEPTH;
    char *text = NULL;
    size_t bytes, depth = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    for (size_t at = is_deep ? profile->call[node].parent : node; at != 0;
         at = profile->call[at].parent)
        nodes[depth++].above = at;
    while (depth-- > 0)
        print_frame(out, profile, symbols, profile->call[nodes[depth].above].routine,
                    depth == 0 && !is_deep);
    if (is_deep)
        fputs(STACKS_DEEPER, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int compare(const void *a, const void *b)
{
    const struct folded *x = a, *y = b;

    return strcmp(x->text, y->text);
}

/* Sorts, joins equal stacks, and rounds weights to whole numbers of `unit` that add up to the
 * total. Stacks without weight are removed. */
static void join(struct stack_list *list)
{
    struct folded *folded = list->folded;
    uint64_t before = 0;
    size_t kept = 0;

    if (list->count != 0)
        qsort(folded, list->count, sizeof folded[0], compare);
    for (size_t i = 0; i < list->count; i++) {
        if (i + 1 < list->count && compare(&folded[i], &folded[i + 1]) == 0) {
            folded[i + 1].weight += folded[i].weight;
        } else {
            struct folded sum = folded[i];

            sum.weight = (before + sum.weight) / list->unit - before / list->unit;
            before += folded[i].weight;
            folded[i].text = folded[kept].text;     /* exchanged: each text is freed once */
            folded[kept] = sum;
            kept += sum.weight != 0;
        }
    }
    list->joined = kept;
}

static void free_list(struct stack_list *list)
{
    for (size_t i = 0; list->folded != NULL && i < list->count; i++)
        free(list->folded[i].text);
    free(list->folded);
}

/* An empty list with room for `room` stacks. */
static enum err begin_list(struct stack_list *list, size_t room, uint64_t unit, struct diag *diag)
{
    *list = (struct stack_list){.folded = calloc(room + 1, sizeof *list->folded), .unit = unit};
    return list->folded != NULL ? ERR_OK : diag_no_memory(diag, "stacks");
}

static enum err take_measured(struct stack_list *list, const struct profile *profile,
                              const struct symbols *symbols, struct diag *diag)
{
    struct callgraph graph;
    enum err err = callgraph_build(&graph, profile, symbols, diag);

    if (err != ERR_OK)
        return err;
    err = begin_list(list, graph.paths, 1, diag);
    for (size_t i = 0; err == ERR_OK && i < graph.paths; i++) {
        struct folded *folded = &list->folded[list->count++];

        *folded = (struct folded){.text = fold(profile, &graph.path[i], symbols),
                                  .weight = graph.path[i].record->interrupts};
        if (folded->text == NULL)
            err = diag_no_memory(diag, "stacks");
    }
    callgraph_free(&graph);
    return err;
}

static enum err take_tree(struct stack_list *list, const struct profile *profile,
                          const struct symbols *symbols, struct diag *diag)
{
    uint64_t unit = profile->units_per_cycle;
    enum err err = begin_list(list, profile->calls, unit != 0 ? unit : 1, diag);
    struct fold_node *nodes = calloc(profile->calls, sizeof *nodes);

    if (err == ERR_OK && nodes == NULL)
        err = diag_no_memory(diag, "stacks");
    if (err == ERR_OK)
        weigh(nodes, profile);
    for (size_t node = 1; err == ERR_OK && node < profile->calls; node++) {
        struct folded *folded = &list->folded[list->count];

        if (nodes[node].weight == 0)
            continue;
        *folded = (struct folded){.text = fold_node(profile, node, symbols, nodes),
                                  .weight = nodes[node].weight};
        list->count++;
        if (folded->text == NULL)
            err = diag_no_memory(diag, "stacks");
    }
    free(nodes);
    return err;
}

/* The caller frees the list, after an error too. */
static enum err take(struct stack_list *list, const struct profile *profile,
                     const struct symbols *symbols, bool is_measured, struct diag *diag)
{
    bool has_tree = profile->calls > 1 &&
                    (profile->units_per_cycle != 0 || profile->records == 0);
    enum err err;

    *list = (struct stack_list){.folded = NULL};
    err = has_tree && !is_measured ? take_tree(list, profile, symbols, diag)
                                   : take_measured(list, profile, symbols, diag);
    if (err == ERR_OK)
        join(list);
    return err;
}

static enum err export_list(const struct profile *profile, const struct symbols *symbols,
                            bool is_measured, FILE *out, struct diag *diag)
{
    struct stack_list list;
    enum err err = take(&list, profile, symbols, is_measured, diag);

    for (size_t i = 0; err == ERR_OK && i < list.joined; i++)
        fprintf(out, "%s %" PRIu64 "\n", list.folded[i].text, list.folded[i].weight);
    free_list(&list);
    return err;
}

enum err export_folded_measured(const struct profile *profile, const struct symbols *symbols,
                                FILE *out, struct diag *diag)
{
    return export_list(profile, symbols, true, out, diag);
}

enum err export_folded(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       struct diag *diag)
{
    return export_list(profile, symbols, false, out, diag);
}

static void print_both(const struct stack_list list[2], FILE *out)
{
    size_t a = 0, b = 0;

    while (a < list[0].joined || b < list[1].joined) {
        int order = a == list[0].joined ? 1 : b == list[1].joined ? -1
                  : compare(&list[0].folded[a], &list[1].folded[b]);

        fprintf(out, "%s %" PRIu64 " %" PRIu64 "\n",
                order <= 0 ? list[0].folded[a].text : list[1].folded[b].text,
                order <= 0 ? list[0].folded[a].weight : 0,
                order >= 0 ? list[1].folded[b].weight : 0);
        a += order <= 0;
        b += order >= 0;
    }
}

/* The meaning of the weights of a profile's stacks. */
static const char *kind_of(const struct profile *profile)
{
    return profile->units_per_cycle != 0 ? "cycles" : profile->records != 0 ? "interrupts"
                                                                            : "instructions";
}

enum err export_folded_difference(const struct profile *const profile[2],
                                  const struct symbols *const symbols[2], FILE *out,
                                  struct diag *diag)
{
    struct stack_list list[2] = {{.folded = NULL}, {.folded = NULL}};
    bool is_measured = kind_of(profile[0]) != kind_of(profile[1]);
    enum err err = ERR_OK;

    if (is_measured && (profile[0]->records == 0 || profile[1]->records == 0))
        return diag_set(diag, ERR_USAGE, "diff --folded: the stacks of A have %s, those of B %s",
                        kind_of(profile[0]), kind_of(profile[1]));
    for (unsigned i = 0; i < 2 && err == ERR_OK; i++)
        err = take(&list[i], profile[i], symbols[i], is_measured, diag);
    if (err == ERR_OK)
        print_both(list, out);
    free_list(&list[0]);
    free_list(&list[1]);
    return err;
}
