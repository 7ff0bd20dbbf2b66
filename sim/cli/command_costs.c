/* rvsim costs: the cost of each mechanism of the profiling hardware, by its size and by the number
 * of marks.
 *
 * A sweep marks the program in one way and varies one parameter; each point is one run, compared
 * with a run without profiling. Marks are made in the same way for every program: code by its
 * instructions, data by its sections. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/json.h"
#include "prof/report.h"
#include "sim/base/config_read.h"
#include "sim/base/output.h"
#include "sim/cli/tool.h"
#include "sim/cli/units.h"
#include "sim/core/profile/metadata.h"

enum { POINTS_MAX = 8, SETTING_BYTES = 64, PLOT_COLUMNS = 2 };

enum marking_kind {
    MARK_EVERY_INSN,        /* a counter for each instruction */
    MARK_EVERY_NTH,         /* ... for one in `value` instructions */
    MARK_DATA_GRANULE,      /* a counter for each `value` bytes of data */
    MARK_SLOW,              /* an interrupt by each instruction slower than `value` cycles */
    MARK_OFTEN,             /* ... by each function entered more than `value` times */
};

/* A point of a sweep: the varied value; name: for output, and for settings whose value is a
 * name. */
struct point { uint64_t value; const char *name; };

struct sweep {
    const char *name;               /* name for --sweep */
    const char *title, *parameter;
    enum marking_kind marking;
    const char *setting[2];         /* set to the value, or to the name if all points have one */
    bool is_interrupting;
    struct point point[POINTS_MAX];
    unsigned points;
};

