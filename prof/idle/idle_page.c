/* See idle_page.h. */
#include "prof/idle/idle_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "prof/html/html.h"
#include "prof/profile/json.h"

enum { TEXT_BYTES = 2 * SYMBOLS_TEXT };

/* ---- summary --------------------------------------------------------------------------------- */

static void add_share(cJSON *array, const char *name, uint64_t part, uint64_t whole)
{
    char text[64];

    snprintf(text, sizeof text, "%.2f %%", report_percent(part, whole));
    html_add_card(array, name, text);
}

/* The first row of the table of waits. */
static void add_wait(cJSON *array, const struct idle_view *view)
{
    char text[IDLE_WAIT_TEXT];

    if (view->charge->rows != 0)
        html_add_card(array, "harts wait most for",
                      idle_wait_name(view->charge->row, view->symbols, text));
}

static void add_summary(cJSON *root, const struct idle_view *view)
{
    cJSON *array = cJSON_AddArrayToObject(root, "summary");
    const struct idle_charge *charge = view->charge;
    struct idle_hart all = idle_all_harts(charge);
    char name[64];

    html_add_count(array, "cycles of the run", view->cycles);
    html_add_count(array, "harts", charge->harts);
    add_share(array, "of all harts' cycles idle", all.idle, all.cycles);
    for (unsigned i = 0; i < IDLE_CAUSES; i++) {
        unsigned cause = (i + 1) % IDLE_CAUSES;

        snprintf(name, sizeof name, "of idle cycles: %s%s", idle_cause_name(cause),
                 cause == KERNEL_REASON_NONE ? " runnable" : "");
        if (all.cause[cause] != 0)
            add_share(array, name, all.cause[cause], all.idle);
    }
    add_wait(array, view);
    html_add_count(array, "stacks to idle",
                   idle_tree_sum(view->tree, 0, IDLE_ALL_HARTS, SAMPLER_KIND_TO));
    html_add_count(array, "stacks from idle",
                   idle_tree_sum(view->tree, 0, IDLE_ALL_HARTS, SAMPLER_KIND_FROM));
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* The number of a text in the array, added if need be. */
static int index_of(cJSON *array, const char *text)
{
    const cJSON *item;
    int i = 0;

    cJSON_ArrayForEach(item, array) {
        if (strcmp(item->valuestring, text) == 0)
            return i;
        i++;
    }
    cJSON_AddItemToArray(array, cJSON_CreateString(text));
    return i;
}

static void add_pair(cJSON *array, uint64_t a, uint64_t b)
{
    cJSON *pair = cJSON_CreateArray();

    json_append_number(pair, a);
    json_append_number(pair, b);
    cJSON_AddItemToArray(array, pair);
}

/* The frames of a kind are the tree's nodes, in their order; its root is the outermost frame. A
 * frame's number is that of its node, plus 1, after those of the kind before. */
static void add_kind(cJSON *stacks, const struct idle_tree *tree, enum sampler_kind kind)
{
    cJSON *functions = cJSON_GetObjectItem(stacks, "functions");
    cJSON *frames = cJSON_GetObjectItem(stacks, "frames");
    cJSON *samples = cJSON_GetObjectItem(stacks, "samples");
    uint64_t before = 1 + (uint64_t)kind * tree->nodes;
    char text[TEXT_BYTES];

    for (uint32_t i = 0; i < tree->nodes; i++) {
        const struct idle_node *node = &tree->node[i];
        uint64_t count = idle_tree_own(tree, i, IDLE_ALL_HARTS, kind);

        if (i == 0)
            snprintf(text, sizeof text, "%s",
                     kind == SAMPLER_KIND_TO ? "to idle" : "from idle");
        else
            snprintf(text, sizeof text, "%s%s%s%s", node->name, node->line[0] != '\0' ? " (" : "",
                     node->line, node->line[0] != '\0' ? ")" : "");
        add_pair(frames, (uint64_t)index_of(functions, text), i == 0 ? 0 : before + node->parent);
        if (count != 0)
            add_pair(samples, before + i, count);
    }
}

static void add_stacks(cJSON *root, const struct idle_tree *tree)
{
    cJSON *stacks = cJSON_AddObjectToObject(root, "stacks");

    cJSON_AddStringToObject(stacks, "unit", "stacks");
    cJSON_AddArrayToObject(stacks, "functions");
    cJSON_AddArrayToObject(stacks, "frames");
    cJSON_AddArrayToObject(stacks, "samples");
    for (unsigned kind = 0; kind < SAMPLER_KINDS; kind++)
        add_kind(stacks, tree, kind);
}

/* ---- the page -------------------------------------------------------------------------------- */

cJSON *idle_page(const struct idle_view *view, const char *const *word, size_t words)
{
    static const char *const none[] = {"slots", "caches", "marks", "columns", "routines"};
    cJSON *root = cJSON_CreateObject(), *course = cJSON_AddObjectToObject(root, "course");

    cJSON_AddStringToObject(root, "title", symbols_base_name(word[0]));
    html_add_command(root, word, words);
    add_summary(root, view);
    add_stacks(root, view->tree);
    cJSON_AddArrayToObject(course, "words");
    cJSON_AddArrayToObject(course, "rows");
    cJSON_AddObjectToObject(root, "total");
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        cJSON_AddArrayToObject(root, none[i]);
    return root;
}
