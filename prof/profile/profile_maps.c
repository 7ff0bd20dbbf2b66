/* Maps of caches as a member of a profile's JSON, written and read. */
#include "prof/profile/profile_maps.h"

#include <string.h>

#include "prof/profile/profile_reading.h"
#include "prof/profile/profile_write.h"

void profile_write_maps(cJSON *root, const struct profile *profile)
{
    cJSON *array = profile->maps != 0 ? cJSON_AddArrayToObject(root, "maps") : NULL;

    for (size_t i = 0; i < profile->maps; i++) {
        const struct profile_map *map = &profile->map[i];
        cJSON *object = cJSON_CreateObject();

        cJSON_AddStringToObject(object, "name", map->name);
        json_number(object, "hart", map->hart);
        json_number(object, "sets", map->sets);
        json_number(object, "ways", map->ways);
        cJSON_AddStringToObject(object, "lines", map->line);
        if (map->shadow != NULL)
            cJSON_AddStringToObject(object, "shadows", map->shadow);
        cJSON_AddItemToArray(array, object);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *read_frames(struct profile_reading *reading, const cJSON *json, const char *key,
                               const char *letters, const struct profile_map *map)
{
    const char *text = profile_reading_text(reading, json, key);

    if (profile_reading_is_good(reading) &&
        (strlen(text) != (uint64_t)map->sets * map->ways || strspn(text, letters) != strlen(text)))
        json_fail(&reading->json, key, "a letter for each frame of the map");
    return text;
}

static void read_map(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_map *map = element;

    map->name = profile_reading_text(reading, json, "name");
    map->hart = (uint32_t)json_get_number(&reading->json, json, "hart");
    map->sets = (uint32_t)json_get_number(&reading->json, json, "sets");
    map->ways = (uint32_t)json_get_number(&reading->json, json, "ways");
    map->line = read_frames(reading, json, "lines", PROFILE_MAP_LINES, map);
    if (json_has(json, "shadows"))
        map->shadow = read_frames(reading, json, "shadows", PROFILE_MAP_SHADOWS, map);
}

void profile_read_maps(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;

    if (json_has(root, "maps"))
        profile->map = profile_reading_array(reading, root, "maps", sizeof profile->map[0],
                                             read_map, &profile->maps);
}
