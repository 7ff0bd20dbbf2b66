/* Repeated runs for tools; see tool.h. */
#include "sim/cli/tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu/event.h"
#include "prof/profile/json.h"
#include "prof/report/report.h"
#include "sim/base/config_read.h"
#include "sim/base/output.h"
#include "sim/cli/job/job.h"
#include "sim/cli/terminal/signals.h"
#include "sim/host/counting.h"
#include "sim/run/kernel/kernel.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* Checks options against the needs of a tool. */
static enum err check_options(const struct tool *tool, enum tool_needs needs, struct diag *diag)
{
    const struct options *options = &tool->options;

    if (options->program_argc == 0)
        return diag_set(diag, ERR_USAGE, "%s: expected a program; see rvsim help %s", tool->name,
                        tool->name);
    if (options->stats.count != 0 || options->trace.count != 0 || options->check != NULL ||
        (options->gdb != NULL && needs != TOOL_DEBUGGED))
        return diag_set(diag, ERR_USAGE, "%s: --stats, --trace, --check and --gdb are for a "
                        "single run",
                        tool->name);
    if (options->count.count != 0 && needs != TOOL_AGAIN)
        return diag_set(diag, ERR_USAGE, "%s: --count is for a single run", tool->name);
    if ((needs == TOOL_CYCLES || needs == TOOL_BESIDE) && options->engine != ENGINE_DETAILED)
        return diag_set(diag, ERR_USAGE, "%s: is about cycles; it needs --mode detailed",
                        tool->name);
    if (options->monitor_given && options->monitor == MONITOR_NONE && needs != TOOL_AGAIN)
        return diag_set(diag, ERR_USAGE, "%s: needs a monitor: --monitor guest, host or FILE",
                        tool->name);
    return ERR_OK;
}

/* Removes the files of a run, if another run of the command writes them. */
static void drop_files(struct options *options)
{
    options->stats.count = options->trace.count = 0;
    options->profile = options->check = NULL;
}

static enum err open_run(struct tool *tool, const char *name, const struct command_line *line,
                         const char *file, enum tool_needs needs, struct diag *diag)
{
    enum err err;

    *tool = (struct tool){.name = name, .line = line};
    err = options_parse(&tool->options, line->runs, line->run, diag);
    tool->options.gives_stdout |= command_gives_stdout(line);
    if (err == ERR_OK && file != NULL)
        tool->options.program_path = file;
    if (err == ERR_OK && (needs == TOOL_BESIDE || needs == TOOL_AGAIN))
        drop_files(&tool->options);
    if (err == ERR_OK && needs == TOOL_BESIDE)
        tool->options.count.count = 0;
    if (err == ERR_OK)
        err = check_options(tool, needs, diag);
    if (err == ERR_OK)
        err = command_check_outputs(line, diag);
    if (err != ERR_OK)
        return err;
    bool counts = needs == TOOL_COUNTS || needs == TOOL_DEBUGGED || needs == TOOL_KERNEL;
    if (needs == TOOL_KERNEL && tool->options.os == PROGRAM_OS_AUTO)
        tool->options.os = PROGRAM_OS_KERNEL;
    if (counts && !tool->options.mode_given && !tool->options.monitor_given)
        tool->options.engine = ENGINE_FAST;
    tool->options.config.pmu_oracle =
        !counts && needs != TOOL_EVENTS && needs != TOOL_AGAIN && !tool_is_fast(tool);
    progress_open(&tool->progress, name, &tool->options);
    tool->options.quiet = true;
    signals_catch();
    err = target_open(&tool->target, tool->options.program_path, diag);
    tool->target.store = &tool->told.store;
    if (err == ERR_OK && kernel_is_wanted(&tool->target.image, tool->options.os))
        err = target_add_kernel(&tool->target, true, diag);
    return err;
}

enum err tool_open(struct tool *tool, const char *name, const struct command_line *line,
                   enum tool_needs needs, struct diag *diag)
{
    return open_run(tool, name, line, NULL, needs, diag);
}

enum err tool_open_again(struct tool *tool, const char *name, const struct command_line *line,
                         const char *file, struct diag *diag)
{
    return open_run(tool, name, line, file, TOOL_AGAIN, diag);
}

bool tool_is_fast(const struct tool *tool)
{
    return tool->options.engine != ENGINE_DETAILED;
}

void tool_close(struct tool *tool)
{
    tool_runs_free(&tool->told);
    target_close(&tool->target);
}

