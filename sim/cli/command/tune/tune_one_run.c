/* rvsim tune --one-run: sampling names the hot routines, and the rest of the same run counts them.
 *
 * Sampling continues, and routines that become hot later are counted from then on, as far as there
 * are range registers and counters. At a switch the pipeline is emptied, so that every instruction
 * after it was fetched with its mark: counts are exact from there on. The cost is measured by runs
 * that switch at the same instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/report/report.h"
#include "sim/cli/collect/collect.h"
#include "sim/cli/command/tune/tune.h"
#include "sim/cli/job/job.h"

enum { STEP_LEAST = 4096, COMMITS_MAX = 8 };        /* instructions; in a cycle */

/* Runs to instruction `insns`, or to the user's limit. True: reached. */
static bool run_to(struct job *job, const struct limits *limits, uint64_t insns)
{
    struct limits part = *limits;
    bool is_last = limits->max_insns != 0 && limits->max_insns <= insns;

    part.max_insns = is_last ? limits->max_insns : insns;
    machine_run(&job->machine, &part);
    return job->machine.result.reason == RESULT_MAX_INSNS && !is_last;
}

static uint64_t count_samples(const struct profiler *profiler)
{
    const struct monitor_record *record;
    const struct monitor_header *header = profiler_records(profiler, &record);

    return header != NULL ? header->interrupts : 0;
}

/* Runs until there are that many more samples, in steps that overshoot little. *goes_on: false if
 * the run has ended before. */
static enum err run_sampled(struct tune *tune, struct job *job, const struct limits *limits,
                            bool *goes_on, struct diag *diag)
{
    uint64_t begun = count_samples(job->profiler), samples = 0, step;
    enum err err;

    do {
        step = tune->period * (tune->wanted - samples) / COMMITS_MAX;
        step = step > STEP_LEAST ? step : STEP_LEAST;
        *goes_on = run_to(job, limits, machine_insns(&job->machine) + step);
        err = profiler_collect(job->profiler, diag);
        samples = count_samples(job->profiler) - begun;
    } while (err == ERR_OK && *goes_on && samples < tune->wanted);
    return err;
}

/* Sets the marks, ranges and counters of a switch. A quiet run takes no samples. */
static enum err change_marks(struct tune *tune, struct job *job, struct tune_switch *change,
                             struct diag *diag)
{
    struct profiler_counters counters = tune_counters(tune, 1, change->hot);
    enum err err = profiler_replace(job->profiler, &change->meta, diag);

    counters.select[0] = tune->event;
    counters.period = job->counters.period;
    counters.is_maskable = job->counters.is_maskable;
    if (err == ERR_OK)
        err = profiler_recount(job->profiler, &counters, &change->meta, diag);
    machine_changed(&job->machine);
    return err;
}

/* Stores the counts up to now as the base of the following ones. */
static enum err take_base(struct tune *tune, struct job *job, struct diag *diag)
{
    enum err err = collect_profile(job, diag);

    if (err != ERR_OK)
        return err;
    profile_free(&tune->before);
    tune->before = job->profile;
    job->profile = (struct profile){0};
    return ERR_OK;
}

/* Marks the hot routines from here on. */
static enum err make_switch(struct tune *tune, struct job *job, struct diag *diag)
{
    const struct meta_resolver resolver = target_resolver(&tune->tool.target);
    struct tune_switch *change = &tune->change[tune->changes];
    enum err err;

    *change = (struct tune_switch){.insns = machine_insns(&job->machine), .hot = tune->hot};
    err = take_base(tune, job, diag);
    if (err == ERR_OK)
        err = tune_make_marks(tune, diag);
    if (err != ERR_OK)
        return err;
    tune->changes++;
    err = meta_read(&change->meta, tune->marks, strlen(tune->marks), "(marks)", &resolver, diag);
    return err == ERR_OK ? change_marks(tune, job, change, diag) : err;
}

/* ---- the first part -------------------------------------------------------------------------- */

/* Finds the hot routines by all samples up to now. ERR_USAGE: none yet. */
static enum err find_first(struct tune *tune, struct job *job, struct diag *diag)
{
    enum err err = collect_profile(job, diag);

    if (err != ERR_OK)
        return err;
    profile_free(&tune->sampled.profile);
    tune->sampled.profile = job->profile;
    job->profile = (struct profile){0};
    free(tune->routine);
    tune->samples = tune->elsewhere = tune->elsewhere_count = tune->elsewhere_units = 0;
    return tune_find_hot(tune, diag);
}

/* Takes further samples if no routine is hot after the first ones, as during start-up. */
static enum err run_first_part(struct tune *tune, struct job *job, const struct limits *limits,
                               struct diag *diag)
{
    bool goes_on = true;
    enum err err;

    do {
        err = run_sampled(tune, job, limits, &goes_on, diag);
        if (err == ERR_OK)
            err = find_first(tune, job, diag);
    } while (err == ERR_USAGE && goes_on);
    tune->hot_first = tune->hot;
    if (job->machine.result.reason == RESULT_INTERRUPTED && err != ERR_NO_MEMORY)
        return ERR_OK;
    if (err != ERR_OK)
        return err;
    if (!goes_on)
        return diag_set(diag, ERR_USAGE, "tune: the run ended after %" PRIu64 " sample%s: a "
                        "smaller --period or --samples leaves something to count",
                        count_samples(job->profiler), report_s(count_samples(job->profiler)));
    for (size_t i = 0; i < tune->units.count; i++)
        tune->routine[i].seen = tune->routine[i].samples;
    return make_switch(tune, job, diag);
}

/* ---- looks at the rest ----------------------------------------------------------------------- */

