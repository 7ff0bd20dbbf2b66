/* Lists: functions with their totals, and all names. */
#include <string.h>

#include "prof/serve/handler/select.h"
#include "prof/serve/database/wide.h"

enum { ROWS = 50, ROWS_MAX = 1000, OFFSET_MAX = 1000000, NAMES_MAX = 2000 };

static const char *order_of(struct request *request)
{
    const char *sort = request_value(request, "sort");

    if (*sort == '\0' || strcmp(sort, "sum") == 0)
        return " ORDER BY SUM(t.sum_hi) + SUM(t.sum_lo) / 4294967296 DESC, SUM(t.sum_lo) DESC, "
               "f.name, f.module";
    if (strcmp(sort, "name") == 0)
        return " ORDER BY f.name, f.module, k.name, t.scope";
    if (strcmp(sort, "count") == 0)
        return " ORDER BY SUM(t.count_hi) DESC, SUM(t.count_lo) DESC, f.name, f.module";
    if (strcmp(sort, "mean") == 0)
        return " ORDER BY (SUM(t.sum_hi) * 4294967296.0 + SUM(t.sum_lo)) / "
               "(SUM(t.count_hi) * 4294967296.0 + SUM(t.count_lo)) DESC, f.name, f.module";
    reply_error(request, MHD_HTTP_BAD_REQUEST, "sort: expected sum, count, mean or name");
    return NULL;
}

static bool selects_functions(const struct request *request)
{
    return *request_value(request, "function") != '\0' ||
           *request_value(request, "module") != '\0' ||
           *request_value(request, "namespace") != '\0' ||
           *request_value(request, "search") != '\0';
}

/* The totals of selected functions are looked up one by one, by their key (kind, scope, function).
 * A cross join keeps SQLite to this order; the scopes are a constant list. */
static void select_totals(struct select *select, struct request *request)
{
    const char *join = selects_functions(request) ? " CROSS JOIN " : ", ";

    select_add(select, "SELECT f.name, f.module, f.namespace, k.name, t.scope, SUM(t.count_hi), "
               "SUM(t.count_lo), SUM(t.sum_hi), SUM(t.sum_lo), SUM(t.squares_hi), "
               "SUM(t.squares_lo) FROM function f");
    select_add(select, join);
    select_add(select, "kind k");
    select_add(select, join);
    select_add(select, "total t");
    if (select_has_program(request))
        select_add(select, " JOIN program p ON p.id = t.program");
    select_add(select, " WHERE t.kind = k.id AND t.function = f.id AND t.scope IN (0, 1)");
    select_functions(select, request);
    select_rows(select, request, "t");
    select_add(select, " GROUP BY f.id, f.name, f.module, f.namespace, k.name, t.scope");
}

static void add_function(cJSON *array, struct db_rows *rows)
{
    struct api_bucket total = {
        wide_value(db_number(rows, 5), db_number(rows, 6)),
        wide_value(db_number(rows, 7), db_number(rows, 8)),
        wide_value(db_number(rows, 9), db_number(rows, 10)),
    };
    cJSON *json = cJSON_CreateObject();

    cJSON_AddItemToArray(array, json);
    cJSON_AddStringToObject(json, "function", db_text(rows, 0));
    cJSON_AddStringToObject(json, "module", db_text(rows, 1));
    cJSON_AddStringToObject(json, "namespace", db_text(rows, 2));
    cJSON_AddStringToObject(json, "cost", db_text(rows, 3));
    cJSON_AddStringToObject(json, "scope", api_scope_name((enum api_scope)db_number(rows, 4)));
    api_bucket_write(json, &total);
}

void handle_functions(struct request *request)
{
    struct select select = {"", {{0}}, 0};
    const char *order = order_of(request);
    uint64_t limit, offset;
    cJSON *root, *array;
    struct db_rows rows;

    if (order == NULL || !request_is_one_of(request, "scope", "inclusive exclusive") ||
        !request_number(request, "limit", ROWS, ROWS_MAX, &limit) ||
        !request_number(request, "offset", 0, OFFSET_MAX, &offset))
        return;
    select_totals(&select, request);
    select_add(&select, order);
    select_number(&select, " LIMIT ", (int64_t)limit, "");
    select_number(&select, " OFFSET ", (int64_t)offset, "");
    root = cJSON_CreateObject();
    json_number(root, "schema", 1);
    array = cJSON_AddArrayToObject(root, "functions");
    select_run(&select, request->db, &rows);
    while (db_next(&rows))
        add_function(array, &rows);
    if (db_end(&rows) == ERR_OK) {
        reply_json(request, MHD_HTTP_OK, root);
        return;
    }
    cJSON_Delete(root);
    reply_database(request, request->db);
}

/* ---- names ----------------------------------------------------------------------------------- */

static enum err add_texts(struct request *request, cJSON *root, const char *key, const char *sql)
{
    cJSON *array = cJSON_AddArrayToObject(root, key);
    struct db_rows rows;

    db_query(request->db, &rows, sql, "n", (int64_t)NAMES_MAX);
    while (db_next(&rows))
        cJSON_AddItemToArray(array, cJSON_CreateString(db_text(&rows, 0)));
    return db_end(&rows);
}

static enum err add_programs(struct request *request, cJSON *root)
{
    cJSON *array = cJSON_AddArrayToObject(root, "programs");
    struct db_rows rows;

    db_query(request->db, &rows, "SELECT name, version FROM program ORDER BY name, id LIMIT $1",
             "n", (int64_t)NAMES_MAX);
    while (db_next(&rows)) {
        cJSON *json = cJSON_CreateObject();

        cJSON_AddItemToArray(array, json);
        cJSON_AddStringToObject(json, "program", db_text(&rows, 0));
        cJSON_AddStringToObject(json, "version", db_text(&rows, 1));
    }
    return db_end(&rows);
}

void handle_names(struct request *request)
{
    cJSON *root = cJSON_CreateObject();
    enum err err;

    json_number(root, "schema", 1);
    err = add_programs(request, root);
    if (err == ERR_OK)
        err = add_texts(request, root, "costs", "SELECT name FROM kind ORDER BY id LIMIT $1");
    if (err == ERR_OK)
        err = add_texts(request, root, "modules", "SELECT DISTINCT module FROM function "
                        "ORDER BY module LIMIT $1");
    if (err == ERR_OK) {
        reply_json(request, MHD_HTTP_OK, root);
        return;
    }
    cJSON_Delete(root);
    reply_database(request, request->db);
}
