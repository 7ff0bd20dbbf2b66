/* rvsim tune --one-run: sampling names the hot routines, and the rest of the same run counts them.
 *
 * At the switch the pipeline is emptied, so that every instruction behind it was fetched with its
 * mark: counts are exact from there on. What it costs is measured by runs that switch at the same
 * instruction. */
#include <inttypes.h>
#include <string.h>

#include "sim/cli/job.h"
#include "sim/cli/tune.h"

enum { STEP_LEAST = 4096, COMMITS_MAX = 8 };        /* instructions; in a cycle */

/* On to so many instructions, or the user's limit. True: got there. */
static bool run_to(struct job *job, const struct limits *limits, uint64_t insns)
{
    struct limits part = *limits;
    bool is_last = limits->max_insns != 0 && limits->max_insns <= insns;

    part.max_insns = is_last ? limits->max_insns : insns;
    machine_run(&job->machine, &part);
    return job->machine.result.reason == RESULT_MAX_INSNS && !is_last;
}

static bool is_in_monitor(const struct machine *machine)
{
    bool any = false;

    for (unsigned i = 0; i < machine->harts; i++)
        any |= machine->cpu[i].hart.in_monitor;
    return any;
}

static uint64_t count_samples(const struct profiler *profiler)
{
    const struct monitor_record *record;
    const struct monitor_header *header = profiler_records(profiler, &record);

    return header != NULL ? header->interrupts : 0;
}

/* Until there are enough samples, in steps that do not go far beyond. */
static enum err run_sampled(struct tune *tune, struct job *job, const struct limits *limits,
                            struct diag *diag)
{
    uint64_t samples = 0, step;
    bool goes_on;
    enum err err;

    do {
        step = tune->period * (tune->wanted - samples) / COMMITS_MAX;
        step = step > STEP_LEAST ? step : STEP_LEAST;
        goes_on = run_to(job, limits, machine_insns(&job->machine) + step);
        err = profiler_collect(job->profiler, diag);
        samples = count_samples(job->profiler);
    } while (err == ERR_OK && goes_on && samples < tune->wanted);
    if (err != ERR_OK || goes_on)
        return err;
    return diag_set(diag, ERR_USAGE, "tune: the run ended after %" PRIu64 " samples: a smaller "
                    "--period or --samples leaves something to count", samples);
}

/* No more samples, and on until no hart is in the monitor; a monitor amid its work may have started
 * its counter again. */
static enum err leave_monitor(struct tune *tune, struct job *job, const struct limits *limits,
                              struct diag *diag)
{
    const struct profiler_counters nothing = {.count = 0};
    /* several harts take turns: each gets one */
    uint64_t step = job->machine.harts == 1 ? 1 : STEP_LEAST;
    enum err err;

    do
        err = profiler_recount(job->profiler, &nothing, &tune->none, diag);
    while (err == ERR_OK && is_in_monitor(&job->machine) &&
           run_to(job, limits, machine_insns(&job->machine) + step));
    return err;
}

/* The first time: until there are samples enough. Later, to see what it costs: to the same place.
 * */
static enum err run_first_part(struct tune *tune, struct job *job, const struct limits *limits,
                               struct diag *diag)
{
    enum err err = ERR_OK;

    if (tune->switched == 0)
        err = run_sampled(tune, job, limits, diag);
    else
        run_to(job, limits, tune->switched);
    tune->switched = tune->switched == 0 ? machine_insns(&job->machine) : tune->switched;
    return err == ERR_OK ? leave_monitor(tune, job, limits, diag) : err;
}

/* What was sampled names the hot routines. */
static enum err decide(struct tune *tune, struct job *job, struct diag *diag)
{
    const struct meta_resolver resolver = target_resolver(&tune->tool.target);
    enum err err = collect_profile(job, diag);

    if (err != ERR_OK)
        return err;
    tune->sampled.profile = job->profile;
    job->profile = (struct profile){0};
    err = tune_find_hot(tune, diag);
    if (err == ERR_OK)
        err = tune_make_marks(tune, diag);
    return err == ERR_OK ? meta_read(&tune->meta, tune->marks, strlen(tune->marks), "(marks)",
                                     &resolver, diag) : err;
}

static enum err change_marks(struct tune *tune, struct job *job, struct diag *diag)
{
    const struct profiler_counters counters = tune_counters(tune);
    enum err err = profiler_replace(job->profiler, &tune->meta, diag);

    if (err == ERR_OK)
        err = profiler_recount(job->profiler, &counters, &tune->meta, diag);
    machine_changed(&job->machine);
    return err;
}

enum err tune_run_parts(void *arg, struct job *job, const struct limits *limits,
                          struct diag *diag)
{
    struct tune *tune = arg;
    bool is_first = tune->switched == 0;
    enum err err = profiler_replace(job->profiler, &tune->none, diag);

    if (err == ERR_OK)
        err = run_first_part(tune, job, limits, diag);
    if (err == ERR_OK && is_first)
        err = decide(tune, job, diag);
    if (err == ERR_OK)
        err = change_marks(tune, job, diag);
    if (err != ERR_OK)
        return err;
    machine_run(&job->machine, limits);
    for (unsigned i = 0; is_first && i < tune->hot; i++)
        tune->routine[i].cycles = profiler_counter(job->profiler, i);
    return ERR_OK;
}
