/* callgrind.out. Format: callgrind format specification, version 1.
 *
 * A routine's own costs are by instruction: instructions and cycles of the oracle profile, counts
 * and interrupts of marks. Without the oracle, the call tree has instructions by routine, which are
 * written at its entry. Samples are at their addresses. Calls are exact and inclusive; inclusive
 * counts and interrupts come from the stacks of interrupts. In a profile without a call tree, calls
 * come only from these stacks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "prof/export/export.h"
#include "prof/export/export_callgrind.h"
#include "prof/profile/cost.h"

/* A name is written once with a number, then only the number. */
struct names {
    const char **name;
    size_t count;
};

struct writer {
    const struct profile *profile;
    const struct symbols *symbols;
    FILE *out;
    bool has[COLUMNS];
    struct callgrind all;
    uint64_t *routine;                  /* [routines] all that have costs, by address */
    size_t routines;
    bool *is_named;                     /* [routines] */
    struct names files, objects;
    const char *file, *object;          /* names written last */
    uint64_t units;                     /* sum of units written up to now, so that rounded cycles
                                         * add up to the total */
};

/* ---- routines -------------------------------------------------------------------------------- */

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Sorts the collected addresses, and removes repeated ones. */
static void tidy_routines(struct writer *writer, size_t count)
{
    uint64_t *routine = writer->routine;

    qsort(routine, count, sizeof routine[0], compare_addresses);
    for (size_t i = 0; i < count; i++)
        if (writer->routines == 0 || routine[writer->routines - 1] != routine[i])
            routine[writer->routines++] = routine[i];
}

static bool collect_routines(struct writer *writer)
{
    size_t most = writer->all.points + 2 * writer->all.edges + 1, count = 0;

    writer->routine = calloc(most, sizeof writer->routine[0]);
    writer->is_named = calloc(most, sizeof writer->is_named[0]);
    writer->files.name = calloc(2 * most, sizeof writer->files.name[0]);
    writer->objects.name = calloc(most + 1, sizeof writer->objects.name[0]);
    if (writer->routine == NULL || writer->is_named == NULL || writer->files.name == NULL ||
        writer->objects.name == NULL)
        return false;
    for (size_t i = 0; i < writer->all.points; i++)
        writer->routine[count++] = writer->all.point[i].routine;
    for (size_t i = 0; i < writer->all.edges; i++) {
        writer->routine[count++] = writer->all.edge[i].caller;
        writer->routine[count++] = writer->all.edge[i].callee;
    }
    tidy_routines(writer, count);
    return true;
}

/* ---- positions ------------------------------------------------------------------------------- */

static const char *file_at(const struct writer *writer, uint64_t address)
{
    const struct symbols_line *line = symbols_line_at(writer->symbols, address);

    return line != NULL ? line->file : "???";
}

static const char *file_of(const struct writer *writer, uint64_t routine)
{
    const char *file = symbols_file_of(writer->symbols, routine);

    return file != NULL ? file : "???";
}

static void write_position(const struct writer *writer, uint64_t address)
{
    const struct symbols_line *line = symbols_line_at(writer->symbols, address);

    fprintf(writer->out, "0x%" PRIx64 " %u",
            address == CALLGRIND_MONITOR ? 0 : symbols_address(writer->symbols, address),
            line != NULL ? line->line : 0);
}

/* "fl=(1) sort.c", then "fl=(1)". */
static void write_name(FILE *out, struct names *names, const char *key, const char *name)
{
    size_t i = 0;

    while (i < names->count && strcmp(names->name[i], name) != 0)
        i++;
    fprintf(out, "%s=(%zu)", key, i + 1);
    if (i == names->count) {
        names->name[names->count++] = name;
        fprintf(out, " %s", name);
    }
    fputc('\n', out);
}

static void write_file(struct writer *writer, const char *key, const char *file)
{
    write_name(writer->out, &writer->files, key, file);
}

/* The object of a routine; code outside all files counts as the program's. */
static const char *object_of(const struct writer *writer, uint64_t routine)
{
    const char *object = symbols_object_at(writer->symbols, routine);

    return object != NULL ? object : writer->profile->program;
}

static void enter_object(struct writer *writer, uint64_t routine)
{
    const char *object = object_of(writer, routine);

    if (writer->object == NULL || strcmp(object, writer->object) != 0)
        write_name(writer->out, &writer->objects, "ob", object);
    writer->object = object;
}

