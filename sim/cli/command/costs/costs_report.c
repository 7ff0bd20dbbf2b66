/* The report of `rvsim costs`: tables, CSV, JSON, and a plot by gnuplot. */
#include "sim/cli/command/costs/costs.h"

#include <inttypes.h>

#include "prof/profile/json.h"
#include "sim/base/output.h"

enum { PLOT_COLUMNS = 2 };

const char *costs_point_text(const struct costs_point *point, char text[REPORT_NUMBER])
{
    return point->name != NULL ? point->name : report_number(point->value, text);
}

/* ---- the tables ------------------------------------------------------------------------------ */

static double added_percent(const struct costs *costs, const struct costs_cost *cost)
{
    return 100 * ((double)cost->cycles - (double)costs->base_cycles) / (double)costs->base_cycles;
}

/* The points at which marks requested more interrupts than the hardware's queue held. */
static void print_lost(const struct costs *costs, unsigned at)
{
    const char *between = "lost, the queue was full: ";
    char lost[REPORT_NUMBER], point[REPORT_NUMBER];
    bool any = false;

    for (unsigned i = 0; i < costs->measured[at]; i++) {
        const struct costs_cost *cost = &costs->cost[at][i];

        if (cost->lost == 0)
            continue;
        printf("%s%s interrupt%s at %s", between, report_number(cost->lost, lost),
               report_s(cost->lost), costs_point_text(&costs_sweep[at].point[i], point));
        between = ", ";
        any = true;
    }
    if (any)
        putchar('\n');
}

void costs_print_sweep(const struct costs *costs, unsigned at)
{
    const struct costs_sweep *sweep = &costs_sweep[at];
    char text[4][REPORT_NUMBER];

    printf("\n%s\n%12s %14s %16s %16s", sweep->title, sweep->parameter, "storage bits",
           "metadata bytes", "cycles");
    tool_parts_heads(&costs->base_parts, stdout);
    printf(" %9s %12s\n", "added", "interrupts");
    for (unsigned i = 0; i < costs->measured[at]; i++) {
        const struct costs_cost *cost = &costs->cost[at][i];
        char point[REPORT_NUMBER];
        printf("%12s %14s %16s %16s", costs_point_text(&sweep->point[i], point),
               report_number(cost->storage_bits, text[0]), report_number(cost->bytes, text[1]),
               report_number(cost->cycles, text[2]));
        tool_parts_print(&cost->parts, stdout);
        printf(" %+8.2f%% %12s\n", added_percent(costs, cost),
               report_number(cost->interrupts, text[3]));
    }
    print_lost(costs, at);
}

void costs_print_unmeasured(const struct costs *costs)
{
    const char *between = "\nnot measured: ";

    for (unsigned at = 0; at < COSTS_SWEEPS; at++) {
        unsigned left = costs_sweep[at].points - costs->measured[at];

        if (!costs->is_wanted[at] || left == 0)
            continue;
        printf("%s%u of %u points of %s", between, left, costs_sweep[at].points,
               costs_sweep[at].name);
        between = ", ";
    }
    putchar('\n');
}

enum err costs_write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct costs *costs = arg;

    (void)diag;
    fprintf(out, "sweep,parameter,value,storage_bits,metadata_bytes,instructions,base_cycles,"
                 "cycles,interrupts" TOOL_PARTS_CSV ",lost\n");
    for (unsigned at = 0; at < COSTS_SWEEPS; at++)
        for (unsigned i = 0; i < costs->measured[at]; i++) {
            const struct costs_point *point = &costs_sweep[at].point[i];
            const struct costs_cost *cost = &costs->cost[at][i];
            fprintf(out, "%s,%s,", costs_sweep[at].name, costs_sweep[at].parameter);
            if (point->name != NULL)
                fprintf(out, "%s", point->name);
            else
                fprintf(out, "%" PRIu64, point->value);
            fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                    cost->storage_bits, cost->bytes, cost->instructions, costs->base_cycles,
                    cost->cycles, cost->interrupts);
            tool_parts_csv(&cost->parts, out);
            fprintf(out, ",%" PRIu64 "\n", cost->lost);
        }
    return ERR_OK;
}

