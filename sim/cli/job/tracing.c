/* The observers of a run's instructions: traces and the lock-step check. Opened before the run, fed
 * by the engines of all harts.
 *
 * A commit trace has the instructions of all harts in the order in which they commit, as Spike
 * writes them. Pipelines are pictures of one hart: a file each, of which the second and later ones
 * have the hart in their names. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/job/tracing.h"

struct observed {
    struct job *job;
    unsigned hart;
    struct core_observer core;
    struct fast_observer fast;
};

/* ---- observers of the engines ---------------------------------------------------------------- */

static void on_leave(void *arg, const struct core_trace_record *record)
{
    const struct observed *observed = arg;
    struct job *job = observed->job;

    for (unsigned i = 0; i < job->traces; i++)
        trace_record(job->trace[i], observed->hart, record);
    if (job->check != NULL)
        check_record(job->check, observed->hart, record);
    if (job->watch != NULL)
        job->watch(job->watch_arg, job, observed->hart, record);
}

static void on_stored(void *arg, uint64_t store_number, uint64_t cycle)
{
    const struct observed *observed = arg;
    struct job *job = observed->job;

    for (unsigned i = 0; i < job->traces; i++)
        trace_stored(job->trace[i], observed->hart, store_number, cycle);
}

static void on_step(void *arg, const struct fast_record *record)
{
    const struct observed *observed = arg;
    struct job *job = observed->job;

    for (unsigned i = 0; i < job->traces; i++)
        trace_step(job->trace[i], observed->hart, record);
    if (job->check != NULL)
        check_step(job->check, observed->hart, record);
}

/* Attaches or detaches the observers of the running engine. */
static enum err observe_hart(struct job *job, unsigned hart, bool on, struct diag *diag)
{
    struct machine *machine = &job->machine;
    struct observed *observed = &job->observed[hart];

    if (!machine_make_engine(machine, hart))
        return diag_no_memory(diag, "the engine");
    if (machine->engine == ENGINE_DETAILED)
        core_set_observer(machine->core[hart], on ? &observed->core : NULL);
    else
        fast_set_observer(machine->fast[hart], on ? &observed->fast : NULL);
    return ERR_OK;
}

/* The window of the traces begins or ends. Outside of it a trace costs nothing. */
static void on_window(void *arg, bool on)
{
    struct job *job = arg;
    uint64_t seen = machine_insns(&job->machine) - job->fast_forwarded;
    struct diag diag;

    for (unsigned i = 0; i < job->traces; i++)
        trace_skip_to(job->trace[i], seen);
    observe_hart(job, 0, on, &diag);
}

/* True if the window can be used; with several harts each counts its own instructions, so they are
 * observed all the time. */
static bool has_window(const struct job *job)
{
    const struct options *options = job->options;

    return job->check == NULL && job->machine.harts == 1 &&
           (options->trace_from != 0 || options->trace_to != UINT64_MAX);
}

static void open_window(struct job *job)
{
    const struct options *options = job->options;
    uint64_t left = UINT64_MAX - job->fast_forwarded;
    struct machine *machine = &job->machine;

    machine->observe = on_window;
    machine->observe_arg = job;
    machine->observe_from = options->trace_from < left ? options->trace_from + job->fast_forwarded
                                                       : UINT64_MAX;
    machine->observe_to = options->trace_to < left ? options->trace_to + job->fast_forwarded
                                                   : UINT64_MAX;
}

static enum err attach(struct job *job, struct diag *diag)
{
    enum err err = ERR_OK;

    job->observed = calloc(job->machine.harts, sizeof job->observed[0]);
    if (job->observed == NULL)
        return diag_no_memory(diag, "the engine");
    for (unsigned i = 0; i < job->machine.harts && err == ERR_OK; i++) {
        struct observed *observed = &job->observed[i];
        *observed = (struct observed){
            .job = job, .hart = i,
            .core = {.arg = observed, .leave = on_leave, .stored = on_stored},
            .fast = {.arg = observed, .step = on_step},
        };
        err = observe_hart(job, i, !has_window(job), diag);
    }
    if (err == ERR_OK && has_window(job))
        open_window(job);
    return err;
}

bool tracing_follow(struct job *job)
{
    struct diag diag;
    bool is_fine = true;

    for (unsigned i = 0; job->observed != NULL && i < job->machine.harts; i++)
        is_fine &= observe_hart(job, i, !has_window(job) || job->machine.is_observed, &diag) ==
                   ERR_OK;
    return is_fine;
}

/* ---- traces ---------------------------------------------------------------------------------- */

static bool is_by_marks(const char *spec)
{
    size_t length = strlen(spec), bytes = strlen(TRACE_BY_MARKS);

    return length > bytes && strcmp(spec + length - bytes, TRACE_BY_MARKS) == 0;
}

/* "dir/app.kanata.gz" of hart 2: "dir/app.hart2.kanata.gz". */
static char *spec_of_hart(const char *spec, unsigned hart)
{
    size_t bytes = strlen(spec) + 32;
    const char *slash = strrchr(spec, '/'), *name = slash != NULL ? slash : strchr(spec, ':');
    const char *dot;
    char *text = malloc(bytes);

    if (text == NULL || hart == 0 || name == NULL) {
        if (text != NULL)
            snprintf(text, bytes, "%s", spec);
        return text;
    }
    dot = strchr(name + 2, '.');
    if (dot == NULL)
        dot = spec + strlen(spec) - (is_by_marks(spec) ? strlen(TRACE_BY_MARKS) : 0);
    snprintf(text, bytes, "%.*s.hart%u%s", (int)(dot - spec), spec, hart, dot);
    return text;
}

