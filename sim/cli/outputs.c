/* The files a run leaves behind: opened before it, so that a wrong name costs no run. */
#include <errno.h>
#include <string.h>

#include "prof/profile_file.h"
#include "sim/cli/job.h"

static enum err open_file(FILE **file, const char *path, struct diag *diag)
{
    *file = fopen(path, "w");
    return *file != NULL ? ERR_OK : diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
}

static enum err close_file(FILE **file, const char *path, struct diag *diag)
{
    bool has_failed = ferror(*file) != 0;

    errno = EIO;
    has_failed |= fclose(*file) != 0;
    *file = NULL;
    return has_failed ? diag_set(diag, ERR_IO, "%s: cannot be written: %s", path, strerror(errno))
                      : ERR_OK;
}

enum err outputs_open(struct job *job, struct diag *diag)
{
    const struct option_list *stats = &job->options->stats;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < stats->count && err == ERR_OK; i++)
        err = open_file(&job->stats[i], stats->item[i], diag);
    if (err == ERR_OK && job->options->profile != NULL)
        err = open_file(&job->profile_file, job->options->profile, diag);
    return err;
}

static enum err write_stats(struct job *job, unsigned index, struct diag *diag)
{
    const char *path = job->options->stats.item[index];
    enum err err = ERR_OK, closed;

    switch (options_stats_kind(path)) {
    case STATS_JSON:
        err = profile_write(&job->profile, job->target.symbols, job->stats[index], false, diag);
        break;
    case STATS_CSV:
        stats_write_csv(&job->profile, job->stats[index]);
        break;
    default:
        stats_write_gem5(job, job->stats[index]);
        break;
    }
    closed = close_file(&job->stats[index], path, err == ERR_OK ? diag : NULL);
    return err == ERR_OK ? closed : err;
}

enum err outputs_write(struct job *job, struct diag *diag)
{
    enum err err = ERR_OK;

    for (unsigned i = 0; i < job->options->stats.count && err == ERR_OK; i++)
        err = write_stats(job, i, diag);
    if (err == ERR_OK && job->profile_file != NULL)
        err = profile_write(&job->profile, job->target.symbols, job->profile_file, true, diag);
    if (err == ERR_OK && job->profile_file != NULL)
        err = close_file(&job->profile_file, job->options->profile, diag);
    return err;
}

void outputs_close(struct job *job)
{
    for (unsigned i = 0; i < job->options->stats.count; i++)
        if (job->stats[i] != NULL)
            fclose(job->stats[i]);
    if (job->profile_file != NULL)
        fclose(job->profile_file);
}
