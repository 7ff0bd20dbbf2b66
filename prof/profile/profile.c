/* Memory and lookups of a profile; the file format is profile_write.c's and profile_read.c's. */
#include "prof/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/key.h"
#include "pmu/sorted.h"

_Static_assert((int)PROFILE_CODES == (int)EVENT_COUNT, "every event has a place");

struct profile_memory {
    struct profile_memory *next;
    max_align_t data[];
};

void *profile_alloc(struct profile *profile, size_t count, size_t bytes)
{
    struct profile_memory *memory;

    if (bytes != 0 && count > (SIZE_MAX - sizeof *memory) / bytes)
        return NULL;
    memory = calloc(1, sizeof *memory + count * bytes);
    if (memory == NULL)
        return NULL;
    memory->next = profile->memory;
    profile->memory = memory;
    return memory->data;
}

void *profile_grown(struct profile *profile, const void *array, size_t count, size_t more,
                    size_t bytes)
{
    void *grown = profile_alloc(profile, count + more, bytes);

    return grown != NULL && count != 0 ? memcpy(grown, array, count * bytes) : grown;
}

const char *profile_text(struct profile *profile, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = profile_alloc(profile, bytes, 1);

    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

void profile_free(struct profile *profile)
{
    while (profile->memory != NULL) {
        struct profile_memory *next = profile->memory->next;

        free(profile->memory);
        profile->memory = next;
    }
    *profile = (struct profile){0};
}

const char *profile_program_of(const struct profile *profile, uint64_t key)
{
    uint64_t image = key_whole_program(key) >> KEY_SHIFT;

    return image != 0 && image < profile->images ? profile->image[image].path : profile->program;
}

uint64_t profile_walks(const struct profile *profile, unsigned walk)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < profile->records; i++)
        sum += profile->record[i].walk == walk ? profile->record[i].interrupts : 0;
    return sum;
}

const char *profile_setting(const struct profile *profile, const char *key)
{
    for (size_t i = 0; i < profile->settings; i++)
        if (strcmp(profile->setting[i].key, key) == 0)
            return profile->setting[i].value;
    return NULL;
}

size_t profile_event_place_from(const struct profile *profile, const char *name, size_t from)
{
    for (size_t i = 0; i < profile->events; i++) {
        size_t place = from + i < profile->events ? from + i : from + i - profile->events;

        if (strcmp(profile->event_name[place], name) == 0)
            return place;
    }
    return profile->events;
}

size_t profile_event_place(const struct profile *profile, const char *name)
{
    return profile_event_place_from(profile, name, 0);
}

static bool is_mark_before(const void *mark, const void *address)
{
    return ((const struct profile_mark *)mark)->address < *(const uint64_t *)address;
}

size_t profile_marks_from(const struct profile *profile, uint64_t address)
{
    return sorted_place(profile->mark, profile->marks, sizeof profile->mark[0], is_mark_before,
                        &address);
}

void profile_add_events(const struct profile *profile, const uint64_t *value, bool is_taken,
                        uint64_t events[PROFILE_CODES])
{
    unsigned code = EVENT_NONE;

    for (size_t i = 0; i < profile->events; i++) {
        code = event_by_name_after(code, profile->event_name[i]);
        events[code] += is_taken ? 0 - value[i] : value[i];
    }
    events[EVENT_NONE] = 0;
}

void profile_events(const struct profile *profile, uint64_t events[PROFILE_CODES])
{
    memset(events, 0, PROFILE_CODES * sizeof events[0]);
    profile_add_events(profile, profile->event, false, events);
}

void profile_program_events(const struct profile *profile, uint64_t events[PROFILE_CODES])
{
    profile_events(profile, events);
    if (profile->monitor_event != NULL)
        profile_add_events(profile, profile->monitor_event, true, events);
}

uint64_t profile_hart_event(const struct profile *profile, size_t hart, unsigned code)
{
    const char *name = event_name(code);
    size_t place = name != NULL ? profile_event_place(profile, name) : profile->events;

    return place < profile->events ? profile->hart[hart].event[place] : 0;
}

uint64_t profile_event(const struct profile *profile, const char *name)
{
    size_t place = profile_event_place(profile, name);

    return place < profile->events ? profile->event[place] : 0;
}

uint64_t profile_entered(const struct profile *profile, uint64_t routine)
{
    uint64_t entered = 0;

    for (size_t i = 0; i < profile->edges; i++)
        entered += profile->edge[i].routine == routine ? profile->edge[i].calls : 0;
    return entered;
}
