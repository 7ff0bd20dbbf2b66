/* Harts and threads as a member of a profile's JSON, written and read. */
#include "prof/profile/profile_threads.h"

#include "prof/profile/profile_reading.h"
#include "prof/profile/profile_write.h"

#include <string.h>

enum {
    EXACT_FIELDS = 3, MERGED_FIELDS = 2 + PROFILE_THREAD_STATES,
    MERGED_FIELDS_OLD = 2 + PROFILE_THREAD_OFF,     /* in files without this state */
};

static const char *const state_name[PROFILE_THREAD_STATES] = {
#define THREAD_STATE(id, name, meaning) name,
#include "prof/profile/thread_state.def"
};

/* ---- writing --------------------------------------------------------------------------------- */

static unsigned state_of(const struct profile_span *span)
{
    unsigned state = 0;

    while (state + 1 < PROFILE_THREAD_STATES && span->cycles[state] == 0)
        state++;
    return state;
}

/* An exact span: end, state, who. A merged span: end, changes, the cycles of each state. */
static cJSON *span_json(const struct profile_span *span)
{
    cJSON *array = cJSON_CreateArray();

    json_append_number(array, span->end);
    json_append_number(array, span->changes == 1 ? state_of(span) : span->changes);
    if (span->changes == 1)
        json_append_number(array, span->who);
    for (unsigned i = 0; span->changes != 1 && i < PROFILE_THREAD_STATES; i++)
        json_append_number(array, span->cycles[i]);
    return array;
}

static void write_track(cJSON *array, const struct profile_track *track)
{
    cJSON *object = json_append_object(array), *spans;

    json_number(object, "number", track->number);
    json_number(object, "begin", track->begin);
    json_number(object, "switches", track->switches);
    json_number(object, "preempted", track->preempted);
    json_number(object, "migrations", track->migrations);
    json_number(object, "waits", track->waits);
    json_number(object, "waited", track->waited);
    json_number(object, "longest_wait", track->longest_wait);
    spans = cJSON_AddArrayToObject(object, "spans");
    for (size_t i = 0; i < track->spans; i++)
        cJSON_AddItemToArray(spans, span_json(&track->span[i]));
}

static void write_tracks(cJSON *object, const char *key, const struct profile_track *track,
                         size_t tracks)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);

    for (size_t i = 0; i < tracks; i++)
        write_track(array, &track[i]);
}

