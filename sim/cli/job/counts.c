/* --count: programmable counters requested by the user, in addition to those of a tool.
 *
 * Each takes a counter of every hart and none is shared, so too many are refused. They count from
 * the begin of measurement to its end. A program can access their registers like any others. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/collect/collect.h"
#include "sim/cli/job/counts.h"
#include "sim/host/counting.h"

struct counts {
    struct counting counting[PMU_COUNTERS_MAX];
    unsigned count;
    unsigned first;                 /* of them, mhpmcounter3 + first is the first */
    uint64_t *before, *after;       /* [harts][count] values at the begin and end of measurement;
                                     * NULL: as they are */
};

static enum err check_room(const struct job *job, unsigned wanted, struct diag *diag)
{
    unsigned there = job->options->config.pmu_counters, taken = job->counters.count;
    char others[64] = "";

    if (wanted + taken <= there)
        return ERR_OK;
    if (taken != 0)
        snprintf(others, sizeof others, ", and %u %s taken", taken, taken == 1 ? "is" : "are");
    return diag_set(diag, ERR_USAGE, "--count: %u counter%s wanted; the machine has %u "
                    "(pmu.counters)%s", wanted, wanted == 1 ? " is" : "s are", there, others);
}

enum err counts_open(struct job *job, struct diag *diag)
{
    const struct option_list *list = &job->options->count;
    struct profiler_counters *counters = &job->counters;
    enum err err = check_room(job, list->count, diag);
    struct counts *counts = NULL;

    if (err != ERR_OK || list->count == 0)
        return err;
    job->counts = counts = calloc(1, sizeof *counts);
    if (counts == NULL)
        return diag_no_memory(diag, "counters");
    counts->first = counters->count;
    counters->without_marks = counters->count == 0;
    for (unsigned i = 0; i < list->count && err == ERR_OK; i++) {
        struct counting *counting = &counts->counting[counts->count++];

        err = counting_parse(counting, list->item[i], diag);
        counters->select[counters->count++] = counting->select;
        counters->without_marks &= !counting_needs_marks(counting);
    }
    return err;
}

void counts_warn(const struct job *job)
{
    const struct counts *counts = job->counts;

    for (unsigned i = 0; counts != NULL && i < counts->count; i++) {
        int range = counts->counting[i].range;
        unsigned filter = counts->counting[i].select >> PMU_FILTER_SHIFT & 7;

        if (filter == PMU_FILTER_THREAD && job->machine.kernel == NULL)
            fprintf(stderr, "rvsim: warning: --count %s: there are threads under the guest kernel "
                    "only: --os kernel\n", job->options->count.item[i]);

        if (range >= 0 && !job->meta.irange[range].is_set)
            fprintf(stderr, "rvsim: warning: --count %s: no metadata sets range I%d\n",
                    job->options->count.item[i], range);
    }
}

static uint64_t *snapshot(const struct job *job)
{
    const struct counts *counts = job->counts;
    uint64_t *value = calloc((size_t)job->machine.harts * counts->count, sizeof *value);

    for (unsigned i = 0; value != NULL && i < job->machine.harts * counts->count; i++)
        value[i] = profiler_hart_counter(job->profiler, i / counts->count,
                                         counts->first + i % counts->count);
    return value;
}

bool counts_mark(struct job *job, bool is_end)
{
    uint64_t **value;

    if (job->counts == NULL)
        return true;
    value = is_end ? &job->counts->after : &job->counts->before;
    free(*value);
    *value = snapshot(job);
    return *value != NULL;
}

bool counts_ask_for(const struct job *job, unsigned event)
{
    for (unsigned i = 0; job->counts != NULL && i < job->counts->count; i++)
        if (job->counts->counting[i].event == event)
            return true;
    return false;
}

void counts_close(struct job *job)
{
    if (job->counts == NULL)
        return;
    free(job->counts->before);
    free(job->counts->after);
    free(job->counts);
}

/* ---- results --------------------------------------------------------------------------------- */

static bool collect_count(struct job *job, unsigned index, const uint64_t *now)
{
    const struct counts *counts = job->counts;
    const struct counting *counting = &counts->counting[index];
    struct profile_count *count = &job->profile.count[job->profile.counts++];
    enum engine engine = job->options->engine;
    unsigned harts = job->machine.harts;

    *count = (struct profile_count){
        .text = profile_text(&job->profile, job->options->count.item[index]),
        .event = event_name(counting->event), .is_sum = counting->is_sum,
        .is_known = counting_is_possible(counting, engine == ENGINE_DETAILED,
                                         engine == ENGINE_WARM),
        .hart = profile_alloc(&job->profile, harts, sizeof count->hart[0]), .harts = harts,
    };
    for (unsigned i = 0; count->hart != NULL && i < harts; i++) {
        unsigned at = i * counts->count + index;

        count->hart[i] = now[at] - (counts->before != NULL ? counts->before[at] : 0);
        count->value += count->hart[i];
    }
    if (count->hart == NULL || count->text == NULL)
        return false;
    /* counts by thread run from the first instruction to the last */
    return counts->before != NULL || job->after != NULL || !count->is_known ||
           collect_shares(job, PROFILER_COUNTERS, counts->first + index, &count->by_thread);
}

bool counts_collect(struct job *job)
{
    struct counts *counts = job->counts;
    bool is_good;

    if (counts == NULL)
        return true;
    if (counts->after == NULL)
        counts->after = snapshot(job);
    job->profile.count = profile_alloc(&job->profile, counts->count, sizeof(struct profile_count));
    is_good = counts->after != NULL && job->profile.count != NULL;
    for (unsigned i = 0; i < counts->count && is_good; i++)
        is_good = collect_count(job, i, counts->after);
    return is_good;
}
