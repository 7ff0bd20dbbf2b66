/* rvsim costs: the cost of each mechanism of the profiling hardware, by its size and by the number
 * of marks.
 *
 * A sweep marks the program in one way and varies one parameter; each point is one run, compared
 * with a run without profiling. Marks are made in the same way for every program: code by its
 * instructions, data by its sections. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/config_read.h"
#include "sim/base/output.h"
#include "sim/cli/command/costs/costs.h"
#include "sim/cli/tool/monitoring.h"
#include "sim/core/profile/metadata.h"

enum { SETTING_BYTES = 64 };

const struct costs_sweep costs_sweep[COSTS_SWEEPS] = {
    {"frames", "a counter on each instruction, by shadow frames", "frames", MARK_EVERY_INSN,
     {"shadow.iframes", "shadow.dframes"}, false,
     {{8, NULL}, {16, NULL}, {32, NULL}, {64, NULL}, {128, NULL}, {256, NULL}, {0, "beside"}}, 7},
    {"placement", "a counter on each instruction, by place of the metadata", "placement",
     MARK_EVERY_INSN, {"shadow.placement", NULL}, false,
     {{0, "separate"}, {0, "line"}, {0, "mixed"}}, 3},
    {"rate", "counters, by how many instructions have one", "one in", MARK_EVERY_NTH,
     {NULL, NULL}, false,
     {{256, NULL}, {64, NULL}, {16, NULL}, {4, NULL}, {2, NULL}, {1, NULL}}, 6},
    {"granule", "counters on all data, by granule", "bytes", MARK_DATA_GRANULE,
     {"pmu.granule_bytes", NULL}, false,
     {{64, NULL}, {32, NULL}, {16, NULL}, {8, NULL}, {4, NULL}}, 5},
    {"latency", "interrupts by slow instructions, by threshold", "cycles", MARK_SLOW, {NULL, NULL},
     true, {{200, NULL}, {100, NULL}, {50, NULL}, {20, NULL}, {10, NULL}}, 5},
    {"limit", "interrupts by functions entered often, by limit", "entries", MARK_OFTEN,
     {NULL, NULL}, true,
     {{65536, NULL}, {4096, NULL}, {256, NULL}, {64, NULL}, {16, NULL}}, 5},
};
/* ---- marks ----------------------------------------------------------------------------------- */

static void mark_code(const struct costs *costs, uint64_t step, const char *flags, FILE *out)
{
    for (size_t i = 0; i < costs->units.insns; i += step)
        fprintf(out, "0x%" PRIx64 " %u %s\n", costs->units.insn[i].address,
                costs->units.insn[i].bytes, flags);
}

static void mark_data(const struct costs *costs, uint64_t granule, FILE *out)
{
    const struct image *image = &costs->tool.target.image;

    for (size_t i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];
        if (section->addr != 0 && section->bytes != 0 && !section->is_code)
            fprintf(out, "0x%" PRIx64 " %" PRIu64 " counter granule=%" PRIu64 "\n", section->addr,
                    section->bytes, granule);
    }
}

static void mark_entries(const struct costs *costs, const char *flags, FILE *out)
{
    for (size_t i = 0; i < costs->units.count; i++)
        if (costs->units.unit[i].is_function)
            fprintf(out, "0x%" PRIx64 " 2 %s\n", costs->units.unit[i].start, flags);
}

