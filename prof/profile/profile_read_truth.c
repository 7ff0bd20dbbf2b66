/* The oracle profile, read back from a profile's JSON. */
#include <stdlib.h>

#include "prof/profile/profile_reading.h"

/* from: the place of the event before it, as events are written in order. */
static size_t event_named(struct profile_reading *reading, const char *name, size_t from)
{
    size_t place = profile_event_place_from(reading->profile, name, from);

    if (place < reading->profile->events)
        return place;
    json_fail(&reading->json, name, "an event of the profile");
    return 0;
}

static int compare_events(const void *a, const void *b)
{
    const struct profile_cost_event *x = a, *y = b;

    return (x->event > y->event) - (x->event < y->event);
}

static void read_events(struct profile_reading *reading, const cJSON *json,
                        struct profile_cost *cost)
{
    const cJSON *event, *events = json_get_object(&reading->json, json, "events");
    size_t place = 0;

    cost->event = profile_reading_alloc(reading, (size_t)cJSON_GetArraySize(events) + 1,
                                        sizeof cost->event[0]);
    cJSON_ArrayForEach(event, events) {
        if (!profile_reading_is_good(reading))
            return;
        place = event_named(reading, event->string, place);
        cost->event[cost->events].event = place;
        cost->event[cost->events++].count = json_number_of(&reading->json, event, event->string);
    }
    if (cost->events != 0)
        qsort(cost->event, cost->events, sizeof cost->event[0], compare_events);
}

static uint32_t thread_of(struct profile_reading *reading, const cJSON *json)
{
    return json_has(json, "thread") ? (uint32_t)json_get_number(&reading->json, json, "thread")
                                    : reading->usual_thread;
}

static void read_cost(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct json_reader *reader = &reading->json;
    struct profile_cost *cost = element;

    cost->thread = thread_of(reading, json);
    cost->address = json_get_address(reader, json, "address");
    cost->is_monitor = json_get_bool(reader, json, "monitor");
    cost->count = json_get_number(reader, json, "count");
    cost->units = json_get_number(reader, json, "units");
    cost->is_transfer = json_has(json, "taken");
    if (cost->is_transfer) {
        cost->taken = json_get_number(reader, json, "taken");
        cost->mispredicted = json_get_number(reader, json, "mispredicted");
        cost->lost = json_get_number(reader, json, "lost");
    }
    if (json_has(json, "events"))
        read_events(reading, json, cost);
}

void profile_read_oracle(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;
    const cJSON *oracle;

    if (!json_has(root, "oracle"))
        return;
    oracle = json_get_object(&reading->json, root, "oracle");
    profile->units_per_cycle = json_get_number(&reading->json, oracle, "units_per_cycle");
    profile->outside = json_get_number(&reading->json, oracle, "outside");
    reading->usual_thread = thread_of(reading, oracle);
    profile->thread_cost = profile_reading_array(reading, oracle, "instructions",
                                                 sizeof profile->thread_cost[0], read_cost,
                                                 &profile->thread_costs);
    if (profile_reading_is_good(reading) && !profile_sum_costs(profile))
        reading->json.err = diag_no_memory(reading->json.diag, "the oracle profile");
}
