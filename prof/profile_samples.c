/* Samples as members of a profile's JSON, written and read. */
#include "prof/profile_write.h"

enum { FIELDS = 3 };

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
        cJSON_AddItemToArray(samples, sample);
    }
}

static void read_sample(struct json_reader *reader, const struct profile *profile,
                        const cJSON *json, struct profile_sample *sample)
{
    uint64_t value[FIELDS] = {0};
    const cJSON *field;
    unsigned fields = 0;

    cJSON_ArrayForEach(field, json) {
        if (fields < FIELDS)
            value[fields] = json_number_of(reader, field, "samples");
        fields++;
    }
    if (reader->err == ERR_OK && (!cJSON_IsArray(json) || fields != FIELDS))
        json_fail(reader, "samples", "arrays of cycle, hart and record");
    if (reader->err == ERR_OK && value[2] >= profile->records)
        json_fail(reader, "samples", "numbers of records");
    *sample = (struct profile_sample){value[0], (uint32_t)value[1], value[2]};
}

void profile_read_samples(struct json_reader *reader, struct profile *profile, const cJSON *root)
{
    const cJSON *object, *sample, *samples;
    struct profile_sampling *sampling;
    size_t count;

    if (cJSON_GetObjectItemCaseSensitive(root, "sampling") == NULL)
        return;
    object = json_get_object(reader, root, "sampling");
    samples = json_get_array(reader, object, "samples", &count);
    sampling = profile_alloc(profile, 1, sizeof *sampling);
    if (sampling != NULL)
        sampling->sample = profile_alloc(profile, count + 1, sizeof sampling->sample[0]);
    if (sampling == NULL || sampling->sample == NULL) {
        if (reader->err == ERR_OK)
            reader->err = diag_no_memory(reader->diag, reader->file);
        return;
    }
    profile->sampling = sampling;
    sampling->event = profile_text(profile, json_get_text(reader, object, "event"));
    sampling->period = json_get_number(reader, object, "period");
    sampling->has_stacks = json_get_bool(reader, object, "stacks");
    if (sampling->event == NULL && reader->err == ERR_OK)
        reader->err = diag_no_memory(reader->diag, reader->file);
    cJSON_ArrayForEach(sample, samples) {
        if (reader->err == ERR_OK)
            read_sample(reader, profile, sample, &sampling->sample[sampling->samples++]);
    }
}
