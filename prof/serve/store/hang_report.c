/* See hang_report.h. */
#include "prof/serve/store/hang_report.h"

#include <stdlib.h>
#include <string.h>

/* Frames with ';' between them, or NULL without memory. */
static char *join(struct json_reader *reader, const cJSON *array)
{
    const cJSON *json;
    size_t bytes = 1;
    char *text, *at;

    cJSON_ArrayForEach(json, array)
        bytes += strlen(json_text_of(reader, json, "stack")) + 1;
    text = calloc(1, bytes);
    at = text;
    cJSON_ArrayForEach(json, array) {
        const char *frame = json_text_of(reader, json, "stack");

        if (text == NULL || reader->err != ERR_OK)
            break;
        if (at > text)
            *at++ = ';';
        for (; *frame != '\0'; frame++)
            *at++ = *frame == ';' ? ':' : (unsigned char)*frame < ' ' ? ' ' : *frame;
    }
    return text;
}

static enum err read_hang(struct json_reader *reader, struct hang_report *hang, const cJSON *json)
{
    size_t frames;
    const cJSON *stack = json_get_array(reader, json, "stack", &frames);

    hang->tag = summary_label(reader, json, "tag", SUMMARY_LABEL_MAX);
    hang->unit = summary_label(reader, json, "unit", SUMMARY_LABEL_MAX);
    hang->executed = json_get_number(reader, json, "executed");
    if (reader->err == ERR_OK && *hang->tag == '\0')
        json_fail(reader, "tag", "a text that is not empty");
    if (reader->err == ERR_OK && strcmp(hang->unit, "ns") != 0 && strcmp(hang->unit, "cycles") != 0)
        json_fail(reader, "unit", "ns or cycles");
    if (reader->err == ERR_OK && (frames == 0 || frames > HANG_FRAMES_MAX))
        json_fail(reader, "stack", "1 to 1024 frames");
    if (reader->err != ERR_OK)
        return reader->err;
    hang->stack = join(reader, stack);
    hang->text = cJSON_PrintUnformatted(json);
    if (reader->err == ERR_OK && (hang->stack == NULL || hang->text == NULL))
        return diag_no_memory(reader->diag, "a report");
    return reader->err;
}

/* ---- alarms, as rvsim hang --json writes them ------------------------------------------------ */

static bool is_same_text(const cJSON *a, const cJSON *b, const char *key)
{
    const char *x = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(a, key));
    const char *y = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(b, key));

    return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* The threads of an alarm; among alarms with one tag and group only the first has them. */
static const cJSON *threads_of(const cJSON *alarms, const cJSON *alarm)
{
    const cJSON *threads = cJSON_GetObjectItemCaseSensitive(alarm, "threads"), *other;

    cJSON_ArrayForEach(other, alarms) {
        if (threads != NULL)
            break;
        if (is_same_text(other, alarm, "tag") && is_same_text(other, alarm, "group"))
            threads = cJSON_GetObjectItemCaseSensitive(other, "threads");
    }
    return threads;
}

/* The names on the stack of the alarm's own thread, root first; functions have a name or an
 * address. */
static cJSON *names_of(struct json_reader *reader, const cJSON *threads, uint64_t number)
{
    cJSON *names = cJSON_CreateArray();
    const cJSON *thread, *frame, *stack = NULL;

    cJSON_ArrayForEach(thread, threads) {
        if (json_get_number(reader, thread, "thread") == number && reader->err == ERR_OK)
            stack = cJSON_GetObjectItemCaseSensitive(thread, "stack");
    }
    cJSON_ArrayForEach(frame, stack) {
        bool has_name = cJSON_GetObjectItemCaseSensitive(frame, "function") != NULL;

        cJSON_InsertItemInArray(names, 0, cJSON_CreateString(json_get_text(
            reader, frame, has_name ? "function" : "address")));
    }
    return names;
}

/* Adds to the alarm the keys of a hang. */
static void complete_alarm(struct json_reader *reader, const cJSON *alarms, cJSON *alarm)
{
    uint64_t thread = json_get_number(reader, alarm, "thread");

    if (reader->err == ERR_OK)
        cJSON_AddItemToObject(alarm, "stack", names_of(reader, threads_of(alarms, alarm), thread));
    cJSON_AddStringToObject(alarm, "unit", "cycles");
}

/* The hangs of a report, in either of its two forms. */
static const cJSON *hangs_of(struct json_reader *reader, cJSON *json, struct summary_head *head)
{
    const cJSON *alarms = cJSON_GetObjectItemCaseSensitive(json, "alarms");
    cJSON *alarm;
    size_t count;

    if (alarms == NULL)
        return json_get_array(reader, json, "hangs", &count);
    head->version = summary_label(reader, json, "build", SUMMARY_LABEL_MAX);
    alarms = json_get_array(reader, json, "alarms", &count);
    cJSON_ArrayForEach(alarm, alarms) {
        if (reader->err == ERR_OK && cJSON_IsObject(alarm))
            complete_alarm(reader, alarms, alarm);
    }
    return reader->err == ERR_OK ? alarms : NULL;
}

enum err hang_reports_read(struct hang_reports *reports, const char *text, struct diag *diag)
{
    struct json_reader reader = {.file = "report", .diag = diag};
    const cJSON *hangs, *json;
    enum err err = ERR_OK;

    *reports = (struct hang_reports){.json = cJSON_ParseWithOpts(text, NULL, true)};
    if (reports->json == NULL)
        return diag_set(diag, ERR_USAGE, "report: expected JSON");
    reports->head = summary_head_read(&reader, reports->json);
    hangs = hangs_of(&reader, reports->json, &reports->head);
    if (reader.err != ERR_OK)
        return reader.err;
    reports->hang = calloc((size_t)cJSON_GetArraySize(hangs) + 1, sizeof *reports->hang);
    if (reports->hang == NULL)
        return diag_no_memory(diag, "a report");
    cJSON_ArrayForEach(json, hangs) {
        if (err == ERR_OK)
            err = read_hang(&reader, &reports->hang[reports->hangs++], json);
    }
    return err;
}

void hang_reports_free(struct hang_reports *reports)
{
    for (size_t i = 0; i < reports->hangs; i++) {
        free(reports->hang[i].stack);
        cJSON_free(reports->hang[i].text);
    }
    free(reports->hang);
    cJSON_Delete(reports->json);
    *reports = (struct hang_reports){.json = NULL};
}
