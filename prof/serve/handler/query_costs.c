/* Distributions of selections: GET /v1/costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/serve/handler/flat.h"
#include "prof/serve/handler/select.h"
#include "prof/serve/database/wide.h"

enum { ROWS = 200, ROWS_MAX = 2000 };

/* The columns that name a group, and their keys in the answer; "''": none. */
static const struct group {
    const char *name, *column, *second, *key, *second_key;
    bool needs_program;
} groups[] = {
    {"function", "f.name", "f.module", "function", "module", false},
    {"module", "f.module", "''", "module", NULL, false},
    {"namespace", "f.namespace", "''", "namespace", NULL, false},
    {"program", "p.name", "''", "program", NULL, true},
    {"version", "p.name", "p.version", "program", "version", true},
};

static const struct group *find_group(struct request *request)
{
    const char *name = request_value(request, "group");

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strcmp(groups[i].name, *name != '\0' ? name : "function") == 0)
            return &groups[i];
    reply_error(request, MHD_HTTP_BAD_REQUEST, "group: expected function, module, namespace, "
                "program or version");
    return NULL;
}

/* Functions of a selection, by id. */
struct page { int64_t id[ROWS_MAX]; size_t ids; };

/* Up to `limit` functions after this one. Their costs are then queried one by one, which is fast
 * independent of the database's query plan. */
static enum err find_page(struct request *request, int64_t after, uint64_t limit,
                          struct page *page)
{
    struct select select = {"SELECT f.id FROM function f WHERE f.id > ", {{0}}, 0};
    struct db_rows rows;

    select_number(&select, "", after, "");
    select_functions(&select, request);
    select_number(&select, " ORDER BY f.id LIMIT ", (int64_t)limit, "");
    select_run(&select, request->db, &rows);
    for (page->ids = 0; page->ids < limit && db_next(&rows);)
        page->id[page->ids++] = db_number(&rows, 0);
    return db_end(&rows);
}

/* True if the selection needs single functions; sums by module and namespace are stored. */
static bool needs_functions(struct request *request, const struct group *group)
{
    return group == &groups[0] || *request_value(request, "function") != '\0' ||
           *request_value(request, "search") != '\0';
}

/* `id`: one function; 0: those that the request selects. A cross join keeps SQLite from reading all
 * costs to find those of a few functions. */
static void select_costs(struct select *select, struct request *request,
                         const struct group *group, int64_t id)
{
    bool by_function = needs_functions(request, group);
    char columns[64];

    snprintf(columns, sizeof columns, "%s, %s", group->column, group->second);
    select_add(select, "SELECT ");
    select_add(select, columns);
    select_add(select, ", k.name, c.scope, c.bucket, SUM(c.count_hi), SUM(c.count_lo), "
               "SUM(c.sum_hi), SUM(c.sum_lo), SUM(c.squares_hi), SUM(c.squares_lo) FROM ");
    select_add(select, by_function ? "function f CROSS JOIN cost c"
                                   : "place f CROSS JOIN place_cost c");
    select_add(select, " JOIN kind k ON k.id = c.kind");
    if (group->needs_program || select_has_program(request))
        select_add(select, " JOIN program p ON p.id = c.program");
    select_add(select, by_function ? " WHERE c.function = f.id" : " WHERE c.place = f.id");
    if (id != 0)
        select_number(select, " AND f.id = ", id, "");
    else
        select_functions(select, request);
    select_rows(select, request, "c");
}

static void select_order(struct select *select, const struct group *group)
{
    for (unsigned i = 0; i < 2; i++) {
        select_add(select, i == 0 ? " GROUP BY " : " ORDER BY ");
        select_add(select, group->column);
        if (strcmp(group->second, "''") != 0) {
            select_add(select, ", ");
            select_add(select, group->second);
        }
        select_add(select, ", k.name, c.scope, c.bucket");
    }
}

/* ---- rows of a result, as distributions ------------------------------------------------------ */

struct distribution {
    char *name, *second, *cost;
    int64_t scope;
    struct api_bucket bucket[API_SLOTS];
};

/* Calls `take` for each distribution of rows in order. */
typedef void take_distribution(void *arg, const struct distribution *distribution);

static bool is_same(const struct distribution *distribution, struct db_rows *rows)
{
    return distribution->name != NULL && strcmp(distribution->name, db_text(rows, 0)) == 0 &&
           strcmp(distribution->second, db_text(rows, 1)) == 0 &&
           strcmp(distribution->cost, db_text(rows, 2)) == 0 &&
           distribution->scope == db_number(rows, 3);
}

static void finish(struct distribution *distribution, take_distribution *take, void *arg)
{
    if (distribution->name != NULL && distribution->second != NULL && distribution->cost != NULL)
        take(arg, distribution);
    free(distribution->name);
    free(distribution->second);
    free(distribution->cost);
    *distribution = (struct distribution){.name = NULL};
}

static enum err walk(struct db_rows *rows, take_distribution *take, void *arg)
{
    struct distribution one = {.name = NULL};

    while (db_next(rows)) {
        int64_t at = db_number(rows, 4);

        if (!is_same(&one, rows)) {
            finish(&one, take, arg);
            one.name = strdup(db_text(rows, 0));
            one.second = strdup(db_text(rows, 1));
            one.cost = strdup(db_text(rows, 2));
            one.scope = db_number(rows, 3);
        }
        if (at >= 0 && at < API_SLOTS)
            one.bucket[at] = (struct api_bucket){
                wide_value(db_number(rows, 5), db_number(rows, 6)),
                wide_value(db_number(rows, 7), db_number(rows, 8)),
                wide_value(db_number(rows, 9), db_number(rows, 10)),
            };
    }
    finish(&one, take, arg);
    return db_end(rows);
}

