/* The oracle profile, read back from a profile's JSON. */
#include <stdlib.h>
#include <string.h>

#include "prof/profile_write.h"

static size_t event_named(struct json_reader *reader, const struct profile *profile,
                          const char *name)
{
    for (size_t i = 0; i < profile->events; i++)
        if (strcmp(profile->event_name[i], name) == 0)
            return i;
    json_fail(reader, name, "an event of the profile");
    return 0;
}

static int compare_events(const void *a, const void *b)
{
    const struct profile_cost_event *x = a, *y = b;

    return (x->event > y->event) - (x->event < y->event);
}

static void read_events(struct json_reader *reader, struct profile *profile, const cJSON *json,
                        struct profile_cost *cost)
{
    const cJSON *event, *events = json_get_object(reader, json, "events");

    cost->event = profile_alloc(profile, (size_t)cJSON_GetArraySize(events) + 1,
                                sizeof cost->event[0]);
    if (cost->event == NULL && reader->err == ERR_OK)
        reader->err = diag_no_memory(reader->diag, reader->file);
    cJSON_ArrayForEach(event, events) {
        if (reader->err != ERR_OK)
            return;
        cost->event[cost->events].event = event_named(reader, profile, event->string);
        cost->event[cost->events++].count = json_number_of(reader, event, event->string);
    }
    if (cost->events != 0)
        qsort(cost->event, cost->events, sizeof cost->event[0], compare_events);
}

static void read_cost(struct json_reader *reader, struct profile *profile, const cJSON *json,
                      struct profile_cost *cost)
{
    cost->address = json_get_address(reader, json, "address");
    cost->is_monitor = json_get_bool(reader, json, "monitor");
    cost->count = json_get_number(reader, json, "count");
    cost->units = json_get_number(reader, json, "units");
    cost->is_transfer = cJSON_GetObjectItemCaseSensitive(json, "taken") != NULL;
    if (cost->is_transfer) {
        cost->taken = json_get_number(reader, json, "taken");
        cost->mispredicted = json_get_number(reader, json, "mispredicted");
        cost->lost = json_get_number(reader, json, "lost");
    }
    if (cJSON_GetObjectItemCaseSensitive(json, "events") != NULL)
        read_events(reader, profile, json, cost);
}

void profile_read_oracle(struct json_reader *reader, struct profile *profile, const cJSON *root)
{
    size_t count;
    const cJSON *cost, *costs, *oracle;

    if (cJSON_GetObjectItemCaseSensitive(root, "oracle") == NULL)
        return;
    oracle = json_get_object(reader, root, "oracle");
    costs = json_get_array(reader, oracle, "instructions", &count);
    profile->units_per_cycle = json_get_number(reader, oracle, "units_per_cycle");
    profile->outside = json_get_number(reader, oracle, "outside");
    profile->cost = profile_alloc(profile, count + 1, sizeof profile->cost[0]);
    if (profile->cost == NULL && reader->err == ERR_OK)
        reader->err = diag_no_memory(reader->diag, reader->file);
    cJSON_ArrayForEach(cost, costs) {
        if (reader->err == ERR_OK)
            read_cost(reader, profile, cost, &profile->cost[profile->costs++]);
    }
}