static void add_sweep(cJSON *array, const struct costs *costs, unsigned at)
{
    const struct costs_sweep *sweep = &costs_sweep[at];
    cJSON *object = json_append_object(array), *points;

    cJSON_AddStringToObject(object, "sweep", sweep->name);
    cJSON_AddStringToObject(object, "title", sweep->title);
    cJSON_AddStringToObject(object, "parameter", sweep->parameter);
    points = cJSON_AddArrayToObject(object, "points");
    for (unsigned i = 0; i < costs->measured[at]; i++) {
        const struct costs_cost *cost = &costs->cost[at][i];
        cJSON *point = json_append_object(points);

        if (sweep->point[i].name != NULL)
            cJSON_AddStringToObject(point, "value", sweep->point[i].name);
        else
            json_number(point, "value", sweep->point[i].value);
        json_number(point, "storage_bits", cost->storage_bits);
        json_number(point, "metadata_bytes", cost->bytes);
        json_number(point, "instructions", cost->instructions);
        json_number(point, "cycles", cost->cycles);
        tool_parts_json(&cost->parts, point);
        json_real(point, "added_percent", added_percent(costs, cost));
        json_number(point, "interrupts", cost->interrupts);
        json_number(point, "lost", cost->lost);
    }
}

enum err costs_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct costs *costs = arg;
    cJSON *root = tool_run_document(&costs->tool, costs->base_cycles, costs->base_instructions);
    cJSON *array;

    array = cJSON_AddArrayToObject(root, "sweeps");
    for (unsigned at = 0; at < COSTS_SWEEPS; at++)
        if (costs->measured[at] != 0)
            add_sweep(array, costs, at);
    return json_print(root, out, diag);
}

/* ---- the plot -------------------------------------------------------------------------------- */

/* Overhead by the program's own instructions, without those of the monitor. */
static void plot_data(const struct costs *costs, unsigned at, FILE *out)
{
    char text[REPORT_NUMBER];

    fprintf(out, "$sweep%u << END\n", at);
    for (unsigned i = 0; i < costs->measured[at]; i++) {
        const struct costs_cost *cost = &costs->cost[at][i];
        fprintf(out, "\"%s\" %.6f %.6f\n", costs_point_text(&costs_sweep[at].point[i], text),
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
            costs_sweep[at].title, costs_sweep[at].parameter, at, at);
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
    for (unsigned at = 0; at < COSTS_SWEEPS; at++)
        if (costs->measured[at] != 0)
            plot_data(costs, at, out);
    fprintf(out, "set multiplot layout %u,%u\n", rows, panels > 1 ? (unsigned)PLOT_COLUMNS : 1u);
    for (unsigned at = 0; at < COSTS_SWEEPS; at++)
        if (costs->measured[at] != 0)
            plot_sweep(at, out);
    fprintf(out, "unset multiplot\n");
}

enum err costs_plot(const struct costs *costs, const char *path, struct diag *diag)
{
    unsigned panels = 0;
    FILE *out;

    for (unsigned at = 0; at < COSTS_SWEEPS; at++)
        panels += costs->measured[at] != 0;
    if (panels == 0)
        return ERR_OK;
    out = popen("gnuplot", "w");
    if (out == NULL)
        return diag_set(diag, ERR_IO, "costs: --plot: gnuplot cannot be started");
    write_plot(costs, path, panels, out);
    if (pclose(out) != 0)
        return diag_set(diag, ERR_IO, "costs: --plot %s: gnuplot failed; it must be installed "
                        "(package gnuplot-nox), and the file writable", path);
    return ERR_OK;
}
