/* Counts of a run in parts: the marks and ranges of each part start from 0, and the profile of the
 * run has their sums. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command/tune/tune.h"
#include "sim/cli/job/job.h"
#include "sim/run/profiler/profiler_threads.h"

/* ---- after a part ---------------------------------------------------------------------------- */

/* Copies shares; if one thread has run alone up to now, it has all of the values. */
static bool copy_shares(struct tune *tune, const struct job *job,
                        const struct profile_shares *shares, uint64_t first, uint64_t second,
                        struct profile_shares *copy)
{
    struct profile_share all = {.value = {first, second}};
    const struct profile_shares alone = {.share = &all, .count = 1};

    *copy = (struct profile_shares){.share = NULL};
    if (profiler_only_thread(job->profiler, &all.thread))
        shares = &alone;
    return profile_add_shares(&tune->kept, copy, shares);
}

static bool keep_marks(struct tune *tune, const struct job *job)
{
    const struct profile *profile = &job->profile;
    struct profile *kept = &tune->kept;
    struct profile_mark *mark = profile_grown(kept, kept->mark, kept->marks, profile->marks + 1,
                                              sizeof *mark);
    bool is_good = mark != NULL;

    for (size_t i = 0; i < profile->marks && is_good; i++) {
        const struct profile_mark *from = &profile->mark[i];
        struct profile_mark *to = &mark[kept->marks];

        if (from->count == 0)
            continue;
        *to = *from;
        to->flags = "counter";
        to->source = "(marks)";
        is_good = copy_shares(tune, job, &from->by_thread, from->count, from->interrupts,
                              &to->by_thread);
        kept->marks++;
    }
    kept->mark = mark;
    return is_good;
}

static bool keep_ranges(struct tune *tune, const struct job *job)
{
    const struct profile *profile = &job->profile;
    struct profile *kept = &tune->kept;
    struct profile_range *range = profile_grown(kept, kept->range, kept->ranges,
                                                profile->ranges + 1, sizeof *range);
    bool is_good = range != NULL;

    for (size_t i = 0; i < profile->ranges && is_good; i++) {
        const struct profile_range *from = &profile->range[i];
        struct profile_range *to = &range[kept->ranges++];

        *to = *from;
        to->name = profile_text(kept, from->name);
        to->place = profile_text(kept, from->place);
        is_good = to->name != NULL && to->place != NULL &&
                  copy_shares(tune, job, &from->by_thread, from->entries, from->executed,
                              &to->by_thread);
    }
    kept->range = range;
    return is_good;
}

enum err tune_keep(struct tune *tune, const struct job *job, struct diag *diag)
{
    return keep_marks(tune, job) && keep_ranges(tune, job) ? ERR_OK
                                                           : diag_no_memory(diag, "counts");
}

/* ---- at the end ------------------------------------------------------------------------------ */

static int compare_marks(const void *a, const void *b)
{
    const struct profile_mark *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static bool add_marks(struct tune *tune)
{
    struct profile *profile = &tune->counted.profile;
    size_t count = profile->marks + tune->kept.marks, sums = 0;
    struct profile_mark *mark = profile_grown(profile, profile->mark, profile->marks,
                                              tune->kept.marks + 1, sizeof *mark);
    bool is_good = mark != NULL;

    if (!is_good)
        return false;
    if (tune->kept.marks != 0)
        memcpy(&mark[profile->marks], tune->kept.mark, tune->kept.marks * sizeof *mark);
    if (count != 0)
        qsort(mark, count, sizeof *mark, compare_marks);
    for (size_t i = 0; i < count && is_good; i++) {
        if (!tune->is_divided)
            mark[i].by_thread.count = 0;
        if (sums == 0 || mark[sums - 1].address != mark[i].address) {
            mark[sums++] = mark[i];
            continue;
        }
        mark[sums - 1].count += mark[i].count;
        mark[sums - 1].interrupts += mark[i].interrupts;
        is_good = profile_add_shares(profile, &mark[sums - 1].by_thread, &mark[i].by_thread);
    }
    profile->mark = mark;
    profile->marks = sums;
    return is_good;
}

static struct profile_range *range_of(struct profile *profile, const struct profile_range *like)
{
    for (size_t i = 0; i < profile->ranges; i++)
        if (profile->range[i].start == like->start && profile->range[i].end == like->end)
            return &profile->range[i];
    return NULL;
}

/* A register that was given to another routine has a row for each. */
static bool add_ranges(struct tune *tune)
{
    struct profile *profile = &tune->counted.profile;
    struct profile_range *range = profile_grown(profile, profile->range, profile->ranges,
                                                tune->kept.ranges + 1, sizeof *range);
    bool is_good = range != NULL;

    profile->range = range;
    for (size_t i = 0; i < tune->kept.ranges && is_good; i++) {
        struct profile_range *from = &tune->kept.range[i], *to = range_of(profile, from);

        if (!tune->is_divided)
            from->by_thread.count = 0;
        if (to == NULL) {
            range[profile->ranges++] = *from;
            continue;
        }
        to->entries += from->entries;
        to->executed += from->executed;
        is_good = profile_add_shares(profile, &to->by_thread, &from->by_thread);
    }
    return is_good;
}

/* The call tree is of the whole run, the counts are not. */
static void add_entered(struct tune *tune)
{
    struct profile *profile = &tune->counted.profile;

    for (size_t i = 0; i < tune->units.count; i++) {
        const struct routine *routine = &tune->routine[i];
        uint64_t start = tune->units.unit[routine->unit].start;

        for (size_t k = profile_marks_from(profile, start);
             routine->was_hot && k < profile->marks && profile->mark[k].address == start; k++) {
            profile->mark[k].has_entered = true;
            profile->mark[k].entered = routine->entered;
        }
    }
    profile->counted_from = tune->change[0].insns;
}

enum err tune_add_kept(struct tune *tune, struct diag *diag)
{
    if (!add_marks(tune) || !add_ranges(tune))
        return diag_no_memory(diag, "counts");
    add_entered(tune);
    return ERR_OK;
}
