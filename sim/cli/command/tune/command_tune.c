/* rvsim tune: a sampling profile finds the hot routines, and the next run, or the rest of the same
 * run, counts exactly these. Routines of libraries are included, if the sampling run has loaded
 * them.
 *
 * Each measurement is compared with the oracle profile of the same run, or of the same part of it.
 * Metadata takes no time in the runs that count, so their cycles are those of the program without
 * marks; a run for the cost has its time. In the fast engine, which has no time, samples are
 * compared with the counts of the next run. The cost is the difference to a run without
 * monitoring. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/profile/profile_file.h"
#include "prof/report/report.h"
#include "sim/cli/command/tune/tune.h"
#include "sim/cli/tool/monitoring.h"

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
        long unit = units_at(&tune->units, cost->address);

        if (cost->is_monitor)
            continue;
        if (unit == UNITS_NONE) {
            tune->elsewhere_count += cost->count;
            tune->elsewhere_units += cost->units;
            continue;
        }
        tune->routine[unit].true_count += cost->count;
        tune->routine[unit].true_units += cost->units;
    }
}

static enum err say_none_is_hot(const struct tune *tune, struct diag *diag)
{
    char outside[64] = "";

    if (tune->elsewhere != 0)
        snprintf(outside, sizeof outside, " (%" PRIu64 " outside the code that is looked at)",
                 tune->elsewhere);
    return diag_set(diag, ERR_USAGE, "tune: %" PRIu64 " sample%s%s, and no routine has %" PRIu64
                    " %% of them: a smaller --period gives more, a smaller --hot asks for less",
                    tune->samples, report_s(tune->samples), outside, tune->hot_percent);
}

enum err tune_find_hot(struct tune *tune, struct diag *diag)
{
    tune->routine = calloc(tune->units.count, sizeof *tune->routine);
    if (tune->routine == NULL)
        return diag_no_memory(diag, "routines");
    for (size_t i = 0; i < tune->units.count; i++)
        tune->routine[i].unit = i;
    add_samples(tune, &tune->sampled.profile);
    add_truth(tune, &tune->sampled.profile);
    qsort(tune->routine, tune->units.count, sizeof *tune->routine, compare_routines);
    for (size_t i = 0; i < tune->units.count; i++)
        tune->routine[i].rank = i;
    while (tune->hot < tune->units.count && tune->hot < tune->top &&
           tune->routine[tune->hot].samples != 0 &&
           tune->routine[tune->hot].samples * 100 >= tune->hot_percent * tune->samples)
        tune->routine[tune->hot++].was_hot = true;
    if (tune->hot != 0 || tune->tool.is_interrupted)
        return ERR_OK;
    return say_none_is_hot(tune, diag);
}

static struct trial sampling_trial(const struct tune *tune)
{
    return (struct trial){
        .what = "sampling",
        .counters = {.select = {tune->event}, .count = 1, .period = tune->period,
                     .is_maskable = command_value(tune->tool.line, OPT_TUNE_MASKABLE) != NULL},
    };
}

/* Libraries loaded by the run have the same addresses in the next one. */
static enum err add_libraries(struct tune *tune, struct diag *diag)
{
    units_free(&tune->units);
    return units_make(&tune->units, &tune->tool.target, UNITS_FUNCTION, diag);
}

static enum err sample(struct tune *tune, struct diag *diag)
{
    enum err err;

    tune->sampling = sampling_trial(tune);
    err = tool_run(&tune->tool, &tune->sampling, &tune->sampled, diag);
    if (err == ERR_OK && tune->tool.target.modules != 0)
        err = add_libraries(tune, diag);
    return err == ERR_OK ? tune_find_hot(tune, diag) : err;
}

/* ---- the counting run ------------------------------------------------------------------------ */

/* The first address after the unit's last instruction. */
static uint64_t end_of(const struct units *units, size_t unit)
{
    const struct units_insn *last = &units->insn[units->unit[unit].end - 1];

    return last->address + last->bytes;
}

static void mark_calls(const struct unit *unit, FILE *out)
{
    fprintf(out, "%s  2  counter\ncalls(%s)  *  counter\n", unit->link_name,
            unit->link_name);
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
            fprintf(out, "range I%zu %s *\n", i, unit->link_name);
        else
            fprintf(out, "range I%zu 0x%" PRIx64 " %" PRIu64 "\n", i, unit->start,
                    end_of(&tune->units, routine->unit) - unit->start);
    }
}

enum err tune_make_marks(struct tune *tune, struct diag *diag)
{
    size_t bytes;
    FILE *out;

    free(tune->marks);
    tune->marks = NULL;
    out = open_memstream(&tune->marks, &bytes);

    if (out == NULL)
        return diag_no_memory(diag, "routines");
    write_marks(tune, out);
    return fclose(out) == 0 ? ERR_OK : diag_no_memory(diag, "routines");
}

