/* rvsim scan: marks one piece of a program at a time, collects, and moves on, until all is covered.
 *
 * There are two ways. In runs: one run for each group of pieces, with exact counts. In slices:
 * within one run the marks move from piece to piece, in random order and after random times, so
 * that the scan does not keep step with the program; counts are scaled up from the slices. Runs
 * follow until each piece had its turn.
 * For comparison, a timer's profile, whose samples wait while interrupts are disabled, and the
 * truth. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command/scan/scan.h"
#include "sim/cli/job/job.h"
#include "sim/cli/tool/monitoring.h"

enum { PERIOD_DEFAULT = 10007, RUNS_DEFAULT = 8, TOP_DEFAULT = 20, RUNS_MAX = 100000,
       KEPT_BYTES_MAX = 256 << 20 };

/* ---- options --------------------------------------------------------------------------------- */

static const char *next_by(void *state)
{
    unsigned *by = state;

    return *by <= UNITS_MODULE ? units_by_name((enum units_by)(*by)++) : NULL;
}

static enum err read_by(const struct scan *scan, enum units_by *by, struct diag *diag)
{
    const char *text = command_value(scan->tool.line, OPT_SCAN_BY);
    unsigned at = 0;

    *by = UNITS_PAGE;
    if (text == NULL)
        return ERR_OK;
    for (*by = UNITS_FUNCTION; *by <= UNITS_MODULE; ++*by)
        if (strcmp(text, units_by_name(*by)) == 0)
            return ERR_OK;
    diag_set(diag, ERR_USAGE, "scan: --by %s: expected page, function or module", text);
    return diag_suggest(diag, ERR_USAGE, text, next_by, &at);
}

static enum err read_options(struct scan *scan, enum units_by *by, struct diag *diag)
{
    const struct tool *tool = &scan->tool;
    enum err err = read_by(scan, by, diag);

    scan->period = PERIOD_DEFAULT;
    scan->is_quick = tool->options.engine != ENGINE_DETAILED;
    scan->runs = scan->is_quick ? 1 : RUNS_DEFAULT;
    scan->top = TOP_DEFAULT;
    scan->random = tool->options.config.machine_seed;
    scan->tool.shows_output = command_value(tool->line, OPT_SCAN_SHOW_OUTPUT) != NULL;
    if (err == ERR_OK)
        err = tool_number(tool, OPT_SCAN_PERIOD, 1, UINT64_MAX >> 1, &scan->period, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_SCAN_RUNS, 1, RUNS_MAX, &scan->runs, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_SCAN_SLICE, 16, UINT64_MAX >> 2, &scan->slice, diag);
    return err == ERR_OK ? tool_number(tool, OPT_SCAN_TOP, 0, UINT32_MAX, &scan->top, diag) : err;
}

/* ---- marks and counts ------------------------------------------------------------------------ */

/* A metadata file that gives a counter to the instructions of units [first, end). */
static char *marks_of(const struct scan *scan, size_t first, size_t end)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    for (size_t i = first; out != NULL && i < end; i++)
        units_mark_code(&scan->units, i, "counter", out);
    if (out == NULL || fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static struct piece *piece_at(const struct scan *scan, uint64_t address)
{
    long unit = units_at(&scan->units, address);

    return unit != UNITS_NONE ? &scan->piece[unit] : NULL;
}

static void count_mark(const struct scan *scan, struct piece *piece, uint64_t address,
                       uint64_t count)
{
    piece->count += units_retired(&scan->units, address, count);
    piece->seen += count != 0;
}

static void add_mark(const struct scan *scan, uint64_t address, uint64_t count)
{
    struct piece *piece = piece_at(scan, address);

    if (piece != NULL)
        count_mark(scan, piece, address, count);
}

/* The true counts of units [first, end). */
static void add_truth(const struct scan *scan, const struct profile *profile, size_t first,
                      size_t end)
{
    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];
        struct piece *piece = cost->is_monitor ? NULL : piece_at(scan, cost->address);

        if (piece != NULL && piece->unit >= first && piece->unit < end)
            piece->true_count += cost->count;
    }
}

/* ---- a run for each group -------------------------------------------------------------------- */

