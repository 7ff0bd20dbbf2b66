/* What runs before measurement begins: --fast-forward and --roi, with the fast engine.
 *
 * --roi stops exactly in front of the routine's first instruction, seen from the instruction that
 * leads there. A routine that is entered by a trap only is seen one instruction late. */
#include <string.h>
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

/* False: the run is over. */
static bool skip_insns(struct job *job)
{
    struct machine *machine = &job->machine;
    struct limits limits = phases_limits(job);
    uint64_t max = limits.max_insns, wanted = job->options->fast_forward;
    bool is_ours = max == 0 || wanted < max;

    limits.max_insns = is_ours ? wanted : max;
    machine_run(machine, &limits);
    return is_ours && machine->result.reason == RESULT_MAX_INSNS;
}

/* ---- the region of interest ------------------------------------------------------------------ */

struct watch {
    struct machine *machine;
    volatile sig_atomic_t *asked;   /* by the user, to stop */
    uint64_t pc;
    volatile sig_atomic_t stop;
    bool is_reached;
};

static void watch_step(void *arg, const struct fast_record *record)
{
    struct watch *watch = arg;

    if (watch->machine->cpu[0].hart.pc == watch->pc || record->pc == watch->pc)
        watch->is_reached = true;
    if (!watch->is_reached && *watch->asked == 0)
        return;
    watch->stop = watch->is_reached ? 1 : *watch->asked;
    watch->machine->phys.event = true;
}

static bool skip_to(struct job *job, uint64_t pc, volatile sig_atomic_t *stop_request)
{
    struct machine *machine = &job->machine;
    struct watch watch = {.machine = machine, .asked = stop_request, .pc = pc};
    const struct fast_observer observer = {.arg = &watch, .step = watch_step};
    struct limits limits = phases_limits(job);

    if (machine->cpu[0].hart.pc == pc)
        return true;
    if (machine->fast[0] == NULL)
        machine->fast[0] = fast_new(&machine->cpu[0]);
    if (machine->fast[0] == NULL) {
        machine->result = (struct result){.reason = RESULT_FAILURE, .text = "not enough memory"};
        return false;
    }
    fast_set_observer(machine->fast[0], &observer);
    machine->stop_request = &watch.stop;
    machine_run(machine, &limits);
    machine->stop_request = stop_request;
    fast_set_observer(machine->fast[0], NULL);
    return watch.is_reached && machine->result.reason == RESULT_INTERRUPTED;
}

bool phases_fast_forward(struct job *job, volatile sig_atomic_t *stop_request)
{
    const struct image_symbol *symbol = NULL;
    struct machine *machine = &job->machine;
    bool goes_on = true;

    if (job->options->roi != NULL)
        symbol = image_find_symbol(&job->target.image, job->options->roi);
    if (job->options->fast_forward == 0 && symbol == NULL)
        return true;
    machine->engine = ENGINE_FAST;
    if (job->options->fast_forward != 0)
        goes_on = skip_insns(job);
    if (goes_on && symbol != NULL)
        goes_on = skip_to(job, symbol->addr, stop_request);
    machine->engine = job->options->engine;
    return goes_on;
}
