/* See idle_tree.h. */
#include "prof/idle/idle_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"

/* ---- making ---------------------------------------------------------------------------------- */

static bool add_node(struct idle_tree *tree, uint32_t parent, const char *name, const char *line)
{
    struct idle_node *node = array_grow(tree->node, tree->nodes, sizeof *node);

    if (node == NULL)
        return false;
    tree->node = node;
    node = &tree->node[tree->nodes++];
    *node = (struct idle_node){
        .name = strdup(name), .line = strdup(line), .parent = parent,
        .count = calloc((size_t)tree->harts * SAMPLER_KINDS, sizeof *node->count),
    };
    return node->name != NULL && node->line != NULL && node->count != NULL;
}

enum err idle_tree_init(struct idle_tree *tree, unsigned harts, struct diag *diag)
{
    *tree = (struct idle_tree){.harts = harts};
    return add_node(tree, 0, "all", "") ? ERR_OK : diag_no_memory(diag, "call stacks");
}

void idle_tree_free(struct idle_tree *tree)
{
    for (size_t i = 0; i < tree->nodes; i++) {
        free(tree->node[i].name);
        free(tree->node[i].line);
        free(tree->node[i].count);
    }
    free(tree->node);
}

static void describe(const struct symbols *symbols, uint64_t pc, bool is_leaf,
                     char name[SYMBOLS_TEXT], char line[SYMBOLS_TEXT])
{
    line[0] = '\0';
    if (pc == SAMPLER_CUT_DEEP || pc == SAMPLER_CUT_BROKEN)
        snprintf(name, SYMBOLS_TEXT, "%s", pc == SAMPLER_CUT_DEEP ? "[truncated]" : "[broken]");
    else
        symbols_describe_frame(symbols, pc, is_leaf, name, line);
}

/* The child with this name and line; 0: no memory. */
static uint32_t child_of(struct idle_tree *tree, uint32_t parent, const char *name,
                         const char *line)
{
    uint32_t at = tree->node[parent].child;

    while (at != 0 && (strcmp(tree->node[at].name, name) != 0 ||
                       strcmp(tree->node[at].line, line) != 0))
        at = tree->node[at].next;
    if (at != 0 || !add_node(tree, parent, name, line))
        return at;
    at = (uint32_t)(tree->nodes - 1);
    tree->node[at].next = tree->node[parent].child;
    tree->node[parent].child = at;
    return at;
}

/* Adds nodes; in the kernel's tree parents come before their children. place: the new number of
 * each node. */
static bool add_children(struct idle_tree *tree, unsigned hart, uint32_t *place, uint32_t parent,
                         const struct kernel_sampler_node *node, const struct symbols *symbols)
{
    char name[SYMBOLS_TEXT], line[SYMBOLS_TEXT];

    for (uint32_t at = node[parent].child; at != 0; at = node[at].next) {
        describe(symbols, node[at].pc, node[at].child == 0, name, line);
        place[at] = child_of(tree, place[parent], name, line);
        if (place[at] == 0)
            return false;
        for (unsigned kind = 0; kind < SAMPLER_KINDS; kind++)
            tree->node[place[at]].count[hart * SAMPLER_KINDS + kind] += node[at].count[kind];
    }
    return true;
}

enum err idle_tree_add(struct idle_tree *tree, unsigned hart,
                       const struct kernel_sampler_node *node, size_t nodes,
                       const struct symbols *symbols, struct diag *diag)
{
    uint32_t *place = calloc(nodes + 1, sizeof *place);
    bool fits = place != NULL;

    for (size_t i = 0; i < nodes && fits; i++)
        fits = add_children(tree, hart, place, (uint32_t)i, node, symbols);
    free(place);
    return fits ? ERR_OK : diag_no_memory(diag, "call stacks");
}

/* ---- sums ------------------------------------------------------------------------------------ */

uint64_t idle_tree_own(const struct idle_tree *tree, uint32_t node, uint32_t hart,
                       enum sampler_kind kind)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < tree->harts; i++)
        if (hart == IDLE_ALL_HARTS || hart == i)
            sum += tree->node[node].count[i * SAMPLER_KINDS + kind];
    return sum;
}

uint64_t idle_tree_sum(const struct idle_tree *tree, uint32_t node, uint32_t hart,
                       enum sampler_kind kind)
{
    uint64_t sum = idle_tree_own(tree, node, hart, kind);

    for (uint32_t at = tree->node[node].child; at != 0; at = tree->node[at].next)
        sum += idle_tree_sum(tree, at, hart, kind);
    return sum;
}

static uint64_t both(const struct idle_tree *tree, uint32_t node, uint32_t hart)
{
    return idle_tree_sum(tree, node, hart, SAMPLER_KIND_TO) +
           idle_tree_sum(tree, node, hart, SAMPLER_KIND_FROM);
}

