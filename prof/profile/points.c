/* See points.h. */
#include "prof/profile/points.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/exact/topdown.h"
#include "pmu/sorted.h"
#include "prof/profile/cost.h"
#include "prof/report/report.h"
#include "prof/report/summary.h"

enum { NAME_BYTES = 64, NAMES_BYTES = 400 };

/* ---- which measures -------------------------------------------------------------------------- */

static const struct { enum points_kind kind; const char *name; } words[] = {
    {POINTS_CYCLES, "cycles"}, {POINTS_INSNS, "insns_retired"}, {POINTS_SAMPLES, "samples"},
    {POINTS_COUNT, "count"}, {POINTS_INTERRUPTS, "interrupts"},
};
enum { WORDS = sizeof words / sizeof words[0] };

static bool is_of_oracle(enum points_kind kind)
{
    return kind == POINTS_CYCLES || kind == POINTS_INSNS || kind == POINTS_WORD ||
           kind == POINTS_EVENT;
}

static bool has(const struct profile *profile, enum points_kind kind)
{
    if (is_of_oracle(kind))
        return profile->units_per_cycle != 0;
    return kind == POINTS_SAMPLES ? profile->records != 0 : profile->marks != 0;
}

/* The measures that the profile has, as a list. */
static const char *offered(const struct profile *profile, char text[NAMES_BYTES])
{
    size_t length = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < WORDS; i++)
        if (has(profile, words[i].kind))
            length += (size_t)snprintf(text + length, NAMES_BYTES - length, "%s%s",
                                       length != 0 ? ", " : "", words[i].name);
    if (profile->units_per_cycle != 0)
        snprintf(text + length, NAMES_BYTES - length, ", a word of the top-down tree "
                 "such as back_end, or an event of instructions such as l2_miss, or cycles of a "
                 "cause such as cpi_dram (`rvsim events`)");
    return text;
}

static bool has_event(unsigned code)
{
    return event_scope(code) == SCOPE_INSN ||
           (event_scope(code) == SCOPE_CPI && code != EVENT_CPI_BASE);
}

/* All names: words, then those of the top-down tree, then events by code. */
const char *points_next(void *state)
{
    unsigned *at = state;

    while (*at < WORDS + TOPDOWN_COUNT + EVENT_COUNT) {
        unsigned place = (*at)++, node = summary_word(place - WORDS);
        unsigned code = place - WORDS - TOPDOWN_COUNT;

        if (place < WORDS)
            return words[place].name;
        if (place < WORDS + TOPDOWN_COUNT && node != TOPDOWN_COUNT)
            return topdown_row(node).name;
        if (place >= WORDS + TOPDOWN_COUNT && has_event(code) && code != EVENT_INSNS_RETIRED)
            return event_name(code);
    }
    return NULL;
}

static enum err refuse(const struct profile *profile, const char *name, struct diag *diag)
{
    char names[NAMES_BYTES];
    unsigned at = 0;

    if (offered(profile, names)[0] == '\0')
        return diag_set(diag, ERR_USAGE, "the profile measured no instruction; make one "
                        "with `rvsim record`, or with --oracle or --meta");
    diag_set(diag, ERR_USAGE, "the profile has no '%.60s' of single instructions; it has "
             "%s", name, names);
    return diag_suggest(diag, ERR_USAGE, name, points_next, &at);
}

static bool find_measure(const struct profile *profile, const char *name,
                         struct points_measure *measure)
{
    size_t place;

    for (unsigned i = 0; i < WORDS; i++)
        if (strcmp(words[i].name, name) == 0) {
            *measure = (struct points_measure){.kind = words[i].kind, .name = words[i].name};
            return has(profile, words[i].kind);
        }
    for (unsigned i = 0; summary_word(i) != TOPDOWN_COUNT; i++)
        if (strcmp(topdown_row(summary_word(i)).name, name) == 0) {
            *measure = (struct points_measure){POINTS_WORD, topdown_row(summary_word(i)).name, 0,
                                               summary_word(i)};
            return has(profile, POINTS_WORD);
        }
    place = profile_event_place(profile, name);
    if (place == profile->events || !has_event(event_by_name(name)))
        return false;
    *measure = (struct points_measure){POINTS_EVENT, profile->event_name[place], place, 0};
    return has(profile, POINTS_EVENT);
}

