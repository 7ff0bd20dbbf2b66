/* Selections of functions; see api_lookup.h. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "prof/api/api_lookup.h"
#include "prof/api/api_name.h"

struct selection {
    const struct names *names;          /* exactly these; NULL: by patterns */
    const char *const *pattern;
    size_t patterns;
    struct diag *diag;
};

static bool is_selected(const struct selection *selection, const char *function)
{
    if (selection->names != NULL)
        return names_find(selection->names, function) != NAMES_NONE;
    for (size_t i = 0; i < selection->patterns; i++)
        if (strcmp(selection->pattern[i], function) == 0 ||
            fnmatch(selection->pattern[i], function, 0) == 0 ||
            fnmatch(selection->pattern[i], api_name_of(function).text, 0) == 0 ||
            api_word_means(selection->pattern[i], function, false))
            return true;
    return false;
}

static enum err copy_row(struct api_table *to, const char *name, const struct api_table *from,
                         const struct api_row *row, struct diag *diag)
{
    struct api_row *copy;
    enum err err = api_row_get(to, name, from->cost.text[row->cost], row->scope, &copy, diag);

    for (unsigned i = 0; i < API_SLOTS && err == ERR_OK; i++)
        api_bucket_merge(&copy->bucket[i], &row->bucket[i]);
    return err;
}

/* Removes frames that are not selected from a stack, in place; *has_leaf: its leaf is selected. */
static void shorten(const struct selection *selection, char *stack, bool *has_leaf)
{
    char *rest = stack, *to = stack, *name;

    *has_leaf = false;
    while ((name = strsep(&rest, ";")) != NULL) {
        size_t length = strlen(name);

        *has_leaf = is_selected(selection, name);
        if (!*has_leaf)
            continue;
        if (to != stack)
            *to++ = ';';
        memmove(to, name, length);
        to += length;
    }
    *to = '\0';
}

static enum err copy_stack(struct api *to, const struct api *from, uint32_t number,
                           const struct selection *selection)
{
    char *stack = strdup(from->stacks.function.text[number]);
    bool has_leaf;
    enum err err = ERR_OK;

    if (stack == NULL)
        return diag_no_memory(selection->diag, "stacks");
    shorten(selection, stack, &has_leaf);
    if (*stack != '\0')
        err = api_see_stack(to, stack, selection->diag);
    for (size_t i = 0; i < from->stacks.rows && err == ERR_OK && has_leaf; i++)
        if (from->stacks.row[i].function == number)
            err = copy_row(&to->stacks, stack, &from->stacks, &from->stacks.row[i],
                           selection->diag);
    free(stack);
    return err;
}

static enum err select_by(struct api *api, const struct selection *selection)
{
    struct diag *diag = selection->diag;
    struct api selected = {.table.rows = 0};
    enum err err = ERR_OK;

    for (size_t i = 0; i < api->table.rows && err == ERR_OK; i++) {
        const struct api_row *row = &api->table.row[i];
        const char *name = api->table.function.text[row->function];

        if (is_selected(selection, name))
            err = copy_row(&selected.table, name, &api->table, row, diag);
    }
    if (err == ERR_OK && selected.table.rows == 0)
        err = ERR_USAGE;
    for (uint32_t i = 0; i < api->stacks.function.count && err == ERR_OK; i++)
        err = copy_stack(&selected, api, i, selection);
    if (err == ERR_OK) {
        selected.places = api->places;
        api->places = (struct api_places){.text = NULL};
    }
    api_free(err == ERR_OK ? api : &selected);
    if (err == ERR_OK)
        *api = selected;
    return err;
}

enum err api_select(struct api *api, const char *const *pattern, size_t patterns,
                    struct diag *diag)
{
    const struct selection selection = {NULL, pattern, patterns, diag};
    enum err err = select_by(api, &selection);

    return err != ERR_USAGE ? err
                            : diag_set(diag, err, "api: --function %s: no such function has costs",
                                       pattern[0]);
}

enum err api_select_names(struct api *api, const struct names *functions, struct diag *diag)
{
    const struct selection selection = {functions, NULL, 0, diag};
    enum err err = select_by(api, &selection);

    return err != ERR_USAGE ? err
                            : diag_set(diag, err, "api: no function of these modules has costs");
}
