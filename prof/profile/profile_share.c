/* Shares of threads as members of a profile's JSON, written and read. */
#include "prof/profile/profile_share.h"

#include "prof/profile/profile_reading.h"
#include "prof/profile/profile_write.h"

void profile_write_shares(cJSON *object, const struct profile_shares *shares, unsigned values)
{
    cJSON *array = shares->count != 0 ? cJSON_AddArrayToObject(object, "threads") : NULL;

    for (size_t i = 0; i < shares->count; i++) {
        cJSON *share = cJSON_CreateArray();

        json_append_number(share, shares->share[i].thread);
        for (unsigned k = 0; k < values; k++)
            json_append_number(share, shares->share[i].value[k]);
        cJSON_AddItemToArray(array, share);
    }
}

/* The array has 1 + PROFILE_SHARE_VALUES elements at most. */
static void read_share(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct json_reader *reader = &reading->json;
    struct profile_share *share = element;
    const cJSON *field;
    unsigned fields = 0;

    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) < 2 ||
        cJSON_GetArraySize(json) > 1 + PROFILE_SHARE_VALUES) {
        json_fail(reader, "threads", "arrays of a thread and its counts");
        return;
    }
    cJSON_ArrayForEach(field, json) {
        uint64_t value = json_number_of(reader, field, "threads");

        if (fields == 0)
            share->thread = (uint32_t)value;
        else
            share->value[fields - 1] = value;
        fields++;
    }
}

void profile_read_shares(struct profile_reading *reading, const cJSON *object,
                         struct profile_shares *shares)
{
    if (json_has(object, "threads"))
        shares->share = profile_reading_array(reading, object, "threads", sizeof shares->share[0],
                                              read_share, &shares->count);
}
