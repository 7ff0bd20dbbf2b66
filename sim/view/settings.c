/* Machine settings that the viewer offers to change. Large numbers are doubled or halved, small
 * ones change by one; the configuration itself determines the allowed range. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/view/view_internal.h"

enum { SMALL = 16 };

static const char *const offered[SCENE_SLIDERS] = {
    "fetch.width", "decode.width", "dispatch.width", "commit.width", "rob.entries",
    "rename.int_buffers", "lsq.loads", "lsq.stores", "latency.load", "latency.mul",
    "l1d.kib", "l1d.ways", "l1d.mshrs", "bpred.kind",
};

struct finding { const char *key; char value[VIEW_NAME], range[VIEW_LINE * 2]; bool is_found; };

static void look_at(void *arg, const struct config_row *row)
{
    struct finding *finding = arg;

    if (strcmp(row->key, finding->key) != 0)
        return;
    finding->is_found = true;
    snprintf(finding->value, sizeof finding->value, "%.*s", VIEW_NAME - 1, row->value);
    snprintf(finding->range, sizeof finding->range, "%s", row->range);
}

static struct finding find(const struct config *config, const char *key)
{
    struct finding finding = {.key = key};

    config_visit(config, look_at, &finding);
    return finding;
}

void settings_open(struct scene_look *look, const struct config *config)
{
    look->sliders = 0;
    for (unsigned i = 0; i < SCENE_SLIDERS; i++) {
        struct finding finding = find(config, offered[i]);
        struct scene_slider *slider = &look->setting[look->sliders];

        if (!finding.is_found)
            continue;
        look->sliders++;
        *slider = (struct scene_slider){.first = ""};
        snprintf(slider->key, sizeof slider->key, "%s", offered[i]);
        snprintf(slider->value, sizeof slider->value, "%s", finding.value);
    }
}

/* "a|b|c": the neighbour of a name. */
static bool next_name(const char *range, const char *now, bool is_up, char value[VIEW_NAME])
{
    const char *before = NULL;
    size_t length = strlen(now);

    for (const char *at = range; at != NULL && *at != '\0';) {
        const char *end = strchr(at, '|');
        const char *result = is_up ? (end != NULL ? end + 1 : NULL) : before;
        size_t here = end != NULL ? (size_t)(end - at) : strlen(at);

        if (here == length && strncmp(at, now, length) == 0) {
            if (result != NULL)
                snprintf(value, VIEW_NAME, "%.*s", (int)strcspn(result, "|"), result);
            return result != NULL;
        }
        before = at;
        at = end != NULL ? end + 1 : NULL;
    }
    return false;
}

bool settings_next(const struct scene_look *look, const struct config *config, bool is_up,
                   char value[VIEW_NAME])
{
    const struct scene_slider *slider = &look->setting[look->slider];
    struct finding finding = find(config, slider->key);
    unsigned long now = strtoul(slider->value, NULL, 10), next;

    if (strchr(finding.range, '|') != NULL)
        return next_name(finding.range, slider->value, is_up, value);
    if (now >= SMALL && !(now == SMALL && !is_up && strstr(slider->key, "width") != NULL))
        next = is_up ? now * 2 : now / 2;
    else
        next = is_up ? now + 1 : now - 1;
    if (strstr(slider->key, "kib") != NULL || strstr(slider->key, "ways") != NULL)
        next = is_up ? now * 2 : now / 2;
    snprintf(value, VIEW_NAME, "%lu", next);
    return now != 0 && next != 0;
}

void settings_changed(const struct scene_look *look, char text[SCENE_SLIDERS][SETTING_TEXT],
                      const char *set[SCENE_SLIDERS + 1])
{
    unsigned count = 0;

    for (unsigned i = 0; i < look->sliders; i++) {
        const struct scene_slider *slider = &look->setting[i];

        if (slider->first[0] == '\0')
            continue;
        snprintf(text[count], SETTING_TEXT, "%.31s=%.31s", slider->key, slider->value);
        set[count] = text[count];
        count++;
    }
    set[count] = NULL;
}
