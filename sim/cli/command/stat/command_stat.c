/* rvsim stat: counts of events, in perf stat's manner.
 *
 * The counts are those of --stats: exact, of all events at once, without multiplexing or scaling.
 * Runs differ only in machine.seed. Intervals are read at points of simulated time, without effect
 * on the run. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command/stat/stat.h"
#include "sim/cli/job/job.h"
#include "sim/host/counting.h"

enum { RUNS_MAX = 10000, WORD_BYTES = 64, SETTING_BYTES = 48 };

/* ---- events ---------------------------------------------------------------------------------- */

/* The part after the ':' of perf's "cycles:u". */
static enum err read_part(const char *word, const char *name, unsigned *parts, struct diag *diag)
{
    static const struct { const char *word; unsigned parts; } known[] = {
        {"u", STAT_USER}, {"k", STAT_KERNEL}, {"uk", STAT_USER | STAT_KERNEL},
        {"ku", STAT_USER | STAT_KERNEL}, {"user", STAT_USER}, {"kernel", STAT_KERNEL},
    };

    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(word, known[i].word) == 0) {
            *parts = known[i].parts;
            return ERR_OK;
        }
    return diag_set(diag, ERR_USAGE, "stat: --event %s: expected :u, :k or :uk; other filters are "
                    "for `rvsim --count`", name);
}

static enum err add_event(struct stat_command *stat, const char *name, struct diag *diag)
{
    enum engine engine = stat->tool.options.engine;
    size_t length = strcspn(name, ":");
    struct stat_row row = {.parts = STAT_ALL};
    char event[WORD_BYTES];
    struct counting counting;
    struct diag reason;

    if (name[length] == ':' && read_part(&name[length + 1], name, &row.parts, diag) != ERR_OK)
        return ERR_USAGE;
    snprintf(event, sizeof event, "%.*s", (int)length, name);
    if (counting_parse(&counting, event, &reason) != ERR_OK)
        return diag_set(diag, ERR_USAGE, "stat: --event %.400s", reason.text);
    for (unsigned i = 0; i < stat->rows; i++)
        if (stat->row[i].event == counting.event && stat->row[i].parts == row.parts)
            return ERR_OK;
    row.event = counting.event;
    row.is_known = counting_is_possible(&counting, engine == ENGINE_DETAILED,
                                        engine == ENGINE_WARM);
    stat->row[stat->rows++] = row;
    return ERR_OK;
}

/* Adds events that match "l1d_*", or "l1d_*:u". */
static enum err add_matching(struct stat_command *stat, const char *pattern, struct diag *diag)
{
    const char *name, *part = strchr(pattern, ':');
    char letters[WORD_BYTES], word[WORD_BYTES];
    bool is_any = false;
    enum err err = ERR_OK;

    snprintf(letters, sizeof letters, "%.*s", (int)strcspn(pattern, ":"), pattern);
    for (unsigned at = EVENT_NONE; err == ERR_OK && (name = event_next(&at)) != NULL;)
        if (fnmatch(letters, name, 0) == 0) {
            is_any = true;
            snprintf(word, sizeof word, "%s%s", name, part != NULL ? part : "");
            err = add_event(stat, word, diag);
        }
    if (is_any)
        return err;
    return diag_set(diag, ERR_USAGE, "stat: --event %s: no event matches (see rvsim events)",
                    pattern);
}

/* "{a" and "b}" begin and end a group in perf's syntax; here all events are counted together
 * anyway. */
static enum err add_word(struct stat_command *stat, char *word, bool *in_group, struct diag *diag)
{
    size_t length;

    if (word[0] == '{' && !*in_group) {
        *in_group = true;
        word++;
    }
    length = strlen(word);
    if (*in_group && length != 0 && word[length - 1] == '}') {
        *in_group = false;
        word[length - 1] = '\0';
    }
    return strpbrk(word, "*?[") != NULL ? add_matching(stat, word, diag)
                                        : add_event(stat, word, diag);
}

/* Adds the list "a,b,c". */
static enum err add_events(struct stat_command *stat, const char *list, struct diag *diag)
{
    char word[WORD_BYTES];
    const char *rest = list;
    bool in_group = false;
    enum err err = ERR_OK;

    for (size_t length; err == ERR_OK; rest += length + 1) {
        length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        err = add_word(stat, word, &in_group, diag);
        if (rest[length] == '\0')
            break;
    }
    if (err == ERR_OK && in_group)
        return diag_set(diag, ERR_USAGE, "stat: --event %s: expected a } at the end of the group",
                        list);
    return err;
}

static enum err read_events(struct stat_command *stat, struct diag *diag)
{
    const struct command_line *line = stat->tool.line;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_STAT_EVENT)
            err = add_events(stat, line->option[i].value, diag);
    if (stat->rows == 0)
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
        err = tool_number(&stat->tool, OPT_STAT_INTERVAL, 1, UINT64_MAX / 2,
                          &stat->over_time.period, diag);
    if (err == ERR_OK && stat->over_time.period != 0 && stat->wanted != 1)
        err = diag_set(diag, ERR_USAGE, "stat: --interval is for a single run, without --repeat");
    if (err == ERR_OK && stat->tool.options.profile != NULL && stat->wanted != 1)
        err = diag_set(diag, ERR_USAGE, "stat: --profile is for a single run, without --repeat");
    if (err == ERR_OK && !is_detailed && (stat->over_time.period != 0 || stat->has_topdown))
        err = diag_set(diag, ERR_USAGE, "stat: --interval and --topdown are about cycles; they "
                       "need --mode detailed");
    return err == ERR_OK ? read_events(stat, diag) : err;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void take_counts(struct stat_command *stat, const struct profile *profile)
{
    struct stat_counts *count = &stat->count[stat->runs++];
    const char *name;

    stat->elapsed += profile->cycles;
    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;) {
        size_t place = profile_event_place(profile, name);

        if (place < profile->events) {
            count->all[code] = profile->event[place];
            count->user[code] = profile->user_event[place];
        }
    }
}

/* The events of all rows, each once, and those cycles that divide others. */
static void ask_for_intervals(struct stat_command *stat)
{
    struct intervals *over_time = &stat->over_time;

    for (unsigned i = 0; i <= stat->rows; i++) {
        unsigned event = i < stat->rows ? stat->row[i].event : EVENT_CYCLES_IDLE, k = 0;

        while (k < over_time->events && over_time->event[k] != event)
            k++;
        over_time->event[k] = event;
        over_time->events += k == over_time->events;
    }
}

static enum err run_once(struct stat_command *stat, uint64_t number, struct diag *diag)
{
    struct trial_result result;
    char seed[SETTING_BYTES];
    struct trial trial = {.what = "counting", .set = {seed}};
    enum err err;

    snprintf(seed, sizeof seed, "machine.seed=%u",
             stat->tool.options.config.machine_seed + (uint32_t)number);
    if (stat->over_time.period != 0) {
        ask_for_intervals(stat);
        trial.slices = intervals_run;
        trial.slices_arg = &stat->over_time;
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
    stat->tool.told.tells_first = stat_has_seconds(stat);
    stat->tool.told.tells_others = true;
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
    struct stat_command stat = {.rows = 0};
    struct diag diag = {""};
    enum err err = tool_open(&stat.tool, "stat", line, TOOL_EVENTS, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    stat.tool.counts_events = stat.tool.divides_events = true;
    err = run(&stat, &diag);
    intervals_free(&stat.over_time);
    free(stat.count);
    profile_free(&stat.profile);
    return tool_end(&stat.tool, err, &diag);
}
