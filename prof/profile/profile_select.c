/* See profile_select.h. */
#include "prof/profile/profile_select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "sim/base/array.h"
/* ---- all threads ----------------------------------------------------------------------------- */

struct rows { struct profile_thread_row *row; size_t rows; bool has_failed; };

/* NULL: no memory. */
static struct profile_thread_row *row_of(struct rows *all, uint32_t thread)
{
    struct profile_thread_row *grown;

    for (size_t i = all->rows; i-- > 0;)
        if (all->row[i].thread == thread)
            return &all->row[i];
    grown = array_grow(all->row, all->rows, sizeof *grown);
    all->has_failed |= grown == NULL;
    if (grown == NULL)
        return NULL;
    all->row = grown;
    grown[all->rows] = (struct profile_thread_row){.thread = thread};
    return &grown[all->rows++];
}

static void add_costs(struct rows *all, const struct profile *profile)
{
    size_t sums;
    struct profile_cost_sum *sum = profile_thread_sums(profile, &sums);

    all->has_failed |= profile->thread_costs != 0 && sum == NULL;
    for (size_t i = 0; i < sums; i++) {
        struct profile_thread_row *row = row_of(all, sum[i].thread);

        if (row == NULL)
            break;
        row->units = sum[i].units;
        row->instructions = sum[i].count;
    }
    free(sum);
}

static void add_marks(struct rows *all, const struct profile_shares *shares)
{
    for (size_t i = 0; i < shares->count; i++) {
        struct profile_thread_row *row = row_of(all, shares->share[i].thread);

        if (row != NULL)
            row->executions += shares->share[i].value[0];
    }
}

static void add_records(struct rows *all, const struct profile_shares *shares)
{
    for (size_t i = 0; i < shares->count; i++) {
        struct profile_thread_row *row = row_of(all, shares->share[i].thread);

        if (row != NULL)
            row->interrupts += shares->share[i].value[0];
    }
}

/* Adds threads that are only in ranges or counters. */
static void add_seen(struct rows *all, const struct profile_shares *shares)
{
    for (size_t i = 0; i < shares->count; i++)
        row_of(all, shares->share[i].thread);
}

static int compare_rows(const void *a, const void *b)
{
    const struct profile_thread_row *x = a, *y = b;

    return (x->thread > y->thread) - (x->thread < y->thread);
}

static bool is_thread_before(const void *row, const void *thread)
{
    return ((const struct profile_thread_name *)row)->thread < *(const uint32_t *)thread;
}

const char *profile_thread_name(const struct profile_thread_name *name, size_t names,
                                uint32_t thread)
{
    size_t at = sorted_place(name, names, sizeof *name, is_thread_before, &thread);

    return at < names && name[at].thread == thread ? name[at].name : NULL;
}

const char *profile_thread_text(const struct profile *profile, uint32_t thread,
                                char text[PROFILE_THREAD_TEXT])
{
    const char *name = thread == 0 ? "(idle)"
                       : profile_thread_name(profile->thread_name, profile->thread_names, thread);

    if (thread == PROFILE_OTHER_THREADS)
        snprintf(text, PROFILE_THREAD_TEXT, "(others)");
    else
        snprintf(text, PROFILE_THREAD_TEXT, "%u%s%.32s", (unsigned)thread,
                 name != NULL && name[0] != '\0' ? " " : "", name != NULL ? name : "");
    return text;
}

enum err profile_thread_rows(const struct profile *profile, struct profile_thread_row **row,
                             size_t *rows, struct diag *diag)
{
    struct rows all = {0};

    add_costs(&all, profile);
    for (size_t i = 0; i < profile->marks; i++)
        add_marks(&all, &profile->mark[i].by_thread);
    for (size_t i = 0; i < profile->records; i++)
        add_records(&all, &profile->record[i].by_thread);
    for (size_t i = 0; i < profile->ranges; i++)
        add_seen(&all, &profile->range[i].by_thread);
    for (size_t i = 0; i < profile->counts; i++)
        add_seen(&all, &profile->count[i].by_thread);
    *row = all.row;
    *rows = all.rows;
    if (all.has_failed)
        return diag_no_memory(diag, "threads");
    if (all.rows == 0)
        return diag_set(diag, ERR_USAGE, "the profile keeps nothing by thread: one thread ran, or "
                        "nothing was measured but what a monitor on the machine sums up");
    qsort(all.row, all.rows, sizeof *all.row, compare_rows);
    return ERR_OK;
}