/* Takes the counts of the hot routines since the last switch. */
static void take_counts(struct tune *tune, const struct job *job)
{
    for (unsigned i = 0; i < tune->hot; i++)
        tune->routine[i].cycles += profiler_counter(job->profiler, 1 + i);
    for (unsigned i = 0; i < tune->hot && tune_has_event(tune); i++)
        tune->routine[i].events += profiler_counter(job->profiler, 1 + (unsigned)tune->hot + i);
}

/* Samples of each unit up to now. NULL: no memory. */
static uint64_t *samples_now(const struct tune *tune, const struct profile *profile)
{
    uint64_t *now = calloc(tune->units.count, sizeof *now);

    for (size_t i = 0; now != NULL && i < profile->records; i++) {
        long unit = units_at(&tune->units, profile->record[i].address);

        if (unit != UNITS_NONE)
            now[unit] += profile->record[i].interrupts;
    }
    return now;
}

static uint64_t new_samples(const struct routine *routine, const uint64_t *now)
{
    return now[routine->unit] - routine->seen;
}

/* True if it has a sufficient share of the samples since the last check. */
static bool is_hot_now(const struct tune *tune, const struct routine *routine,
                       const uint64_t *now, uint64_t all)
{
    uint64_t samples = new_samples(routine, now);

    return samples != 0 && samples * 100 >= tune->hot_percent * all;
}

/* Among counted routines, the one with the fewest samples in total. */
static size_t coldest(const struct tune *tune, const uint64_t *now)
{
    size_t least = 0;

    for (size_t i = 1; i < tune->hot; i++)
        if (now[tune->routine[i].unit] <= now[tune->routine[least].unit])
            least = i;
    return least;
}

/* The place for a routine that is hot now: after the counted ones while there are range registers,
 * else that of a routine with fewer samples. SIZE_MAX: none. */
static size_t place_for(const struct tune *tune, const struct routine *routine,
                        const uint64_t *now)
{
    size_t least;

    if (tune->hot < tune->top)
        return tune->hot;
    least = coldest(tune, now);
    return now[routine->unit] > now[tune->routine[least].unit] ? least : SIZE_MAX;
}

/* True if the set of counted routines would change; acts: changes it. */
static bool find_later(struct tune *tune, const uint64_t *now, bool acts)
{
    uint64_t all = 0;
    bool any = false;

    for (size_t i = 0; i < tune->units.count; i++)
        all += new_samples(&tune->routine[i], now);
    for (size_t i = tune->hot; i < tune->units.count; i++) {
        struct routine found = tune->routine[i];
        size_t place = is_hot_now(tune, &found, now, all) ? place_for(tune, &found, now)
                                                          : SIZE_MAX;

        if (place == SIZE_MAX)
            continue;
        any = true;
        if (!acts)
            return true;
        found.was_hot = true;
        tune->routine[i] = tune->routine[place];
        tune->routine[place] = found;
        tune->hot += place == tune->hot;
    }
    return any;
}

static void note_samples(struct tune *tune, const uint64_t *now)
{
    for (size_t i = 0; i < tune->units.count; i++)
        tune->routine[i].seen = now[tune->routine[i].unit];
}

/* *goes_on: true if another check is useful. */
static enum err look(struct tune *tune, struct job *job, const struct limits *limits,
                     bool *goes_on, struct diag *diag)
{
    uint64_t *now;
    bool changes;
    enum err err = run_sampled(tune, job, limits, goes_on, diag);

    if (err != ERR_OK || !*goes_on)
        return err;
    err = collect_profile(job, diag);
    if (err != ERR_OK)
        return err;
    now = samples_now(tune, &job->profile);
    if (now == NULL)
        return diag_no_memory(diag, "samples");
    changes = find_later(tune, now, false);
    if (changes) {
        take_counts(tune, job);
        tune_collect_counts(tune, &job->profile);
        err = tune_keep(tune, job, diag);
        find_later(tune, now, true);
    }
    note_samples(tune, now);
    free(now);
    profile_free(&job->profile);
    job->profile = (struct profile){0};
    return err == ERR_OK && changes ? make_switch(tune, job, diag) : err;
}

static enum err run_and_look(struct tune *tune, struct job *job, const struct limits *limits,
                             struct diag *diag)
{
    bool goes_on = true;
    enum err err = run_first_part(tune, job, limits, diag);

    if (tune->changes == 0)                     /* an error, or interrupted before */
        return err;
    while (err == ERR_OK && goes_on && tune->changes < TUNE_CHANGES)
        err = look(tune, job, limits, &goes_on, diag);
    if (err == ERR_OK && goes_on)
        machine_run(&job->machine, limits);
    if (err == ERR_OK)
        take_counts(tune, job);
    tune->is_divided = !profiler_only_thread(job->profiler, &(uint32_t){0});
    return err;
}

/* Repeats the run to measure its cost: with the same switches. */
static enum err run_again(struct tune *tune, struct job *job, const struct limits *limits,
                          struct diag *diag)
{
    enum err err = ERR_OK;

    for (unsigned i = 0; i < tune->changes && err == ERR_OK; i++) {
        run_to(job, limits, tune->change[i].insns);
        err = change_marks(tune, job, &tune->change[i], diag);
    }
    if (err == ERR_OK)
        machine_run(&job->machine, limits);
    return err;
}

enum err tune_run_parts(void *arg, struct job *job, const struct limits *limits,
                        struct diag *diag)
{
    struct tune *tune = arg;
    enum err err = profiler_replace(job->profiler, &tune->none, diag);

    if (err != ERR_OK)
        return err;
    return tune->changes == 0 ? run_and_look(tune, job, limits, diag)
                              : run_again(tune, job, limits, diag);
}
