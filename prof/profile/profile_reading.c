/* See profile_reading.h. */
#include "prof/profile/profile_reading.h"

#include <string.h>

bool profile_reading_is_good(const struct profile_reading *reading)
{
    return reading->json.err == ERR_OK;
}

void *profile_reading_alloc(struct profile_reading *reading, size_t count, size_t bytes)
{
    void *memory = NULL;

    if (profile_reading_is_good(reading))
        memory = profile_alloc(reading->profile, count, bytes);
    if (memory == NULL && profile_reading_is_good(reading))
        reading->json.err = diag_no_memory(reading->json.diag, reading->json.file);
    return memory;
}

const char *profile_reading_keep(struct profile_reading *reading, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = profile_reading_alloc(reading, bytes, 1);

    return copy != NULL ? memcpy(copy, text, bytes) : "";
}

const char *profile_reading_text(struct profile_reading *reading, const cJSON *object,
                                 const char *key)
{
    return profile_reading_keep(reading, json_get_text(&reading->json, object, key));
}

void *profile_reading_array(struct profile_reading *reading, const cJSON *object, const char *key,
                            size_t bytes, profile_read_element *read, size_t *count)
{
    const cJSON *json, *array = json_get_array(&reading->json, object, key, count);
    char *element = profile_reading_alloc(reading, *count + 1, bytes);

    *count = 0;
    cJSON_ArrayForEach(json, array) {
        if (profile_reading_is_good(reading))
            read(reading, json, element + (*count)++ * bytes);
    }
    return element;
}