/* Stores the longest run, for a later measurement of its cost. */
static void note_run(struct scan *scan, const struct trial *trial, struct trial_result *result)
{
    scan->made++;
    scan->insns += result->profile.instructions;
    if (result->profile.cycles <= scan->cycles_most) {
        profile_free(&result->profile);
        free(scan->marks);
        scan->marks = NULL;
        return;
    }
    profile_free(&scan->counted.profile);
    free(scan->costliest_marks);
    scan->cycles_most = result->profile.cycles;
    scan->costliest = *trial;
    scan->costliest_marks = scan->marks;
    scan->marks = NULL;
    scan->counted = *result;
}

/* Runs with units from `first` to `end` marked. */
static enum err run_marked(struct scan *scan, struct trial *trial, size_t first, size_t end,
                           struct trial_result *result, struct diag *diag)
{
    scan->marks = marks_of(scan, first, end);
    if (scan->marks == NULL)
        return diag_no_memory(diag, "the scan");
    trial->marks = scan->marks;
    return tool_run(&scan->tool, trial, result, diag);
}

static enum err count_group(struct scan *scan, size_t first, size_t end, struct diag *diag)
{
    struct trial trial = {.what = "counting"};
    struct trial_result result;
    enum err err;

    err = run_marked(scan, &trial, first, end, &result, diag);
    if (err != ERR_OK)
        return err;
    for (size_t i = 0; i < result.profile.marks; i++)
        add_mark(scan, result.profile.mark[i].address, result.profile.mark[i].count);
    add_truth(scan, &result.profile, first, end);
    for (size_t i = first; i < end; i++) {
        scan->piece[i].turns++;
        scan->piece[i].insns += result.profile.instructions;
    }
    scan->whole += scan->tool.is_interrupted ? 0 : end - first;
    note_run(scan, &trial, &result);
    return ERR_OK;
}

/* Forms groups of neighbours with about equal numbers of instructions. */
static enum err count_in_runs(struct scan *scan, struct diag *diag)
{
    uint64_t left = scan->units.insns, runs = scan->runs, insns = 0;
    enum err err = ERR_OK;
    size_t first = 0;

    for (size_t i = 0; i < scan->units.count && err == ERR_OK && !scan->tool.is_interrupted; i++) {
        insns += scan->units.unit[i].insns;
        if (insns * runs < left && i + 1 < scan->units.count)
            continue;
        err = count_group(scan, first, i + 1, diag);
        left -= insns;
        insns = 0;
        first = i + 1;
        runs -= runs > 1;
    }
    return err;
}

/* ---- slices of one run ----------------------------------------------------------------------- */

static uint64_t draw(struct scan *scan, uint64_t below)
{
    scan->random = scan->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (scan->random >> 33) % below;
}

/* The next piece of the round; a round has each piece once. */
static size_t next_piece(struct scan *scan)
{
    size_t count = scan->units.count, other;

    if (scan->turn % count == 0)
        for (size_t i = 0; i < count; i++) {
            other = draw(scan, i + 1);
            scan->order[i] = scan->order[other];
            scan->order[other] = i;
        }
    return scan->order[scan->turn++ % count];
}

/* The image of a piece's marks is cached for its later turns, as long as there is room. */
static enum err mark_piece(struct scan *scan, struct job *job, size_t unit, struct diag *diag)
{
    struct perfinst *kept = &scan->kept[unit];
    bool is_new = kept->image == NULL;
    enum err err;

    if (is_new && scan->kept_bytes > KEPT_BYTES_MAX)
        return profiler_replace(job->profiler, &scan->meta[unit], diag);
    err = profiler_replace_kept(job->profiler, &scan->meta[unit], kept, diag);
    if (is_new)
        scan->kept_bytes += kept->bytes + kept->sites * sizeof *kept->site;
    return err;
}

/* Frees cached images, as another run has its own memory. */
static void forget_kept(struct scan *scan)
{
    for (size_t i = 0; scan->kept != NULL && i < scan->units.count; i++)
        perfinst_free(&scan->kept[i]);
    scan->kept_bytes = 0;
}

static enum err run_slice(struct scan *scan, struct job *job, const struct limits *limits,
                          struct diag *diag)
{
    struct machine *machine = &job->machine;
    uint64_t before = machine_insns(machine);
    struct limits slice = *limits;
    struct piece *piece = &scan->piece[next_piece(scan)];
    const struct profiler_mark *mark;
    enum err err = mark_piece(scan, job, piece->unit, diag);

