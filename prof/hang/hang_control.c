/* See hang_control.h. */
#include "prof/hang/hang_control.h"

#include <stdlib.h>
#include <string.h>

#include "prof/profile/json.h"

static enum hang_report report_of(struct json_reader *reader, const cJSON *json)
{
    const char *text = json_get_text(reader, json, "report");

    if (strcmp(text, "full") == 0)
        return HANG_FULL;
    if (strcmp(text, "light") == 0)
        return HANG_LIGHT;
    if (strcmp(text, "none") != 0 && reader->err == ERR_OK)
        json_fail(reader, "report", "none, light or full");
    return HANG_NO_REPORT;
}

static void read_tag(struct json_reader *reader, const cJSON *json, struct hang_control *tag)
{
    tag->tag = json_get_text(reader, json, "tag");
    tag->threshold = json_get_text(reader, json, "threshold");
    tag->report = report_of(reader, json);
    tag->times = json_get_number(reader, json, "times");
    if (tag->times == 0)
        tag->report = HANG_NO_REPORT;
}

enum err hang_controls_read(struct hang_controls *controls, const char *text, struct diag *diag)
{
    struct json_reader reader = {.file = "control file", .diag = diag};
    const cJSON *array, *json;
    size_t count;

    *controls = (struct hang_controls){.json = json_parse(&reader, text, strlen(text), "JSON")};
    if (controls->json == NULL)
        return reader.err;
    array = json_get_array(&reader, controls->json, "tags", &count);
    controls->tag = calloc(count + 1, sizeof *controls->tag);
    if (controls->tag == NULL)
        return diag_no_memory(diag, "a control file");
    cJSON_ArrayForEach(json, array) {
        if (reader.err == ERR_OK)
            read_tag(&reader, json, &controls->tag[controls->tags++]);
    }
    return reader.err;
}

void hang_controls_free(struct hang_controls *controls)
{
    free(controls->tag);
    cJSON_Delete(controls->json);
}
