/* Groups of hangs, their reports, and control files: requests that read. */
#include <stdlib.h>
#include <string.h>

#include "prof/records/csv.h"
#include "prof/serve/store/control.h"
#include "prof/serve/handler/flat.h"
#include "prof/serve/handler/select.h"

enum { ROWS = 50, ROWS_MAX = 1000, OFFSET_MAX = 1000000, FLAT_MAX = 100000 };

static void select_groups(struct select *select, const struct request *request, uint64_t limit,
                          uint64_t offset)
{
    static const struct { const char *name, *sql, *after; } condition[] = {
        {"program", " AND p.name = ", ""}, {"version", " AND p.version = ", ""},
        {"tag", " AND g.tag = ", ""},
        {"search", " AND REPLACE(LOWER(g.stack), LOWER(CAST(",
         " AS TEXT)), '') <> LOWER(g.stack)"},
    };

    select_add(select, "SELECT g.id, p.name, p.version, g.tag, g.stack, g.reports, g.first_seen, "
               "g.last_seen, g.longest, g.unit FROM hang_group g JOIN program p ON "
               "p.id = g.program WHERE 1 = 1");
    for (size_t i = 0; i < sizeof condition / sizeof condition[0]; i++) {
        const char *value = request_value(request, condition[i].name);

        if (*value != '\0')
            select_text(select, condition[i].sql, value, condition[i].after);
    }
    select_number(select, " ORDER BY g.reports DESC, g.id LIMIT ", (int64_t)limit, "");
    select_number(select, " OFFSET ", (int64_t)offset, "");
}

static void add_stack(cJSON *json, const char *stack)
{
    cJSON *array = cJSON_AddArrayToObject(json, "stack");
    char *copy = strdup(stack), *rest = copy, *frame;

    while ((frame = strsep(&rest, ";")) != NULL)
        cJSON_AddItemToArray(array, cJSON_CreateString(frame));
    free(copy);
}

static cJSON *group_json(struct db_rows *rows)
{
    cJSON *json = cJSON_CreateObject();

    json_number(json, "group", (uint64_t)db_number(rows, 0));
    cJSON_AddStringToObject(json, "program", db_text(rows, 1));
    cJSON_AddStringToObject(json, "version", db_text(rows, 2));
    cJSON_AddStringToObject(json, "tag", db_text(rows, 3));
    add_stack(json, db_text(rows, 4));
    json_number(json, "reports", (uint64_t)db_number(rows, 5));
    json_number(json, "first_seen", (uint64_t)db_number(rows, 6));
    json_number(json, "last_seen", (uint64_t)db_number(rows, 7));
    json_number(json, "longest", (uint64_t)db_number(rows, 8));
    cJSON_AddStringToObject(json, "unit", db_text(rows, 9));
    return json;
}

/* Stacks with the tag in front; their count is that of the reports. */
static void reply_flat(struct request *request, struct db_rows *rows, bool is_pprof)
{
    struct flat flat = {.stacks = 0};
    char *text;
    size_t bytes = 0;

    while (db_next(rows)) {
        uint64_t reports = (uint64_t)db_number(rows, 5);

        if (flat_add(&flat, db_text(rows, 4), reports, reports) != ERR_OK)
            break;
    }
    if (db_end(rows) != ERR_OK) {
        flat_free(&flat);
        reply_database(request, request->db);
        return;
    }
    text = is_pprof ? flat_pprof(&flat, "groups", "hangs", "count", &bytes)
                    : flat_folded(&flat, &bytes);
    flat_free(&flat);
    if (text != NULL)
        reply_text(request, MHD_HTTP_OK, is_pprof ? "application/octet-stream" : "text/plain",
                   text, bytes);
}