static void write_routine(struct writer *writer, const char *key, uint64_t routine)
{
    const uint64_t *found = bsearch(&routine, writer->routine, writer->routines,
                                    sizeof routine, compare_addresses);
    size_t index = (size_t)(found - writer->routine);
    char name[SYMBOLS_TEXT];

    fprintf(writer->out, "%s=(%zu)", key, index + 1);
    if (!writer->is_named[index])
        fprintf(writer->out, " %s", routine == CALLGRIND_MONITOR
                ? "(monitor)" : callgraph_name(writer->profile, writer->symbols, routine, name));
    writer->is_named[index] = true;
    fputc('\n', writer->out);
}

/* Switches to another file, for inlined code. */
static void enter_file(struct writer *writer, uint64_t routine, uint64_t address)
{
    const char *file = file_at(writer, address), *own = file_of(writer, routine);

    if (strcmp(file, writer->file) != 0)
        write_file(writer, strcmp(file, own) == 0 ? "fe" : "fi", file);
    writer->file = file;
}

/* ---- body ------------------------------------------------------------------------------------ */

static void write_costs(const struct writer *writer, const struct callgrind_costs *costs)
{
    for (unsigned i = 0; i < COLUMNS; i++)
        if (writer->has[i])
            fprintf(writer->out, " %" PRIu64, costs->of[i]);
    fputc('\n', writer->out);
}

/* Whole cycles, rounded so that they add up to the sum of the units. */
static struct callgrind_costs in_cycles(struct writer *writer, const struct callgrind_costs *costs)
{
    uint64_t unit = writer->profile->units_per_cycle, before = writer->units;
    struct callgrind_costs result = *costs;

    if (unit != 0) {
        writer->units += costs->of[CYCLES];
        result.of[CYCLES] = writer->units / unit - before / unit;
    }
    return result;
}

/* Writes a jump inside the routine, with its target, for pictures of the code. */
static void write_jump(struct writer *writer, const struct callgrind_point *point)
{
    const struct profile_cost *cost = cost_at(writer->profile, point->address);
    struct insn insn;
    uint64_t target;

    if (cost == NULL || !cost->is_transfer || cost->taken == 0 ||
        !symbols_insn(writer->symbols, point->address, &insn))
        return;
    target = point->address + (uint64_t)(int64_t)insn.imm;
    if (insn_is_call(&insn) || insn_info[insn.op].kind == KIND_JALR ||
        callgrind_routine(&writer->all, writer->symbols, target) != point->routine)
        return;
    if (insn_info[insn.op].kind == KIND_BRANCH)
        fprintf(writer->out, "jcnd=%" PRIu64 "/%" PRIu64 " ", cost->taken, cost->count);
    else
        fprintf(writer->out, "jump=%" PRIu64 " ", cost->taken);
    write_position(writer, target);
    fputc('\n', writer->out);
    write_position(writer, point->address);
    fputc('\n', writer->out);
}

/* Writes the routine's points from point[at] on; returns the index after the last. */
static size_t write_points(struct writer *writer, uint64_t routine, size_t at)
{
    for (; at < writer->all.points && writer->all.point[at].routine == routine; at++) {
        const struct callgrind_point *point = &writer->all.point[at];
        struct callgrind_costs costs = in_cycles(writer, &point->costs);

        if (routine != CALLGRIND_MONITOR)
            enter_file(writer, routine, point->address);
        write_position(writer, point->address);
        write_costs(writer, &costs);
        if (routine != CALLGRIND_MONITOR)
            write_jump(writer, point);
    }
    return at;
}

/* The number of calls, which must not be missing: for a call that only stacks show, the number of
 * those stacks. */
static uint64_t calls_of(const struct callgrind_edge *edge)
{
    uint64_t seen = edge->costs.of[INTERRUPTS] + edge->costs.of[SAMPLES];

    if (edge->calls != 0)
        return edge->calls;
    return seen != 0 ? seen : 1;
}