static struct api_bucket total_of(const struct distribution *distribution)
{
    struct api_bucket total = {0, 0, 0};

    for (unsigned i = 0; i < API_SLOTS; i++)
        api_bucket_merge(&total, &distribution->bucket[i]);
    return total;
}

struct json_rows { cJSON *array; const struct group *group; };

static void take_json(void *arg, const struct distribution *distribution)
{
    struct json_rows *rows = arg;
    struct api_bucket total = total_of(distribution);
    cJSON *json = cJSON_CreateObject();

    cJSON_AddItemToArray(rows->array, json);
    cJSON_AddStringToObject(json, rows->group->key, distribution->name);
    if (rows->group->second_key != NULL)
        cJSON_AddStringToObject(json, rows->group->second_key, distribution->second);
    cJSON_AddStringToObject(json, "cost", distribution->cost);
    cJSON_AddStringToObject(json, "scope", api_scope_name((enum api_scope)distribution->scope));
    api_bucket_write(json, &total);
    api_buckets_write(json, distribution->bucket);
}

/* Adds a stack of the module and the function, or of the group alone. */
static void take_flat(void *arg, const struct distribution *distribution)
{
    struct api_bucket total = total_of(distribution);
    size_t bytes = strlen(distribution->name) + strlen(distribution->second) + 2;
    char *stack = malloc(bytes);

    if (stack == NULL)
        return;
    if (*distribution->second != '\0')
        snprintf(stack, bytes, "%s;%s", distribution->second, distribution->name);
    else
        snprintf(stack, bytes, "%s", *distribution->name != '\0' ? distribution->name : "?");
    flat_add(arg, stack, total.count, total.sum);
    free(stack);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Answers with the whole selection at once. Only exclusive costs of one kind add up. */
static void reply_flat(struct request *request, const struct group *group, bool is_pprof)
{
    struct select select = {"", {{0}}, 0};
    const char *cost = request_value(request, "cost");
    struct flat flat = {.stacks = 0};
    struct db_rows rows;
    char *text = NULL;
    size_t bytes = 0;

    if (*cost == '\0' || *request_value(request, "scope") == '\0') {
        reply_error(request, MHD_HTTP_BAD_REQUEST, "this format needs a cost and a scope");
        return;
    }
    select_costs(&select, request, group, 0);
    select_order(&select, group);
    select_run(&select, request->db, &rows);
    if (walk(&rows, take_flat, &flat) != ERR_OK)
        reply_database(request, request->db);
    else if (is_pprof)
        text = flat_pprof(&flat, "calls", cost, strcmp(cost, "allocated") == 0 ? "bytes" : "count",
                          &bytes);
    else
        text = flat_folded(&flat, &bytes);
    flat_free(&flat);
    if (text != NULL)
        reply_text(request, MHD_HTTP_OK, is_pprof ? "application/octet-stream" : "text/plain",
                   text, bytes);
}

static enum err add_page(struct request *request, struct json_rows *json, const struct page *page)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < page->ids && err == ERR_OK; i++) {
        struct select select = {"", {{0}}, 0};
        struct db_rows rows;

        select_costs(&select, request, json->group, page->id[i]);
        select_order(&select, json->group);
        select_run(&select, request->db, &rows);
        err = walk(&rows, take_json, json);
    }
    return err;
}

/* Adds functions page by page; if no row of a page is in the selection, the next page is tried. */
static enum err add_functions(struct request *request, struct json_rows *json, cJSON *root)
{
    struct page page = {.ids = 0};
    uint64_t after, limit;
    enum err err;

    if (!request_number(request, "after", 0, INT32_MAX, &after) ||
        !request_number(request, "limit", ROWS, ROWS_MAX, &limit))
        return ERR_OK;
    limit += limit == 0;
    do {
        err = find_page(request, (int64_t)after, limit, &page);
        if (err == ERR_OK)
            err = add_page(request, json, &page);
        if (page.ids > 0)
            after = (uint64_t)page.id[page.ids - 1];
    } while (err == ERR_OK && page.ids == limit && cJSON_GetArraySize(json->array) == 0);
    if (page.ids == limit)
        json_number(root, "next", after);
    return err;
}

static enum err add_groups(struct request *request, struct json_rows *json)
{
    struct select select = {"", {{0}}, 0};
    struct db_rows rows;

    select_costs(&select, request, json->group, 0);
    select_order(&select, json->group);
    select_run(&select, request->db, &rows);
    return walk(&rows, take_json, json);
}

void handle_costs(struct request *request)
{
    const char *format = request_value(request, "format");
    const struct group *group = find_group(request);
    struct json_rows json = {NULL, group};
    bool is_function = group == &groups[0];
    cJSON *root;
    enum err err;

    if (group == NULL || !request_is_one_of(request, "format", "json folded pprof") ||
        !request_is_one_of(request, "scope", "inclusive exclusive"))
        return;
    if (strcmp(format, "folded") == 0 || strcmp(format, "pprof") == 0) {
        reply_flat(request, group, strcmp(format, "pprof") == 0);
        return;
    }
    root = cJSON_CreateObject();
    json_number(root, "schema", 1);
    json.array = cJSON_AddArrayToObject(root, is_function ? "functions" : "groups");
    if (is_function)
        cJSON_AddArrayToObject(root, "stacks");
    err = is_function ? add_functions(request, &json, root) : add_groups(request, &json);
    if (err != ERR_OK)
        reply_database(request, request->db);
    if (request->response == NULL)
        reply_json(request, MHD_HTTP_OK, root);
    else
        cJSON_Delete(root);
}
