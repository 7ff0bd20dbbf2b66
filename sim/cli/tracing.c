/* Traces of the main job: opened before the run, fed by the engine of the first hart. */
#include "sim/cli/job.h"

static void on_leave(void *arg, const struct core_trace_record *record)
{
    struct job *job = arg;

    for (unsigned i = 0; i < job->traces; i++)
        trace_record(job->trace[i], record);
}

static void on_step(void *arg, const struct fast_record *record)
{
    struct job *job = arg;

    for (unsigned i = 0; i < job->traces; i++)
        trace_step(job->trace[i], record);
}

static enum err attach(struct job *job, struct diag *diag)
{
    struct machine *machine = &job->machine;
    struct cpu *cpu = &machine->cpu[0];
    bool is_detailed = job->options->engine == ENGINE_DETAILED;

    if (is_detailed && machine->core[0] == NULL)
        machine->core[0] = core_new(cpu, machine->memshared);
    if (!is_detailed && machine->fast[0] == NULL)
        machine->fast[0] = fast_new(cpu);
    if (is_detailed ? machine->core[0] == NULL : machine->fast[0] == NULL)
        return diag_set(diag, ERR_NO_MEMORY, "not enough memory for the engine");
    job->core_observer = (struct core_observer){.arg = job, .leave = on_leave};
    job->fast_observer = (struct fast_observer){.arg = job, .step = on_step};
    if (is_detailed)
        core_set_observer(machine->core[0], &job->core_observer);
    else
        fast_set_observer(machine->fast[0], &job->fast_observer);
    return ERR_OK;
}

enum err tracing_open(struct job *job, struct diag *diag)
{
    const struct options *options = job->options;

    for (unsigned i = 0; i < options->trace.count; i++) {
        enum err err = trace_open(&job->trace[i], options->trace.item[i], &job->machine.cpu[0],
                                  options->trace_from, options->trace_to, diag);
        if (err != ERR_OK)
            return err;
        job->traces++;
        if (options->engine != ENGINE_DETAILED && trace_kind(job->trace[i]) != TRACE_COMMIT)
            return diag_set(diag, ERR_USAGE, "--trace %s: needs --mode detailed; the fast engine "
                            "has no pipeline", options->trace.item[i]);
    }
    return job->traces != 0 ? attach(job, diag) : ERR_OK;
}

enum err tracing_close(struct job *job, struct diag *diag)
{
    enum err first = ERR_OK;

    for (unsigned i = 0; i < job->traces; i++) {
        enum err err = trace_close(job->trace[i], first == ERR_OK ? diag : NULL);

        first = first == ERR_OK ? err : first;
    }
    job->traces = 0;
    return first;
}