static enum err add_measure(struct points *points, const struct profile *profile,
                            const char *name, struct diag *diag)
{
    struct points_measure measure;

    if (!find_measure(profile, name, &measure))
        return refuse(profile, name, diag);
    for (unsigned i = 0; i < points->measures; i++)
        if (strcmp(points->measure[i].name, measure.name) == 0)
            return ERR_OK;
    if (points->measures == POINTS_MEASURES)
        return diag_set(diag, ERR_USAGE, "more than %d events", POINTS_MEASURES);
    points->measure[points->measures++] = measure;
    return ERR_OK;
}

static enum err choose(struct points *points, const struct profile *profile, const char *list,
                       struct diag *diag)
{
    char name[NAME_BYTES];
    enum err err = ERR_OK;

    for (unsigned i = 0; list == NULL && i < WORDS && err == ERR_OK; i++)
        if (has(profile, words[i].kind) &&
            (words[i].kind != POINTS_SAMPLES || profile->marks == 0))
            err = add_measure(points, profile, words[i].name, diag);
    for (size_t length; list != NULL && err == ERR_OK; list += length + 1) {
        length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        err = add_measure(points, profile, name, diag);
        if (list[length] == '\0')
            break;
    }
    return err == ERR_OK && points->measures == 0 ? refuse(profile, "", diag) : err;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t count_of(const struct profile_cost *cost, size_t event)
{
    for (size_t i = 0; i < cost->events; i++)
        if (cost->event[i].event == event)
            return cost->event[i].count;
    return 0;
}

static uint64_t units_of_word(const struct profile *profile, const uint8_t *causes,
                              const struct profile_cost *cost, unsigned word)
{
    uint64_t cause[EVENT_CAUSES] = {0};

    cost_add_causes(causes, cost, cause);
    return cost_of_word(profile, cost->units, cause, word);
}

static uint64_t value_of_cost(const struct profile *profile, const uint8_t *causes,
                              const struct points_measure *measure,
                              const struct profile_cost *cost)
{
    switch (measure->kind) {
    case POINTS_CYCLES: return cost->units;
    case POINTS_INSNS: return cost->count;
    case POINTS_WORD: return units_of_word(profile, causes, cost, measure->word);
    case POINTS_EVENT: return count_of(cost, measure->event);
    default: return 0;
    }
}

/* The part of a measure that the oracle charged to no instruction. For cycles by cause: all cycles
 * minus those of the instructions. */
static uint64_t outside(const struct points *points, const struct profile *profile,
                        const uint8_t *causes, unsigned k)
{
    const struct points_measure *measure = &points->measure[k];
    uint64_t left = 0;

    if (measure->kind == POINTS_CYCLES)
        return profile->outside;
    for (size_t i = 0; measure->kind == POINTS_WORD && i < profile->events; i++)
        if (causes[i] != EVENT_CAUSES &&
            topdown_word_of_cause(EVENT_CPI_BASE + causes[i]) == measure->word)
            left += profile->event[i] * points->unit;
    if (measure->kind == POINTS_EVENT && causes[measure->event] != EVENT_CAUSES)
        left = profile->event[measure->event];
    if (left == 0)
        return 0;
    left -= points->monitor[k];
    for (size_t i = 0; i < points->points; i++)
        left -= points->point[i].value[k];
    return left;
}

static void add_costs(struct points *points, const struct profile *profile,
                      const uint8_t *causes)
{
    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];
        struct point point = {.address = cost->address};

        for (unsigned k = 0; k < points->measures; k++)
            point.value[k] = value_of_cost(profile, causes, &points->measure[k], cost);
        for (unsigned k = 0; cost->is_monitor && k < points->measures; k++)
            points->monitor[k] += point.value[k];
        if (!cost->is_monitor)
            points->point[points->points++] = point;
    }
    for (unsigned k = 0; k < points->measures; k++)
        points->outside[k] = outside(points, profile, causes, k);
}

