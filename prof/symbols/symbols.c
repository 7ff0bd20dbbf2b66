/* Symbols by address and by name. See symbols.h. */
#include "prof/symbols/symbols_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "pmu/key.h"
#include "pmu/sorted.h"
#include "sim/base/array.h"
#include "sim/base/utf8.h"

/* ---- life ------------------------------------------------------------------------------------ */

/* The last of several names of an address is shown. Leading underscores mark names of the
 * implementation: strlen is a better name than __strlen_generic, and memcmp than its weak alias
 * bcmp. */
static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

static int compare_entries(const void *a, const void *b)
{
    const struct symbols_entry *x = a, *y = b;
    size_t x_marks = underscores(x->name), y_marks = underscores(y->name);

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x_marks != y_marks)
        return x_marks > y_marks ? -1 : 1;
    if (x->is_weak != y->is_weak)
        return x->is_weak ? -1 : 1;
    return strcmp(y->name, x->name);
}

/* Most files have their symbols in order of address; then only symbols of equal address need
 * sorting. */
static void sort_entries(struct symbols_entry *entry, size_t count)
{
    size_t at = 1;

    while (at < count && entry[at - 1].address <= entry[at].address)
        at++;
    if (at < count) {
        qsort(entry, count, sizeof entry[0], compare_entries);
        return;
    }
    for (size_t first = 0; first < count; first = at) {
        at = first + 1;
        while (at < count && entry[at].address == entry[first].address)
            at++;
        if (at - first > 1)
            qsort(&entry[first], at - first, sizeof entry[0], compare_entries);
    }
}

/* Completes the table with a copy of these entries. False: no memory. */
static bool take_entries(const struct symbols *symbols, const struct symbols_entry *entry,
                         size_t count)
{
    struct symbols_table *table = symbols->table;
    uint64_t furthest = 0;

    table->entry = calloc(count + 1, sizeof table->entry[0]);
    table->end = calloc(count + 1, sizeof table->end[0]);
    if (table->entry == NULL || table->end == NULL)
        return false;
    table->entries = count;
    if (count != 0) {
        memcpy(table->entry, entry, count * sizeof table->entry[0]);
        sort_entries(table->entry, count);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t end = table->entry[i].address + table->entry[i].bytes;

        furthest = end > furthest ? end : furthest;
        table->end[i] = furthest;
    }
    return symbols_demangle(symbols);
}

static void free_table(struct symbols_table *table)
{
    symbols_free_names(table);
    free(table->entry);
    free(table->end);
    *table = (struct symbols_table){.entries = 0};
}

const struct symbols_table *symbols_table(const struct symbols *symbols)
{
    struct symbols_table *table = symbols->table;
    symbols_list *list = table->list;
    struct symbols_entry *entry = NULL;
    size_t entries = 0;

    if (list == NULL)
        return table;
    table->list = NULL;
    if (!list(symbols->arg, &entry, &entries) || !take_entries(symbols, entry, entries))
        free_table(table);
    free(entry);
    return table;
}

/* True if no entry has the address, nor ends above it after a start below. */
static bool is_outside(const struct symbols_table *table, uint64_t address)
{
    return table->list != NULL && (address < table->from || address >= table->to);
}

static enum err make_table(struct symbols *symbols, const struct symbols_program *program,
                           struct diag *diag)
{
    symbols->table = calloc(1, sizeof *symbols->table);
    if (symbols->table == NULL)
        return diag_no_memory(diag, "symbols");
    symbols->table->list = program->list;
    symbols->table->from = program->from;
    symbols->table->to = program->to;
    if (program->list != NULL || take_entries(symbols, program->entry, program->entries))
        return ERR_OK;
    return diag_no_memory(diag, "symbols");
}

