/* rvsim tune: a sampling profile names the hot routines, and the next run counts exactly these.
 *
 * What is measured stands beside the oracle profile of the same run. Both runs are compared with
 * one that nobody monitors. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prof/report.h"
#include "sim/cli/monitoring.h"
#include "sim/cli/tool.h"
#include "sim/cli/units.h"

enum { PERIOD_DEFAULT = 10007, HOT_DEFAULT = 5, TOP_DEFAULT = PROF_RANGES };

/* A routine: what hardware measured, and the truth. */
struct routine {
    size_t unit;
    uint64_t samples;
    uint64_t true_count, true_units;    /* in the sampling run: instructions, time */
    uint64_t count, entered, cycles;    /* in the counting run, measured */
    uint64_t oracle_count, oracle_units;
};

struct tune {
    struct tool tool;
    struct units units;
    uint64_t period, hot_percent, top;
    unsigned event;
    bool counts_calls;
    struct trial base, sampling, counting;
    struct trial_result unmonitored, sampled, counted;
    struct routine *routine;            /* of all units, hottest first */
    size_t hot;                         /* so many of them are hot */
    uint64_t samples, elsewhere;        /* in all; outside the program's code */
    char *marks;
};

static enum err no_memory(struct diag *diag)
{
    return diag_set(diag, ERR_NO_MEMORY, "out of memory for routines");
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static const char *next_event(void *state)
{
    unsigned *code = state;

    while (++*code < EVENT_COUNT)
        if (event_name(*code) != NULL)
            return event_name(*code);
    return NULL;
}

static enum err read_event(struct tune *tune, struct diag *diag)
{
    const char *name = command_value(tune->tool.line, OPT_TUNE_EVENT), *near;
    unsigned at = 0;

    tune->event = name != NULL ? event_by_name(name) : (unsigned)EVENT_CYCLES;
    if (tune->event != EVENT_NONE)
        return ERR_OK;
    near = nearest_name(name, next_event, &at);
    return diag_set(diag, ERR_USAGE, "tune: --event %s: no such event%s%s%s", name,
                    near != NULL ? "; did you mean " : "; see rvsim events",
                    near != NULL ? near : "", near != NULL ? "?" : "");
}

static enum err read_options(struct tune *tune, struct diag *diag)
{
    const struct tool *tool = &tune->tool;
    uint64_t counters = tool->options.config.pmu_counters;
    enum err err = read_event(tune, diag);

    tune->period = PERIOD_DEFAULT;
    tune->hot_percent = HOT_DEFAULT;
    tune->top = TOP_DEFAULT < counters ? TOP_DEFAULT : counters;
    if (err == ERR_OK)
        err = tool_number(tool, OPT_TUNE_PERIOD, 1, UINT64_MAX >> 1, &tune->period, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_TUNE_HOT, 0, 100, &tune->hot_percent, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_TUNE_TOP, 1, tune->top, &tune->top, diag);
    tune->counts_calls = command_value(tool->line, OPT_TUNE_CALLS) != NULL;
    tune->tool.shows_output = command_value(tool->line, OPT_TUNE_SHOW_OUTPUT) != NULL;
    return err;
}

/* ---- the sampling run ------------------------------------------------------------------------ */

static int compare_routines(const void *a, const void *b)
{
    const struct routine *x = a, *y = b;

    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static void add_samples(struct tune *tune, const struct profile *profile)
{
    for (size_t i = 0; i < profile->records; i++) {
        const struct profile_record *record = &profile->record[i];
        long unit = units_at(&tune->units, record->address);

        tune->samples += record->interrupts;
        if (unit != UNITS_NONE)
            tune->routine[unit].samples += record->interrupts;
        else
            tune->elsewhere += record->interrupts;
    }
}

static void add_truth(struct tune *tune, const struct profile *profile)
{
    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];
        long unit = cost->is_monitor ? UNITS_NONE : units_at(&tune->units, cost->address);

        if (unit == UNITS_NONE)
            continue;
        tune->routine[unit].true_count += cost->count;
        tune->routine[unit].true_units += cost->units;
    }
}