    if (err != ERR_OK)
        return err;
    slice.max_insns = before + scan->slice / 2 + draw(scan, scan->slice);
    if (limits->max_insns != 0 && limits->max_insns < slice.max_insns)
        slice.max_insns = limits->max_insns;
    machine_run(machine, &slice);
    err = profiler_collect(job->profiler, diag);
    if (err != ERR_OK)
        return err;
    for (size_t i = 0, marks = profiler_marks(job->profiler, &mark); i < marks; i++)
        count_mark(scan, piece, mark[i].site->va, mark[i].count);
    piece->insns += machine_insns(machine) - before;
    piece->turns++;
    return ERR_OK;
}

/* Replaces machine_run. */
static enum err run_slices(void *arg, struct job *job, const struct limits *limits,
                           struct diag *diag)
{
    const struct result *result = &job->machine.result;
    enum err err;

    forget_kept(arg);
    do
        err = run_slice(arg, job, limits, diag);
    while (err == ERR_OK && result->reason == RESULT_MAX_INSNS &&
           (limits->max_insns == 0 || machine_insns(&job->machine) < limits->max_insns));
    return err;
}

static enum err read_metas(struct scan *scan, struct diag *diag)
{
    const struct meta_resolver resolver = target_resolver(&scan->tool.target);
    enum err err = ERR_OK;

    scan->meta = calloc(scan->units.count, sizeof *scan->meta);
    scan->order = calloc(scan->units.count, sizeof *scan->order);
    scan->kept = calloc(scan->units.count, sizeof *scan->kept);
    if (scan->meta == NULL || scan->order == NULL || scan->kept == NULL)
        return diag_no_memory(diag, "the scan");
    for (size_t i = 0; i < scan->units.count && err == ERR_OK; i++) {
        char *text = marks_of(scan, i, i + 1);

        if (text == NULL)
            return diag_no_memory(diag, "the scan");
        err = meta_read(&scan->meta[i], text, strlen(text), "(marks)", &resolver, diag);
        free(text);
    }
    return err;
}

/* Marks everything at first, which determines the necessary room. */
static enum err count_in_slices(struct scan *scan, struct diag *diag)
{
    enum err err = read_metas(scan, diag);

    while (err == ERR_OK && !scan->tool.is_interrupted &&
           (scan->made == 0 || scan->turn < scan->units.count)) {
        struct trial trial = {.what = "counting", .slices = run_slices, .slices_arg = scan};
        struct trial_result result;

        err = run_marked(scan, &trial, 0, scan->units.count, &result, diag);
        if (err != ERR_OK)
            return err;
        add_truth(scan, &result.profile, 0, scan->units.count);
        note_run(scan, &trial, &result);
    }
    return err;
}

/* ---- the timer ------------------------------------------------------------------------------- */

/* The true cycles are those of the timer's run: a counting run waits for the metadata of the pieces
 * that it marks. */
static void add_cycles(const struct scan *scan, const struct profile *profile)
{
    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];
        struct piece *piece = cost->is_monitor ? NULL : piece_at(scan, cost->address);

        if (piece != NULL)
            piece->true_units += cost->units;
    }
}

static enum err run_timer(struct scan *scan, struct diag *diag)
{
    const struct profile *profile = &scan->timed.profile;
    enum err err;

    scan->timer = (struct trial){
        .what = "timer profile",
        .counters = {.select = {EVENT_CYCLES}, .count = 1, .period = scan->period,
                     .is_maskable = true},
    };
    err = tool_run(&scan->tool, &scan->timer, &scan->timed, diag);
    for (size_t i = 0; i < profile->records && err == ERR_OK; i++) {
        struct piece *piece = piece_at(scan, profile->record[i].address);

        scan->samples += profile->record[i].interrupts;
        if (piece != NULL)
            piece->samples += profile->record[i].interrupts;
    }
    if (err == ERR_OK)
        add_cycles(scan, profile);
    return err;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err measure_cost(struct scan *scan, struct diag *diag)
{
    struct monitoring *cost = scan->cost;
    enum err err;

    scan->base = (struct trial){.what = "without monitoring"};
    scan->costliest.marks = scan->costliest_marks;
    err = tool_run(&scan->tool, &scan->base, &scan->unmonitored, diag);
    if (err == ERR_OK)
        err = monitoring_measure(&scan->tool, &scan->timer, &scan->timed.profile,
                                 &scan->unmonitored.profile, &cost[0], diag);
    if (err == ERR_OK)
        err = monitoring_measure(&scan->tool, &scan->costliest, &scan->counted.profile,
                                 &scan->unmonitored.profile, &cost[1], diag);
    scan->has_cost = err == ERR_OK && !scan->tool.is_interrupted;
    return err;
}

static enum err prepare(struct scan *scan, enum units_by by, struct diag *diag)
{
    enum err err = units_make(&scan->units, &scan->tool.target, by, diag);

