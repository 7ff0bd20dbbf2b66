/* rvsim record: samples of a run, into a profile for `report`, `annotate`, `script` and exports.
 *
 * A counter overflows once a period, and the monitor stores the place of the program. The host's
 * monitor takes no simulated time and stores each sample; the resident one takes time as on a real
 * machine and stores sums. With `-e marks` the marks of the metadata interrupt, and no counter
 * does. */
#include <inttypes.h>
#include <string.h>

#include "pmu/event.h"
#include "prof/profile/profile_file.h"
#include "prof/report/report.h"
#include "sim/base/output.h"
#include "sim/cli/command/record.h"

enum { PERIOD_DEFAULT = 10007, HZ_PER_MHZ = 1000000 };
static const char OUTPUT_DEFAULT[] = "rvsim.prof";

struct record {
    struct tool tool;
    unsigned event;                 /* EVENT_NONE: marks */
    uint64_t period;
    bool has_stacks;
    const char *path;
    struct trial_result result;
};

/* ---- options --------------------------------------------------------------------------------- */

static enum err check_marks(const struct record *record, struct diag *diag)
{
    const struct options *options = &record->tool.options;
    const struct command_line *line = record->tool.line;

    if (command_value(line, OPT_RECORD_PERIOD) != NULL ||
        command_value(line, OPT_RECORD_FREQUENCY) != NULL)
        return diag_set(diag, ERR_USAGE, "record: marks interrupt as the metadata says; "
                        "--period and --frequency are for events");
    if (options->meta.count == 0 && options->config.pmu_hints == 0)
        return diag_set(diag, ERR_USAGE, "record: --event marks needs --meta FILE or --hints");
    return ERR_OK;
}

static enum err read_event(struct record *record, struct diag *diag)
{
    const char *name = command_value(record->tool.line, OPT_RECORD_EVENT);
    enum err err;

    if (name != NULL && strcmp(name, PROFILE_SAMPLES_MARKS) == 0)
        return check_marks(record, diag);
    record->event = tool_usual_event(&record->tool);
    err = tool_event(&record->tool, OPT_RECORD_EVENT, &record->event, diag);
    return err == ERR_OK ? tool_event_check(&record->tool, record->event, diag) : err;
}

/* Parses -F: samples per second of the simulated clock. */
static enum err read_frequency(struct record *record, struct diag *diag)
{
    uint64_t clock = (uint64_t)record->tool.options.config.machine_clock_mhz * HZ_PER_MHZ;
    uint64_t hz = 1;
    enum err err = tool_number(&record->tool, OPT_RECORD_FREQUENCY, 1, clock, &hz, diag);

    if (err != ERR_OK || command_value(record->tool.line, OPT_RECORD_FREQUENCY) == NULL)
        return err;
    if (command_value(record->tool.line, OPT_RECORD_PERIOD) != NULL)
        return diag_set(diag, ERR_USAGE, "record: --period and --frequency: give one of them");
    if (record->event != EVENT_CYCLES)
        return diag_set(diag, ERR_USAGE, "record: --frequency is of cycles; give --period for "
                        "another event");
    record->period = clock / hz;
    return ERR_OK;
}

static enum err read_options(struct record *record, struct diag *diag)
{
    const struct command_line *line = record->tool.line;
    const char *path = command_value(line, OPT_RECORD_OUTPUT);
    enum err err = read_event(record, diag);

    record->period = PERIOD_DEFAULT;
    record->has_stacks = command_value(line, OPT_RECORD_CALL_GRAPH) != NULL;
    record->path = path != NULL ? path : OUTPUT_DEFAULT;
    record->tool.shows_output = command_value(line, OPT_RECORD_SHOW_OUTPUT) != NULL;
    if (err == ERR_OK && record->tool.options.profile != NULL)
        err = diag_set(diag, ERR_USAGE, "record: --output FILE names the profile");
    if (err == ERR_OK)
        err = tool_number(&record->tool, OPT_RECORD_PERIOD, RECORD_PERIOD_LEAST, UINT64_MAX >> 1,
                          &record->period, diag);
    if (err == ERR_OK)
        err = read_frequency(record, diag);
    return err == ERR_OK ? output_check(record->path, diag) : err;
}