/* The hottest first; hot are those with enough of all samples. */
static enum err find_hot(struct tune *tune, struct diag *diag)
{
    tune->routine = calloc(tune->units.count, sizeof *tune->routine);
    if (tune->routine == NULL)
        return no_memory(diag);
    for (size_t i = 0; i < tune->units.count; i++)
        tune->routine[i].unit = i;
    add_samples(tune, &tune->sampled.profile);
    add_truth(tune, &tune->sampled.profile);
    qsort(tune->routine, tune->units.count, sizeof *tune->routine, compare_routines);
    while (tune->hot < tune->units.count && tune->hot < tune->top &&
           tune->routine[tune->hot].samples != 0 &&
           tune->routine[tune->hot].samples * 100 >= tune->hot_percent * tune->samples)
        tune->hot++;
    if (tune->hot != 0)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "tune: %" PRIu64 " samples, and no routine has %" PRIu64
                    " %% of them: a smaller --period gives more, a smaller --hot asks for less",
                    tune->samples, tune->hot_percent);
}

static enum err sample(struct tune *tune, struct diag *diag)
{
    enum err err;

    tune->sampling = (struct trial){
        .what = "sampling",
        .counters = {.select = {tune->event}, .count = 1, .period = tune->period,
                     .is_maskable = command_value(tune->tool.line, OPT_TUNE_MASKABLE) != NULL},
    };
    err = tool_run(&tune->tool, &tune->sampling, &tune->sampled, diag);
    return err == ERR_OK ? find_hot(tune, diag) : err;
}

/* ---- the counting run ------------------------------------------------------------------------ */

/* First behind the unit's last instruction. */
static uint64_t end_of(const struct units *units, size_t unit)
{
    uint64_t end = 0;

    for (size_t i = 0; i < units->insns; i++)
        if (units->insn[i].unit == unit)
            end = units->insn[i].address + units->insn[i].bytes;
    return end;
}

static void mark_calls(const struct unit *unit, FILE *out)
{
    fprintf(out, "%s  2  counter\ncalls(%s)  *  counter\n", unit->name, unit->name);
}

static void write_marks(const struct tune *tune, FILE *out)
{
    fprintf(out, "# hot routines of %s: counts and ranges\n",
            symbols_base_name(tune->tool.target.image.path));
    for (size_t i = 0; i < tune->hot; i++) {
        const struct routine *routine = &tune->routine[i];
        const struct unit *unit = &tune->units.unit[routine->unit];

        if (tune->counts_calls && unit->is_function)
            mark_calls(unit, out);
        else
            units_mark(&tune->units, routine->unit, "counter", out);
        if (unit->is_function)
            fprintf(out, "range I%zu %s *\n", i, unit->name);
        else
            fprintf(out, "range I%zu 0x%" PRIx64 " %" PRIu64 "\n", i, unit->start,
                    end_of(&tune->units, routine->unit) - unit->start);
    }
}

static enum err make_marks(struct tune *tune, struct diag *diag)
{
    size_t bytes;
    FILE *out = open_memstream(&tune->marks, &bytes);

    if (out == NULL)
        return no_memory(diag);
    write_marks(tune, out);
    return fclose(out) == 0 ? ERR_OK : no_memory(diag);
}

static struct routine *routine_at(struct tune *tune, uint64_t address)
{
    long unit = units_at(&tune->units, address);

    for (size_t i = 0; i < tune->hot; i++)
        if (unit != UNITS_NONE && tune->routine[i].unit == (size_t)unit)
            return &tune->routine[i];
    return NULL;
}

static void collect_counts(struct tune *tune)
{
    const struct profile *profile = &tune->counted.profile;
    struct routine *routine;

    for (size_t i = 0; i < profile->marks; i++) {
        const struct profile_mark *mark = &profile->mark[i];

        if ((routine = routine_at(tune, mark->address)) == NULL)
            continue;
        routine->count += mark->count;
        if (mark->address == tune->units.unit[routine->unit].start)
            routine->entered = mark->count;
    }
    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];

        if (cost->is_monitor || (routine = routine_at(tune, cost->address)) == NULL)
            continue;
        routine->oracle_count += cost->count;
        routine->oracle_units += cost->units;
    }
    for (size_t i = 0; i < tune->hot; i++)
        tune->routine[i].cycles = tune->counted.counter[i];
}