    if (err != ERR_OK)
        return err;
    scan->piece = calloc(scan->units.count, sizeof *scan->piece);
    if (scan->piece == NULL)
        return diag_no_memory(diag, "the scan");
    for (size_t i = 0; i < scan->units.count; i++)
        scan->piece[i].unit = i;
    return ERR_OK;
}

static enum err run(struct scan *scan, struct diag *diag)
{
    const struct tool_files files = {command_value(scan->tool.line, OPT_SCAN_OUTPUT),
                                     command_value(scan->tool.line, OPT_SCAN_JSON)};
    enum units_by by = UNITS_PAGE;
    enum err err = tool_files_check(&files, diag);

    if (err == ERR_OK)
        err = read_options(scan, &by, diag);
    if (err == ERR_OK && scan->slice == 0)
        err = survey_make(&scan->tool, diag);
    if (err != ERR_OK || scan->tool.is_interrupted)
        return err;
    err = prepare(scan, by, diag);
    if (err == ERR_OK && !scan->is_quick)
        err = run_timer(scan, diag);
    if (err == ERR_OK && !scan->tool.is_interrupted)
        err = scan->slice != 0 ? count_in_slices(scan, diag) : count_in_runs(scan, diag);
    if (err != ERR_OK)
        return err;
    for (size_t i = 0; i < scan->units.count; i++) {
        if (scan->is_quick)
            scan->piece[i].true_count = scan->piece[i].count;
        scan->all_count += scan->piece[i].true_count;
        scan->all_units += scan->piece[i].true_units;
    }
    scan->is_partial = scan->tool.is_interrupted;
    scan_sort(scan);
    if (!tool_files_take_output(&files))
        scan_print(scan);
    fflush(stdout);
    if (command_wants(scan->tool.line, OPT_SCAN_COST, OPT_SCAN_NO_COST) &&
        !scan->tool.is_interrupted)
        err = measure_cost(scan, diag);
    if (scan->has_cost && !tool_files_take_output(&files))
        monitoring_print(scan->cost, scan_cost_names, SCAN_COSTS, stdout);
    return err == ERR_OK ? tool_files_write(&files, scan_write_csv, scan_write_json, scan, diag)
                         : err;
}

static void free_scan(struct scan *scan)
{
    for (size_t i = 0; scan->meta != NULL && i < scan->units.count; i++)
        meta_free(&scan->meta[i]);
    profile_free(&scan->timed.profile);
    profile_free(&scan->unmonitored.profile);
    profile_free(&scan->counted.profile);
    forget_kept(scan);
    free(scan->kept);
    free(scan->meta);
    free(scan->order);
    free(scan->marks);
    free(scan->costliest_marks);
    free(scan->piece);
    units_free(&scan->units);
}

int command_scan(const struct command_line *line)
{
    struct scan scan = {.made = 0};
    struct diag diag = {""};
    bool has_cost = command_wants(line, OPT_SCAN_COST, OPT_SCAN_NO_COST);
    bool has_time = command_value(line, OPT_SCAN_PERIOD) != NULL ||
                    command_value(line, OPT_SCAN_SLICE) != NULL || has_cost;
    enum err err = tool_open(&scan.tool, "scan", line, has_time ? TOOL_CYCLES : TOOL_COUNTS,
                             &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    scan.tool.survey.is_told = true;
    scan.tool.options.config.pmu_oracle = scan.tool.options.engine == ENGINE_DETAILED;
    err = has_cost ? monitoring_check(&scan.tool, &diag) : ERR_OK;
    if (err == ERR_OK)
        err = run(&scan, &diag);
    free_scan(&scan);
    return tool_end(&scan.tool, err, &diag);
}
