/* Values that a run without the detailed engine cannot measure: reported as missing, never as
 * zero. */
#include <inttypes.h>

#include "pmu/event.h"
#include "sim/cli/job/counts.h"
#include "sim/cli/job/untimed.h"

bool untimed_is_counted(const struct job *job, unsigned code)
{
    return event_name(code) != NULL &&
           (job->machine.was_detailed || event_is_architectural(code) ||
            (job->options->engine == ENGINE_WARM && event_is_of_memory(code)));
}

/* The words of metadata that need time, caches or predictors. */
static const unsigned timed_flags = MARK_THRESHOLD | MARK_ON_MISS | MARK_MISPREDICTED;

static enum err warn_mark(struct job *job, const struct meta_mark *mark)
{
    const struct meta_flag *flag;
    enum err err = ERR_OK;

    for (size_t i = 0; err == ERR_OK && (flag = meta_flag(i)) != NULL; i++)
        if ((mark->action.flags & flag->mark & timed_flags) != 0)
            err = meta_warn(&job->meta, "%s:%" PRIu32 ": %s: signals nothing in --mode %s, which "
                            "simulates no time; --mode detailed does", job->meta.file[mark->file],
                            mark->line, flag->name, options_engine_name(job->options->engine));
    return err;
}

enum err untimed_warn_marks(struct job *job)
{
    enum err err = ERR_OK;

    if (job->options->engine == ENGINE_DETAILED)
        return ERR_OK;
    for (size_t i = 0; i < job->meta.marks && err == ERR_OK; i++)
        err = warn_mark(job, &job->meta.mark[i]);
    return err;
}

static bool was_selected(const struct machine *machine, unsigned code)
{
    for (unsigned i = 0; i < machine->harts; i++)
        if ((machine->cpu[i].pmu.selected[code / 64] >> code % 64 & 1) != 0)
            return true;
    return false;
}

void untimed_warn_counters(const struct job *job)
{
    const char *name;

    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;)
        if (was_selected(&job->machine, code) && !untimed_is_counted(job, code) &&
            !counts_ask_for(job, code))
            fprintf(stderr, "rvsim: warning: a counter of %s stayed at 0: --mode %s does not count "
                    "this event; --mode detailed does\n", name,
                    options_engine_name(job->options->engine));
}

enum err untimed_check(const struct options *options, struct diag *diag)
{
    if (options->engine == ENGINE_DETAILED || !options->config.pmu_oracle)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "--oracle: needs --mode detailed; in --mode %s no time is "
                    "simulated, and an instruction has no cycles to count",
                    options_engine_name(options->engine));
}