const char *tool_stop_text(const struct tool *tool, char text[TOOL_STOP_TEXT])
{
    const struct tool_stop *stop = &tool->stop;
    char insns[REPORT_NUMBER], cycles[REPORT_NUMBER];
    int at = snprintf(text, TOOL_STOP_TEXT, "run %u (%s) ended after %s instruction%s", stop->run,
                      stop->stage, report_number(stop->instructions, insns),
                      report_s(stop->instructions));

    if (!tool_is_fast(tool))
        snprintf(text + at, TOOL_STOP_TEXT - (size_t)at, ", %s cycle%s",
                 report_number(stop->cycles, cycles), report_s(stop->cycles));
    return text;
}

static void say_interrupted(const struct tool *tool)
{
    char text[TOOL_STOP_TEXT];

    if (tool->shows_nothing)
        fprintf(stderr, "rvsim %s: %s: %s: too early for a result\n", tool->name,
                tool->stop.is_late ? "--timeout was reached" : "interrupted",
                tool_stop_text(tool, text));
    else
        fprintf(stderr, "rvsim %s: %s in run %u: what was measured until then is shown\n",
                tool->name, tool->stop.is_late ? "--timeout was reached" : "interrupted",
                tool->stop.run);
}

int tool_status(const struct tool *tool, enum err err, const struct diag *diag)
{
    if (err != ERR_OK) {
        int status = command_error(err, diag);

        return tool->failure != 0 ? tool->failure : status;
    }
    if (tool->end.text[0] != '\0')
        fprintf(stderr, "rvsim %s; what was measured until then is kept\n", tool->end.text);
    if (!tool->is_interrupted)
        return tool->status;
    say_interrupted(tool);
    return tool->stop.status;
}

static void mark_as_partial(const struct tool *tool)
{
    char text[TOOL_STOP_TEXT];

    printf("partial: %s\n", tool_stop_text(tool, text));
    fflush(stdout);
}

