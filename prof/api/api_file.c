/* Reads costs from records, and tables from JSON; writes JSON. See api.h. */
#include "prof/api/api_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "prof/profile/json.h"
#include "prof/records/csv.h"

static const char *const scope_name[] = {"inclusive", "exclusive"};

const char *api_scope_name(enum api_scope scope)
{
    return scope_name[scope];
}

/* ---- records --------------------------------------------------------------------------------- */

/* The valid costs: "allocated", "cycles" and the events of counters; `state` is an unsigned. */
static const char *next_cost(void *state)
{
    unsigned *at = state;

    if (++*at == 1)
        return "allocated";
    for (; *at <= EVENT_COUNT; ++*at)
        if (event_name(*at - 1) != NULL)
            return event_name(*at - 1);
    return NULL;
}

static bool is_cost(const char *name)
{
    unsigned at = 0;
    const char *cost;

    while ((cost = next_cost(&at)) != NULL)
        if (strcmp(cost, name) == 0)
            return true;
    return false;
}

/* True if no frame of it is empty. */
static bool is_function(const char *name)
{
    size_t length = strlen(name);

    return length != 0 && name[0] != ';' && name[length - 1] != ';' && strstr(name, ";;") == NULL;
}

static enum err add_record(struct api *api, const struct csv *csv, struct diag *diag)
{
    unsigned at = 0;
    uint64_t n;

    if (csv->fields != 3)
        return diag_set(diag, ERR_USAGE, "%s:%u: expected function,cost,n", csv->path, csv->line);
    if (!is_function(csv->field[0]))
        return csv_expected(csv, "a function, or a stack root;caller;leaf", csv->field[0], diag);
    if (!is_cost(csv->field[1])) {
        csv_expected(csv, "allocated, cycles or an event", csv->field[1], diag);
        return diag_suggest(diag, ERR_USAGE, csv->field[1], next_cost, &at);
    }
    if (!csv_number(csv->field[2], &n))
        return csv_expected(csv, "a number", csv->field[2], diag);
    return api_charge(api, csv->field[0], csv->field[1], n, diag);
}

static bool is_head(const struct csv *csv)
{
    return csv->fields == 3 && strcmp(csv->field[0], "function") == 0 &&
           strcmp(csv->field[2], "n") == 0;
}

static enum err read_records(struct api *api, struct csv *csv, struct diag *diag)
{
    bool more, is_first = true;
    enum err err;

    while ((err = csv_next(csv, &more, diag)) == ERR_OK && more) {
        if (!is_first || !is_head(csv))
            err = add_record(api, csv, diag);
        if (err != ERR_OK)
            break;
        is_first = false;
    }
    return err == ERR_OK && is_first ? csv_expected_lines(csv, "function,cost,n", diag) : err;
}

/* ---- JSON, reading --------------------------------------------------------------------------- */

/* Sums are strings, as most JSON readers have exact numbers only up to 2^53. */
static uint64_t read_sum(struct json_reader *reader, const cJSON *json, const char *key)
{
    const char *text = json_get_text(reader, json, key);
    uint64_t value = 0;

    if (reader->err == ERR_OK && !csv_number(text, &value))
        json_fail(reader, key, "a number as text");
    return value;
}

unsigned api_bucket_read(struct json_reader *reader, const cJSON *json, struct api_bucket *bucket)
{
    bool is_zero = cJSON_GetObjectItemCaseSensitive(json, "bucket") == NULL;
    uint64_t at = is_zero ? API_ZERO : json_get_number(reader, json, "bucket");

    *bucket = (struct api_bucket){
        json_get_number(reader, json, "count"), read_sum(reader, json, "sum"),
        read_sum(reader, json, "sum_of_squares"),
    };
    if (at > API_ZERO || (at == API_ZERO && !is_zero)) {
        json_fail(reader, "bucket", "a number up to 63");
        return API_ZERO;
    }
    if (reader->err == ERR_OK && bucket->count == 0 && (bucket->sum | bucket->squares) != 0)
        json_fail(reader, "count", "a number that is not 0, as sum and sum_of_squares are not");
    return (unsigned)at;
}

enum api_scope api_scope_read(struct json_reader *reader, const cJSON *json)
{
    const char *scope = json_get_text(reader, json, "scope");

    if (strcmp(scope, scope_name[API_INCLUSIVE]) == 0)
        return API_INCLUSIVE;
    if (strcmp(scope, scope_name[API_EXCLUSIVE]) != 0)
        json_fail(reader, "scope", "inclusive or exclusive");
    return API_EXCLUSIVE;
}

static void read_bucket(struct json_reader *reader, const cJSON *json, struct api_row *row)
{
    struct api_bucket bucket;
    unsigned at = api_bucket_read(reader, json, &bucket);

    if (reader->err == ERR_OK)
        api_bucket_merge(&row->bucket[at], &bucket);
}

