/* The output files of a run: checked before it, so that a wrong name costs no run. */
#include <string.h>

#include "prof/profile/profile_file.h"
#include "sim/base/output.h"
#include "sim/cli/job/job.h"

enum err outputs_check(const struct job *job, struct diag *diag)
{
    const struct option_list *stats = &job->options->stats;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < stats->count && err == ERR_OK; i++)
        err = output_check(stats->item[i], diag);
    if (err == ERR_OK && job->options->profile != NULL)
        err = output_check(job->options->profile, diag);
    return err;
}

static enum err write_to(const struct job *job, enum stats_kind kind, FILE *out, struct diag *diag)
{
    switch (kind) {
    case STATS_CSV:
        stats_write_csv(&job->profile, out);
        return ERR_OK;
    case STATS_GEM5:
        stats_write_gem5(job, out);
        return ERR_OK;
    default:
        return profile_write(&job->profile, job->target.symbols, out, false, diag);
    }
}

/* is_profile: for reports; otherwise statistics, in the format of the name's suffix. */
static enum err write_file(const struct job *job, const char *path, bool is_profile,
                           struct diag *diag)
{
    struct output output;
    enum err err = output_open(&output, path, diag), closed;

    if (err != ERR_OK)
        return err;
    err = is_profile ? profile_write(&job->profile, job->target.symbols, output.file, true, diag)
                     : write_to(job, options_stats_kind(path), output.file, diag);
    closed = output_close(&output, err == ERR_OK, err == ERR_OK ? diag : NULL);
    return err == ERR_OK ? closed : err;
}

enum err outputs_write(const struct job *job, struct diag *diag)
{
    const struct option_list *stats = &job->options->stats;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < stats->count && err == ERR_OK; i++)
        err = write_file(job, stats->item[i], false, diag);
    if (err == ERR_OK && job->options->profile != NULL)
        err = write_file(job, job->options->profile, true, diag);
    return err;
}