/* ---- the tree as text ------------------------------------------------------------------------ */

/* Among children that are not done, the one with most stacks, then the first by name and line. */
static uint32_t most_of(const struct idle_tree *tree, uint32_t parent, uint32_t hart,
                        const bool *is_done)
{
    uint32_t best = 0;
    uint64_t most = 0;

    for (uint32_t at = tree->node[parent].child; at != 0; at = tree->node[at].next) {
        uint64_t sum = both(tree, at, hart);
        int order = best == 0 ? -1 : strcmp(tree->node[at].name, tree->node[best].name);

        if (order == 0)
            order = strcmp(tree->node[at].line, tree->node[best].line);
        if (!is_done[at] && (best == 0 || sum > most || (sum == most && order < 0))) {
            best = at;
            most = sum;
        }
    }
    return best;
}

static void print_node(const struct idle_tree *tree, uint32_t node, uint32_t hart, unsigned depth,
                       FILE *out)
{
    uint64_t all = both(tree, 0, hart), sum = both(tree, node, hart);
    const struct idle_node *at = &tree->node[node];

    fprintf(out, "%10" PRIu64 "%11" PRIu64 "%8.2f%%  %*s%s%s%s%s\n",
            idle_tree_sum(tree, node, hart, SAMPLER_KIND_TO),
            idle_tree_sum(tree, node, hart, SAMPLER_KIND_FROM),
            100.0 * (double)sum / (double)all, 2 * (int)depth, "", at->name,
            at->line[0] != '\0' ? " (" : "", at->line, at->line[0] != '\0' ? ")" : "");
}

static void print_below(const struct idle_tree *tree, uint32_t node, uint32_t hart,
                        unsigned depth, double least, bool *is_done, FILE *out)
{
    uint32_t at;

    while ((at = most_of(tree, node, hart, is_done)) != 0) {
        is_done[at] = true;
        if (both(tree, at, hart) == 0 ||
            100.0 * (double)both(tree, at, hart) < least * (double)both(tree, 0, hart))
            continue;
        print_node(tree, at, hart, depth, out);
        print_below(tree, at, hart, depth + 1, least, is_done, out);
    }
}

void idle_tree_print(const struct idle_tree *tree, uint32_t hart, double least, FILE *out)
{
    bool *is_done = calloc(tree->nodes, sizeof *is_done);

    fprintf(out, "%10s%11s%9s  call stack\n", "to idle", "from idle", "");
    if (is_done != NULL && both(tree, 0, hart) != 0)
        print_below(tree, 0, hart, 0, least, is_done, out);
    free(is_done);
}

/* ---- folded stacks --------------------------------------------------------------------------- */

static void print_frames(const struct idle_tree *tree, uint32_t node, FILE *out)
{
    if (tree->node[node].parent != 0)
        print_frames(tree, tree->node[node].parent, out);
    fputc(';', out);
    for (const char *at = tree->node[node].name; *at != '\0'; at++)
        fputc(*at == ';' ? ':' : *at, out);
}

static char *fold(const struct idle_tree *tree, uint32_t node, enum sampler_kind kind)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    fputs(kind == SAMPLER_KIND_TO ? "to idle" : "from idle", out);
    print_frames(tree, node, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

struct folded { char *text; uint64_t count; };

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct folded *)a)->text, ((const struct folded *)b)->text);
}

/* Lines of one function are one frame here, so equal texts are added. */
static void print_folded(struct folded *folded, size_t count, FILE *out)
{
    qsort(folded, count, sizeof *folded, compare);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && strcmp(folded[i].text, folded[i + 1].text) == 0)
            folded[i + 1].count += folded[i].count;
        else
            fprintf(out, "%s %" PRIu64 "\n", folded[i].text, folded[i].count);
    }
}

enum err idle_tree_folded(const struct idle_tree *tree, FILE *out, struct diag *diag)
{
    struct folded *folded = calloc(2 * tree->nodes + 1, sizeof *folded);
    bool fits = folded != NULL;
    size_t count = 0;

    for (uint32_t i = 1; i < tree->nodes && fits; i++)
        for (unsigned kind = 0; kind < SAMPLER_KINDS && fits; kind++) {
            uint64_t sum = idle_tree_own(tree, i, IDLE_ALL_HARTS, kind);

            if (sum == 0)
                continue;
            folded[count] = (struct folded){fold(tree, i, kind), sum};
            fits = folded[count].text != NULL;
            count += fits;
        }
    if (fits)
        print_folded(folded, count, out);
    for (size_t i = 0; i < count; i++)
        free(folded[i].text);
    free(folded);
    return fits ? ERR_OK : diag_no_memory(diag, "call stacks");
}
