/* The course of threads, from the scheduler's records into a profile. */
#include <stdlib.h>

#include "prof/sched/sched.h"
#include "sim/cli/collect/collect.h"
#include "sim/cli/tool/kernel_records.h"

enum err collect_follow_threads(struct job *job, struct diag *diag)
{
    if (!job->options->threads)
        return ERR_OK;
    if (job->slices != NULL)
        return diag_set(diag, ERR_USAGE, "--threads: is for --profile, `rvsim record` and `rvsim "
                        "compare-profilers`; this command looks at the run in its own way");
    job->threads = calloc(1, sizeof *job->threads);
    if (job->threads == NULL)
        return diag_no_memory(diag, "records");
    job->threads->may_pause = true;
    return kernel_records_begin(job->threads, &job->machine, diag);
}

void collect_forget_threads(struct job *job)
{
    if (job->threads != NULL)
        kernel_records_free(job->threads);
    free(job->threads);
    job->threads = NULL;
}

enum err collect_threads(struct job *job, struct diag *diag)
{
    const struct kernel_records *records = job->threads;
    struct course course;
    struct sched sched;
    enum err err;

    if (records == NULL)
        return ERR_OK;
    err = course_init(&course, records->harts, diag);
    if (err == ERR_OK) {
        err = sched_make(&sched, &(struct sched_run){
            .record = records->record, .records = records->records, .harts = records->harts,
            .start = records->start, .end = records->end}, &course, diag);
        if (err == ERR_OK)
            err = course_keep(&course, &sched, &job->profile, diag);
        sched_free(&sched);
    }
    course_free(&course);
    return err;
}
