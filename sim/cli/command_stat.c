/* rvsim stat: counts of events, in perf stat's manner.
 *
 * The counts are those of --stats: exact, of all events at once, so nothing is multiplexed or
 * scaled. Runs differ in machine.seed alone. Intervals look at one run at points of simulated time;
 * the machine goes on as if nobody looked. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/job.h"
#include "sim/cli/regions.h"
#include "sim/cli/stat.h"
#include "sim/host/counting.h"

enum { RUNS_MAX = 10000, WORD_BYTES = 64, SETTING_BYTES = 48 };

/* ---- events ---------------------------------------------------------------------------------- */

static enum err add_event(struct stat_command *stat, const char *name, struct diag *diag)
{
    enum engine engine = stat->tool.options.engine;
    struct counting counting;
    struct diag reason;

    if (strchr(name, ':') != NULL)
        return diag_set(diag, ERR_USAGE, "stat: --event %s: filters are for `rvsim --count`", name);
    if (counting_parse(&counting, name, &reason) != ERR_OK)
        return diag_set(diag, ERR_USAGE, "stat: --event %.400s", reason.text);
    for (unsigned i = 0; i < stat->events; i++)
        if (stat->event[i] == counting.event)
            return ERR_OK;
    stat->is_known[stat->events] = counting_is_possible(
        &counting, engine == ENGINE_DETAILED, engine == ENGINE_WARM);
    stat->event[stat->events++] = counting.event;
    return ERR_OK;
}

/* "a,b,c" */
static enum err add_events(struct stat_command *stat, const char *list, struct diag *diag)
{
    char name[WORD_BYTES];
    enum err err = ERR_OK;

    for (size_t length; err == ERR_OK; list += length + 1) {
        length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        err = add_event(stat, name, diag);
        if (list[length] == '\0')
            break;
    }
    return err;
}

static enum err read_events(struct stat_command *stat, struct diag *diag)
{
    const struct command_line *line = stat->tool.line;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_STAT_EVENT)
            err = add_events(stat, line->option[i].value, diag);
    if (stat->events == 0)
        for (unsigned i = 0; stat_usual(i) != EVENT_NONE && err == ERR_OK; i++)
            err = add_event(stat, event_name(stat_usual(i)), diag);
    return err;
}

static enum err read_options(struct stat_command *stat, struct diag *diag)
{
    const struct command_line *line = stat->tool.line;
    bool is_detailed = stat->tool.options.engine == ENGINE_DETAILED;
    enum err err;

    stat->wanted = 1;
    stat->has_topdown = command_value(line, OPT_STAT_TOPDOWN) != NULL;
    stat->tool.shows_output = command_value(line, OPT_STAT_SHOW_OUTPUT) != NULL;
    err = tool_number(&stat->tool, OPT_STAT_REPEAT, 1, RUNS_MAX, &stat->wanted, diag);
    if (err == ERR_OK)
        err = tool_number(&stat->tool, OPT_STAT_INTERVAL, 1, UINT64_MAX / 2, &stat->period, diag);
    if (err == ERR_OK && stat->period != 0 && stat->wanted != 1)
        err = diag_set(diag, ERR_USAGE, "stat: --interval is for a single run, without --repeat");
    if (err == ERR_OK && stat->tool.options.profile != NULL && stat->wanted != 1)
        err = diag_set(diag, ERR_USAGE, "stat: --profile is for a single run, without --repeat");
    if (err == ERR_OK && !is_detailed && (stat->period != 0 || stat->has_topdown))
        err = diag_set(diag, ERR_USAGE, "stat: --interval and --topdown are about cycles; they "
                       "need --mode detailed");
    return err == ERR_OK ? read_events(stat, diag) : err;
}

/* ---- intervals ------------------------------------------------------------------------------- */

static bool sum_events(const struct machine *machine, uint64_t sum[EVENT_COUNT])
{
    uint64_t *hart = regions_snapshot(machine);

    memset(sum, 0, EVENT_COUNT * sizeof sum[0]);
    for (unsigned i = 0; hart != NULL && i < machine->harts * EVENT_COUNT; i++)
        sum[i % EVENT_COUNT] += hart[i];
    free(hart);
    return hart != NULL;
}

static struct stat_interval *new_interval(struct stat_command *stat)
{
    struct stat_interval *grown;

