/* lcov's tracefile: the executions of each line, function and branch. With the oracle, of all code
 * with line information (code without cost was never executed); else of code with counters. A line
 * has the count of its most executed instruction. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "prof/export/export.h"
#include "sim/base/array.h"

enum kind { FUNCTION, FUNCTION_COUNT, BRANCH, LINE };

/* One line of the tracefile. */
struct row {
    const char *file, *name;
    enum kind kind;
    unsigned line;
    uint64_t address;               /* of a branch */
    unsigned way;                   /* 0: not taken, 1: taken */
    uint64_t count;
};

struct table {
    struct row *row;
    size_t rows;
    bool has_failed;
};

static void add(struct table *table, const struct row *row)
{
    struct row *grown = array_grow(table->row, table->rows, sizeof *grown);

    table->has_failed |= grown == NULL;
    if (grown == NULL)
        return;
    table->row = grown;
    table->row[table->rows++] = *row;
}

/* ---- executed lines and branches ------------------------------------------------------------- */

static void add_line(struct table *table, const struct symbols *symbols, uint64_t address,
                     uint64_t count)
{
    const struct symbols_line *line = symbols_line_at(symbols, address);
    const struct symbols_entry *entry = symbols_at(symbols, address);

    if (line == NULL)
        return;
    add(table, &(struct row){.file = line->file, .kind = LINE, .line = line->line,
                             .count = count});
    if (entry != NULL && entry->is_function && entry->address == address)
        add(table, &(struct row){.file = line->file, .kind = FUNCTION, .line = line->line,
                                 .name = entry->name, .count = count});
}

static void add_branch(struct table *table, const struct symbols *symbols,
                       const struct profile_cost *cost)
{
    const struct symbols_line *line = symbols_line_at(symbols, cost->address);
    struct insn insn;
    struct row row = {.kind = BRANCH, .address = cost->address};

    if (line == NULL || !symbols_insn(symbols, cost->address, &insn) ||
        insn_info[insn.op].kind != KIND_BRANCH)
        return;
    row.file = line->file;
    row.line = line->line;
    for (row.way = 0; row.way < 2; row.way++) {
        row.count = row.way == 1 ? cost->taken : cost->count - cost->taken;
        add(table, &row);
    }
}

/* Adds all lines and functions, with no executions yet. */
static void add_all(struct table *table, const struct symbols *symbols)
{
    const struct symbols_line *line;
    const struct symbols_entry *entry;
    size_t lines = symbols_lines(symbols, &line), entries = symbols_entries(symbols, &entry);

    for (size_t i = 0; i < lines; i++)
        if (line[i].line != 0)
            add_line(table, symbols, line[i].address, 0);
    for (size_t i = 0; i < entries; i++)
        if (entry[i].is_function)
            add_line(table, symbols, entry[i].address, 0);
}

static void collect(struct table *table, const struct profile *profile,
                    const struct symbols *symbols)
{
    if (profile->units_per_cycle != 0)
        add_all(table, symbols);
    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];

        if (cost->is_monitor)
            continue;
        add_line(table, symbols, cost->address, cost->count);
        if (cost->is_transfer)
            add_branch(table, symbols, cost);
    }
    for (size_t i = 0; i < profile->marks && profile->units_per_cycle == 0; i++)
        if (profile->mark[i].is_code && profile->mark[i].has_counter)
            add_line(table, symbols, profile->mark[i].address, profile->mark[i].count);
}

/* ---- the tracefile --------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->file, y->file);

    if (order == 0)
        order = (x->kind > y->kind) - (x->kind < y->kind);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0 && x->kind == FUNCTION)
        order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->address > y->address) - (x->address < y->address);
    return order != 0 ? order : (x->way > y->way) - (x->way < y->way);
}

/* Joins rows of the same line, function or branch, with the largest count. */
static void join(struct table *table)
{
    size_t kept = 0;

    if (table->rows != 0)
        qsort(table->row, table->rows, sizeof table->row[0], compare);
    for (size_t i = 0; i < table->rows; i++) {
        if (kept == 0 || compare(&table->row[kept - 1], &table->row[i]) != 0)
            table->row[kept++] = table->row[i];
        else if (table->row[i].count > table->row[kept - 1].count)
            table->row[kept - 1].count = table->row[i].count;
    }
    table->rows = kept;
}

struct found { size_t all, hit; };

static void put_found(const char *all, const char *hit, const struct found *found, FILE *out)
{
    if (found->all != 0)
        fprintf(out, "%s:%zu\n%s:%zu\n", all, found->all, hit, found->hit);
}

static void put_row(const struct row *row, uint64_t executed, FILE *out)
{
    switch (row->kind) {
    case FUNCTION: fprintf(out, "FN:%u,%s\n", row->line, row->name); break;
    case FUNCTION_COUNT: fprintf(out, "FNDA:%" PRIu64 ",%s\n", row->count, row->name); break;
    case LINE: fprintf(out, "DA:%u,%" PRIu64 "\n", row->line, row->count); break;
    case BRANCH:
        fprintf(out, "BRDA:%u,%" PRIu64 ",%u,", row->line, row->address, row->way);
        fprintf(out, executed != 0 ? "%" PRIu64 "\n" : "-\n", row->count);
    }
}

/* The other way of the same branch is the row's neighbour. */
static uint64_t executed(const struct row *row)
{
    return row->kind == BRANCH ? row->count + (row->way == 0 ? row[1].count : row[-1].count) : 0;
}

static void put_file(const struct row *row, size_t rows, FILE *out)
{
    struct found found[LINE + 1] = {{0, 0}};

    fprintf(out, "TN:\nSF:%s\n", row->file);
    for (size_t i = 0; i < rows; i++) {
        put_row(&row[i], executed(&row[i]), out);
        found[row[i].kind].all++;
        found[row[i].kind].hit += row[i].count != 0;
    }
    for (size_t i = 0; i < rows && row[i].kind == FUNCTION; i++) {
        struct row count = row[i];

        count.kind = FUNCTION_COUNT;
        put_row(&count, 0, out);
    }
    put_found("FNF", "FNH", &found[FUNCTION], out);
    put_found("BRF", "BRH", &found[BRANCH], out);
    put_found("LF", "LH", &found[LINE], out);
    fputs("end_of_record\n", out);
}

enum err export_lcov(const struct profile *profile, const struct symbols *symbols, FILE *out,
                     struct diag *diag)
{
    struct table table = {.rows = 0};

    collect(&table, profile, symbols);
    join(&table);
    for (size_t first = 0, end = 0; first < table.rows && !table.has_failed; first = end) {
        while (end < table.rows && strcmp(table.row[first].file, table.row[end].file) == 0)
            end++;
        put_file(&table.row[first], end - first, out);
    }
    free(table.row);
    return table.has_failed ? diag_no_memory(diag, "coverage") : ERR_OK;
}