static size_t write_calls(struct writer *writer, uint64_t routine, size_t at)
{
    for (; at < writer->all.edges && writer->all.edge[at].caller == routine; at++) {
        const struct callgrind_edge *edge = &writer->all.edge[at];
        struct callgrind_costs costs = edge->costs;

        if (writer->profile->units_per_cycle != 0)
            costs.of[CYCLES] /= writer->profile->units_per_cycle;
        enter_file(writer, routine, edge->site);
        write_name(writer->out, &writer->objects, "cob", object_of(writer, edge->callee));
        write_file(writer, "cfi", file_of(writer, edge->callee));
        write_routine(writer, "cfn", edge->callee);
        fprintf(writer->out, "calls=%" PRIu64 " ", calls_of(edge));
        write_position(writer, edge->callee);
        fputc('\n', writer->out);
        write_position(writer, edge->site);
        write_costs(writer, &costs);
    }
    return at;
}

static void choose_columns(struct writer *writer)
{
    const struct profile *profile = writer->profile;

    writer->has[INSTRUCTIONS] = profile->calls > 1 || profile->units_per_cycle != 0;
    writer->has[CYCLES] = writer->has[MISPREDICTED] = profile->units_per_cycle != 0;
    writer->has[SAMPLED] = writer->has[SAMPLES] = callgrind_period(profile) != 0;
    writer->has[COUNT] = writer->has[INTERRUPTS] =
        profile->marks != 0 || (!writer->has[SAMPLED] &&
                                (profile->records != 0 || !writer->has[INSTRUCTIONS]));
}

static void write_head(const struct writer *writer)
{
    const struct profile_sampling *sampling = writer->profile->sampling;
    const struct { const char *name, *meaning; } column[COLUMNS] = {
        [INSTRUCTIONS] = {"Ir", "instructions"},
        [CYCLES] = {"Cycles", "cycles of the oracle profile"},
        [MISPREDICTED] = {"Bm", "mispredicted branches and jumps"},
        [COUNT] = {"Count", "executions of marked instructions"},
        [INTERRUPTS] = {"Intr", "interrupts of the monitor"},
        [SAMPLED] = {sampling != NULL ? sampling->event : "", "events that the samples stand for"},
        [SAMPLES] = {"Samples", "samples"},
    };
    struct callgrind_costs sum = {.of = {0}};

    for (size_t i = 0; i < writer->all.points; i++)
        callgrind_add(&sum, &writer->all.point[i].costs);
    if (writer->profile->units_per_cycle != 0)
        sum.of[CYCLES] /= writer->profile->units_per_cycle;
    fputs("# callgrind format\nversion: 1\ncreator: rvsim\n", writer->out);
    fprintf(writer->out, "cmd: %s\npositions: instr line\n", writer->profile->program);
    for (unsigned i = 0; i < COLUMNS; i++)
        if (writer->has[i])
            fprintf(writer->out, "event: %s : %s\n", column[i].name, column[i].meaning);
    fputs("events:", writer->out);
    for (unsigned i = 0; i < COLUMNS; i++)
        if (writer->has[i])
            fprintf(writer->out, " %s", column[i].name);
    fputs("\nsummary:", writer->out);
    write_costs(writer, &sum);
}

static void write_body(struct writer *writer)
{
    size_t point = 0, edge = 0;

    for (size_t i = 0; i < writer->routines; i++) {
        uint64_t routine = writer->routine[i];

        writer->file = file_of(writer, routine);
        fputc('\n', writer->out);
        enter_object(writer, routine);
        write_file(writer, "fl", writer->file);
        write_routine(writer, "fn", routine);
        point = write_points(writer, routine, point);
        edge = write_calls(writer, routine, edge);
    }
}

enum err export_callgrind(const struct profile *profile, const struct symbols *symbols, FILE *out,
                          struct diag *diag)
{
    struct writer writer = {.profile = profile, .symbols = symbols, .out = out};
    struct callgraph graph;
    enum err err = callgraph_build(&graph, profile, symbols, diag);

    if (err != ERR_OK)
        return err;
    choose_columns(&writer);
    err = callgrind_collect(&writer.all, profile, symbols, &graph, diag);
    if (err == ERR_OK && !collect_routines(&writer))
        err = diag_no_memory(diag, "callgrind's format");
    if (err == ERR_OK) {
        write_head(&writer);
        write_body(&writer);
    }
    callgrind_free(&writer.all);
    free(writer.routine);
    free(writer.is_named);
    free(writer.files.name);
    free(writer.objects.name);
    callgraph_free(&graph);
    return err;
}
