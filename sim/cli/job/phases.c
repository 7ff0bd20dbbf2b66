/* The phases before measurement: --fast-forward and --roi, with the fast engine.
 *
 * --roi stops the first hart in front of the routine's first instruction, however it got there. */
#include <inttypes.h>
#include <time.h>

#include "pmu/key.h"
#include "prof/report/report.h"
#include "sim/cli/job/phases.h"
#include "sim/cli/job/regions.h"
#include "sim/run/kernel/kernel.h"

enum { PHASES_TEXT = 256 };

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

/* --fast-forward; warms during its last --warm instructions. */
static bool skip_first(struct job *job)
{
    const struct options *options = job->options;
    uint64_t warm = options->warm < options->fast_forward ? options->warm : options->fast_forward;
    uint64_t cold = options->fast_forward - warm;

    return (cold == 0 || skip_insns(job, cold, ENGINE_FAST)) &&
           (warm == 0 || skip_insns(job, options->fast_forward, ENGINE_WARM));
}

/* ---- --roi ----------------------------------------------------------------------------------- */

static enum err unknown_symbol(const struct job *job, const char *option, const char *name,
                               struct diag *diag)
{
    char reason[SYMBOLS_REASON];

    diag_set(diag, ERR_USAGE, "--%s %s: %s in %s", option, name,
             symbols_reason(job->target.symbols, name, "symbol", reason), job->target.image.path);
    return symbols_suggest(job->target.symbols, name, ERR_USAGE, diag);
}

enum err phases_find_roi(struct job *job, struct diag *diag)
{
    const struct options *options = job->options;
    const struct symbols *symbols = job->target.symbols;
    const struct symbols_entry *entry =
        options->roi != NULL ? symbols_find(symbols, options->roi) : NULL;

    job->roi = entry != NULL ? entry->address : 0;
    job->awaits_roi = options->roi != NULL && entry == NULL &&
                      kernel_is_wanted(&job->target.image, options->os) &&
                      kernel_may_execute(&job->target.image);
    if (options->roi != NULL && entry == NULL && !job->awaits_roi)
        return unknown_symbol(job, "roi", options->roi, diag);
    if (options->roi_end != NULL && symbols_find(symbols, options->roi_end) == NULL)
        return unknown_symbol(job, "roi-end", options->roi_end, diag);
    return ERR_OK;
}

/* The run halts, so that skip_to_roi can set the place. */
void phases_module_came(struct job *job, const struct target_module *module)
{
    const struct symbols_entry *entry =
        job->awaits_roi ? symbols_find(module->symbols, job->options->roi) : NULL;

    if (entry == NULL)
        return;
    job->awaits_roi = false;
    job->roi = entry->address;
    job->machine.halt = job->machine.phys.event = true;
}

static bool is_at_roi(const struct job *job)
{
    const struct cpu *cpu = &job->machine.cpu[0];

    return !job->awaits_roi && cpu->hart.pc == job->roi - key_program(job->roi) &&
           cpu->pmu.thread.program == key_program(job->roi);
}

/* A routine at the same address of another program is passed. */
static bool skip_to_roi(struct job *job)
{
    struct machine *machine = &job->machine;

    do {
        struct limits limits = phases_limits(job);
        uint64_t pc = job->roi - key_program(job->roi);

        if (!machine_stop_at(machine, job->awaits_roi ? MACHINE_NO_STOP : pc)) {
            machine->result =
                (struct result){.reason = RESULT_FAILURE, .text = "not enough memory"};
            return false;
        }
        machine_run(machine, &limits);
    } while (machine->result.reason == RESULT_HALTED && !is_at_roi(job));
    machine_stop_at(machine, MACHINE_NO_STOP);
    return machine->result.reason == RESULT_HALTED;
}

/* Measurement may begin later than detail: when the first instruction of --roi is about to
 * commit. */
bool phases_enter_roi(struct job *job)
{
    const struct options *options = job->options;
    const struct symbols_entry *end;

    if (options->roi_end == NULL)
        return true;
    end = symbols_find(job->target.symbols, options->roi_end);
    job->is_in_roi = options->roi == NULL;
    return regions_watch_roi(job, options->roi != NULL ? job->roi - key_program(job->roi)
                                                       : end->address, end->address);
}

/* The reason why the run ended before measurement began. */
static const char *end_of(const struct job *job, char text[PHASES_TEXT])
{
    const struct result *result = &job->machine.result;

    switch (result->reason) {
    case RESULT_MAX_INSNS: return "--max-insns was reached";
    case RESULT_MAX_CYCLES: return "--max-cycles was reached";
    case RESULT_TIMEOUT: return "--timeout was reached";
    case RESULT_INTERRUPTED: return "a signal ended the run";
    case RESULT_EXIT:
        snprintf(text, PHASES_TEXT, "the program ended with status %d", result->exit_code & 0xff);
        return text;
    default: return result->text;
    }
}

/* The error that `what` was not reached. by: " by hart 0", if another one may have come there. */
static enum err not_reached(const struct job *job, const char *what, const char *by,
                            struct diag *diag)
{
    char text[PHASES_TEXT];

    if (job->machine.result.reason == RESULT_FAILURE)
        return diag_set(diag, ERR_INTERNAL, "%s", job->machine.result.text);
    return diag_set(diag, ERR_USAGE, "%s: not reached%s: %s after %" PRIu64 " instruction%s, and "
                    "nothing was measured", what, by, end_of(job, text),
                    machine_insns(&job->machine),
                    report_s(machine_insns(&job->machine)));
}

/* Adds that no file had the routine of --roi. */
static enum err unknown_anywhere(const struct job *job, enum err err, struct diag *diag)
{
    char text[sizeof diag->text];

    snprintf(text, sizeof text, "%s", diag->text);
    diag_set(diag, err, "%s; neither the program has this symbol nor a library or program that "
             "came", text);
    return symbols_suggest(job->target.symbols, job->options->roi, err, diag);
}

enum err phases_fast_forward(struct job *job, struct diag *diag)
{
    const struct options *options = job->options;
    struct machine *machine = &job->machine;
    char what[PHASES_TEXT];
    enum err err;

    if (options->fast_forward != 0 && !skip_first(job)) {
        snprintf(what, sizeof what, "--fast-forward %" PRIu64, options->fast_forward);
        return not_reached(job, what, "", diag);
    }
    machine->engine = options->warm != 0 ? ENGINE_WARM : ENGINE_FAST;
    if (options->roi != NULL && !skip_to_roi(job)) {
        snprintf(what, sizeof what, "--roi %.200s", options->roi);
        err = not_reached(job, what, machine->harts > 1 ? " by hart 0" : "", diag);
        return job->awaits_roi ? unknown_anywhere(job, err, diag) : err;
    }
    machine->engine = options->engine;
    return ERR_OK;
}

void phases_check_end(const struct job *job)
{
    const struct options *options = job->options;

    if (options->roi_end != NULL && job->after == NULL &&
        job->machine.result.reason != RESULT_FAILURE && !job->has_difference)
        fprintf(stderr, "rvsim: warning: --roi-end %s: not reached; the measurement goes on to the "
                "end of the run\n", options->roi_end);
}
