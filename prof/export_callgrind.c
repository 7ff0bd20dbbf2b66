/* callgrind.out. Format: callgrind format specification, version 1. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/callgraph.h"
#include "prof/export.h"

/* A call as stacks show it. */
struct edge {
    uint64_t caller, site, callee;      /* routines; the call's address */
    uint64_t calls, count, interrupts;
};

/* Names are written out once and numbered from there on. */
struct names {
    const char **name;
    size_t count;
};

struct writer {
    const struct profile *profile;
    const struct symbols *symbols;
    FILE *out;
    uint64_t *owner;                    /* [marks] routine of each */
    uint64_t *routine;                  /* [routines] all that have costs, by address */
    size_t routines;
    struct edge *edge;                  /* by caller, site, callee */
    size_t edges, edge_capacity;
    bool *is_named;                     /* [routines] */
    struct names files;
    const char *file;                   /* the current one */
};

/* ---- edges ----------------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Level `at` of a path called level at - 1. How often is known of the leaf only: above it one call
 * stands in many stacks. */
static struct edge edge_of(const struct callgraph_path *path, unsigned at)
{
    const struct profile_record *record = path->record;
    struct edge edge = {
        .caller = path->frame[at].routine, .site = path->frame[at].address,
        .callee = path->frame[at - 1].routine,
        .count = record->executions, .interrupts = record->interrupts,
    };

    if (at > 1)
        return edge;
    if (path->kind == CALLGRAPH_ENTRY)
        edge.calls = record->executions;
    if (path->kind == CALLGRAPH_CALL || path->kind == CALLGRAPH_TRAP) {
        edge.calls = record->interrupts;
        edge.count = edge.interrupts = 0;               /* the cost is the caller's own */
    }
    return edge;
}

/* In a recursion a cost counts once for each call, not once for each level. */
static bool is_repeated(const struct callgraph_path *path, unsigned at)
{
    struct edge edge = edge_of(path, at);

    for (unsigned i = 1; i < at; i++) {
        struct edge inner = edge_of(path, i);

        if (compare_edges(&edge, &inner) == 0)
            return true;
    }
    return false;
}

static bool add_edge(struct writer *writer, const struct edge *edge)
{
    if (writer->edges == writer->edge_capacity) {
        size_t capacity = writer->edge_capacity * 2 + 64;
        struct edge *larger = realloc(writer->edge, capacity * sizeof *larger);

        if (larger == NULL)
            return false;
        writer->edge = larger;
        writer->edge_capacity = capacity;
    }
    writer->edge[writer->edges++] = *edge;
    return true;
}

static void join_edges(struct writer *writer)
{
    size_t kept = 0;

    if (writer->edges != 0)
        qsort(writer->edge, writer->edges, sizeof writer->edge[0], compare_edges);
    for (size_t i = 0; i < writer->edges; i++) {
        struct edge *last = &writer->edge[kept], *next = &writer->edge[i];

        if (kept == 0 || compare_edges(&last[-1], next) != 0) {
            writer->edge[kept++] = *next;
            continue;
        }
        last[-1].calls += next->calls;
        last[-1].count += next->count;
        last[-1].interrupts += next->interrupts;
    }
    writer->edges = kept;
}

static bool collect_edges(struct writer *writer, const struct callgraph *graph)
{
    for (size_t i = 0; i < graph->paths; i++) {
        const struct callgraph_path *path = &graph->path[i];

        for (unsigned at = 1; at < path->depth; at++) {
            struct edge edge = edge_of(path, at);

            if (!is_repeated(path, at) && !add_edge(writer, &edge))
                return false;
        }
    }
    join_edges(writer);
    return true;
}

/* ---- routines -------------------------------------------------------------------------------- */

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static uint64_t routine_of(const struct symbols *symbols, uint64_t address)
{
    const struct symbols_entry *entry = symbols_at(symbols, address);

    return entry != NULL ? entry->address : address;
}