static const struct sweep sweeps[] = {
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
enum { SWEEPS = sizeof sweeps / sizeof sweeps[0] };

struct cost {
    uint64_t storage_bits, bytes, instructions, cycles, interrupts;
};

struct costs {
    struct tool tool;
    struct units units;
    uint64_t base_cycles, base_instructions;
    bool is_wanted[SWEEPS];
    bool is_silent;                 /* standard output is used for a file */
    unsigned measured[SWEEPS];      /* number of measured points */
    struct cost cost[SWEEPS][POINTS_MAX];
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

static char *make_marks(const struct costs *costs, const struct sweep *sweep, uint64_t value)
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

static const char *point_text(const struct point *point, char text[REPORT_NUMBER])
{
    return point->name != NULL ? point->name : report_number(point->value, text);
}

/* Storage for code, or for data; marks on lines of the ordinary cache belong to both. */
static uint64_t storage_of(const struct config *config, const struct sweep *sweep)
{
    struct metadata_storage bits = metadata_storage(config);

    return (sweep->marking == MARK_DATA_GRANULE ? bits.data : bits.code) + bits.marks;
}

static void write_setting(char text[SETTING_BYTES], const char *key, const struct sweep *sweep,
                          const struct point *point)
{
    if (sweep->point[0].name != NULL)   /* all points have a name */
        snprintf(text, SETTING_BYTES, "%s=%s", key, point->name);
    else
        snprintf(text, SETTING_BYTES, "%s=%" PRIu64, key, point->value);
}

static enum err measure(struct costs *costs, const struct sweep *sweep, const struct point *point,
                        struct cost *cost, struct diag *diag)
{
    char setting[2][SETTING_BYTES];
    struct config config = costs->tool.options.config;
    struct trial_result result;
    struct trial trial = {.what = sweep->title, .no_monitor = !sweep->is_interrupting};
    char *marks = make_marks(costs, sweep, point->value);
    enum err err = ERR_OK;

    if (marks == NULL)
        return diag_no_memory(diag, "marks");
    trial.marks = marks;
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
    *cost = (struct cost){
        .storage_bits = storage_of(&config, sweep),
        .bytes = profile_event(&result.profile, "meta_bytes"),
        .instructions = result.profile.instructions, .cycles = result.profile.cycles,
        .interrupts = result.profile.interrupts,
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
    profile_free(&result.profile);
    if (costs->tool.is_interrupted || costs->is_silent)
        return ERR_OK;
    printf("%s: %s cycles without monitoring\n",
           symbols_base_name(costs->tool.target.image.path),
           report_number(costs->base_cycles, number));
    return ERR_OK;
}

/* ---- the tables ------------------------------------------------------------------------------ */

static double added_percent(const struct costs *costs, const struct cost *cost)
{
    return 100 * ((double)cost->cycles - (double)costs->base_cycles) / (double)costs->base_cycles;
}

static void print_sweep(const struct costs *costs, unsigned at)
{
    const struct sweep *sweep = &sweeps[at];
    char text[4][REPORT_NUMBER];

    printf("\n%s\n%12s %14s %16s %16s %9s %12s\n", sweep->title, sweep->parameter, "storage bits",
           "metadata bytes", "cycles", "added", "interrupts");
    for (unsigned i = 0; i < costs->measured[at]; i++) {
        const struct cost *cost = &costs->cost[at][i];
        char point[REPORT_NUMBER];
        printf("%12s %14s %16s %16s %+8.2f%% %12s\n", point_text(&sweep->point[i], point),
               report_number(cost->storage_bits, text[0]), report_number(cost->bytes, text[1]),
               report_number(cost->cycles, text[2]), added_percent(costs, cost),
               report_number(cost->interrupts, text[3]));
    }
}

static enum err write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct costs *costs = arg;

    (void)diag;
    fprintf(out, "sweep,parameter,value,storage_bits,metadata_bytes,instructions,base_cycles,"
                 "cycles,interrupts\n");
    for (unsigned at = 0; at < SWEEPS; at++)
        for (unsigned i = 0; costs->is_wanted[at] && i < sweeps[at].points; i++) {
            const struct point *point = &sweeps[at].point[i];
            const struct cost *cost = &costs->cost[at][i];
            fprintf(out, "%s,%s,", sweeps[at].name, sweeps[at].parameter);
            if (point->name != NULL)
                fprintf(out, "%s", point->name);
            else
                fprintf(out, "%" PRIu64, point->value);
            fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    "\n", cost->storage_bits, cost->bytes, cost->instructions, costs->base_cycles,
                    cost->cycles, cost->interrupts);
        }
    return ERR_OK;
}

static void add_sweep(cJSON *array, const struct costs *costs, unsigned at)
{
    const struct sweep *sweep = &sweeps[at];
    cJSON *object = json_append_object(array), *points;

    cJSON_AddStringToObject(object, "sweep", sweep->name);
    cJSON_AddStringToObject(object, "title", sweep->title);
    cJSON_AddStringToObject(object, "parameter", sweep->parameter);
    points = cJSON_AddArrayToObject(object, "points");
    for (unsigned i = 0; i < costs->measured[at]; i++) {
        const struct cost *cost = &costs->cost[at][i];
        cJSON *point = json_append_object(points);

        if (sweep->point[i].name != NULL)
            cJSON_AddStringToObject(point, "value", sweep->point[i].name);
        else
            json_number(point, "value", sweep->point[i].value);
        json_number(point, "storage_bits", cost->storage_bits);
        json_number(point, "metadata_bytes", cost->bytes);
        json_number(point, "instructions", cost->instructions);
        json_number(point, "cycles", cost->cycles);
        json_real(point, "added_percent", added_percent(costs, cost));
        json_number(point, "interrupts", cost->interrupts);
    }
}

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct costs *costs = arg;
    cJSON *root = json_document(), *array;

    cJSON_AddStringToObject(root, "program", costs->tool.target.image.path);
    json_number(root, "cycles", costs->base_cycles);
    json_number(root, "instructions", costs->base_instructions);
    array = cJSON_AddArrayToObject(root, "sweeps");
    for (unsigned at = 0; at < SWEEPS; at++)
        if (costs->is_wanted[at])
            add_sweep(array, costs, at);
    return json_print(root, out, diag);
}

/* ---- the plot -------------------------------------------------------------------------------- */

/* Overhead by the program's own instructions, without those of the monitor. */
static void plot_data(const struct costs *costs, unsigned at, FILE *out)
{
    char text[REPORT_NUMBER];

    fprintf(out, "$sweep%u << END\n", at);
    for (unsigned i = 0; i < sweeps[at].points; i++) {
        const struct cost *cost = &costs->cost[at][i];
        fprintf(out, "\"%s\" %.6f %.6f\n", point_text(&sweeps[at].point[i], text),
                added_percent(costs, cost),
                1000 * (double)cost->bytes / (double)costs->base_instructions);
    }
    fprintf(out, "END\n");
}

static void plot_sweep(unsigned at, FILE *out)
{
    fprintf(out, "set title \"%s\"\nset xlabel \"%s\"\n"
                 "plot $sweep%u using 2:xtic(1) with linespoints title \"cycles added, %%\", "
                 "$sweep%u using 3 axes x1y2 with linespoints title "
                 "\"metadata bytes per 1000 instructions\"\n",
            sweeps[at].title, sweeps[at].parameter, at, at);
}