/* ---- one thread ------------------------------------------------------------------------------ */

struct profile_share profile_share_of(const struct profile_shares *shares, uint32_t thread)
{
    for (size_t i = 0; i < shares->count; i++)
        if (shares->share[i].thread == thread)
            return shares->share[i];
    return (struct profile_share){.thread = thread};
}

static void select_costs(struct profile *profile, uint32_t thread)
{
    size_t first = 0, last;

    while (first < profile->thread_costs && profile->thread_cost[first].thread != thread)
        first++;
    for (last = first; last < profile->thread_costs && profile->thread_cost[last].thread == thread;)
        last++;
    profile->cost = profile->thread_cost + first;
    profile->costs = last - first;
    profile->thread_costs = 0;
    profile->outside = 0;
}

/* Removes records without a part of the thread; place: their new indices. */
static void select_records(struct profile *profile, uint32_t thread, size_t *place)
{
    size_t kept = 0;

    for (size_t i = 0; i < profile->records; i++) {
        struct profile_record *record = &profile->record[i];
        struct profile_share share = profile_share_of(&record->by_thread, thread);

        record->interrupts = share.value[0];
        record->executions = share.value[1];
        record->cycles = share.value[2];
        record->instructions = share.value[3];
        record->by_thread.count = 0;
        place[i] = kept;
        if (record->interrupts != 0)
            profile->record[kept++] = *record;
    }
    profile->records = kept;
}

static void select_samples(struct profile_sampling *sampling, uint32_t thread, const size_t *place)
{
    size_t kept = 0;

    for (size_t i = 0; i < sampling->samples; i++)
        if (sampling->sample[i].thread == thread) {
            sampling->sample[kept] = sampling->sample[i];
            sampling->sample[kept].record = place[sampling->sample[i].record];
            kept++;
        }
    sampling->samples = kept;
}

static bool select_interrupts(struct profile *profile, uint32_t thread)
{
    size_t *place = profile_alloc(profile, profile->records + 1, sizeof *place);

    if (place == NULL)
        return false;
    select_records(profile, thread, place);
    if (profile->sampling != NULL)
        select_samples(profile->sampling, thread, place);
    return true;
}

static void select_counts(struct profile *profile, uint32_t thread)
{
    for (size_t i = 0; i < profile->counts; i++) {
        struct profile_count *count = &profile->count[i];

        count->value = profile_share_of(&count->by_thread, thread).value[0];
        count->harts = 0;
        count->by_thread.count = 0;
    }
}

static void select_marks(struct profile *profile, uint32_t thread)
{
    for (size_t i = 0; i < profile->marks; i++) {
        struct profile_mark *mark = &profile->mark[i];
        struct profile_share share = profile_share_of(&mark->by_thread, thread);

        mark->count = share.value[0];
        mark->interrupts = share.value[1];
        mark->has_entered = false;
        mark->by_thread.count = 0;
    }
    for (size_t i = 0; i < profile->ranges; i++) {
        struct profile_range *range = &profile->range[i];
        struct profile_share share = profile_share_of(&range->by_thread, thread);

        range->entries = share.value[0];
        range->executed = share.value[1];
        range->by_thread.count = 0;
    }
}

enum err profile_select_thread(struct profile *profile, uint32_t thread, struct diag *diag)
{
    struct profile_thread_row *row;
    size_t rows, at = 0;
    enum err err = profile_thread_rows(profile, &row, &rows, diag);

    while (err == ERR_OK && at < rows && row[at].thread != thread)
        at++;
    if (err == ERR_OK && at == rows)
        err = diag_set(diag, ERR_USAGE, "the profile has no thread %u, but %zu from %u to %u",
                       (unsigned)thread, rows, (unsigned)row[0].thread,
                       (unsigned)row[rows - 1].thread);
    free(row);
    if (err != ERR_OK)
        return err;
    if (profile->thread_costs != 0)
        select_costs(profile, thread);
    select_marks(profile, thread);
    select_counts(profile, thread);
    profile->calls = profile->edges = 0;
    return select_interrupts(profile, thread) ? ERR_OK : diag_no_memory(diag, "samples");
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const struct profile_place *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->hart > y->hart) - (x->hart < y->hart);
}