/* ---- the run --------------------------------------------------------------------------------- */

static enum err write_profile(void *arg, FILE *out, struct diag *diag)
{
    const struct record *record = arg;

    return profile_write(&record->result.profile, record->tool.target.symbols, out, true, diag);
}

void record_warn(const char *command, const struct profile *profile)
{
    char number[REPORT_NUMBER];

    if (profile->interrupts == 0)
        fprintf(stderr, "rvsim %s: warning: no sample; a smaller --period gives more\n", command);
    if (profile->dropped != 0)
        fprintf(stderr, "rvsim %s: warning: %s sample%s found no room in the monitor's table; "
                "a longer --period, or more machine.memory_mib, keeps all\n", command,
                report_number(profile->dropped, number), report_s(profile->dropped));
    if (profile->throttled != 0)
        fprintf(stderr, "rvsim %s: warning: %s sample%s throttled: the monitor takes longer "
                "than a period; a longer --period, or --monitor host, keeps more\n", command,
                report_number(profile->throttled, number),
                profile->throttled == 1 ? " was" : "s were");
}

void record_print_left_out(const struct profile *profile)
{
    char number[REPORT_NUMBER];

    if (profile->dropped != 0)
        printf("%s sample%s not stored\n", report_number(profile->dropped, number),
               report_s(profile->dropped));
    if (profile->throttled != 0)
        printf("%s more sample%s throttled: the monitor takes longer than a period\n",
               report_number(profile->throttled, number),
               profile->throttled == 1 ? " was" : "s were");
}

/* Periods that ended before the sample of an earlier one was taken, and so have none. The
 * resident monitor leaves out samples for other reasons. */
static uint64_t periods_without_sample(const struct record *record)
{
    const struct profile *profile = &record->result.profile;
    size_t event = record->event != EVENT_NONE
                       ? profile_event_place(profile, event_name(record->event))
                       : profile->events;
    uint64_t periods = 0;

    if (strcmp(profile->monitor, "host") != 0 || event == profile->events)
        return 0;
    for (size_t i = 0; i < profile->harts; i++)
        periods += profile->hart[i].event[event] / record->period;
    return periods > profile->interrupts ? periods - profile->interrupts : 0;
}

static void tell(const struct record *record)
{
    const struct profile *profile = &record->result.profile;
    uint64_t without = periods_without_sample(record);
    uint64_t samples = profile->interrupts - profile->dropped;
    char number[REPORT_NUMBER];

    if (without != 0)
        fprintf(stderr, "rvsim record: note: %s more period%s ended before the sample of another "
                "was taken; a longer --period gives each a sample\n",
                report_number(without, number), report_s(without));
    fprintf(stderr, "rvsim record: %s sample%s in %s\n",
            report_number(samples, number), report_s(samples), record->path);
    record_warn("record", profile);
}

struct trial record_trial(unsigned event, uint64_t period, bool has_stacks, bool has_monitor)
{
    struct trial trial = {.what = "recording", .on_host = !has_monitor};

    trial.counters = (struct profiler_counters){.has_stacks = has_stacks, .keeps_samples = true};
    if (event != EVENT_NONE) {
        trial.counters.select[0] = event;
        trial.counters.count = 1;
        trial.counters.period = period;
    }
    return trial;
}

static enum err run(struct record *record, struct diag *diag)
{
    const struct trial trial = record_trial(record->event, record->period, record->has_stacks,
                                            record->tool.options.monitor_given);
    enum err err = tool_run(&record->tool, &trial, &record->result, diag);

    if (err != ERR_OK)
        return err;
    err = tool_write(record->path, write_profile, record, diag);
    if (err == ERR_OK)
        tell(record);
    return err;
}

int command_record(const struct command_line *line)
{
    struct record record = {.period = 0};
    struct diag diag = {""};
    enum err err = tool_open(&record.tool, "record", line, TOOL_EVENTS, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    record.tool.prints_nothing = true;
    err = read_options(&record, &diag);
    if (err == ERR_OK)
        err = run(&record, &diag);
    profile_free(&record.result.profile);
    return tool_end(&record.tool, err, &diag);
}
