/* See tool_parts.h. */
#include "sim/cli/tool/tool_parts.h"

#include <inttypes.h>

#include "prof/profile/json.h"
#include "prof/profile/profile_modes.h"
#include "prof/report/report.h"
#include "sim/cli/job/job.h"
#include "sim/run/faster.h"

enum { COLUMN = 16 };

/* ---- of a run -------------------------------------------------------------------------------- */

/* Cycles of a hart; with routines at a virtual speed, its time. */
static uint64_t hart_cycles(const struct job *job, unsigned hart)
{
    uint64_t cycles = job->profile.hart[hart].cycles;

    return job->faster != NULL
               ? cycles - faster_saved(job->faster, hart, job->machine.core[hart]).all : cycles;
}

static unsigned longest_hart(const struct job *job)
{
    unsigned longest = 0;

    for (unsigned i = 1; i < job->profile.harts; i++)
        if (hart_cycles(job, i) > hart_cycles(job, longest))
            longest = i;
    return longest;
}

uint64_t tool_parts_cycles(const struct job *job)
{
    return job->profile.harts != 0 ? hart_cycles(job, longest_hart(job)) : 0;
}

/* Subtracts `saved` cycles from the first part and, if that has too few, from the other. */
static void save(uint64_t saved, uint64_t *first, uint64_t *other)
{
    uint64_t most = saved < *first ? saved : *first;

    *first -= most;
    *other -= saved - most;
}

/* A cycle in which the mode changes is charged to one instruction but belongs to the mode of
 * another, so a routine may save slightly more than its own part has. */
struct tool_parts tool_parts_of(const struct job *job)
{
    unsigned hart = longest_hart(job);
    const struct core *core = job->machine.core[hart];
    const struct profile_hart_modes *modes;
    struct tool_parts parts = {.is_known = job->profile.modes != NULL};
    struct faster_parts saved;

    if (!parts.is_known)
        return parts;
    modes = &job->profile.modes->hart[hart];
    parts.user = modes->user.cycles;
    parts.kernel = modes->kernel.cycles;
    parts.idle = modes->idle.cycles;
    if (job->faster == NULL)
        return parts;
    saved = faster_saved(job->faster, hart, core);
    save(saved.idle, &parts.idle, &parts.kernel);
    save(saved.by_user, &parts.user, &parts.kernel);
    save(saved.all - saved.by_user - saved.idle, &parts.kernel, &parts.user);
    return parts;
}

/* ---- output ---------------------------------------------------------------------------------- */

void tool_parts_heads(const struct tool_parts *parts, FILE *out)
{
    if (parts->is_known)
        fprintf(out, " %*s %*s %*s", COLUMN, "user", COLUMN, "kernel", COLUMN, "idle");
}

void tool_parts_print(const struct tool_parts *parts, FILE *out)
{
    char text[3][REPORT_NUMBER];

    if (parts->is_known)
        fprintf(out, " %*s %*s %*s", COLUMN, report_number(parts->user, text[0]), COLUMN,
                report_number(parts->kernel, text[1]), COLUMN,
                report_number(parts->idle, text[2]));
}

void tool_parts_csv(const struct tool_parts *parts, FILE *out)
{
    if (parts->is_known)
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, parts->user, parts->kernel,
                parts->idle);
    else
        fputs(",,,", out);
}

void tool_parts_json(const struct tool_parts *parts, cJSON *object)
{
    if (!parts->is_known)
        return;
    json_number(object, "user_cycles", parts->user);
    json_number(object, "kernel_cycles", parts->kernel);
    json_number(object, "idle_cycles", parts->idle);
}