/* Range register i is around routine i, and counter i counts the cycles in it. */
static enum err count(struct tune *tune, struct diag *diag)
{
    enum err err = make_marks(tune, diag);

    tune->counting = (struct trial){
        .what = "counting", .marks = tune->marks, .counters = {.count = (unsigned)tune->hot}};
    for (unsigned i = 0; i < tune->hot; i++)
        tune->counting.counters.select[i] = EVENT_CYCLES | PMU_FILTER_RANGE << PMU_FILTER_SHIFT |
                                            (uint64_t)i << PMU_ARGUMENT_SHIFT;
    if (err == ERR_OK)
        err = tool_run(&tune->tool, &tune->counting, &tune->counted, diag);
    if (err == ERR_OK)
        collect_counts(tune);
    return err;
}

/* ---- the report ------------------------------------------------------------------------------ */

static uint64_t sum_units(const struct tune *tune)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < tune->units.count; i++)
        sum += tune->routine[i].true_units;
    return sum;
}

static uint64_t sum_counts(const struct tune *tune)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < tune->units.count; i++)
        sum += tune->routine[i].true_count;
    return sum;
}

/* The share of what was sampled that a routine really had; negative: nobody knows. */
static double true_share(const struct tune *tune, const struct routine *routine)
{
    if (tune->event == EVENT_CYCLES)
        return report_percent(routine->true_units, sum_units(tune));
    if (tune->event == EVENT_INSNS_RETIRED)
        return report_percent(routine->true_count, sum_counts(tune));
    return -1;
}

static double error_percent(double measured, double truth)
{
    return truth != 0 ? 100 * (measured - truth) / truth : 0;
}

static void print_sampled(const struct tune *tune)
{
    char number[REPORT_NUMBER];

    printf("\n%9s %9s %8s %9s  %s\n", "sampled", "oracle", "error", "samples", "hot routine");
    for (size_t i = 0; i < tune->hot; i++) {
        const struct routine *routine = &tune->routine[i];
        double share = report_percent(routine->samples, tune->samples);
        double truth = true_share(tune, routine);

        if (truth < 0)
            printf("%8.2f%% %9s %8s", share, "-", "-");
        else
            printf("%8.2f%% %8.2f%% %+7.2f%%", share, truth, share - truth);
        printf(" %9s  %s\n", report_number(routine->samples, number),
               tune->units.unit[routine->unit].name);
    }
}

static void print_counted(const struct tune *tune)
{
    const struct profile *profile = &tune->counted.profile;
    char entered[REPORT_NUMBER], count[REPORT_NUMBER], oracle[REPORT_NUMBER];
    char cycles[REPORT_NUMBER], truth[REPORT_NUMBER];

    printf("\n%12s %16s %16s %16s %16s %8s  %s\n", "entered",
           tune->counts_calls ? "calls, returns" : "instructions", "oracle", "cycles", "oracle",
           "error", "hot routine");
    for (size_t i = 0; i < tune->hot; i++) {
        const struct routine *routine = &tune->routine[i];
        uint64_t real = routine->oracle_units / profile->units_per_cycle;

        printf("%12s %16s %16s %16s %16s %+7.2f%%  %s\n", report_number(routine->entered, entered),
               report_number(routine->count - (tune->counts_calls ? routine->entered : 0), count),
               tune->counts_calls ? "-" : report_number(routine->oracle_count, oracle),
               report_number(routine->cycles, cycles), report_number(real, truth),
               error_percent((double)routine->cycles, (double)real),
               tune->units.unit[routine->unit].name);
    }
}

