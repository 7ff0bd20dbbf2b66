/* See summary.h. */
#include "prof/serve/store/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/api/api_name.h"

__extension__ typedef unsigned __int128 u128;

/* ---- texts ----------------------------------------------------------------------------------- */

static bool is_label(const char *text, size_t most)
{
    size_t length = 0;

    for (; text[length] != '\0'; length++)
        if ((unsigned char)text[length] < ' ' || text[length] == 0x7f || length >= most)
            return false;
    return true;
}

const char *summary_label(struct json_reader *reader, const cJSON *json, const char *key,
                          size_t most)
{
    const char *text;

    if (reader->err != ERR_OK || cJSON_GetObjectItemCaseSensitive(json, key) == NULL)
        return "";
    text = json_get_text(reader, json, key);
    if (is_label(text, most))
        return text;
    json_fail(reader, key, "a short text without control characters");
    return "";
}

static const char *needed(struct json_reader *reader, const cJSON *json, const char *key,
                          size_t most)
{
    const char *text = summary_label(reader, json, key, most);

    if (*text == '\0')
        json_fail(reader, key, "a text that is not empty");
    return text;
}

/* Clients choose ids, which must be long enough to be unique, and of plain characters. */
static bool is_id(const char *id)
{
    size_t length = strlen(id);

    return length >= 16 && length <= SUMMARY_ID_MAX &&
           strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == length;
}

struct summary_head summary_head_read(struct json_reader *reader, const cJSON *json)
{
    struct summary_head head = {"", "", ""};

    if (!cJSON_IsObject(json)) {
        json_fail(reader, "the text", "an object");
        return head;
    }
    if (json_get_number(reader, json, "schema") != 1)
        json_fail(reader, "schema", "1");
    head.id = json_get_text(reader, json, "id");
    if (reader->err == ERR_OK && !is_id(head.id))
        json_fail(reader, "id", "16 to 64 letters, digits, - or _");
    head.program = needed(reader, json, "program", SUMMARY_LABEL_MAX);
    head.version = summary_label(reader, json, "version", SUMMARY_LABEL_MAX);
    return head;
}

void summary_namespace(const char *function, char *name, size_t bytes)
{
    const struct api_name parts = api_name_of(function);

    snprintf(name, bytes, "%.*s", (int)parts.space_bytes, parts.text);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* True if sum and squares are possible for `count` costs between `first` = 2^at and `last` =
 * 2^(at+1) - 1. A saturated sum stands for any larger one. For each cost n, (n - first) * (n -
 * last) is at most 0. */
static bool is_possible(unsigned at, const struct api_bucket *bucket)
{
    u128 count = bucket->count, first, last, least, most;

    if (count == 0 || count > (UINT64_C(1) << 53))
        return false;
    if (at == API_ZERO)
        return bucket->sum == 0 && bucket->squares == 0;
    first = (u128)1 << at;
    last = 2 * first - 1;
    least = first * count;
    most = last * count;
    if (bucket->sum == UINT64_MAX ? most < UINT64_MAX : bucket->sum < least || bucket->sum > most)
        return false;
    if (bucket->squares == UINT64_MAX)
        return at >= 31 || most * last >= UINT64_MAX;
    if (at >= 32)
        return false;
    if (bucket->sum == UINT64_MAX)
        return bucket->squares >= least << at;
    return (u128)bucket->sum * bucket->sum <= count * bucket->squares &&
           bucket->squares + count * first * last <= (u128)bucket->sum * (first + last);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void read_buckets(struct json_reader *reader, struct summary *summary, const cJSON *array)
{
    const cJSON *json;

    cJSON_ArrayForEach(json, array) {
        struct summary_bucket *bucket = &summary->bucket[summary->buckets];

        bucket->at = api_bucket_read(reader, json, &bucket->sum);
        if (reader->err == ERR_OK && !is_possible(bucket->at, &bucket->sum))
            json_fail(reader, "buckets", "a count of 1 to 2^53, and sums that fit it");
        if (reader->err != ERR_OK)
            return;
        summary->buckets++;
    }
}

static void read_row(struct json_reader *reader, struct summary *summary, const cJSON *json)
{
    struct summary_row *row = &summary->row[summary->rows++];
    size_t buckets;
    const cJSON *array;

    row->function = needed(reader, json, "function", SUMMARY_NAME_MAX);
    row->module = summary_label(reader, json, "module", SUMMARY_LABEL_MAX);
    row->cost = needed(reader, json, "cost", SUMMARY_LABEL_MAX);
    if (reader->err == ERR_OK)
        row->scope = api_scope_read(reader, json);
    array = json_get_array(reader, json, "buckets", &buckets);
    row->first = summary->buckets;
    if (reader->err == ERR_OK)
        read_buckets(reader, summary, array);
    row->buckets = summary->buckets - row->first;
}

static int compare(const void *a, const void *b)
{
    const struct summary_row *x = a, *y = b;
    int order = strcmp(x->function, y->function);

    return order != 0 ? order : strcmp(x->module, y->module);
}

/* The number of elements of all arrays named "buckets": the room needed. */
static size_t count_buckets(const cJSON *functions)
{
    const cJSON *json;
    size_t count = 0;

    cJSON_ArrayForEach(json, functions)
        count += (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "buckets"));
    return count;
}

enum err summary_read(struct summary *summary, const char *text, struct diag *diag)
{
    struct json_reader reader = {.file = "summary", .diag = diag};
    const cJSON *functions, *json;
    size_t count;

    *summary = (struct summary){.json = cJSON_ParseWithOpts(text, NULL, true)};
    if (summary->json == NULL)
        return diag_set(diag, ERR_USAGE, "summary: expected JSON");
    summary->head = summary_head_read(&reader, summary->json);
    functions = json_get_array(&reader, summary->json, "functions", &count);
    if (reader.err != ERR_OK)
        return reader.err;
    summary->row = calloc(count + 1, sizeof *summary->row);
    summary->bucket = calloc(count_buckets(functions) + 1, sizeof *summary->bucket);
    if (summary->row == NULL || summary->bucket == NULL)
        return diag_no_memory(diag, "a summary");
    cJSON_ArrayForEach(json, functions) {
        if (reader.err == ERR_OK)
            read_row(&reader, summary, json);
    }
    qsort(summary->row, summary->rows, sizeof *summary->row, compare);
    return reader.err;
}

void summary_free(struct summary *summary)
{
    cJSON_Delete(summary->json);
    free(summary->row);
    free(summary->bucket);
    *summary = (struct summary){.json = NULL};
}
