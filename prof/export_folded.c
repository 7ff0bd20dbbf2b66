/* Folded stacks. */
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

static char *fold(const struct profile *profile, const struct callgraph_path *path,
                  const struct symbols *symbols)
{
    char *text = NULL, name[SYMBOLS_TEXT];
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    fputs(root_of(path->record->walk), out);
    for (unsigned i = path->depth; i-- > 0;) {
        print_name(out, callgraph_name(profile, symbols, path->frame[i].routine, name));
        if (i != 0)
            fputc(';', out);
    }
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

static void print_sums(struct folded *folded, size_t count, FILE *out)
{
    qsort(folded, count, sizeof folded[0], compare);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && compare(&folded[i], &folded[i + 1]) == 0)
            folded[i + 1].weight += folded[i].weight;
        else
            fprintf(out, "%s %" PRIu64 "\n", folded[i].text, folded[i].weight);
    }
}

enum err export_folded(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       struct diag *diag)
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
        print_sums(folded, count, out);
    for (size_t i = 0; i < count; i++)
        free(folded[i].text);
    free(folded);
    callgraph_free(&graph);
    return err;
}