/* Sorts what has been collected; each address stays once. */
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
    const struct profile *profile = writer->profile;
    size_t most = profile->marks + 2 * writer->edges + 1, count = 0;

    writer->routine = calloc(most, sizeof writer->routine[0]);
    writer->owner = calloc(profile->marks + 1, sizeof writer->owner[0]);
    writer->is_named = calloc(most, sizeof writer->is_named[0]);
    writer->files.name = calloc(2 * most, sizeof writer->files.name[0]);
    if (writer->routine == NULL || writer->owner == NULL || writer->is_named == NULL ||
        writer->files.name == NULL)
        return false;
    for (size_t i = 0; i < profile->marks; i++) {
        writer->owner[i] = routine_of(writer->symbols, profile->mark[i].address);
        if (profile->mark[i].is_code)
            writer->routine[count++] = writer->owner[i];
    }
    for (size_t i = 0; i < writer->edges; i++) {
        writer->routine[count++] = writer->edge[i].caller;
        writer->routine[count++] = writer->edge[i].callee;
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

static void write_position(const struct writer *writer, uint64_t address)
{
    const struct symbols_line *line = symbols_line_at(writer->symbols, address);

    fprintf(writer->out, "0x%" PRIx64 " %u", address, line != NULL ? line->line : 0);
}

/* "fl=(1) sort.c", then "fl=(1)". */
static void write_file(struct writer *writer, const char *key, const char *file)
{
    size_t i = 0;

    while (i < writer->files.count && strcmp(writer->files.name[i], file) != 0)
        i++;
    fprintf(writer->out, "%s=(%zu)", key, i + 1);
    if (i == writer->files.count) {
        writer->files.name[writer->files.count++] = file;
        fprintf(writer->out, " %s", file);
    }
    fputc('\n', writer->out);
}

static void write_routine(struct writer *writer, const char *key, uint64_t routine)
{
    const uint64_t *found = bsearch(&routine, writer->routine, writer->routines,
                                    sizeof routine, compare_addresses);
    size_t index = (size_t)(found - writer->routine);
    char name[SYMBOLS_TEXT];

    fprintf(writer->out, "%s=(%zu)", key, index + 1);
    if (!writer->is_named[index])
        fprintf(writer->out, " %s",
                callgraph_name(writer->profile, writer->symbols, routine, name));
    writer->is_named[index] = true;
    fputc('\n', writer->out);
}

/* Code of another file, as inlining leaves it. */
static void enter_file(struct writer *writer, uint64_t routine, uint64_t address)
{
    const char *file = file_at(writer, address), *own = file_at(writer, routine);

    if (strcmp(file, writer->file) != 0)
        write_file(writer, strcmp(file, own) == 0 ? "fe" : "fi", file);
    writer->file = file;
}

/* ---- body ------------------------------------------------------------------------------------ */

static void write_marks(struct writer *writer, uint64_t routine)
{
    for (size_t i = 0; i < writer->profile->marks; i++) {
        const struct profile_mark *mark = &writer->profile->mark[i];

        if (!mark->is_code || writer->owner[i] != routine)
            continue;
        enter_file(writer, routine, mark->address);
        write_position(writer, mark->address);
        fprintf(writer->out, " %" PRIu64 " %" PRIu64 "\n", mark->count, mark->interrupts);
    }
}

static void write_calls(struct writer *writer, uint64_t routine)
{
    for (size_t i = 0; i < writer->edges; i++) {
        const struct edge *edge = &writer->edge[i];

        if (edge->caller != routine)
            continue;
        enter_file(writer, routine, edge->site);
        fputs("cob=(1)\n", writer->out);
        write_file(writer, "cfi", file_at(writer, edge->callee));
        write_routine(writer, "cfn", edge->callee);
        fprintf(writer->out, "calls=%" PRIu64 " ", edge->calls);
        write_position(writer, edge->callee);
        fputc('\n', writer->out);
        write_position(writer, edge->site);
        fprintf(writer->out, " %" PRIu64 " %" PRIu64 "\n", edge->count, edge->interrupts);
    }
}

static void write_head(const struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint64_t count = 0, interrupts = 0;

    for (size_t i = 0; i < profile->marks; i++) {
        count += profile->mark[i].is_code ? profile->mark[i].count : 0;
        interrupts += profile->mark[i].is_code ? profile->mark[i].interrupts : 0;
    }
    fputs("# callgrind format\nversion: 1\ncreator: rvsim\n", writer->out);
    fprintf(writer->out, "cmd: %s\n", profile->program);
    fputs("positions: instr line\n"
          "event: Count : executions of marked instructions\n"
          "event: Intr : interrupts of the monitor\n"
          "events: Count Intr\n", writer->out);
    fprintf(writer->out, "summary: %" PRIu64 " %" PRIu64 "\n\n", count, interrupts);
    fprintf(writer->out, "ob=(1) %s\n", profile->program);
}

static void write_body(struct writer *writer)
{
    for (size_t i = 0; i < writer->routines; i++) {
        uint64_t routine = writer->routine[i];

        writer->file = file_at(writer, routine);
        fputc('\n', writer->out);
        write_file(writer, "fl", writer->file);
        write_routine(writer, "fn", routine);
        write_marks(writer, routine);
        write_calls(writer, routine);
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
    if (collect_edges(&writer, &graph) && collect_routines(&writer)) {
        write_head(&writer);
        write_body(&writer);
    } else {
        err = diag_no_memory(diag, "callgrind's format");
    }
    free(writer.routine);
    free(writer.owner);
    free(writer.edge);
    free(writer.is_named);
    free(writer.files.name);
    callgraph_free(&graph);
    return err;
}