void profile_write_threads(cJSON *root, const struct profile *profile)
{
    const struct profile_threads *threads = profile->threads;
    cJSON *object, *states;

    if (threads == NULL)
        return;
    object = cJSON_AddObjectToObject(root, "threads");
    json_number(object, "cycles", threads->cycles);
    json_number(object, "grain", threads->grain);
    json_number(object, "left_out", threads->left_out);
    states = cJSON_AddArrayToObject(object, "states");
    for (unsigned i = 0; i < PROFILE_THREAD_STATES; i++)
        cJSON_AddItemToArray(states, cJSON_CreateString(state_name[i]));
    write_tracks(object, "harts", threads->hart, threads->harts);
    write_tracks(object, "threads", threads->thread, threads->threads);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_span(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_span *span = element;
    uint64_t value[MERGED_FIELDS] = {0};
    const cJSON *field;
    unsigned fields = 0;

    cJSON_ArrayForEach(field, json) {
        if (fields < MERGED_FIELDS)
            value[fields] = json_number_of(&reading->json, field, "spans");
        fields++;
    }
    if (!profile_reading_is_good(reading))
        return;
    *span = (struct profile_span){.end = value[0]};
    if (fields == EXACT_FIELDS && value[1] < PROFILE_THREAD_STATES) {
        span->changes = 1;
        span->cycles[value[1]] = 1;     /* completed when the preceding span is known */
        span->who = (uint32_t)value[2];
    } else if (fields >= MERGED_FIELDS_OLD && fields <= MERGED_FIELDS && value[1] > 1) {
        span->changes = value[1];
        for (unsigned i = 0; i < PROFILE_THREAD_STATES; i++)
            span->cycles[i] = value[2 + i];
    } else {
        json_fail(&reading->json, "spans", "arrays of end, state and number, or of end, changes "
                  "and the cycles of each state");
    }
}

static bool is_filled(const struct profile_span *span, uint64_t cycles)
{
    for (unsigned i = 0; i < PROFILE_THREAD_STATES; i++) {
        if (span->cycles[i] > cycles)
            return false;
        cycles -= span->cycles[i];
    }
    return cycles == 0;
}

/* Spans are adjacent, and each is as long as the sum of its states. */
static void complete(struct profile_reading *reading, struct profile_track *track)
{
    uint64_t begin = track->begin;

    for (size_t i = 0; profile_reading_is_good(reading) && i < track->spans; i++) {
        struct profile_span *span = &track->span[i];

        if (span->end <= begin) {
            json_fail(&reading->json, "spans", "ends in their order");
            return;
        }
        if (span->changes == 1)
            span->cycles[state_of(span)] = span->end - begin;
        if (!is_filled(span, span->end - begin))
            json_fail(&reading->json, "spans", "states that take all cycles of a span");
        for (unsigned k = 0; k < PROFILE_THREAD_STATES; k++)
            track->cycles[k] += span->cycles[k];
        begin = span->end;
    }
}

static void read_track(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct json_reader *reader = &reading->json;
    struct profile_track *track = element;

    track->number = (uint32_t)json_get_number(reader, json, "number");
    track->begin = json_get_number(reader, json, "begin");
    track->switches = json_get_number(reader, json, "switches");
    track->preempted = json_get_number(reader, json, "preempted");
    track->migrations = json_get_number(reader, json, "migrations");
    track->waits = json_get_number(reader, json, "waits");
    track->longest_wait = json_get_number(reader, json, "longest_wait");
    track->span = profile_reading_array(reading, json, "spans", sizeof track->span[0], read_span,
                                        &track->spans);
    complete(reading, track);
    track->waited = json_has(json, "waited") ? json_get_number(reader, json, "waited")
                                             : track->cycles[PROFILE_THREAD_READY];
}

static void read_state(struct profile_reading *reading, const cJSON *json, void *element)
{
    const char **name = element;

    *name = json_text_of(&reading->json, json, "states");
}

/* The file must number the states as this version does; an older one has fewer. */
static void check_states(struct profile_reading *reading, const cJSON *object)
{
    size_t states;
    const char **name = profile_reading_array(reading, object, "states", sizeof name[0],
                                              read_state, &states);
    bool are_same = states >= PROFILE_THREAD_OFF && states <= PROFILE_THREAD_STATES;

    for (unsigned i = 0; profile_reading_is_good(reading) && are_same && i < states; i++)
        are_same = strcmp(name[i], state_name[i]) == 0;
    if (profile_reading_is_good(reading) && !are_same)
        json_fail(&reading->json, "threads.states", "the states that this version knows");
}

void profile_read_threads(struct profile_reading *reading, const cJSON *root)
{
    struct profile_threads *threads;
    const cJSON *object;

    if (!json_has(root, "threads"))
        return;
    object = json_get_object(&reading->json, root, "threads");
    threads = profile_reading_alloc(reading, 1, sizeof *threads);
    if (threads == NULL)
        return;
    reading->profile->threads = threads;
    threads->cycles = json_get_number(&reading->json, object, "cycles");
    threads->grain = json_get_number(&reading->json, object, "grain");
    threads->left_out = json_get_number(&reading->json, object, "left_out");
    check_states(reading, object);
    threads->hart = profile_reading_array(reading, object, "harts", sizeof threads->hart[0],
                                          read_track, &threads->harts);
    threads->thread = profile_reading_array(reading, object, "threads", sizeof threads->thread[0],
                                            read_track, &threads->threads);
}
