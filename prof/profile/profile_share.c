/* Shares of threads as members of a profile's JSON, written and read. */
#include "prof/profile/profile_share.h"

#include <stdlib.h>
#include <string.h>

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

static int compare_threads(const void *a, const void *b)
{
    const struct profile_share *x = a, *y = b;

    return (x->thread > y->thread) - (x->thread < y->thread);
}

bool profile_add_shares(struct profile *profile, struct profile_shares *to,
                        const struct profile_shares *from)
{
    size_t all = to->count + from->count, kept = 0;
    struct profile_share *share;

    if (from->count == 0)
        return true;
    share = profile_alloc(profile, all, sizeof *share);
    if (share == NULL)
        return false;
    if (to->count != 0)
        memcpy(share, to->share, to->count * sizeof *share);
    memcpy(&share[to->count], from->share, from->count * sizeof *share);
    qsort(share, all, sizeof *share, compare_threads);
    for (size_t i = 0; i < all; i++) {
        if (kept == 0 || share[kept - 1].thread != share[i].thread) {
            share[kept++] = share[i];
            continue;
        }
        for (unsigned k = 0; k < PROFILE_SHARE_VALUES; k++)
            share[kept - 1].value[k] += share[i].value[k];
    }
    *to = (struct profile_shares){.share = share, .count = kept};
    return true;
}
