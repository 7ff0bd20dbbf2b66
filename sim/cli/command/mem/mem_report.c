/* The tables and files of rvsim mem. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/profile/json.h"
#include "prof/records/csv.h"
#include "prof/records/names.h"
#include "prof/report/report.h"
#include "sim/base/array.h"
#include "sim/cli/command/mem/mem.h"

enum { COLUMN = 13, CYCLES_TEXT = 32 };

static const char *const kinds[ACCESS_KINDS] = {
    [ACCESS_LOAD] = "load", [ACCESS_STORE] = "store", [ACCESS_ATOMIC] = "atomic"};

/* ---- sums ------------------------------------------------------------------------------------ */

struct sums {
    struct names names;
    struct mem_sum *sum;
    size_t sums;
};

typedef const char *name_row(const struct mem *mem, const struct accesses_row *row,
                             char text[SYMBOLS_TEXT]);

static const char *name_object(const struct mem *mem, const struct accesses_row *row,
                               char text[SYMBOLS_TEXT])
{
    (void)text;
    return mem_object_name(mem, row->object);
}

/* "table[].next"; of an object without fields its name. */
static const char *name_field(const struct mem *mem, const struct accesses_row *row,
                              char text[SYMBOLS_TEXT])
{
    const struct fields *fields;

    if (row->part == 0)
        return mem_object_name(mem, row->object);
    fields = &mem_program_of(mem, row->object)->fields;
    snprintf(text, SYMBOLS_TEXT, "%s%s", fields->name[row->part],
             fields_is_padding(fields, row->part) ? " (padding)" : "");
    return text;
}

/* An access went to a member of a structure: the table of fields says more than that of data. */
static bool has_members(const struct mem *mem)
{
    const struct accesses_row *row;
    char text[SYMBOLS_TEXT];
    size_t rows;

    accesses_rows(mem->accesses, &row, &rows);
    for (size_t i = 0; i < rows; i++) {
        size_t datum;

        if (row[i].count == 0 || row[i].part == 0)
            continue;
        datum = strlen(mem_object_name(mem, row[i].object));
        if (strlen(name_field(mem, &row[i], text)) > datum && strchr(text + datum, '.') != NULL)
            return true;
    }
    return false;
}

/* "lookup wordindex.c:163" */
static const char *name_place(const struct mem *mem, const struct accesses_row *row,
                              char text[SYMBOLS_TEXT])
{
    const struct symbols *symbols = mem->tool.target.symbols;
    const struct symbols_entry *entry = symbols_at(symbols, row->pc);
    char line[SYMBOLS_TEXT];
    size_t length;

    symbols_describe_line(symbols, row->pc, line);
    if (entry == NULL)
        return symbols_describe(symbols, row->pc, text);
    length = symbols_name(entry, text);
    if (length + strlen("  ") + strlen(line) < SYMBOLS_TEXT && line[0] != '\0') {
        strcpy(text + length, "  ");
        strcpy(text + length + strlen("  "), line);
    }
    return text;
}

static void add_row(struct mem_sum *sum, const struct accesses_row *row)
{
    sum->count[row->kind][row->level] += row->count;
    sum->cycles[row->kind][row->level] += row->cycles;
}

/* True under the guest kernel: user mode and the kernel have rows of their own. */
static bool is_divided(const struct mem *mem)
{
    return tool_runs_modes(&mem->tool.told) != NULL;
}

/* Sums are told apart by mode, then by name. */
enum { MODE_LETTER = 1 };

static enum err add_named(struct sums *sums, const char *name, const struct mem *mem,
                          const struct accesses_row *row, struct diag *diag)
{
    bool is_user = row->is_user && is_divided(mem);
    char key[MODE_LETTER + SYMBOLS_TEXT];
    uint32_t number;
    enum err err;

    snprintf(key, sizeof key, "%c%s", is_user ? 'u' : 'k', name);
    err = names_add(&sums->names, key, &number, diag);

    if (err != ERR_OK)
        return err;
    if (number == sums->sums) {
        struct mem_sum *grown = array_grow(sums->sum, sums->sums, sizeof *grown);

        if (grown == NULL)
            return diag_no_memory(diag, "sums");
        sums->sum = grown;
        sums->sum[sums->sums++] = (struct mem_sum){
            .data = mem_object_name(mem, row->object), .is_user = is_user};
    }
    add_row(&sums->sum[number], row);
    return ERR_OK;
}