static enum err read_row(struct json_reader *reader, const cJSON *json, struct api *api,
                         bool is_stack)
{
    const char *function = json_get_text(reader, json, is_stack ? "stack" : "function");
    const char *cost = json_get_text(reader, json, "cost");
    enum api_scope scope = is_stack ? API_EXCLUSIVE : api_scope_read(reader, json);
    size_t buckets;
    const cJSON *array = json_get_array(reader, json, "buckets", &buckets), *bucket;
    struct api_row *row;
    enum err err;

    if (reader->err == ERR_OK && !is_function(function))
        json_fail(reader, "function", "a name");
    if (reader->err != ERR_OK)
        return reader->err;
    err = api_row_get(is_stack ? &api->stacks : &api->table, function, cost, scope, &row,
                      reader->diag);
    if (err != ERR_OK)
        return err;
    cJSON_ArrayForEach(bucket, array)
        read_bucket(reader, bucket, row);
    return reader->err;
}

static enum err read_rows(struct json_reader *reader, const cJSON *root, const char *key,
                          struct api *api)
{
    size_t count;
    const cJSON *array = json_get_array(reader, root, key, &count), *json;
    enum err err = reader->err;

    cJSON_ArrayForEach(json, array) {
        if (err == ERR_OK)
            err = read_row(reader, json, api, strcmp(key, "stacks") == 0);
    }
    return err;
}

enum err api_read_json(struct api *api, const char *path, const char *text, struct diag *diag)
{
    struct json_reader reader = {.file = path, .diag = diag};
    cJSON *root = json_parse(&reader, text, strlen(text), "JSON as `rvsim api --json` writes it");
    enum err err;

    if (root == NULL)
        return reader.err;
    json_check_schema(&reader, root);
    err = read_rows(&reader, root, "functions", api);
    if (err == ERR_OK)
        err = read_rows(&reader, root, "stacks", api);
    cJSON_Delete(root);
    return err;
}

static enum err read_json(struct api *api, struct csv *csv, struct diag *diag)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length = getdelim(&text, &room, '\0', csv->in);
    enum err err = length < 0 ? diag_set(diag, ERR_IO, "%s: cannot be read", csv->path)
                              : api_read_json(api, csv->path, text, diag);

    free(text);
    return err;
}

enum err api_read(struct api *api, const char *path, struct diag *diag)
{
    struct csv csv;
    enum err err = csv_open(&csv, path, diag);
    int first;

    if (err != ERR_OK)
        return err;
    first = getc(csv.in);
    if (first != EOF)
        ungetc(first, csv.in);
    err = first == '{' ? read_json(api, &csv, diag) : read_records(api, &csv, diag);
    csv_close(&csv);
    return err;
}

/* ---- JSON, writing --------------------------------------------------------------------------- */

static void write_sum(cJSON *object, const char *key, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    cJSON_AddStringToObject(object, key, text);
}

void api_bucket_write(cJSON *object, const struct api_bucket *bucket)
{
    json_number(object, "count", bucket->count);
    write_sum(object, "sum", bucket->sum);
    write_sum(object, "sum_of_squares", bucket->squares);
}

void api_buckets_write(cJSON *object, const struct api_bucket bucket[API_SLOTS])
{
    cJSON *buckets = cJSON_AddArrayToObject(object, "buckets");

    for (unsigned i = 0; i < API_SLOTS; i++) {
        cJSON *json;

        if (bucket[i].count == 0)
            continue;
        json = cJSON_CreateObject();
        cJSON_AddItemToArray(buckets, json);
        if (i != API_ZERO)
            json_number(json, "bucket", i);
        api_bucket_write(json, &bucket[i]);
    }
}

cJSON *api_row_write(cJSON *array, const struct api_table *table, const struct api_row *row,
                     bool is_stack)
{
    struct api_bucket total = api_row_total(row);
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToArray(array, object);
    cJSON_AddStringToObject(object, is_stack ? "stack" : "function",
                            table->function.text[row->function]);
    cJSON_AddStringToObject(object, "cost", table->cost.text[row->cost]);
    if (!is_stack)
        cJSON_AddStringToObject(object, "scope", scope_name[row->scope]);
    api_bucket_write(object, &total);
    api_buckets_write(object, row->bucket);
    return object;
}

static void write_rows(cJSON *root, const char *key, const struct api_table *table)
{
    cJSON *array = cJSON_AddArrayToObject(root, key);

    for (size_t i = 0; i < table->rows; i++)
        api_row_write(array, table, &table->row[i], strcmp(key, "stacks") == 0);
}

enum err api_print_json(const struct api *api, cJSON *root, FILE *out, struct diag *diag)
{
    write_rows(root, "functions", &api->table);
    write_rows(root, "stacks", &api->stacks);
    return json_print(root, out, diag);
}

enum err api_write_json(const struct api *api, FILE *out, struct diag *diag)
{
    return api_print_json(api, json_document(), out, diag);
}
