/* See control.h. */
#include "prof/serve/store/control.h"

#include <stdlib.h>
#include <string.h>

#include "prof/profile/json.h"
#include "prof/serve/store/summary.h"

static const char select_tags[] =
    "SELECT tag, threshold, report, times FROM control WHERE program = $1 ORDER BY tag";

static bool is_one_of(const char *text, const char *const *word)
{
    for (; *word != NULL; word++)
        if (strcmp(text, *word) == 0)
            return true;
    return false;
}

static bool is_threshold(const char *text)
{
    static const char *const unit[] = {"", "K", "M", "G", "ns", "us", "ms", "s", NULL};
    size_t digits = strspn(text, "0123456789");

    return *text == '\0' || (digits > 0 && digits < 16 && is_one_of(text + digits, unit));
}

static void read_tag(struct json_reader *reader, struct control_tag *tag, const cJSON *json)
{
    static const char *const report[] = {"none", "light", "full", NULL};

    tag->tag = summary_label(reader, json, "tag", SUMMARY_LABEL_MAX);
    tag->threshold = summary_label(reader, json, "threshold", SUMMARY_LABEL_MAX);
    tag->report = json_get_text(reader, json, "report");
    tag->times = json_get_number(reader, json, "times");
    if (reader->err == ERR_OK && *tag->tag == '\0')
        json_fail(reader, "tag", "a text that is not empty");
    if (reader->err == ERR_OK && !is_threshold(tag->threshold))
        json_fail(reader, "threshold", "a number, with K, M, G, ns, us, ms or s");
    if (reader->err == ERR_OK && !is_one_of(tag->report, report))
        json_fail(reader, "report", "none, light or full");
}

enum err control_read(struct control *control, const char *text, struct diag *diag)
{
    struct json_reader reader = {.file = "control file", .diag = diag};
    const cJSON *array, *json;
    size_t count;

    *control = (struct control){.json = cJSON_ParseWithOpts(text, NULL, true)};
    if (control->json == NULL)
        return diag_set(diag, ERR_USAGE, "control file: expected JSON");
    if (json_get_number(&reader, control->json, "schema") != 1)
        json_fail(&reader, "schema", "1");
    array = json_get_array(&reader, control->json, "tags", &count);
    control->tag = calloc(count + 1, sizeof *control->tag);
    if (control->tag == NULL)
        return diag_no_memory(diag, "a control file");
    cJSON_ArrayForEach(json, array) {
        if (reader.err == ERR_OK)
            read_tag(&reader, &control->tag[control->tags++], json);
    }
    return reader.err;
}

void control_free(struct control *control)
{
    cJSON_Delete(control->json);
    free(control->tag);
    *control = (struct control){.json = NULL};
}

/* If a tag is given twice, the last one holds. */
enum err control_write(const struct control *control, struct db *db, const char *program)
{
    enum err err = db_run(db, "DELETE FROM control WHERE program = $1", "t", program);

    for (size_t i = 0; i < control->tags && err == ERR_OK; i++) {
        const struct control_tag *tag = &control->tag[i];

        err = db_run(db, "INSERT INTO control (program, tag, threshold, report, times) VALUES "
                     "($1, $2, $3, $4, $5) ON CONFLICT (program, tag) DO UPDATE SET threshold = "
                     "excluded.threshold, report = excluded.report, times = excluded.times",
                     "ttttn", program, tag->tag, tag->threshold, tag->report, (int64_t)tag->times);
    }
    return err;
}

cJSON *control_json(struct db *db, const char *program, enum err *err)
{
    cJSON *root = cJSON_CreateObject(), *array;
    struct db_rows rows;

    json_number(root, "schema", 1);
    cJSON_AddStringToObject(root, "program", program);
    array = cJSON_AddArrayToObject(root, "tags");
    db_query(db, &rows, select_tags, "t", program);
    while (db_next(&rows)) {
        cJSON *json = cJSON_CreateObject();

        cJSON_AddItemToArray(array, json);
        cJSON_AddStringToObject(json, "tag", db_text(&rows, 0));
        cJSON_AddStringToObject(json, "threshold", db_text(&rows, 1));
        cJSON_AddStringToObject(json, "report", db_text(&rows, 2));
        json_number(json, "times", (uint64_t)db_number(&rows, 3));
    }
    *err = db_end(&rows);
    return root;
}

/* Writes blanks, and '%', as %XX. */
static void put_word(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == ' ' || *text == '%')
            fprintf(out, "%%%02X", (unsigned)*text);
        else
            fputc(*text, out);
    }
}

enum err control_text(struct db *db, const char *program, FILE *out)
{
    struct db_rows rows;

    db_query(db, &rows, select_tags, "t", program);
    while (db_next(&rows)) {
        const char *threshold = db_text(&rows, 1);

        put_word(db_text(&rows, 0), out);
        fprintf(out, " %s %s %lld\n", *threshold != '\0' ? threshold : "-", db_text(&rows, 2),
                (long long)db_number(&rows, 3));
    }
    return db_end(&rows);
}