uint64_t mem_count(const struct mem_sum *sum)
{
    uint64_t count = 0;

    for (unsigned kind = 0; kind < ACCESS_KINDS; kind++)
        for (unsigned level = 0; level < ACCESS_LEVELS; level++)
            count += sum->count[kind][level];
    return count;
}

uint64_t mem_cycles(const struct mem_sum *sum)
{
    uint64_t cycles = 0;

    for (unsigned kind = 0; kind < ACCESS_KINDS; kind++)
        for (unsigned level = 0; level < ACCESS_LEVELS; level++)
            cycles += sum->cycles[kind][level];
    return cycles;
}

static int compare_sums(const void *a, const void *b)
{
    const struct mem_sum *x = a, *y = b;

    if (mem_cycles(x) != mem_cycles(y))
        return mem_cycles(x) > mem_cycles(y) ? -1 : 1;
    if (mem_count(x) != mem_count(y))
        return mem_count(x) > mem_count(y) ? -1 : 1;
    return x->is_user != y->is_user ? y->is_user - x->is_user : strcmp(x->name, y->name);
}

static enum err make_sums(struct sums *sums, const struct mem *mem, name_row *name,
                          struct diag *diag)
{
    const struct accesses_row *row;
    size_t rows;
    char text[SYMBOLS_TEXT];
    enum err err = ERR_OK;

    *sums = (struct sums){.sums = 0};
    accesses_rows(mem->accesses, &row, &rows);
    for (size_t i = 0; i < rows && err == ERR_OK; i++)
        if (row[i].count != 0)
            err = add_named(sums, name(mem, &row[i], text), mem, &row[i], diag);
    for (size_t i = 0; i < sums->sums; i++) {
        sums->sum[i].name = sums->names.text[i] + MODE_LETTER;
        sums->sum[i].tells_mode = name == name_place;
    }
    if (sums->sums != 0)
        qsort(sums->sum, sums->sums, sizeof sums->sum[0], compare_sums);
    return err;
}

static void free_sums(struct sums *sums)
{
    free(sums->sum);
    names_free(&sums->names);
}

/* All accesses, and of these the ones in user mode and the others. */
struct totals { struct mem_sum all, user, kernel; };

static struct totals totals_of(const struct mem *mem)
{
    const struct accesses_row *row;
    struct totals totals = {.user.is_user = true};
    size_t rows;

    accesses_rows(mem->accesses, &row, &rows);
    for (size_t i = 0; i < rows; i++)
        if (row[i].count != 0) {
            add_row(&totals.all, &row[i]);
            add_row(row[i].is_user ? &totals.user : &totals.kernel, &row[i]);
        }
    return totals;
}

/* ---- text ------------------------------------------------------------------------------------ */

static uint64_t of_kind(const struct mem_sum *sum, unsigned kind)
{
    uint64_t count = 0;

    for (unsigned level = 0; level < ACCESS_LEVELS; level++)
        count += sum->count[kind][level];
    return count;
}

/* Only loads and atomics have cycles, as stores wait for nothing. */
static uint64_t of_level(const struct mem_sum *sum, unsigned level, uint64_t *cycles)
{
    *cycles = sum->cycles[ACCESS_LOAD][level] + sum->cycles[ACCESS_ATOMIC][level];
    return sum->count[ACCESS_LOAD][level] + sum->count[ACCESS_ATOMIC][level];
}

/* Mean cycles, "12.3"; "" if count is 0. */
static const char *mean_text(uint64_t cycles, uint64_t count, char text[CYCLES_TEXT])
{
    text[0] = '\0';
    if (count != 0)
        snprintf(text, CYCLES_TEXT, "%.1f", (double)cycles / (double)count);
    return text;
}

static void print_count(FILE *out, uint64_t count, uint64_t whole)
{
    char number[REPORT_NUMBER];

    fprintf(out, " %*s", COLUMN, count != 0 ? report_number(count, number) : "");
    if (count != 0)
        fprintf(out, " %6.2f%%", report_percent(count, whole));
    else
        fprintf(out, " %7s", "");
}

static bool names_kernel(const char *name)
{
    size_t bytes = strlen(name), ending = strlen(MEM_IN_KERNEL);

    return strcmp(name, MEM_KERNEL) == 0 ||
           (bytes > ending && strcmp(name + bytes - ending, MEM_IN_KERNEL) == 0);
}