static enum err open_one(struct job *job, const char *spec, unsigned hart, struct diag *diag)
{
    const struct options *options = job->options;
    const struct trace_window window = {options->trace_from, options->trace_to};
    char *own = spec_of_hart(spec, hart);
    enum err err;

    if (own == NULL)
        return diag_no_memory(diag, "the engine");
    err = trace_open(&job->trace[job->traces], own, job->machine.cpu, hart, window, diag);
    free(own);
    if (err != ERR_OK)
        return err;
    job->traces++;
    if (options->engine != ENGINE_DETAILED &&
        trace_kind(job->trace[job->traces - 1]) != TRACE_COMMIT)
        return diag_set(diag, ERR_USAGE, "--trace %s: needs --mode detailed; the fast engine "
                        "has no pipeline", spec);
    return ERR_OK;
}

static enum err open_traces(struct job *job, struct diag *diag)
{
    const struct option_list *list = &job->options->trace;
    enum err err = ERR_OK;

    job->trace = calloc((size_t)list->count * job->machine.harts + 1, sizeof job->trace[0]);
    if (job->trace == NULL)
        return diag_no_memory(diag, "the engine");
    for (unsigned i = 0; i < list->count && err == ERR_OK; i++) {
        err = open_one(job, list->item[i], 0, diag);
        for (unsigned hart = 1; hart < job->machine.harts && err == ERR_OK &&
                                trace_kind(job->trace[job->traces - 1]) != TRACE_COMMIT; hart++)
            err = open_one(job, list->item[i], hart, diag);
    }
    return err;
}

static enum err open_check(struct job *job, struct diag *diag)
{
    const struct options *options = job->options;

    if (strncmp(options->check, "spike", 5) == 0 &&
        (options->fast_forward != 0 || options->roi != NULL))
        return diag_set(diag, ERR_USAGE, "--check spike: Spike's log begins at the program's first "
                        "instruction; leave out --fast-forward and --roi");
    return check_open(&job->check, &job->machine, options->check, options->program_path, diag);
}

enum err tracing_open(struct job *job, struct diag *diag)
{
    enum err err = open_traces(job, diag);

    if (err == ERR_OK && job->options->check != NULL)
        err = open_check(job, diag);
    if (err == ERR_OK && (job->traces != 0 || job->check != NULL || job->watch != NULL))
        err = attach(job, diag);
    return err;
}

/* The reason why the run ended before the program; NULL: it did not, or was meant to end there. */
static const char *cut_of(const struct job *job)
{
    switch (job->machine.result.reason) {
    case RESULT_INTERRUPTED: return "the run was stopped by a signal: this trace ends early";
    case RESULT_TIMEOUT: return "the run was stopped by --timeout: this trace ends early";
    case RESULT_MAX_INSNS: return "the run was stopped by --max-insns: this trace ends early";
    case RESULT_MAX_CYCLES: return "the run was stopped by --max-cycles: this trace ends early";
    case RESULT_FAILURE: return "the simulation failed: this trace ends early";
    default: return NULL;
    }
}

static void free_all(struct job *job)
{
    job->traces = 0;
    free(job->trace);
    job->trace = NULL;
    check_close(job->check);
    job->check = NULL;
    free(job->observed);
    job->observed = NULL;
}

void tracing_discard(struct job *job)
{
    for (unsigned i = 0; i < job->traces; i++)
        trace_discard(job->trace[i]);
    free_all(job);
}

/* Warns of a trace that no mark started, which leaves an empty file, beside others that began. */
static void warn_of_marks(const struct job *job)
{
    const struct option_list *list = &job->options->trace;
    unsigned at = 0;

    for (unsigned i = 0; i < list->count && at < job->traces; i++) {
        bool is_one = trace_kind(job->trace[at]) == TRACE_COMMIT, has_begun = false;
        unsigned end = at + (is_one ? 1 : job->machine.harts);

        for (; at < end && at < job->traces; at++)
            has_begun |= trace_has_begun(job->trace[at]);
        if (!has_begun && is_by_marks(list->item[i]))
            fprintf(stderr, "rvsim: warning: --trace %s: no start mark acted, and the trace is "
                    "empty\n", list->item[i]);
    }
}

enum err tracing_close(struct job *job, struct diag *diag)
{
    const struct option_list *list = &job->options->trace;
    bool has_begun = job->traces == 0, has_marks = true;
    enum err first = ERR_OK;

    for (unsigned i = 0; i < list->count; i++)
        has_marks &= is_by_marks(list->item[i]);
    has_begun |= job->options->trace_from == 0 && !has_marks;
    for (unsigned i = 0; i < job->traces; i++)
        has_begun |= trace_has_begun(job->trace[i]);
    if (has_begun)
        warn_of_marks(job);
    for (unsigned i = 0; i < job->traces && has_begun; i++) {
        enum err err = trace_close(job->trace[i], cut_of(job), first == ERR_OK ? diag : NULL);

        first = first == ERR_OK ? err : first;
    }
    if (has_begun) {
        free_all(job);
        return first;
    }
    tracing_discard(job);
    if (job->options->trace_from == 0)
        return diag_set(diag, ERR_USAGE, "--trace %s: not reached: no start mark acted, and no "
                        "trace is written", list->item[0]);
    return diag_set(diag, ERR_USAGE, "--trace-from %" PRIu64 ": not reached: measurement ended "
                    "after %" PRIu64 " instructions, and no trace is written",
                    job->options->trace_from, job->profile.instructions);
}
