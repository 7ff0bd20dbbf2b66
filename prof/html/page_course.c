/* The run over time, and the compared profilers. See page_data.h. */
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/exact/topdown.h"
#include "pmu/scheme/scheme.h"
#include "prof/html/page_data.h"
#include "prof/profile/cost.h"
#include "prof/profile/profile_write.h"
#include "prof/report/summary.h"

/* ---- events ---------------------------------------------------------------------------------- */

/* The word of the top-down tree for an event's cycles; TOPDOWN_COUNT: the event does not count
 * cycles. */
static unsigned word_of(const struct profile *profile, const uint8_t *causes, size_t k)
{
    unsigned cause = causes[profile->over_time.event[k]];

    return cause != EVENT_CAUSES ? topdown_word_of_cause(EVENT_CPI_BASE + cause) : TOPDOWN_COUNT;
}

static cJSON *course_row(const struct profile *profile, const uint8_t *causes,
                         const struct profile_interval *interval)
{
    uint64_t word[TOPDOWN_COUNT + 1] = {0};
    cJSON *row = cJSON_CreateArray();

    json_append_number(row, interval->end);
    for (size_t k = 0; k < profile->over_time.events; k++)
        word[word_of(profile, causes, k)] += interval->count[k];
    for (unsigned i = 0; summary_word(i) != TOPDOWN_COUNT; i++)
        json_append_number(row, word[summary_word(i)]);
    for (size_t k = 0; k < profile->over_time.events; k++)
        if (word_of(profile, causes, k) == TOPDOWN_COUNT)
            json_append_number(row, interval->count[k]);
    return row;
}

/* Rows: the end, hart cycles of each word of the top-down tree, counts of the other events. */
enum err page_add_course(cJSON *root, const struct profile *profile, struct diag *diag)
{
    const struct profile_over_time *over_time = &profile->over_time;
    cJSON *course = cJSON_AddObjectToObject(root, "course");
    cJSON *words = cJSON_AddArrayToObject(course, "words");
    cJSON *events = cJSON_AddArrayToObject(course, "events");
    cJSON *rows = cJSON_AddArrayToObject(course, "rows");
    uint8_t *causes = cost_causes(profile);

    if (causes == NULL)
        return diag_no_memory(diag, "the page");
    for (unsigned i = 0; summary_word(i) != TOPDOWN_COUNT; i++)
        cJSON_AddItemToArray(words, cJSON_CreateString(topdown_row(summary_word(i)).name));
    for (size_t k = 0; k < over_time->events; k++)
        if (word_of(profile, causes, k) == TOPDOWN_COUNT)
            cJSON_AddItemToArray(events,
                                 cJSON_CreateString(profile->event_name[over_time->event[k]]));
    for (size_t i = 0; i < over_time->intervals; i++)
        cJSON_AddItemToArray(rows, course_row(profile, causes, &over_time->interval[i]));
    free(causes);
    return ERR_OK;
}

/* ---- profilers ------------------------------------------------------------------------------- */

/* Adds each scheme, with a description if this version knows it. */
void page_add_schemes(cJSON *root, const struct profile *profile)
{
    cJSON *object;

    profile_write_schemes(root, profile);
    if (profile->schemes == NULL)
        return;
    object = cJSON_AddObjectToObject(root, "charged");
    for (size_t i = 0; i < profile->schemes->schemes; i++)
        for (unsigned id = 0; id < scheme_count(); id++)
            if (strcmp(scheme_row(id).name, profile->schemes->scheme[i].name) == 0)
                cJSON_AddStringToObject(object, scheme_row(id).name, scheme_row(id).help);
}