/* "" of sums in user mode, and of those whose names tell the kernel. */
static const char *mode_text(const struct mem *mem, const struct mem_sum *sum)
{
    return !is_divided(mem) || sum->is_user || sum->tells_mode ||
                   (sum->name != NULL && names_kernel(sum->name)) ? "" : " [kernel]";
}

static void print_level(const struct mem *mem, const struct mem_sum *sum, unsigned level,
                        const struct mem_sum *total, FILE *out)
{
    char mean[CYCLES_TEXT];
    uint64_t cycles, waiting = of_level(sum, level, &cycles), any = 0;

    for (unsigned kind = 0; kind < ACCESS_KINDS; kind++)
        any += sum->count[kind][level];
    if (any == 0)
        return;
    for (unsigned kind = 0; kind < ACCESS_KINDS; kind++)
        print_count(out, sum->count[kind][level], of_kind(total, kind));
    fprintf(out, " %9s  %s%s: %s\n", mean_text(cycles, waiting, mean), access_level_name(level),
            mode_text(mem, sum), access_level_meaning(level));
}

static void print_levels(const struct mem *mem, const struct totals *totals, FILE *out)
{
    fprintf(out, "\n %*s %7s %*s %7s %*s %7s %9s  level\n", COLUMN, "loads", "", COLUMN, "stores",
            "", COLUMN, "atomics", "", "latency");
    for (unsigned level = 0; level < ACCESS_LEVELS; level++) {
        if (is_divided(mem))
            print_level(mem, &totals->user, level, &totals->all, out);
        print_level(mem, is_divided(mem) ? &totals->kernel : &totals->all, level, &totals->all,
                    out);
    }
}

static void print_sum(const struct mem *mem, const struct mem_sum *sum,
                      const struct mem_sum *total, FILE *out)
{
    uint64_t waiting = of_kind(sum, ACCESS_LOAD) + of_kind(sum, ACCESS_ATOMIC), beyond = 0;
    char number[REPORT_NUMBER], mean[CYCLES_TEXT];

    for (unsigned kind = 0; kind < ACCESS_KINDS; kind++)
        for (unsigned level = ACCESS_L2; level <= ACCESS_DRAM; level++)
            beyond += sum->count[kind][level];
    fprintf(out, " %*s %6.2f%% %9s", COLUMN + 2, report_number(mem_cycles(sum), number),
            report_percent(mem_cycles(sum), mem_cycles(total)),
            mean_text(mem_cycles(sum), waiting, mean));
    fprintf(out, " %*s", COLUMN, report_number(waiting, number));
    fprintf(out, " %*s", COLUMN, report_number(of_kind(sum, ACCESS_STORE), number));
    fprintf(out, " %*s  %s%s\n", COLUMN, report_number(beyond, number), sum->name,
            mode_text(mem, sum));
}

static enum err print_table(const struct mem *mem, const struct mem_sum *total, name_row *name,
                            const char *what, FILE *out, struct diag *diag)
{
    const struct report report = {.out = out, .top = mem->top};
    struct sums sums;
    enum err err = make_sums(&sums, mem, name, diag);

    if (err == ERR_OK) {
        fprintf(out, "\n %*s %7s %9s %*s %*s %*s  %s\n", COLUMN + 2, "cycles", "", "latency",
                COLUMN, "loads", COLUMN, "stores", COLUMN, "L1 missed", what);
        for (size_t i = 0; i < report_shown(&report, sums.sums); i++)
            print_sum(mem, &sums.sum[i], total, out);
        report_rest(&report, sums.sums);
    }
    free_sums(&sums);
    return err;
}

enum err mem_print(const struct mem *mem, FILE *out, struct diag *diag)
{
    const struct totals totals = totals_of(mem);
    const struct mem_sum *total = &totals.all;
    char number[REPORT_NUMBER];
    enum err err;

    fprintf(out, "%s: %s data access%s", symbols_base_name(mem->tool.target.image.path),
            report_number(mem_count(total), number), mem_count(total) == 1 ? "" : "es");
    fprintf(out, ", %s cycles from address to data\n", report_number(mem_cycles(total), number));
    print_levels(mem, &totals, out);
    err = print_table(mem, total, name_object, "data", out, diag);
    if (err == ERR_OK && has_members(mem))
        err = print_table(mem, total, name_field, "field", out, diag);
    return err == ERR_OK ? print_table(mem, total, name_place, "code", out, diag) : err;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const struct accesses_row *x = a, *y = b;

    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind - y->kind;
    return x->level != y->level ? x->level - y->level : x->is_user - y->is_user;
}