/* Weighted by what they really took: half the sum of the differences of the shares. */
static double profile_error(const struct tune *tune)
{
    double sum = 0;

    for (size_t i = 0; i < tune->units.count; i++)
        sum += fabs(report_percent(tune->routine[i].samples, tune->samples) -
                    true_share(tune, &tune->routine[i]));
    return sum / 2;
}

static void print_report(const struct tune *tune)
{
    char samples[REPORT_NUMBER], period[REPORT_NUMBER], number[REPORT_NUMBER];
    const struct profile *sampled = &tune->sampled.profile;

    printf("%s: %s samples, one every %s of %s\n",
           symbols_base_name(tune->tool.target.image.path), report_number(tune->samples, samples),
           report_number(tune->period, period), event_name(tune->event));
    if (tune->elsewhere != 0)
        printf("%s samples outside the program's code\n", report_number(tune->elsewhere, number));
    if (sampled->dropped != 0)
        printf("%s samples not stored\n", report_number(sampled->dropped, number));
    print_sampled(tune);
    if (true_share(tune, &tune->routine[0]) >= 0)
        printf("%8.2f%% of the profile is in the wrong routine\n", profile_error(tune));
    print_counted(tune);
}

/* ---- cost ------------------------------------------------------------------------------------ */

static enum err measure_cost(struct tune *tune, struct diag *diag)
{
    struct monitoring cost[2];
    static const char *const name[] = {"sampling", "counting"};
    enum err err;

    tune->base = (struct trial){.what = "without monitoring"};
    err = tool_run(&tune->tool, &tune->base, &tune->unmonitored, diag);
    if (err == ERR_OK)
        err = monitoring_measure(&tune->tool, &tune->sampling, &tune->sampled.profile,
                                 &tune->unmonitored.profile, &cost[0], diag);
    if (err == ERR_OK)
        err = monitoring_measure(&tune->tool, &tune->counting, &tune->counted.profile,
                                 &tune->unmonitored.profile, &cost[1], diag);
    if (err == ERR_OK)
        monitoring_print(cost, name, 2, stdout);
    return err;
}

/* ---- files ----------------------------------------------------------------------------------- */

static enum err write_meta(void *arg, FILE *out, struct diag *diag)
{
    (void)diag;
    fputs(((const struct tune *)arg)->marks, out);
    return ERR_OK;
}

static enum err write_profile(void *arg, FILE *out, struct diag *diag)
{
    const struct tune *tune = arg;

    return profile_write(&tune->counted.profile, tune->tool.target.symbols, out, true, diag);
}

static enum err write_files(struct tune *tune, struct diag *diag)
{
    const char *meta = command_value(tune->tool.line, OPT_TUNE_OUTPUT);
    const char *profile = command_value(tune->tool.line, OPT_TUNE_PROFILE);
    enum err err = ERR_OK;

    if (meta != NULL)
        err = tool_write(meta, write_meta, tune, diag);
    if (err == ERR_OK && profile != NULL)
        err = tool_write(profile, write_profile, tune, diag);
    return err;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err run(struct tune *tune, struct diag *diag)
{
    enum err err = read_options(tune, diag);

    if (err == ERR_OK)
        err = units_make(&tune->units, &tune->tool.target, UNITS_FUNCTION, diag);
    if (err == ERR_OK)
        err = sample(tune, diag);
    if (err == ERR_OK)
        err = count(tune, diag);
    if (err != ERR_OK)
        return err;
    print_report(tune);
    fflush(stdout);
    if (command_value(tune->tool.line, OPT_TUNE_NO_COST) == NULL)
        err = measure_cost(tune, diag);
    return err == ERR_OK ? write_files(tune, diag) : err;
}

int command_tune(const struct command_line *line)
{
    struct tune tune = {.hot = 0};
    struct diag diag = {""};
    enum err err = tool_open(&tune.tool, "tune", line, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    err = run(&tune, &diag);
    profile_free(&tune.unmonitored.profile);
    profile_free(&tune.sampled.profile);
    profile_free(&tune.counted.profile);
    free(tune.routine);
    free(tune.marks);
    units_free(&tune.units);
    tool_close(&tune.tool);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
