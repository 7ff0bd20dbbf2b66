/* See hang_report.h. */
#include "prof/serve/hang_report.h"

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

enum err hang_reports_read(struct hang_reports *reports, const char *text, struct diag *diag)
{
    struct json_reader reader = {.file = "report", .diag = diag};
    const cJSON *hangs, *json;
    size_t count;
    enum err err = ERR_OK;

    *reports = (struct hang_reports){.json = cJSON_ParseWithOpts(text, NULL, true)};
    if (reports->json == NULL)
        return diag_set(diag, ERR_USAGE, "report: expected JSON");
    reports->head = summary_head_read(&reader, reports->json);
    hangs = json_get_array(&reader, reports->json, "hangs", &count);
    if (reader.err != ERR_OK)
        return reader.err;
    reports->hang = calloc(count + 1, sizeof *reports->hang);
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