/* The rows in order; the caller frees. NULL: no memory. */
static struct accesses_row *sorted(const struct mem *mem, size_t *count)
{
    const struct accesses_row *row;
    struct accesses_row *copy;
    size_t rows;

    accesses_rows(mem->accesses, &row, &rows);
    copy = calloc(rows + 1, sizeof *copy);
    *count = 0;
    for (size_t i = 0; copy != NULL && i < rows; i++)
        if (row[i].count != 0)
            copy[(*count)++] = row[i];
    if (*count != 0)
        qsort(copy, *count, sizeof copy[0], compare_rows);
    return copy;
}

static const char *mode_name(bool is_user)
{
    return is_user ? "user" : "kernel";
}

enum err mem_write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct mem *mem = arg;
    size_t rows;
    struct accesses_row *row = sorted(mem, &rows);
    char text[SYMBOLS_TEXT];

    if (row == NULL)
        return diag_no_memory(diag, "accesses");
    fputs("pc,symbol,line,data,field,kind,level,count,cycles,mode\n", out);
    for (size_t i = 0; i < rows; i++) {
        fprintf(out, "0x%" PRIx64 ",", row[i].pc);
        csv_put(out, symbols_describe(mem->tool.target.symbols, row[i].pc, text));
        fputc(',', out);
        csv_put(out, symbols_describe_line(mem->tool.target.symbols, row[i].pc, text));
        fputc(',', out);
        csv_put(out, mem_object_name(mem, row[i].object));
        fputc(',', out);
        csv_put(out, name_field(mem, &row[i], text));
        fprintf(out, ",%s,%s,%" PRIu64 ",%" PRIu64 ",%s\n", kinds[row[i].kind],
                access_level_name(row[i].level), row[i].count, row[i].cycles,
                is_divided(mem) ? mode_name(row[i].is_user) : "");
    }
    free(row);
    return ERR_OK;
}

static void add_sum(cJSON *object, const struct mem_sum *sum)
{
    for (unsigned kind = 0; kind < ACCESS_KINDS; kind++) {
        cJSON *levels = cJSON_AddObjectToObject(object, kinds[kind]);

        for (unsigned level = 0; level < ACCESS_LEVELS; level++) {
            cJSON *one;

            if (sum->count[kind][level] == 0)
                continue;
            one = cJSON_AddObjectToObject(levels, access_level_name(level));
            json_number(one, "count", sum->count[kind][level]);
            json_number(one, "cycles", sum->cycles[kind][level]);
        }
    }
}

static enum err add_table(cJSON *root, const char *key, const struct mem *mem, name_row *name,
                          struct diag *diag)
{
    cJSON *array = cJSON_AddArrayToObject(root, key);
    struct sums sums;
    enum err err = make_sums(&sums, mem, name, diag);

    for (size_t i = 0; err == ERR_OK && i < sums.sums; i++) {
        cJSON *object = cJSON_CreateObject();

        cJSON_AddStringToObject(object, "name", sums.sum[i].name);
        if (name == name_field)
            cJSON_AddStringToObject(object, "data", sums.sum[i].data);
        if (is_divided(mem))
            cJSON_AddStringToObject(object, "mode", mode_name(sums.sum[i].is_user));
        add_sum(object, &sums.sum[i]);
        cJSON_AddItemToArray(array, object);
    }
    free_sums(&sums);
    return err;
}

enum err mem_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct mem *mem = arg;
    const struct totals totals = totals_of(mem);
    cJSON *root = tool_run_document(&mem->tool, mem->result.profile.cycles,
                                    mem->result.profile.instructions);
    enum err err;

    add_sum(cJSON_AddObjectToObject(root, "total"), &totals.all);
    if (is_divided(mem)) {
        add_sum(cJSON_AddObjectToObject(root, "user"), &totals.user);
        add_sum(cJSON_AddObjectToObject(root, "kernel"), &totals.kernel);
    }
    err = add_table(root, "data", mem, name_object, diag);
    if (err == ERR_OK)
        err = add_table(root, "fields", mem, name_field, diag);
    if (err == ERR_OK)
        err = add_table(root, "code", mem, name_place, diag);
    if (err == ERR_OK)
        return json_print(root, out, diag);
    cJSON_Delete(root);
    return err;
}
