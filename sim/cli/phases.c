/* What runs before measurement begins: --fast-forward and --roi, with the fast engine.
 *
 * --roi stops in front of the routine's first instruction, whatever leads there, on the first
 * hart. */
#include <time.h>

#include "sim/cli/job.h"

double job_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct limits phases_limits(const struct job *job)
{
    struct limits limits = job->options->limits;
    double left = limits.timeout_seconds - (job_seconds() - job->started);

    if (limits.timeout_seconds > 0)
        limits.timeout_seconds = left > 1e-9 ? left : 1e-9;
    return limits;
}

/* Runs to `wanted` instructions since the start. False: the run is over. */
static bool skip_insns(struct job *job, uint64_t wanted, enum engine engine)
{
    struct machine *machine = &job->machine;
    struct limits limits = phases_limits(job);
    uint64_t max = limits.max_insns;
    bool is_ours = max == 0 || wanted < max;

    machine->engine = engine;
    limits.max_insns = is_ours ? wanted : max;
    machine_run(machine, &limits);
    return is_ours && machine->result.reason == RESULT_MAX_INSNS;
}

/* --fast-forward; the last --warm of it warm. */
static bool skip_first(struct job *job)
{
    const struct options *options = job->options;
    uint64_t warm = options->warm < options->fast_forward ? options->warm : options->fast_forward;
    uint64_t cold = options->fast_forward - warm;

    return (cold == 0 || skip_insns(job, cold, ENGINE_FAST)) &&
           (warm == 0 || skip_insns(job, options->fast_forward, ENGINE_WARM));
}

static bool skip_to(struct job *job, uint64_t pc)
{
    struct machine *machine = &job->machine;
    struct limits limits = phases_limits(job);

    if (!machine_stop_at(machine, pc)) {
        machine->result = (struct result){.reason = RESULT_FAILURE, .text = "not enough memory"};
        return false;
    }
    machine_run(machine, &limits);
    machine_stop_at(machine, MACHINE_NO_STOP);
    return machine->result.reason == RESULT_HALTED;
}

/* Measurement may begin later than detail: when the first instruction of --roi retires. */
bool phases_enter_roi(struct job *job)
{
    const struct options *options = job->options;
    const struct image_symbol *begin, *end;

    if (options->roi_end == NULL)
        return true;
    end = image_find_symbol(&job->target.image, options->roi_end);
    begin = options->roi != NULL ? image_find_symbol(&job->target.image, options->roi) : NULL;
    job->is_in_roi = begin == NULL;
    return regions_watch_roi(job, begin != NULL ? begin->addr : end->addr, end->addr);
}

bool phases_fast_forward(struct job *job)
{
    const struct image_symbol *symbol = NULL;
    struct machine *machine = &job->machine;
    bool goes_on = true;

    if (job->options->roi != NULL)
        symbol = image_find_symbol(&job->target.image, job->options->roi);
    if (job->options->fast_forward == 0 && symbol == NULL)
        return true;
    if (job->options->fast_forward != 0)
        goes_on = skip_first(job);
    machine->engine = job->options->warm != 0 ? ENGINE_WARM : ENGINE_FAST;
    if (goes_on && symbol != NULL)
        goes_on = skip_to(job, symbol->addr);
    machine->engine = job->options->engine;
    return goes_on;
}