void handle_hangs(struct request *request)
{
    const char *format = request_value(request, "format");
    bool is_flat = strcmp(format, "folded") == 0 || strcmp(format, "pprof") == 0;
    struct select select = {"", {{0}}, 0};
    uint64_t limit, offset;
    cJSON *root, *array;
    struct db_rows rows;

    if (!request_is_one_of(request, "format", "json folded pprof") ||
        !request_number(request, "limit", is_flat ? FLAT_MAX : ROWS, is_flat ? FLAT_MAX : ROWS_MAX,
                        &limit) ||
        !request_number(request, "offset", 0, OFFSET_MAX, &offset))
        return;
    select_groups(&select, request, limit, offset);
    select_run(&select, request->db, &rows);
    if (is_flat) {
        reply_flat(request, &rows, strcmp(format, "pprof") == 0);
        return;
    }
    root = cJSON_CreateObject();
    json_number(root, "schema", 1);
    array = cJSON_AddArrayToObject(root, "groups");
    while (db_next(&rows))
        cJSON_AddItemToArray(array, group_json(&rows));
    if (db_end(&rows) == ERR_OK) {
        reply_json(request, MHD_HTTP_OK, root);
        return;
    }
    cJSON_Delete(root);
    reply_database(request, request->db);
}

/* ---- one group ------------------------------------------------------------------------------- */

static enum err add_reports(struct request *request, cJSON *root, int64_t group)
{
    cJSON *array = cJSON_AddArrayToObject(root, "last_reports");
    struct db_rows rows;

    db_query(request->db, &rows, "SELECT number, received, text FROM hang_report "
             "WHERE hang_group = $1 ORDER BY number DESC", "n", group);
    while (db_next(&rows)) {
        cJSON *json = cJSON_CreateObject();

        json_number(json, "number", (uint64_t)db_number(&rows, 0));
        json_number(json, "received", (uint64_t)db_number(&rows, 1));
        cJSON_AddRawToObject(json, "report", db_text(&rows, 2));
        cJSON_AddItemToArray(array, json);
    }
    return db_end(&rows);
}

void handle_hang(struct request *request)
{
    struct db_rows rows;
    cJSON *root = NULL;
    uint64_t group;
    enum err err;

    if (!csv_number(request->rest, &group) || group > INT32_MAX) {
        reply_error(request, MHD_HTTP_NOT_FOUND, "expected the number of a group");
        return;
    }
    db_query(request->db, &rows, "SELECT g.id, p.name, p.version, g.tag, g.stack, g.reports, "
             "g.first_seen, g.last_seen, g.longest, g.unit FROM hang_group g JOIN program p ON "
             "p.id = g.program WHERE g.id = $1", "n", (int64_t)group);
    if (db_next(&rows))
        root = group_json(&rows);
    err = db_end(&rows);
    if (root != NULL && err == ERR_OK)
        err = add_reports(request, root, (int64_t)group);
    if (err != ERR_OK) {
        cJSON_Delete(root);
        reply_database(request, request->db);
    } else if (root == NULL) {
        reply_error(request, MHD_HTTP_NOT_FOUND, "no such group");
    } else {
        reply_json(request, MHD_HTTP_OK, root);
    }
}

/* ---- control files --------------------------------------------------------------------------- */

static void reply_control_text(struct request *request)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum err err = out != NULL ? control_text(request->db, request->rest, out) : ERR_NO_MEMORY;

    if (out != NULL)
        fclose(out);
    if (err == ERR_OK) {
        reply_text(request, MHD_HTTP_OK, "text/plain", text, bytes);
        return;
    }
    free(text);
    reply_database(request, request->db);
}

void handle_control(struct request *request)
{
    enum err err;
    cJSON *root;

    if (request->program[0] != '\0' && strcmp(request->program, request->rest) != 0) {
        reply_error(request, MHD_HTTP_FORBIDDEN, "the token is for program %s", request->program);
        return;
    }
    if (!request_is_one_of(request, "format", "json text"))
        return;
    if (strcmp(request_value(request, "format"), "text") == 0) {
        reply_control_text(request);
        return;
    }
    root = control_json(request->db, request->rest, &err);
    if (err == ERR_OK) {
        reply_json(request, MHD_HTTP_OK, root);
        return;
    }
    cJSON_Delete(root);
    reply_database(request, request->db);
}