static struct routine *routine_at(struct tune *tune, uint64_t address)
{
    long unit = units_at(&tune->units, address);

    for (size_t i = 0; i < tune->hot; i++)
        if (unit != UNITS_NONE && tune->routine[i].unit == (size_t)unit)
            return &tune->routine[i];
    return NULL;
}

static void add_oracle(struct tune *tune, const struct profile *profile, bool is_added)
{
    struct routine *routine;

    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];

        if (cost->is_monitor || (routine = routine_at(tune, cost->address)) == NULL)
            continue;
        routine->oracle_count += is_added ? cost->count : 0 - cost->count;
        routine->oracle_units += is_added ? cost->units : 0 - cost->units;
    }
}

/* The truth of the rest of a run is that of the whole run minus that of its first part. */
void tune_collect_counts(struct tune *tune, const struct profile *profile)
{
    struct routine *routine;

    for (size_t i = 0; i < profile->marks; i++) {
        const struct profile_mark *mark = &profile->mark[i];

        if ((routine = routine_at(tune, mark->address)) == NULL)
            continue;
        routine->count += units_retired(&tune->units, mark->address, mark->count);
        if (mark->address == tune->units.unit[routine->unit].start)
            routine->first += mark->count;
    }
    for (size_t i = 0; i < tune->hot; i++) {
        uint64_t start = tune->units.unit[tune->routine[i].unit].start;

        tune->routine[i].entered +=
            profile_entered(profile, start) - profile_entered(&tune->before, start);
    }
    add_oracle(tune, profile, true);
    add_oracle(tune, &tune->before, false);
}

bool tune_has_event(const struct tune *tune)
{
    bool has_room = !tune->one_run || tune->tool.options.config.pmu_counters > 2;

    return has_room && tune->event != EVENT_CYCLES && tune->event != EVENT_INSNS_RETIRED;
}

static uint64_t in_range(unsigned event, size_t range)
{
    return event | PMU_FILTER_RANGE << PMU_FILTER_SHIFT | (uint64_t)range << PMU_ARGUMENT_SHIFT;
}

/* True if there are counters for the sampled event, beside those of cycles if there is time. */
static bool counts_event(const struct tune *tune, unsigned first, size_t hot)
{
    size_t kinds = tool_is_fast(&tune->tool) ? 1 : 2;

    return tune_has_event(tune) &&
           first + kinds * hot <= tune->tool.options.config.pmu_counters;
}

struct profiler_counters tune_counters(const struct tune *tune, unsigned first, size_t hot)
{
    struct profiler_counters counters = {.count = first};

    for (unsigned i = 0; i < hot && !tool_is_fast(&tune->tool); i++)
        counters.select[counters.count++] = in_range(EVENT_CYCLES, i);
    for (unsigned i = 0; i < hot && counts_event(tune, first, hot); i++)
        counters.select[counters.count++] = in_range(tune->event, i);
    return counters;
}

/* Repeats the run for the event, if there are no counters for it beside those of cycles. */
static enum err count_event(struct tune *tune, struct diag *diag)
{
    struct trial trial = {.what = "counting the event", .marks = tune->marks,
                          .set = {TOOL_FREE_METADATA}, .counters = {.count = (unsigned)tune->hot}};
    struct trial_result result;
    enum err err;

    for (unsigned i = 0; i < tune->hot; i++)
        trial.counters.select[i] = in_range(tune->event, i);
    err = tool_run(&tune->tool, &trial, &result, diag);
    tune->is_part |= tune->tool.is_interrupted;
    for (unsigned i = 0; i < tune->hot && err == ERR_OK; i++)
        tune->routine[i].events = result.counter[i];
    profile_free(&result.profile);
    return err;
}

static void take_counters(struct tune *tune, const uint64_t *counter)
{
    for (size_t i = 0; i < tune->hot && !tool_is_fast(&tune->tool); i++)
        tune->routine[i].cycles = *counter++;
    for (size_t i = 0; i < tune->hot && counts_event(tune, 0, tune->hot); i++)
        tune->routine[i].events = *counter++;
}

static enum err count(struct tune *tune, struct diag *diag)
{
    enum err err = tune_make_marks(tune, diag);

    tune->counting = (struct trial){
        .what = "counting", .marks = tune->marks, .set = {TOOL_FREE_METADATA},
        .counters = tune_counters(tune, 0, tune->hot)};
    if (err == ERR_OK)
        err = tool_run(&tune->tool, &tune->counting, &tune->counted, diag);
    if (err != ERR_OK)
        return err;
    if (tune->counted.profile.instructions == 0)        /* interrupted before */
        return ERR_OK;
    take_counters(tune, tune->counted.counter);
    tune->was_counted = true;
    tune->is_part = tune->tool.is_interrupted;
    tune_collect_counts(tune, &tune->counted.profile);
    return tune_has_event(tune) && !counts_event(tune, 0, tune->hot) && !tune->tool.is_interrupted
               ? count_event(tune, diag) : ERR_OK;
}

