/* rvsim compare-profilers: a run observed by every profiling scheme, and by the oracle. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/config_read.h"
#include "sim/base/output.h"
#include "sim/cli/command/commands.h"
#include "sim/cli/command/compare/compare.h"
#include "sim/cli/tool/tool.h"

enum { PERIOD_DEFAULT = 997, TOP_DEFAULT = 5, HZ_PER_MHZ = 1000000 };
enum { NOT_RUN = -1 };           /* in place of an exit status */

/* ---- which schemes --------------------------------------------------------------------------- */

static const char *next_scheme(void *state)
{
    unsigned *at = state;

    return *at < scheme_count() ? scheme_row((*at)++).name : NULL;
}

static enum err show_one(struct compare_options *compare, const char *name, struct diag *diag)
{
    unsigned id = 0, at = 0;

    while (id < scheme_count() && strcmp(scheme_row(id).name, name) != 0)
        id++;
    if (id < scheme_count()) {
        compare->is_shown[id] = true;
        return ERR_OK;
    }
    diag_set(diag, ERR_USAGE, "--schemes: no scheme '%s'", name);
    return diag_suggest(diag, ERR_USAGE, name, next_scheme, &at);
}

static enum err show(struct compare_options *compare, const char *names, struct diag *diag)
{
    enum err err = ERR_OK;
    char name[32];

    if (names == NULL)
        memset(compare->is_shown, true, sizeof compare->is_shown);
    for (size_t length; names != NULL && err == ERR_OK; names += length + 1) {
        length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        err = show_one(compare, name, diag);
        if (names[length] == '\0')
            break;
    }
    return err;
}

/* ---- when to sample -------------------------------------------------------------------------- */

static enum err positive(const char *option, const char *value, uint64_t most, uint64_t *number,
                         struct diag *diag)
{
    if (options_number(value, number) && *number != 0 && *number <= most)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "--%s %s: expected a number from 1 to %llu", option, value,
                    (unsigned long long)most);
}

static enum err set_period(struct config *config, const struct command_line *line,
                           struct diag *diag)
{
    const char *period = command_value(line, OPT_COMPARE_PERIOD);
    const char *frequency = command_value(line, OPT_COMPARE_FREQUENCY);
    uint64_t clock = (uint64_t)config->machine_clock_mhz * HZ_PER_MHZ;
    uint64_t cycles = config->sampling_period != 0 ? config->sampling_period : PERIOD_DEFAULT;
    enum err err = ERR_OK;

    if (period != NULL && frequency != NULL)
        return diag_set(diag, ERR_USAGE, "--period and --frequency: give one of them");
    if (period != NULL)
        err = positive("period", period, 1000000000, &cycles, diag);
    if (frequency != NULL) {
        err = positive("frequency", frequency, clock, &cycles, diag);
        if (err == ERR_OK)
            cycles = clock / cycles;
    }
    config->sampling_period = (uint32_t)cycles;
    config->pmu_oracle = 1;
    return err == ERR_OK ? config_check(config, diag) : err;
}

/* ---- the cost of a handler ------------------------------------------------------------------- */

/* Cycles and interrupts of a separate run; period 0: without samples. */
static enum err run_once(struct tool *tool, uint64_t period, uint64_t *cycles,
                         uint64_t *interrupts, struct diag *diag)
{
    struct trial trial = {
        .what = period != 0 ? "with sampling interrupts" : "without",
        .counters = {.select = {EVENT_CYCLES}, .count = 1, .period = period},
        .no_monitor = period == 0,
    };
    struct trial_result result;
    enum err err = tool_run(tool, &trial, &result, diag);

    if (err != ERR_OK)
        return err;
    *cycles = result.profile.cycles;
    *interrupts = result.profile.interrupts;
    profile_free(&result.profile);
    return ERR_OK;
}

static enum err pair_runs(struct tool *tool, struct config *config, struct diag *diag)
{
    uint64_t period = config->sampling_period, base, cycles, interrupts;
    enum err err = run_once(tool, 0, &base, &interrupts, diag);

    if (err == ERR_OK)
        err = run_once(tool, period, &cycles, &interrupts, diag);
    if (err != ERR_OK)
        return err;
    if (interrupts == 0)
        return diag_set(diag, ERR_USAGE, "--measure-handler: the run of %" PRIu64 " cycles had no "
                        "sampling interrupt; try a smaller --period", cycles);
    cycles = cycles > base ? (cycles - base + interrupts / 2) / interrupts : 0;
    config->sampling_handler_cycles = (uint32_t)cycles;
    return config_check(config, diag);
}

/* Measures sampling.handler_cycles. The run that the schemes observe has no samples of its own. */
static enum err measure_handler(struct config *config, const struct command_line *line,
                                struct diag *diag)
{
    struct tool tool;
    enum err err = ERR_OK;

    if (command_value(line, OPT_COMPARE_HANDLER) == NULL)
        return ERR_OK;
    err = tool_open(&tool, "compare-profilers --measure-handler", line, TOOL_CYCLES, diag);
    if (err != ERR_OK)
        return err;
    err = pair_runs(&tool, config, diag);
    tool_close(&tool);
    return err;
}

/* ---- bias ------------------------------------------------------------------------------------ */

/* Standard input that can be read only once belongs to the main run. */
static bool reads_pipe(void)
{
    struct stat stat;
    bool is_pipe = fstat(STDIN_FILENO, &stat) == 0 &&
                   (S_ISFIFO(stat.st_mode) || S_ISSOCK(stat.st_mode));

    if (is_pipe)
        fputs("rvsim: warning: no bias is shown: a pipe can be read by one run only\n", stderr);
    return is_pipe;
}