enum err symbols_new(struct symbols **out, const struct symbols_program *program,
                     struct diag *diag)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    enum err err;

    *out = NULL;
    if (symbols == NULL)
        return diag_no_memory(diag, "symbols");
    symbols->code = program->code;
    symbols->xlen = program->xlen == 32 ? 32 : 64;
    symbols->arg = program->arg;
    symbols->object = program->object;
    symbols->of = program->of;
    symbols->bias = program->bias;
    err = make_table(symbols, program, diag);
    if (err == ERR_OK)
        err = symbols_have_lines(symbols, program, diag);
    if (err != ERR_OK) {
        symbols_free(symbols);
        return err;
    }
    *out = symbols;
    return ERR_OK;
}

void symbols_free(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    symbols_free_lines(symbols);
    if (symbols->table != NULL)
        free_table(symbols->table);
    free(symbols->table);
    free(symbols->module);
    free(symbols);
}

void symbols_set_beside(struct symbols *symbols, const struct symbols *beside)
{
    symbols->beside = beside;
}

const struct symbols *symbols_beside(const struct symbols *symbols)
{
    return symbols->beside;
}

bool symbols_add_module(struct symbols *symbols, const struct symbols *module)
{
    const struct symbols **grown = array_grow(symbols->module, symbols->modules, sizeof *grown);

    if (grown == NULL)
        return false;
    symbols->module = grown;
    symbols->module[symbols->modules++] = module;
    return true;
}

/* ---- looking up ------------------------------------------------------------------------------ */

static bool is_up_to(const void *row, const void *address)
{
    const struct symbols_entry *entry = row;

    return entry->address <= *(const uint64_t *)address;
}

/* The function (else the object) of the program alone; NULL: none. */
static const struct symbols_entry *own_at(const struct symbols *symbols, uint64_t address)
{
    const struct symbols_entry *object = NULL;
    const struct symbols_table *table;

    if (is_outside(symbols->table, address))
        return NULL;
    table = symbols_table(symbols);
    for (size_t i = sorted_place(table->entry, table->entries, sizeof table->entry[0], is_up_to,
                                 &address);
         i-- > 0 && table->end[i] > address;) {
        const struct symbols_entry *entry = &table->entry[i];

        if (address - entry->address >= entry->bytes)
            continue;
        if (entry->is_function)
            return entry;
        object = object == NULL ? entry : object;
    }
    return object;
}

const struct symbols_entry *symbols_at(const struct symbols *symbols, uint64_t address)
{
    const struct symbols_entry *entry = own_at(symbols, address);

    for (size_t i = 0; i < symbols->modules && entry == NULL; i++)
        entry = symbols_at(symbols->module[i], address);
    return entry == NULL && symbols->beside != NULL ? symbols_at(symbols->beside, address) : entry;
}

uint64_t symbols_start_below(const struct symbols *symbols, uint64_t address)
{
    const struct symbols_table *table;
    size_t place;

    if (is_outside(symbols->table, address))
        return 0;
    table = symbols_table(symbols);
    if (table->entries == 0 || table->end[table->entries - 1] <= address)
        return 0;
    place = sorted_place(table->entry, table->entries, sizeof table->entry[0], is_up_to, &address);
    return place != 0 ? table->entry[place - 1].address : 0;
}

size_t symbols_entries(const struct symbols *symbols, const struct symbols_entry **first)
{
    const struct symbols_table *table = symbols_table(symbols);

    *first = table->entry;
    return table->entries;
}

bool symbols_code(const struct symbols *symbols, uint64_t address, void *bytes, size_t count)
{
    if (symbols->code != NULL && symbols->code(symbols->arg, address, bytes, count))
        return true;
    for (size_t i = 0; i < symbols->modules; i++)
        if (symbols_code(symbols->module[i], address, bytes, count))
            return true;
    return symbols->beside != NULL && symbols_code(symbols->beside, address, bytes, count);
}

unsigned symbols_xlen(const struct symbols *symbols)
{
    return symbols->xlen;
}

bool symbols_insn(const struct symbols *symbols, uint64_t address, struct insn *insn)
{
    uint32_t bits = 0;

    if (!symbols_code(symbols, address, &bits, 4) && !symbols_code(symbols, address, &bits, 2))
        return false;
    insn_decode_xlen(insn, bits, symbols->xlen);
    return true;
}

