/* speedscope's file format: a profile of kind "sampled" for each value. */
#include <stdlib.h>

#include "prof/export/export.h"
#include "prof/export/stacks.h"
#include "prof/profile/json.h"

static void add_frames(cJSON *shared, const struct stacks *stacks)
{
    cJSON *frames = cJSON_AddArrayToObject(shared, "frames");

    for (size_t i = 0; i < stacks->functions; i++) {
        const struct stacks_function *function = &stacks->function[i];
        cJSON *frame = cJSON_CreateObject();

        cJSON_AddItemToArray(frames, frame);
        cJSON_AddStringToObject(frame, "name", function->name);
        if (*function->file == '\0')
            continue;
        cJSON_AddStringToObject(frame, "file", function->file);
        json_number(frame, "line", function->line);
    }
}

/* Root first. */
static cJSON *stack_of(const struct stacks *stacks, const struct stacks_sample *sample)
{
    cJSON *array = cJSON_CreateArray();

    for (uint32_t f = sample->leaf; f != 0; f = stacks_frame(stacks, f)->caller)
        cJSON_InsertItemInArray(array, 0, cJSON_CreateNumber(stacks_frame(stacks, f)->function));
    return array;
}

static void add_profile(cJSON *profiles, const struct stacks *stacks, unsigned value)
{
    cJSON *object = cJSON_CreateObject(), *samples, *weights;
    uint64_t sum = 0;

    cJSON_AddItemToArray(profiles, object);
    cJSON_AddStringToObject(object, "type", "sampled");
    cJSON_AddStringToObject(object, "name", stacks->value[value].name);
    cJSON_AddStringToObject(object, "unit", "none");
    json_number(object, "startValue", 0);
    samples = cJSON_AddArrayToObject(object, "samples");
    weights = cJSON_AddArrayToObject(object, "weights");
    for (size_t i = 0; i < stacks->samples; i++) {
        uint64_t weight = stacks->sample[i].value[value];

        if (weight == 0)
            continue;
        sum += weight;
        cJSON_AddItemToArray(samples, stack_of(stacks, &stacks->sample[i]));
        cJSON_AddItemToArray(weights, cJSON_CreateNumber((double)weight));
    }
    json_number(object, "endValue", sum);
}

enum err export_speedscope(const struct profile *profile, const struct symbols *symbols, FILE *out,
                           struct diag *diag)
{
    struct stacks stacks;
    enum err err = stacks_make(&stacks, profile, symbols, diag);
    cJSON *root, *profiles;

    if (err == ERR_OK)
        err = stacks_limit(&stacks, diag);
    if (err == ERR_OK) {
        root = cJSON_CreateObject();
        cJSON_AddStringToObject(root, "$schema",
                                "https://www.speedscope.app/file-format-schema.json");
        cJSON_AddStringToObject(root, "name", profile->program);
        cJSON_AddStringToObject(root, "exporter", "rvsim");
        json_number(root, "activeProfileIndex", stacks.main);
        add_frames(cJSON_AddObjectToObject(root, "shared"), &stacks);
        profiles = cJSON_AddArrayToObject(root, "profiles");
        for (unsigned i = 0; i < stacks.values; i++)
            add_profile(profiles, &stacks, i);
        err = json_print(root, out, diag);
    }
    stacks_free(&stacks);
    return err;
}