int tool_end(struct tool *tool, enum err err, const struct diag *diag)
{
    bool has_table = err == ERR_OK && !tool->shows_nothing && !tool->prints_nothing &&
                     !command_gives_stdout(tool->line);

    if (has_table)
        tool_runs_print(&tool->told);
    if (has_table && tool->is_interrupted)
        mark_as_partial(tool);
    fflush(stdout);
    if (err == ERR_OK)
        survey_tell(tool);
    tool_close(tool);
    return tool_status(tool, err, diag);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static enum err change_options(struct options *options, const struct trial *trial,
                               struct diag *diag)
{
    enum err err = ERR_OK;

    if (trial->config != NULL)
        options->config = *trial->config;
    for (unsigned i = 0; i < TOOL_SETTINGS && trial->set[i] != NULL && err == ERR_OK; i++)
        err = config_set(&options->config, trial->set[i], diag);
    if (trial->on_host || trial->no_monitor) {
        options->monitor_given = true;
        options->monitor = trial->on_host ? MONITOR_HOST : MONITOR_NONE;
    }
    return err == ERR_OK ? config_check(&options->config, diag) : err;
}

/* Opens the input again, so that a file is read from its start each time. */
static int open_input(void)
{
    if (lseek(STDIN_FILENO, 0, SEEK_SET) == 0)
        return dup(STDIN_FILENO);
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static enum err open_streams(struct tool *tool, struct job *job, FILE *output, struct diag *diag)
{
    bool is_shown = tool->shows_output && tool->runs == 0 && !tool->survey.runs;

    fflush(stdout);
    job->output = output != NULL ? output
                  : is_shown     ? fdopen(dup(tool->options.gives_stdout ? STDERR_FILENO
                                                                          : STDOUT_FILENO), "w")
                                 : fopen("/dev/null", "w");
    job->input = job->output != NULL ? open_input() : -1;
    return job->input >= 0 ? ERR_OK
                           : diag_set(diag, ERR_IO, "%s: no streams for the program: %s",
                                      tool->name, strerror(errno));
}

static void note_stop(struct tool *tool, const struct job *job, uint64_t insns, uint64_t cycles)
{
    tool->is_interrupted = true;
    tool->stop.run = tool->runs + tool->survey.runs;
    tool->stop.instructions = insns;
    tool->stop.cycles = cycles;
    tool->stop.status = job_status(job);
    tool->stop.is_late = job->machine.result.reason == RESULT_TIMEOUT;
}

/* A trap ended the program. If it did so in the first run, this is the program's end in the others,
 * too. A trap in a later run alone is an error, as that run is no repetition of the first. */
static enum err end_by_trap(struct tool *tool, const struct job *job, struct diag *diag)
{
    bool is_known = tool->runs == 1 || tool->end.text[0] != '\0';
    enum err err = ERR_OK;

    if (tool->end.text[0] == '\0')
        err = diag_set(diag, ERR_USAGE, "%s: run %u: %s", tool->name, tool->runs,
                       job->machine.result.text);
    if (!is_known) {
        tool->failure = job_status(job);
        return err;
    }
    if (tool->runs == 1)
        tool->end = *diag;
    return ERR_OK;
}

static enum err check_end(struct tool *tool, const struct job *job, struct diag *diag)
{
    const struct result *result = &job->machine.result;

    if (tool->runs == 1)
        tool->status = job_status(job);
    tool->failure = 0;
    switch (result->reason) {
    case RESULT_EXIT:
    case RESULT_HALTED:
    case RESULT_MAX_INSNS:
    case RESULT_MAX_CYCLES:
        return ERR_OK;
    case RESULT_TIMEOUT:
    case RESULT_INTERRUPTED:
        note_stop(tool, job, machine_insns(&job->machine), tool_parts_cycles(job));
        return ERR_OK;
    case RESULT_FAILURE:
        return diag_set(diag, ERR_INTERNAL, "%s", result->text);
    default:
        return tool->survey.runs ? ERR_OK : end_by_trap(tool, job, diag);
    }
}

/* Moves the profile and the counters out of the job. */
static void take_results(struct job *job, struct trial_result *result, unsigned counters)
{
    result->cycles = tool_parts_cycles(job);
    result->parts = tool_parts_of(job);
    result->end = job->machine.result.reason;
    result->profile = job->profile;
    job->profile = (struct profile){0};
    for (unsigned i = 0; i < counters; i++)
        result->counter[i] = profiler_counter(job->profiler, i);
}

static void say_what_is_covered(const struct tool *tool, const struct profile *profile)
{
    char before[64];

    snprintf(before, sizeof before, "rvsim %s: note: ", tool->name);
    report_covered(profile, before, stderr);
}

/* A signal or --timeout before the first instruction, or in the part that runs fast before the
 * measured one: what earlier runs measured is kept. A program that ends there gives its status. */
static enum err check_early_stop(struct tool *tool, const struct job *job, enum err err)
{
    enum result_reason reason = job->machine.result.reason;
    bool is_stopped = reason == RESULT_INTERRUPTED || reason == RESULT_TIMEOUT;

    if (err == ERR_OK || (!is_stopped && reason != RESULT_TRAP))
        return err;
    if (is_stopped)
        note_stop(tool, job, 0, 0);
    if (is_stopped && tool->runs > 1)
        return ERR_OK;
    tool->failure = job_status(job);
    return reason == RESULT_INTERRUPTED ? ERR_INTERRUPTED : err;
}

/* Counts a run, and makes malloc keep freed memory: the next run allocates the same amounts again,
 * and memory returned to the system would come back page by page, cleared. */
static void note_run(struct tool *tool)
{
    tool->runs += !tool->survey.runs;
#ifdef M_TRIM_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

enum err tool_run(struct tool *tool, const struct trial *trial, struct trial_result *result,
                  struct diag *diag)
{
    struct options options = tool->options;
    struct job job = {
        .options = &options, .argc = tool->line->runs, .argv = tool->line->run,
        .started = job_seconds(), .marks = trial->marks, .counters = trial->counters, .input = -1,
        .slices = trial->slices, .slices_arg = trial->slices_arg,
        .follows_calls = tool->follows_calls, .counts_events = tool->counts_events,
        .divides_events = tool->divides_events,
        .wants = trial->wants, .faster = trial->faster, .watch = trial->watch,
        .watch_arg = trial->watch_arg, .is_shown = trial->is_shown,
        .store = &tool->told.store, .known = tool->told.known, .knowns = tool->told.knowns,
    };
    bool is_bounded;
    enum err err;

    *result = (struct trial_result){0};
    options.stages = &tool->progress;
    if (tool->survey.runs)
        survey_change(&options);
    is_bounded = trial->max_cycles != 0 && (options.limits.max_cycles == 0 ||
                                            trial->max_cycles < options.limits.max_cycles);
    if (is_bounded)
        options.limits.max_cycles = trial->max_cycles;
    snprintf(tool->stop.stage, sizeof tool->stop.stage, "%s", trial->what);
    progress_stage(&tool->progress, trial->what, tool->runs + 1);
    err = change_options(&options, trial, diag);
    if (err == ERR_OK)
        err = open_streams(tool, &job, trial->output, diag);
    if (err == ERR_OK)
        err = job_run(&job, diag);
    note_run(tool);
    err = err == ERR_OK ? check_end(tool, &job, diag) : check_early_stop(tool, &job, err);
    if (err == ERR_OK)
        take_results(&job, result, trial->counters.count);
    if (err == ERR_OK)
        err = target_add_modules(&tool->target, &result->profile, diag);
    if (err == ERR_OK && tool->runs == 1)
        say_what_is_covered(tool, &result->profile);
    if (err == ERR_OK)
        err = tool->survey.runs ? tool_runs_know(&tool->told, &result->profile, diag)
                                : tool_runs_add(&tool->told, trial->what, &result->profile, diag);
    result->was_limited = err == ERR_OK && is_bounded &&
                          job.machine.result.reason == RESULT_MAX_CYCLES;
    job_close(&job);                /* which flushes the output */
    if (job.output != NULL)
        fclose(job.output);
    if (job.input >= 0)
        close(job.input);
    progress_end(&tool->progress);
    return err;
}

/* ---- words and files ------------------------------------------------------------------------- */

enum err tool_number(const struct tool *tool, enum command_option_id id, uint64_t least,
                     uint64_t most, uint64_t *value, struct diag *diag)
{
    return command_number(tool->name, tool->line, id, least, most, value, diag);
}

/* The counter that interrupts has one event; the last of several would be sampled in silence. */
static enum err refuse_another(const struct tool *tool, enum command_option_id id,
                               const char *name, struct diag *diag)
{
    const struct command_line *line = tool->line;

    for (unsigned i = 0; i < line->options; i++)
        if (line->option[i].id == id && strcmp(line->option[i].value, name) != 0)
            return diag_set(diag, ERR_USAGE, "%s: --event %s and --event %s: a run samples one "
                            "event; rvsim stat counts several", tool->name,
                            line->option[i].value, name);
    return ERR_OK;
}

enum err tool_event(const struct tool *tool, enum command_option_id id, unsigned *event,
                    struct diag *diag)
{
    const char *name = command_value(tool->line, id);
    enum err err = name != NULL ? refuse_another(tool, id, name, diag) : ERR_OK;

    if (name == NULL || err != ERR_OK)
        return err;
    *event = event_by_name(name);
    if (*event != EVENT_NONE)
        return ERR_OK;
    diag_set(diag, ERR_USAGE, "%s: --%s %s: no such event (see rvsim events)", tool->name,
             command_option_at(id)->name, name);
    return counting_suggest(diag, name);
}

enum err tool_event_check(const struct tool *tool, unsigned event, struct diag *diag)
{
    if (event == EVENT_NONE || !tool_is_fast(tool) || event_is_architectural(event))
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "%s: --event %s needs --mode detailed", tool->name,
                    event_name(event));
}

unsigned tool_usual_event(const struct tool *tool)
{
    return tool_is_fast(tool) ? EVENT_INSNS_RETIRED : EVENT_CYCLES;
}

void tool_describe(const struct tool *tool, cJSON *root)
{
    cJSON *stop;

    tool_runs_write(&tool->told, root);
    if (!tool->is_interrupted)
        return;
    stop = cJSON_AddObjectToObject(root, "interrupted");
    json_number(stop, "run", tool->stop.run);
    cJSON_AddStringToObject(stop, "stage", tool->stop.stage);
    json_number(stop, "instructions", tool->stop.instructions);
    if (!tool_is_fast(tool))
        json_number(stop, "cycles", tool->stop.cycles);
}

cJSON *tool_document(const struct tool *tool)
{
    cJSON *root = json_document();

    cJSON_AddStringToObject(root, "program", symbols_base_name(tool->target.image.path));
    tool_describe(tool, root);
    return root;
}

cJSON *tool_run_document(const struct tool *tool, uint64_t cycles, uint64_t instructions)
{
    cJSON *root = tool_document(tool);

    json_number(root, "cycles", cycles);
    json_number(root, "instructions", instructions);
    return root;
}

enum err tool_write(const char *path, tool_writer *write, void *arg, struct diag *diag)
{
    struct output output;
    enum err err = output_open(&output, path, diag), closed;

    if (err != ERR_OK)
        return err;
    err = write(arg, output.file, diag);
    closed = output_close(&output, err == ERR_OK, err == ERR_OK ? diag : NULL);
    return err == ERR_OK ? closed : err;
}

enum err tool_files_check(const struct tool_files *files, struct diag *diag)
{
    enum err err = files->csv != NULL ? output_check(files->csv, diag) : ERR_OK;

    return err == ERR_OK && files->json != NULL ? output_check(files->json, diag) : err;
}

bool tool_files_take_output(const struct tool_files *files)
{
    return output_is_stdout(files->csv) || output_is_stdout(files->json);
}

enum err tool_files_write(const struct tool_files *files, tool_writer *csv, tool_writer *json,
                          void *arg, struct diag *diag)
{
    enum err err = files->csv != NULL ? tool_write(files->csv, csv, arg, diag) : ERR_OK;

    return err == ERR_OK && files->json != NULL ? tool_write(files->json, json, arg, diag) : err;
}