/* A compressed call is 2 bytes long; the 4 bytes before the address show which length it was. */
uint64_t symbols_call_site(const struct symbols *symbols, uint64_t return_address)
{
    struct insn insn;
    uint32_t bits = 0;

    if ((return_address & 1) != 0)
        return return_address - 1;
    if (symbols_code(symbols, return_address - 4, &bits, 4) && insn_length(bits) == 4) {
        insn_decode_xlen(&insn, bits, symbols->xlen);
        if (insn_is_call(&insn))
            return return_address - 4;
    }
    return return_address - 2;
}

/* ---- text ------------------------------------------------------------------------------------ */

const char *symbols_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

bool symbols_is_file(const char *file, const char *name)
{
    size_t file_length = strlen(file), length;

    while (name[0] == '.' && name[1] == '/')
        name += 2;
    length = strlen(name);

    return length != 0 && length <= file_length &&
           strcmp(file + file_length - length, name) == 0 &&
           (length == file_length || name[0] == '/' || file[file_length - length - 1] == '/');
}

/* Leaves room for an offset or a line. */
enum { NAME_MOST = SYMBOLS_TEXT - 32 };

size_t symbols_name(const struct symbols_entry *entry, char text[SYMBOLS_TEXT])
{
    static const char rest[] = "...";
    bool is_cut = strlen(entry->name) > NAME_MOST;
    int length = snprintf(text, SYMBOLS_TEXT, "%.*s%s",
                          is_cut ? NAME_MOST - (int)strlen(rest) : NAME_MOST, entry->name,
                          is_cut ? rest : "");

    if (is_cut)
        utf8_mend(text);        /* a character may be cut */
    return (size_t)length;
}

/* A module of the program of a key; NULL: the first program's, the kernel's, or no key. */
static const struct symbols *module_of(const struct symbols *symbols, uint64_t key)
{
    uint64_t program = key_program(key);

    for (size_t i = 0; i < symbols->modules && program != 0; i++)
        if (key_program(symbols->module[i]->bias) == program)
            return symbols->module[i];
    return NULL;
}

uint64_t symbols_address(const struct symbols *symbols, uint64_t key)
{
    return module_of(symbols, key) != NULL || key_program(key) == KEY_UNKNOWN
               ? key - key_program(key) : key;
}

const char *symbols_describe(const struct symbols *symbols, uint64_t address,
                             char text[SYMBOLS_TEXT])
{
    const struct symbols_entry *entry = symbols_at(symbols, address);
    const struct symbols *module = entry == NULL ? module_of(symbols, address) : NULL;
    const char *of = module != NULL ? module->of
                     : key_program(address) == KEY_UNKNOWN ? "several" : "";
    size_t length = entry != NULL ? symbols_name(entry, text) : 0;

    if (entry == NULL)
        snprintf(text, SYMBOLS_TEXT, "0x%llx%s%.*s",
                 (unsigned long long)symbols_address(symbols, address),
                 of[0] != '\0' ? "@" : "", NAME_MOST, of);
    else if (entry->address != address)
        snprintf(text + length, SYMBOLS_TEXT - length, "+0x%llx",
                 (unsigned long long)(address - entry->address));
    return text;
}

const char *symbols_describe_line(const struct symbols *symbols, uint64_t address,
                                  char text[SYMBOLS_TEXT])
{
    const struct symbols_line *line = symbols_line_at(symbols, address);

    text[0] = '\0';
    if (line != NULL)
        snprintf(text, SYMBOLS_TEXT, "%.*s:%u", NAME_MOST, symbols_base_name(line->file),
                 line->line);
    return text;
}

void symbols_describe_frame(const struct symbols *symbols, uint64_t pc, bool is_leaf,
                            char name[SYMBOLS_TEXT], char line[SYMBOLS_TEXT])
{
    uint64_t at = is_leaf ? pc & ~UINT64_C(1) : symbols_call_site(symbols, pc);
    const struct symbols_entry *entry = symbols_at(symbols, at);

    symbols_describe_line(symbols, at, line);
    if (entry != NULL)
        symbols_name(entry, name);
    else
        symbols_describe(symbols, at, name);
}
