#include "sim/cli/job/debugging.h"

#include "sim/base/output.h"
#include "sim/debug/session.h"

enum { SIGNAL_HANGUP = 1, SIGNAL_KILL = 9, EXIT_SIGNAL = 128 };

static enum err check(const struct options *options, struct diag *diag)
{
    bool has_stdout = output_is_stdout(options->profile);

    for (unsigned i = 0; i < options->stats.count; i++)
        has_stdout |= output_is_stdout(options->stats.item[i]);
    if (options->trace.count != 0 || options->check != NULL || options->roi_end != NULL)
        return diag_set(diag, ERR_USAGE, "--gdb: --trace, --check and --roi-end watch the same "
                        "instructions; leave them out");
    if (options->outside.bytes != 0)
        return diag_set(diag, ERR_USAGE, "--gdb: goes back, and what was sent by --connect cannot");
    if (output_is_stdout(options->gdb) && has_stdout)
        return diag_set(diag, ERR_USAGE, "--gdb -: gdb has standard output; expected files for "
                        "--stats and --profile");
    return ERR_OK;
}

static void say_where(const struct job *job)
{
    const char *place = job->options->gdb;
    unsigned port = session_port(job->debugger);

    if (port != 0)
        fprintf(stderr, "rvsim: waiting for gdb: target remote :%u\n", port);
    else if (!output_is_stdout(place) && !job->options->quiet)
        fprintf(stderr, "rvsim: waiting for gdb: target remote %s\n", place);
}

/* stop: the signal that rvsim itself got, or 0. */
static int end_signal(enum session_end end, int stop)
{
    if (end == SESSION_KILLED)
        return SIGNAL_KILL;
    if (stop != 0)
        return stop;
    fprintf(stderr, "rvsim: warning: gdb closed the connection: the run ends here\n");
    return SIGNAL_HANGUP;
}

enum err debugging_run(struct job *job, const struct limits *limits, struct diag *diag)
{
    struct result *result = &job->machine.result;
    enum session_end end;
    enum err err;

    say_where(job);
    err = session_run(job->debugger, &job->machine, limits, &end, diag);
    if (err != ERR_OK || end == SESSION_RAN)
        return err;
    result->reason = RESULT_INTERRUPTED;
    result->exit_code = EXIT_SIGNAL + end_signal(end, *job->machine.stop_request);
    return ERR_OK;
}

static enum err run_debugged(void *arg, struct job *job, const struct limits *limits,
                             struct diag *diag)
{
    (void)arg;
    return debugging_run(job, limits, diag);
}

void debugging_stop(struct job *job, unsigned hart)
{
    session_stop(job->debugger, hart);
}

enum err debugging_open(struct job *job, struct diag *diag)
{
    if (job->options->gdb == NULL)
        return ERR_OK;
    if (check(job->options, diag) != ERR_OK)
        return ERR_USAGE;
    job->debugger = session_open(job->options->gdb, diag);
    if (job->slices == NULL)
        job->slices = run_debugged;
    return job->debugger != NULL ? ERR_OK : ERR_IO;
}

void debugging_close(struct job *job)
{
    session_close(job->debugger);
    job->debugger = NULL;
}