static char *make_marks(const struct costs *costs, const struct costs_sweep *sweep, uint64_t value)
{
    char *text = NULL, flags[SETTING_BYTES];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    switch (sweep->marking) {
    case MARK_EVERY_INSN:
        mark_code(costs, 1, "counter", out);
        break;
    case MARK_EVERY_NTH:
        mark_code(costs, value, "counter", out);
        break;
    case MARK_DATA_GRANULE:
        mark_data(costs, value, out);
        break;
    case MARK_SLOW:
        snprintf(flags, sizeof flags, "interrupt threshold=%" PRIu64, value);
        mark_code(costs, 1, flags, out);
        break;
    case MARK_OFTEN:
        snprintf(flags, sizeof flags, "interrupt counter=%" PRIu64, value);
        mark_entries(costs, flags, out);
        break;
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- one point ------------------------------------------------------------------------------- */

/* Storage for code, or for data; marks on lines of the ordinary cache belong to both. */
static uint64_t storage_of(const struct config *config, const struct costs_sweep *sweep)
{
    struct metadata_storage bits = metadata_storage(config);

    return (sweep->marking == MARK_DATA_GRANULE ? bits.data : bits.code) + bits.marks;
}

static void write_setting(char text[SETTING_BYTES], const char *key,
                          const struct costs_sweep *sweep, const struct costs_point *point)
{
    if (sweep->point[0].name != NULL)   /* all points have a name */
        snprintf(text, SETTING_BYTES, "%s=%s", key, point->name);
    else
        snprintf(text, SETTING_BYTES, "%s=%" PRIu64, key, point->value);
}

static enum err measure(struct costs *costs, const struct costs_sweep *sweep,
                        const struct costs_point *point, struct costs_cost *cost,
                        struct diag *diag)
{
    char setting[2][SETTING_BYTES], stage[TOOL_STAGE], text[REPORT_NUMBER];
    struct config config = costs->tool.options.config;
    struct trial_result result;
    struct trial trial = {.what = stage, .no_monitor = !sweep->is_interrupting};
    char *marks = make_marks(costs, sweep, point->value);
    enum err err = ERR_OK;

    if (marks == NULL)
        return diag_no_memory(diag, "marks");
    trial.marks = marks;
    snprintf(stage, sizeof stage, "%s: %s %s", sweep->name, sweep->parameter,
             costs_point_text(point, text));
    for (unsigned i = 0; i < 2 && sweep->setting[i] != NULL && err == ERR_OK; i++) {
        write_setting(setting[i], sweep->setting[i], sweep, point);
        trial.set[i] = setting[i];
        err = config_set(&config, setting[i], diag);
    }
    if (err == ERR_OK)
        err = tool_run(&costs->tool, &trial, &result, diag);
    free(marks);
    if (err != ERR_OK)
        return err;
    *cost = (struct costs_cost){
        .storage_bits = storage_of(&config, sweep),
        .bytes = profile_event(&result.profile, "meta_bytes"),
        .instructions = result.profile.instructions, .cycles = result.profile.cycles,
        .interrupts = result.profile.interrupts, .lost = result.profile.lost,
        .parts = result.parts,
    };
    profile_free(&result.profile);
    return ERR_OK;
}

static enum err measure_base(struct costs *costs, struct diag *diag)
{
    struct trial trial = {.what = "without monitoring"};
    struct trial_result result;
    char number[REPORT_NUMBER];
    enum err err = tool_run(&costs->tool, &trial, &result, diag);

    if (err != ERR_OK)
        return err;
    costs->base_cycles = result.profile.cycles;
    costs->base_instructions = result.profile.instructions;
    costs->base_parts = result.parts;
    costs->tool.told.tells_others = true;
    profile_free(&result.profile);
    if (!costs->is_silent)
        printf("%s: %s cycles without monitoring%s\n",
               symbols_base_name(costs->tool.target.image.path),
               report_number(costs->base_cycles, number),
               costs->tool.is_interrupted ? " until the interruption" : "");
    return ERR_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const char *next_sweep(void *state)
{
    unsigned *at = state;

    return *at < COSTS_SWEEPS ? costs_sweep[(*at)++].name : NULL;
}

static enum err want(struct costs *costs, const char *name, struct diag *diag)
{
    unsigned at = 0;

    for (unsigned i = 0; i < COSTS_SWEEPS; i++)
        if (strcmp(costs_sweep[i].name, name) == 0) {
            costs->is_wanted[i] = true;
            return ERR_OK;
        }
    diag_set(diag, ERR_USAGE, "costs: --sweep %s: expected frames, placement, rate, granule, "
             "latency or limit", name);
    return diag_suggest(diag, ERR_USAGE, name, next_sweep, &at);
}

/* Selects all sweeps, unless some are named. */
static enum err read_sweeps(struct costs *costs, struct diag *diag)
{
    const struct command_line *line = costs->tool.line;
    bool any = false;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_COSTS_SWEEP) {
            err = want(costs, line->option[i].value, diag);
            any = true;
        }
    for (unsigned i = 0; i < COSTS_SWEEPS && !any; i++)
        costs->is_wanted[i] = true;
    return err;
}

/* An interrupted run has no result. */
static enum err sweep_one(struct costs *costs, unsigned at, struct diag *diag)
{
    const struct costs_sweep *sweep = &costs_sweep[at];
    unsigned *measured = &costs->measured[at];
    enum err err = ERR_OK;

    while (*measured < sweep->points && err == ERR_OK) {
        err = measure(costs, sweep, &sweep->point[*measured], &costs->cost[at][*measured], diag);
        if (costs->tool.is_interrupted)
            break;
        *measured += err == ERR_OK;
    }
    if (err == ERR_OK && *measured != 0 && !costs->is_silent)
        costs_print_sweep(costs, at);
    fflush(stdout);
    return err;
}

static enum err sweep_all(struct costs *costs, struct diag *diag)
{
    enum err err = measure_base(costs, diag);

    for (unsigned at = 0; at < COSTS_SWEEPS && err == ERR_OK && !costs->tool.is_interrupted; at++)
        if (costs->is_wanted[at])
            err = sweep_one(costs, at, diag);
    if (err == ERR_OK && costs->tool.is_interrupted && !costs->is_silent)
        costs_print_unmeasured(costs);
    return err;
}

/* Called before the runs, which take minutes. */
static enum err check_file(const char *path, struct diag *diag)
{
    return path != NULL ? output_check(path, diag) : ERR_OK;
}

static enum err run(struct costs *costs, struct diag *diag)
{
    const struct tool_files files = {command_value(costs->tool.line, OPT_COSTS_CSV),
                                     command_value(costs->tool.line, OPT_COSTS_JSON)};
    const char *svg = command_value(costs->tool.line, OPT_COSTS_PLOT);
    enum err err = monitoring_check(&costs->tool, diag);

    if (err == ERR_OK)
        err = read_sweeps(costs, diag);
    costs->is_silent = tool_files_take_output(&files) || output_is_stdout(svg);
    if (err == ERR_OK)
        err = tool_files_check(&files, diag);
    if (err == ERR_OK)
        err = check_file(svg, diag);
    if (err == ERR_OK)
        err = units_make(&costs->units, &costs->tool.target, UNITS_FUNCTION, diag);
    if (err == ERR_OK)
        err = sweep_all(costs, diag);
    if (err == ERR_OK)
        err = tool_files_write(&files, costs_write_csv, costs_write_json, costs, diag);
    return err == ERR_OK && svg != NULL ? costs_plot(costs, svg, diag) : err;
}

int command_costs(const struct command_line *line)
{
    struct costs costs = {.base_cycles = 0};
    struct diag diag = {""};
    enum err err = tool_open(&costs.tool, "costs", line, TOOL_CYCLES, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    err = run(&costs, &diag);
    units_free(&costs.units);
    return tool_end(&costs.tool, err, &diag);
}
