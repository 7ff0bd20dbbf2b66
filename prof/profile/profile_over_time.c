/* The course of a run as a member of a profile's JSON, written and read. */
#include "prof/profile/profile_reading.h"
#include "prof/profile/profile_write.h"

/* Each interval is an array: its end, and a count of each event. */
void profile_write_over_time(cJSON *root, const struct profile *profile)
{
    const struct profile_over_time *over_time = &profile->over_time;
    cJSON *object, *events, *intervals;

    if (over_time->intervals == 0)
        return;
    object = cJSON_AddObjectToObject(root, "over_time");
    events = cJSON_AddArrayToObject(object, "events");
    intervals = cJSON_AddArrayToObject(object, "intervals");
    for (size_t k = 0; k < over_time->events; k++)
        cJSON_AddItemToArray(events,
                             cJSON_CreateString(profile->event_name[over_time->event[k]]));
    for (size_t i = 0; i < over_time->intervals; i++) {
        cJSON *interval = cJSON_CreateArray();

        json_append_number(interval, over_time->interval[i].end);
        for (size_t k = 0; k < over_time->events; k++)
            json_append_number(interval, over_time->interval[i].count[k]);
        cJSON_AddItemToArray(intervals, interval);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_event(struct profile_reading *reading, const cJSON *json, void *element)
{
    const char *name = cJSON_IsString(json) ? json->valuestring : "";
    size_t *place = element;

    *place = profile_event_place(reading->profile, name);
    if (*place == reading->profile->events)
        json_fail(&reading->json, "over_time.events", "events of the profile");
}

static void read_interval(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_over_time *over_time = &reading->profile->over_time;
    struct profile_interval *interval = element;
    const cJSON *field;
    size_t fields = 0;

    interval->count = profile_reading_alloc(reading, over_time->events + 1,
                                            sizeof interval->count[0]);
    cJSON_ArrayForEach(field, json) {
        uint64_t value = json_number_of(&reading->json, field, "intervals");

        if (!profile_reading_is_good(reading))
            return;
        if (fields == 0)
            interval->end = value;
        else if (fields <= over_time->events)
            interval->count[fields - 1] = value;
        fields++;
    }
    if (profile_reading_is_good(reading) && (!cJSON_IsArray(json) ||
                                             fields != over_time->events + 1))
        json_fail(&reading->json, "intervals", "arrays of an end and the counts of the events");
}

void profile_read_over_time(struct profile_reading *reading, const cJSON *root)
{
    struct profile_over_time *over_time = &reading->profile->over_time;
    const cJSON *object;

    if (!json_has(root, "over_time"))
        return;
    object = json_get_object(&reading->json, root, "over_time");
    over_time->event = profile_reading_array(reading, object, "events",
                                             sizeof over_time->event[0], read_event,
                                             &over_time->events);
    over_time->interval = profile_reading_array(reading, object, "intervals",
                                                sizeof over_time->interval[0], read_interval,
                                                &over_time->intervals);
    for (size_t i = 1; profile_reading_is_good(reading) && i < over_time->intervals; i++)
        if (over_time->interval[i].end <= over_time->interval[i - 1].end)
            json_fail(&reading->json, "intervals", "ends in their order");
}