static enum err places_of_samples(const struct profile *profile, bool by_thread,
                                  struct profile_place **place, size_t *places, struct diag *diag)
{
    const struct profile_sampling *sampling = profile->sampling;
    size_t kept = 0;

    if (sampling == NULL || sampling->samples == 0)
        return diag_set(diag, ERR_USAGE, "only samples of `rvsim record`, taken by a monitor on "
                        "the host, know their hart");
    *place = calloc(sampling->samples, sizeof **place);
    if (*place == NULL)
        return diag_no_memory(diag, "harts");
    for (size_t i = 0; i < sampling->samples; i++)
        (*place)[i] = (struct profile_place){
            by_thread, true, by_thread ? sampling->sample[i].thread : 0, sampling->sample[i].hart};
    qsort(*place, sampling->samples, sizeof **place, compare_places);
    for (size_t i = 0; i < sampling->samples; i++)
        if (kept == 0 || compare_places(&(*place)[kept - 1], &(*place)[i]) != 0)
            (*place)[kept++] = (*place)[i];
    *places = kept;
    return ERR_OK;
}

enum err profile_places(const struct profile *profile, bool by_thread, bool by_hart,
                        struct profile_place **place, size_t *places, struct diag *diag)
{
    struct profile_thread_row *row = NULL;
    size_t rows = 0;
    enum err err;

    *place = NULL;
    *places = 0;
    if (by_hart)
        return places_of_samples(profile, by_thread, place, places, diag);
    err = profile_thread_rows(profile, &row, &rows, diag);
    if (err == ERR_OK && (*place = calloc(rows, sizeof **place)) == NULL)
        err = diag_no_memory(diag, "threads");
    for (size_t i = 0; err == ERR_OK && i < rows; i++)
        (*place)[i] = (struct profile_place){true, false, row[i].thread, 0};
    *places = err == ERR_OK ? rows : 0;
    free(row);
    return err;
}

static bool own_sampling(struct profile *part)
{
    struct profile_sampling *sampling = part->sampling;

    if (sampling == NULL)
        return true;
    part->sampling = sampling = profile_grown(part, sampling, 1, 1, sizeof *sampling);
    if (sampling == NULL)
        return false;
    sampling->sample = profile_grown(part, sampling->sample, sampling->samples, 1,
                                     sizeof *sampling->sample);
    return sampling->sample != NULL;
}

/* Copies what a selection changes. */
static bool own_arrays(struct profile *part)
{
    part->memory = NULL;
    part->mark = profile_grown(part, part->mark, part->marks, 1, sizeof *part->mark);
    part->range = profile_grown(part, part->range, part->ranges, 1, sizeof *part->range);
    part->count = profile_grown(part, part->count, part->counts, 1, sizeof *part->count);
    part->record = profile_grown(part, part->record, part->records, 1, sizeof *part->record);
    return own_sampling(part) && part->mark != NULL && part->range != NULL &&
           part->count != NULL && part->record != NULL;
}

static bool is_at(const struct profile_sample *sample, const struct profile_place *place)
{
    return sample->hart == place->hart && (!place->has_thread || sample->thread == place->thread);
}

/* Keeps the samples of a hart; nothing else knows its hart. A sample by marks is one execution. */
static void select_hart(struct profile *part, const struct profile_place *place)
{
    const struct profile_sampling *sampling = part->sampling;
    size_t kept = 0;

    part->marks = part->ranges = part->counts = part->costs = part->thread_costs = 0;
    part->calls = part->edges = 0;
    for (size_t i = 0; i < part->records; i++)
        part->record[i].interrupts = 0;
    for (size_t i = 0; i < sampling->samples; i++)
        if (is_at(&sampling->sample[i], place))
            part->record[sampling->sample[i].record].interrupts++;
    for (size_t i = 0; i < part->records; i++) {
        part->record[i].executions = part->record[i].interrupts;
        if (part->record[i].interrupts != 0)
            part->record[kept++] = part->record[i];
    }
    part->records = kept;
}

enum err profile_part(struct profile *part, const struct profile *profile,
                      const struct profile_place *place, struct diag *diag)
{
    *part = *profile;
    if (!own_arrays(part))
        return diag_no_memory(diag, "a part of the profile");
    if (!place->has_hart)
        return profile_select_thread(part, place->thread, diag);
    select_hart(part, place);
    return ERR_OK;
}