    if (stat->intervals == stat->capacity) {
        stat->capacity = 2 * stat->capacity + 64;
        grown = realloc(stat->interval, stat->capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        stat->interval = grown;
    }
    grown = &stat->interval[stat->intervals];
    grown->count = calloc(stat->events, sizeof grown->count[0]);
    if (grown->count == NULL)
        return NULL;
    stat->intervals++;
    return grown;
}

static bool end_interval(struct stat_command *stat, const struct machine *machine)
{
    uint64_t now[EVENT_COUNT];
    struct stat_interval *interval = sum_events(machine, now) ? new_interval(stat) : NULL;

    if (interval == NULL)
        return false;
    interval->end = machine_cycles(machine) - stat->start;
    for (unsigned i = 0; i < stat->events; i++)
        interval->count[i] = now[stat->event[i]] - stat->before[stat->event[i]];
    memcpy(stat->before, now, sizeof now);
    return true;
}

/* An interval that ends where everybody waits includes those that begin meanwhile. */
static void on_interval(void *arg, struct machine *machine)
{
    struct stat_command *stat = arg;

    stat->lacks_memory |= !end_interval(stat, machine);
    while (machine->next_interval <= machine_cycles(machine))
        machine->next_interval += stat->period;
}

/* In place of machine_run alone. The last interval is shorter. */
static enum err run_intervals(void *arg, struct job *job, const struct limits *limits,
                              struct diag *diag)
{
    struct stat_command *stat = arg;
    struct machine *machine = &job->machine;

    stat->start = machine_cycles(machine);
    stat->before = calloc(EVENT_COUNT, sizeof stat->before[0]);
    if (stat->before == NULL || !sum_events(machine, stat->before))
        return diag_no_memory(diag, "intervals");
    machine->interval = on_interval;
    machine->interval_arg = stat;
    machine->next_interval = stat->start + stat->period;
    machine_run(machine, limits);
    machine->interval = NULL;
    if (stat->intervals == 0 ||
        stat->interval[stat->intervals - 1].end < machine_cycles(machine) - stat->start)
        stat->lacks_memory |= !end_interval(stat, machine);
    return stat->lacks_memory ? diag_no_memory(diag, "intervals") : ERR_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void take_counts(struct stat_command *stat, const struct profile *profile)
{
    uint64_t *count = stat->count[stat->runs++];

    const char *name;

    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;)
        count[code] = profile_event(profile, name);
}

static enum err run_once(struct stat_command *stat, uint64_t number, struct diag *diag)
{
    struct trial_result result;
    char seed[SETTING_BYTES];
    struct trial trial = {.what = "counting", .set = {seed}};
    enum err err;

    snprintf(seed, sizeof seed, "machine.seed=%u",
             stat->tool.options.config.machine_seed + (uint32_t)number);
    if (stat->period != 0) {
        trial.slices = run_intervals;
        trial.slices_arg = stat;
    }
    err = tool_run(&stat->tool, &trial, &result, diag);
    if (err != ERR_OK)
        return err;
    if (number == 0 || !stat->tool.is_interrupted)
        take_counts(stat, &result.profile);
    if (number == 0)
        stat->profile = result.profile;
    else
        profile_free(&result.profile);
    return ERR_OK;
}

static enum err show(struct stat_command *stat, const struct tool_files *files,
                     struct diag *diag)
{
    if (!tool_files_take_output(files))
        stat_print(stat, stdout);
    return tool_files_write(files, stat_write_csv, stat_write_json, stat, diag);
}

static enum err run(struct stat_command *stat, struct diag *diag)
{
    const struct tool_files files = {command_value(stat->tool.line, OPT_STAT_CSV),
                                     command_value(stat->tool.line, OPT_STAT_JSON)};
    enum err err = tool_files_check(&files, diag);

    if (err == ERR_OK)
        err = read_options(stat, diag);
    if (err != ERR_OK)
        return err;
    stat->count = calloc(stat->wanted, sizeof stat->count[0]);
    if (stat->count == NULL)
        return diag_no_memory(diag, "counts");
    for (uint64_t i = 0; i < stat->wanted && err == ERR_OK && !stat->tool.is_interrupted; i++)
        err = run_once(stat, i, diag);
    return err == ERR_OK ? show(stat, &files, diag) : err;
}

int command_stat(const struct command_line *line)
{
    struct stat_command stat = {.events = 0};
    struct diag diag = {""};
    enum err err = tool_open(&stat.tool, "stat", line, TOOL_EVENTS, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    stat.tool.counts_events = true;
    err = run(&stat, &diag);
    for (size_t i = 0; i < stat.intervals; i++)
        free(stat.interval[i].count);
    free(stat.interval);
    free(stat.before);
    free(stat.count);
    profile_free(&stat.profile);
    return tool_end(&stat.tool, err, &diag);
}
