/* Samples as members of a profile's JSON, written and read. */
#include "prof/profile/profile_reading.h"
#include "prof/profile/profile_write.h"

enum { FIELDS = 4, LEAST_FIELDS = 3 };

void profile_write_samples(cJSON *root, const struct profile *profile)
{
    const struct profile_sampling *sampling = profile->sampling;
    cJSON *object, *samples;

    if (sampling == NULL)
        return;
    object = cJSON_AddObjectToObject(root, "sampling");
    cJSON_AddStringToObject(object, "event", sampling->event);
    json_number(object, "period", sampling->period);
    cJSON_AddBoolToObject(object, "stacks", sampling->has_stacks);
    samples = cJSON_AddArrayToObject(object, "samples");
    for (size_t i = 0; i < sampling->samples; i++) {
        cJSON *sample = cJSON_CreateArray();

        json_append_number(sample, sampling->sample[i].cycle);
        json_append_number(sample, sampling->sample[i].hart);
        json_append_number(sample, sampling->sample[i].record);
        if (sampling->sample[i].thread != 0)
            json_append_number(sample, sampling->sample[i].thread);
        cJSON_AddItemToArray(samples, sample);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_sample(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct json_reader *reader = &reading->json;
    struct profile_sample *sample = element;
    uint64_t value[FIELDS] = {0};
    const cJSON *field;
    unsigned fields = 0;

    cJSON_ArrayForEach(field, json) {
        if (fields < FIELDS)
            value[fields] = json_number_of(reader, field, "samples");
        fields++;
    }
    if (reader->err == ERR_OK && (!cJSON_IsArray(json) || fields < LEAST_FIELDS || fields > FIELDS))
        json_fail(reader, "samples", "arrays of cycle, hart, record and perhaps thread");
    if (reader->err == ERR_OK && value[2] >= reading->profile->records)
        json_fail(reader, "samples", "numbers of records");
    *sample = (struct profile_sample){.cycle = value[0], .hart = (uint32_t)value[1],
                                      .record = value[2], .thread = (uint32_t)value[3]};
}

void profile_read_samples(struct profile_reading *reading, const cJSON *root)
{
    struct profile_sampling *sampling;
    const cJSON *object;

    if (!json_has(root, "sampling"))
        return;
    object = json_get_object(&reading->json, root, "sampling");
    sampling = profile_reading_alloc(reading, 1, sizeof *sampling);
    if (sampling == NULL)
        return;
    reading->profile->sampling = sampling;
    sampling->event = profile_reading_text(reading, object, "event");
    sampling->period = json_get_number(&reading->json, object, "period");
    sampling->has_stacks = json_get_bool(&reading->json, object, "stacks");
    sampling->sample = profile_reading_array(reading, object, "samples",
                                             sizeof sampling->sample[0], read_sample,
                                             &sampling->samples);
}