/* ---- both in one run ------------------------------------------------------------------------- */

/* Marks everything at first, which determines the necessary room. */
static enum err sample_and_count(struct tune *tune, struct diag *diag)
{
    size_t bytes;
    FILE *out = open_memstream(&tune->room, &bytes);
    enum err err;

    for (size_t i = 0; out != NULL && i < tune->units.count; i++)
        units_mark(&tune->units, i, "counter", out);
    if (out == NULL || fclose(out) != 0)
        return diag_no_memory(diag, "routines");
    tune->counting = (struct trial){
        .what = "sampling, then counting", .marks = tune->room, .set = {TOOL_FREE_METADATA},
        .counters = sampling_trial(tune).counters};
    tune->counting.slices = tune_run_parts;
    tune->counting.slices_arg = tune;
    err = tool_run(&tune->tool, &tune->counting, &tune->counted, diag);
    if (err != ERR_OK)
        return err;
    if (tune->changes == 0)             /* interrupted while it sampled */
        return ERR_OK;
    tune->was_counted = true;
    tune_collect_counts(tune, &tune->counted.profile);
    return tune_add_kept(tune, diag);
}

/* ---- cost ------------------------------------------------------------------------------------ */

/* The cost of counting is that of a run whose metadata takes time. */
static enum err measure_counting(struct tune *tune, struct diag *diag)
{
    struct trial trial = tune->counting;
    struct trial_result result;
    enum err err;

    trial.what = "what monitoring costs";
    memset(trial.set, 0, sizeof trial.set);
    err = tool_run(&tune->tool, &trial, &result, diag);
    if (err == ERR_OK)
        err = monitoring_measure(&tune->tool, &trial, &result.profile,
                                 &tune->unmonitored.profile, &tune->cost[1], diag);
    profile_free(&result.profile);
    return err;
}

static enum err measure_cost(struct tune *tune, struct diag *diag)
{
    enum err err;

    tune->base = (struct trial){.what = "without monitoring"};
    err = tool_run(&tune->tool, &tune->base, &tune->unmonitored, diag);
    if (err == ERR_OK && !tune->one_run)
        err = monitoring_measure(&tune->tool, &tune->sampling, &tune->sampled.profile,
                                 &tune->unmonitored.profile, &tune->cost[0], diag);
    if (err == ERR_OK)
        err = measure_counting(tune, diag);
    tune->has_cost = err == ERR_OK && !tune->tool.is_interrupted;
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
    const struct tool_files files = {NULL, command_value(tune->tool.line, OPT_TUNE_JSON)};
    enum err err = tune_read_options(tune, diag);

    if (err == ERR_OK)
        err = tool_files_check(&files, diag);
    if (err == ERR_OK)
        err = units_make(&tune->units, &tune->tool.target, UNITS_FUNCTION, diag);
    if (err == ERR_OK && tune->one_run)
        err = sample_and_count(tune, diag);
    else if (err == ERR_OK)
        err = sample(tune, diag);
    if (err == ERR_OK && !tune->one_run && !tune->tool.is_interrupted)
        err = count(tune, diag);
    if (err != ERR_OK)
        return err;
    if (!tune->tool.options.gives_stdout)
        tune_print(tune);
    fflush(stdout);
    if (command_wants(tune->tool.line, OPT_TUNE_COST, OPT_TUNE_NO_COST) &&
        !tune->tool.is_interrupted)
        err = measure_cost(tune, diag);
    if (tune->has_cost && !tune->tool.options.gives_stdout)
        tune_print_cost(tune);
    if (err == ERR_OK)
        err = tool_files_write(&files, NULL, tune_write_json, tune, diag);
    return err == ERR_OK && tune->marks != NULL ? write_files(tune, diag) : err;
}

int command_tune(const struct command_line *line)
{
    struct tune tune = {.hot = 0};
    struct diag diag = {""};
    enum err err = tool_open(&tune.tool, "tune", line, TOOL_EITHER, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    err = run(&tune, &diag);
    profile_free(&tune.unmonitored.profile);
    profile_free(&tune.sampled.profile);
    profile_free(&tune.counted.profile);
    free(tune.routine);
    free(tune.marks);
    free(tune.room);
    profile_free(&tune.before);
    profile_free(&tune.kept);
    for (unsigned i = 0; i < tune.changes; i++)
        meta_free(&tune.change[i].meta);
    units_free(&tune.units);
    return tool_end(&tune.tool, err, &diag);
}