static enum err add_oracle(struct points *points, const struct profile *profile, struct diag *diag)
{
    uint8_t *causes = cost_causes(profile);

    if (causes == NULL)
        return diag_no_memory(diag, "events");
    add_costs(points, profile, causes);
    free(causes);
    return ERR_OK;
}

static void add_one(struct points *points, uint64_t address, enum points_kind kind, uint64_t value)
{
    for (unsigned k = 0; k < points->measures; k++)
        if (points->measure[k].kind == kind && value != 0) {
            points->point[points->points].address = address;
            points->point[points->points++].value[k] = value;
        }
}

static void add_others(struct points *points, const struct profile *profile)
{
    for (size_t i = 0; i < profile->marks; i++) {
        const struct profile_mark *mark = &profile->mark[i];

        if (!mark->is_code)
            continue;
        add_one(points, mark->address, POINTS_COUNT, mark->count);
        add_one(points, mark->address, POINTS_INTERRUPTS, mark->interrupts);
    }
    for (size_t i = 0; i < profile->records; i++)
        add_one(points, profile->record[i].address, POINTS_SAMPLES,
                profile->record[i].interrupts);
}

static int compare_points(const void *a, const void *b)
{
    const struct point *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static void join(struct points *points)
{
    size_t kept = 0;

    if (points->points != 0)
        qsort(points->point, points->points, sizeof points->point[0], compare_points);
    for (size_t i = 0; i < points->points; i++) {
        if (kept == 0 || points->point[kept - 1].address != points->point[i].address) {
            points->point[kept++] = points->point[i];
            continue;
        }
        for (unsigned k = 0; k < points->measures; k++)
            points->point[kept - 1].value[k] += points->point[i].value[k];
    }
    points->points = kept;
}

/* After the measures have been chosen. */
static enum err fill(struct points *points, const struct profile *profile, struct diag *diag)
{
    enum err err;

    points->point = calloc(profile->costs + 2 * profile->marks + profile->records + 1,
                           sizeof points->point[0]);
    if (points->point == NULL)
        return diag_no_memory(diag, "measurements");
    err = add_oracle(points, profile, diag);
    if (err != ERR_OK) {
        points_free(points);
        return err;
    }
    add_others(points, profile);
    join(points);
    for (unsigned k = 0; k < points->measures; k++) {
        points->total[k] = points->monitor[k] + points->outside[k];
        for (size_t i = 0; i < points->points; i++)
            points->total[k] += points->point[i].value[k];
    }
    return ERR_OK;
}

enum err points_make(struct points *points, const struct profile *profile, const char *list,
                     struct diag *diag)
{
    enum err err;

    *points = (struct points){.unit = profile->units_per_cycle != 0 ? profile->units_per_cycle : 1};
    err = choose(points, profile, list, diag);
    return err == ERR_OK ? fill(points, profile, diag) : err;
}

enum err points_make_part(struct points *points, const struct points *whole,
                          const struct profile *part, struct diag *diag)
{
    *points = (struct points){.unit = whole->unit, .measures = whole->measures};
    memcpy(points->measure, whole->measure, sizeof points->measure);
    return fill(points, part, diag);
}

void points_free(struct points *points)
{
    free(points->point);
    *points = (struct points){.measures = 0};
}

/* ---- lookups --------------------------------------------------------------------------------- */

static bool is_before(const void *row, const void *address)
{
    const struct point *point = row;

    return point->address < *(const uint64_t *)address;
}

size_t points_from(const struct points *points, uint64_t address)
{
    return sorted_place(points->point, points->points, sizeof points->point[0], is_before,
                        &address);
}

bool points_is_time(const struct points *points, unsigned measure)
{
    return points->measure[measure].kind == POINTS_CYCLES ||
           points->measure[measure].kind == POINTS_WORD;
}

const char *points_text(const struct points *points, unsigned measure, uint64_t value,
                        char text[POINTS_TEXT])
{
    return points_is_time(points, measure) ? report_tenths(value, points->unit, text)
                                           : report_number(value, text);
}

double points_real(const struct points *points, unsigned measure, uint64_t value)
{
    return points_is_time(points, measure) ? (double)value / (double)points->unit : (double)value;
}
