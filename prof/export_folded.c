/* Folded stacks: of the exact call tree, or of what interrupted. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/callgraph.h"
#include "prof/export.h"

struct folded {
    char *text;
    uint64_t weight;
};

static const char *root_of(unsigned walk)
{
    if (walk == MONITOR_WALK_TRUNCATED)
        return "[truncated];";
    return walk == MONITOR_WALK_BROKEN ? "[broken];" : "";
}

/* A semicolon in a name would be a frame. */
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
    fputs(root_of(path->record->walk), out);
    for (unsigned i = path->depth; i-- > 0;)
        print_frame(out, profile, symbols, path->frame[i].routine, i == 0);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* From the node up to the root, then written from there. above: room for its ancestors. */
static char *fold_node(const struct profile *profile, size_t node, const struct symbols *symbols,
                       size_t *above)
{
    char *text = NULL;
    size_t bytes, depth = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    for (size_t at = node; at != 0; at = profile->call[at].parent)
        above[depth++] = at;
    while (depth-- > 0)
        print_frame(out, profile, symbols, profile->call[above[depth]].routine, depth == 0);
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

/* Whole numbers of `unit`, such that all lines together are the whole sum. */
static void print_line(const struct folded *folded, uint64_t unit, uint64_t *before, FILE *out)
{
    uint64_t weight = (*before + folded->weight) / unit - *before / unit;

    *before += folded->weight;
    if (weight != 0)
        fprintf(out, "%s %" PRIu64 "\n", folded->text, weight);
}

static void print_sums(struct folded *folded, size_t count, uint64_t unit, FILE *out)
{
    uint64_t before = 0;

    qsort(folded, count, sizeof folded[0], compare);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && compare(&folded[i], &folded[i + 1]) == 0)
            folded[i + 1].weight += folded[i].weight;
        else
            print_line(&folded[i], unit, &before, out);
    }
}

static void free_all(struct folded *folded, size_t count)
{
    for (size_t i = 0; folded != NULL && i < count; i++)
        free(folded[i].text);
    free(folded);
}

enum err export_folded_measured(const struct profile *profile, const struct symbols *symbols,
                                FILE *out, struct diag *diag)
{
    struct callgraph graph;
    enum err err = callgraph_build(&graph, profile, symbols, diag);
    struct folded *folded;
    size_t count = 0;

    if (err != ERR_OK)
        return err;
    folded = calloc(graph.paths + 1, sizeof *folded);
    for (; folded != NULL && count < graph.paths; count++) {
        folded[count] = (struct folded){.text = fold(profile, &graph.path[count], symbols),
                                        .weight = graph.path[count].record->interrupts};
        if (folded[count].text == NULL)
            break;
    }
    if (folded == NULL || count < graph.paths)
        err = diag_no_memory(diag, "stacks");
    else
        print_sums(folded, count, 1, out);
    free_all(folded, count);
    callgraph_free(&graph);
    return err;
}

static enum err export_tree(const struct profile *profile, const struct symbols *symbols,
                            FILE *out, struct diag *diag)
{
    uint64_t unit = profile->units_per_cycle;
    struct folded *folded = calloc(profile->calls, sizeof *folded);
    size_t *above = calloc(profile->calls, sizeof *above), count = 0, node = 1;

    for (; folded != NULL && above != NULL && node < profile->calls; node++) {
        const struct profile_call *call = &profile->call[node];
        uint64_t weight = unit != 0 ? call->units : call->instructions;

        if (weight == 0)
            continue;
        folded[count] = (struct folded){
            .text = fold_node(profile, node, symbols, above), .weight = weight};
        if (folded[count++].text == NULL)
            break;
    }
    if (node == profile->calls)
        print_sums(folded, count, unit != 0 ? unit : 1, out);
    free_all(folded, count);
    free(above);
    return node == profile->calls ? ERR_OK : diag_no_memory(diag, "stacks");
}

enum err export_folded(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       struct diag *diag)
{
    bool has_tree = profile->calls > 1;

    if (has_tree && (profile->units_per_cycle != 0 || profile->records == 0))
        return export_tree(profile, symbols, out, diag);
    return export_folded_measured(profile, symbols, out, diag);
}