/* Keeps the profile of the run with a sample in every cycle. If that run was interrupted, its
 * output is the command's result. */
static enum err end_bias(struct tool *tool, struct compare_options *compare,
                         const struct compare_options *bias, int *status, enum err err,
                         struct diag *diag)
{
    if (err == ERR_INTERRUPTED || err == ERR_HAND_OVER)
        return err;
    if (err != ERR_OK) {
        fprintf(stderr, "rvsim: warning: no bias is shown: %s\n", diag->text);
        return ERR_OK;
    }
    if (!tool->is_interrupted) {
        compare->every_cycle = bias->kept;
        return ERR_OK;
    }
    compare->is_reported = bias->is_reported;
    *status = tool_status(tool, err, diag);
    return ERR_OK;
}

/* Repeats the run with a sample in every cycle, before the run with the requested period. A program
 * that does not end has no bias; *status: set if interrupted. */
static enum err find_bias(const struct options *options, struct compare_options *compare,
                          struct compare *every_cycle, const struct command_line *line, int *status,
                          struct diag *diag)
{
    const struct trial trial = {.what = "with a sample in every cycle"};
    struct compare_options bias = *compare;
    struct trial_result result = {0};
    struct tool tool;
    enum err err;

    if (command_value(line, OPT_COMPARE_NO_BIAS) != NULL || reads_pipe())
        return ERR_OK;
    err = tool_open(&tool, "compare-profilers", line, TOOL_BESIDE, diag);
    if (err != ERR_OK)
        return err;
    tool.options.config = options->config;
    tool.options.config.sampling_period = 1;
    tool.options.config.sampling_dither = 0;
    tool.options.compare = &bias;
    bias.kept = every_cycle;
    bias.stage = trial.what;
    err = tool_run(&tool, &trial, &result, diag);
    profile_free(&result.profile);
    err = end_bias(&tool, compare, &bias, status, err, diag);
    tool_close(&tool);
    return err;
}

/* ---- files ----------------------------------------------------------------------------------- */

static enum err open_file(struct output *output, FILE **file, const char *path,
                          struct diag *diag)
{
    enum err err = path != NULL ? output_open(output, path, diag) : ERR_OK;

    *file = output->file;
    return err;
}

/* Removes files that were not written completely. Returns the exit status. */
static int close_files(const struct compare_options *compare, struct output *json,
                       struct output *csv, int status, enum err err, struct diag *diag)
{
    enum err json_err = output_close(json, compare->is_reported, err == ERR_OK ? diag : NULL);
    enum err csv_err;

    err = err == ERR_OK ? json_err : err;
    csv_err = output_close(csv, compare->is_reported, err == ERR_OK ? diag : NULL);
    err = err == ERR_OK ? csv_err : err;
    return err == ERR_OK ? status : command_error(err, diag);
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err read_line(struct options *options, struct compare_options *compare,
                          const struct command_line *line, struct diag *diag)
{
    enum err err = options_parse(options, line->runs, line->run, diag);

    options->gives_stdout |= command_gives_stdout(line);
    if (err == ERR_OK && options->program_argc == 0)
        err = diag_set(diag, ERR_USAGE, "compare-profilers: no program; usage: rvsim "
                       "compare-profilers [options] app.elf [arguments]");
    if (err == ERR_OK && options->engine != ENGINE_DETAILED)
        err = diag_set(diag, ERR_USAGE, "compare-profilers: needs --mode detailed");
    if (err == ERR_OK)
        err = set_period(&options->config, line, diag);
    if (err == ERR_OK)
        err = show(compare, command_value(line, OPT_COMPARE_SCHEMES), diag);
    compare->top = compare->shows_all ? TOP_DEFAULT : 0;
    if (err == ERR_OK)
        err = command_number("compare-profilers", line, OPT_COMPARE_TOP, 0, UINT32_MAX,
                             &compare->top, diag);
    return err;
}

int command_compare_profilers(const struct command_line *line)
{
    const char *json = command_value(line, OPT_COMPARE_JSON);
    const char *csv = command_value(line, OPT_COMPARE_CSV);
    struct compare_options compare = {.shows_all = command_value(line, OPT_COMPARE_ALL) != NULL,
                                      .stage = "at the period asked for", .run = 1};
    struct compare every_cycle = {.rows = 0};
    struct output json_file = {.file = NULL}, csv_file = {.file = NULL};
    struct progress progress;
    struct options options;
    struct diag diag = {""};
    enum err err = read_line(&options, &compare, line, &diag);
    int status = NOT_RUN;

    if (err == ERR_OK)
        err = open_file(&json_file, &compare.json, json, &diag);
    if (err == ERR_OK)
        err = open_file(&csv_file, &compare.csv, csv, &diag);
    if (err == ERR_OK)
        err = measure_handler(&options.config, line, &diag);
    compare.is_handler_measured = command_value(line, OPT_COMPARE_HANDLER) != NULL;
    options.compare = &compare;
    if (err == ERR_OK)
        err = find_bias(&options, &compare, &every_cycle, line, &status, &diag);
    progress_open(&progress, "compare-profilers", &options);
    compare.run += compare.every_cycle != NULL;
    progress_stage(&progress, compare.stage, compare.run);
    options.stages = &progress;
    if (err == ERR_OK && status == NOT_RUN)
        status = command_run(&options, line->runs, line->run);
    progress_end(&progress);
    compare_free(&every_cycle);
    return close_files(&compare, &json_file, &csv_file, status, err, &diag);
}