/* gnuplot reads the points and draws a panel for each sweep. */
static void write_plot(const struct costs *costs, const char *path, unsigned panels, FILE *out)
{
    unsigned rows = (panels + PLOT_COLUMNS - 1) / PLOT_COLUMNS;

    fprintf(out, "set terminal svg size 1200,%u noenhanced\n", 360 * rows);
    if (!output_is_stdout(path)) {              /* where gnuplot writes by itself */
        fputs("set output '", out);
        for (; *path != '\0'; path++)
            fprintf(out, *path == '\'' ? "''" : "%c", *path);
        fputs("'\n", out);
    }
    fprintf(out, "set ytics nomirror\nset y2tics\nset yrange [*<0:*]\nset y2range [0:]\n"
                 "set key below\n");
    for (unsigned at = 0; at < SWEEPS; at++)
        if (costs->is_wanted[at])
            plot_data(costs, at, out);
    fprintf(out, "set multiplot layout %u,%u\n", rows, panels > 1 ? (unsigned)PLOT_COLUMNS : 1u);
    for (unsigned at = 0; at < SWEEPS; at++)
        if (costs->is_wanted[at])
            plot_sweep(at, out);
    fprintf(out, "unset multiplot\n");
}

static enum err plot(const struct costs *costs, const char *path, struct diag *diag)
{
    unsigned panels = 0;
    FILE *out = popen("gnuplot", "w");

    if (out == NULL)
        return diag_set(diag, ERR_IO, "costs: --plot: gnuplot cannot be started");
    for (unsigned at = 0; at < SWEEPS; at++)
        panels += costs->is_wanted[at];
    write_plot(costs, path, panels, out);
    if (pclose(out) != 0)
        return diag_set(diag, ERR_IO, "costs: --plot %s: gnuplot failed; it must be installed "
                        "(package gnuplot-nox), and the file writable", path);
    return ERR_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const char *next_sweep(void *state)
{
    unsigned *at = state;

    return *at < SWEEPS ? sweeps[(*at)++].name : NULL;
}

static enum err want(struct costs *costs, const char *name, struct diag *diag)
{
    unsigned at = 0;

    for (unsigned i = 0; i < SWEEPS; i++)
        if (strcmp(sweeps[i].name, name) == 0) {
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
    for (unsigned i = 0; i < SWEEPS && !any; i++)
        costs->is_wanted[i] = true;
    return err;
}

/* An interrupted run has no result. */
static enum err sweep_one(struct costs *costs, unsigned at, struct diag *diag)
{
    const struct sweep *sweep = &sweeps[at];
    unsigned *measured = &costs->measured[at];
    enum err err = ERR_OK;

    while (*measured < sweep->points && err == ERR_OK) {
        err = measure(costs, sweep, &sweep->point[*measured], &costs->cost[at][*measured], diag);
        if (costs->tool.is_interrupted)
            break;
        *measured += err == ERR_OK;
    }
    costs->tool.shows_nothing &= *measured == 0;
    if (err == ERR_OK && *measured != 0 && !costs->is_silent)
        print_sweep(costs, at);
    fflush(stdout);
    return err;
}

static enum err sweep_all(struct costs *costs, struct diag *diag)
{
    enum err err = measure_base(costs, diag);

    costs->tool.shows_nothing = true;
    for (unsigned at = 0; at < SWEEPS && err == ERR_OK && !costs->tool.is_interrupted; at++)
        if (costs->is_wanted[at])
            err = sweep_one(costs, at, diag);
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
    enum err err = read_sweeps(costs, diag);

    costs->is_silent = tool_files_take_output(&files) || output_is_stdout(svg);
    if (err == ERR_OK)
        err = tool_files_check(&files, diag);
    if (err == ERR_OK)
        err = check_file(svg, diag);
    if (err == ERR_OK)
        err = units_make(&costs->units, &costs->tool.target, UNITS_FUNCTION, diag);
    if (err == ERR_OK)
        err = sweep_all(costs, diag);
    if (costs->tool.is_interrupted)
        return err;                 /* files are complete, or absent */
    if (err == ERR_OK)
        err = tool_files_write(&files, write_csv, write_json, costs, diag);
    return err == ERR_OK && svg != NULL ? plot(costs, svg, diag) : err;
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
