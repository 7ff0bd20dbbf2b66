/* Cutting code into units; see units.h. */
#include "sim/cli/tool/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "isa/op.h"
#include "pmu/key.h"
#include "pmu/sorted.h"
#include "sim/base/array.h"

/* The linker's name of an entry. */
struct name { const char *text; uint64_t address; };

struct cutting {
    struct units *units;
    struct target *target;
    const struct symbols *symbols;  /* of the present file: the program, or a library */
    const struct symbols_entry *last;   /* the function that the last unit is of; NULL: of none */
    struct name *name;              /* of the program, in order */
    size_t names;
    struct diag *diag;
};

const char *units_by_name(enum units_by by)
{
    static const char *const name[] = {"function", "page", "module"};

    return name[by];
}

/* ---- which unit ------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a, *y = b;

    return strcmp(x->text, y->text);
}

static enum err sort_names(struct cutting *cutting)
{
    const struct symbols *symbols = cutting->target->symbols;
    const struct symbols_entry *entry;

    cutting->names = symbols_entries(symbols, &entry);
    cutting->name = calloc(cutting->names + 1, sizeof cutting->name[0]);
    if (cutting->name == NULL)
        return diag_no_memory(cutting->diag, "the program's names");
    for (size_t i = 0; i < cutting->names; i++)
        cutting->name[i] = (struct name){symbols_link_name(symbols, &entry[i]), entry[i].address};
    qsort(cutting->name, cutting->names, sizeof cutting->name[0], compare_names);
    return ERR_OK;
}

static bool is_before(const void *row, const void *text)
{
    const struct name *name = row;

    return strcmp(name->text, text) < 0;
}

static bool is_unique(const struct cutting *cutting, const struct symbols_entry *entry)
{
    const char *text = symbols_link_name(cutting->target->symbols, entry);
    size_t at = sorted_place(cutting->name, cutting->names, sizeof cutting->name[0], is_before,
                             text);

    for (; at < cutting->names && strcmp(cutting->name[at].text, text) == 0; at++)
        if (cutting->name[at].address != entry->address)
            return false;
    return true;
}

/* "main.c@sort", as routines of executed programs are called. */
static void add_program(const struct cutting *cutting, struct unit *unit)
{
    size_t length = strlen(unit->name);

    if (symbols_of_program(cutting->symbols) != NULL)
        snprintf(unit->name + length, sizeof unit->name - length, "@%s",
                 symbols_of_program(cutting->symbols));
}

static const char *file_without_lines(const struct cutting *cutting)
{
    return cutting->symbols == cutting->target->symbols
               ? "(no source)" : symbols_base_name(symbols_object(cutting->symbols));
}

/* The unit that would begin at an address, if it is new. */
static void describe(const struct cutting *cutting, uint64_t address,
                     const struct symbols_entry *entry, struct unit *unit)
{
    const struct symbols *symbols = cutting->symbols;
    const struct symbols_line *line;
    uint64_t page = address & ~(uint64_t)(UNITS_PAGE_BYTES - 1);

    *unit = (struct unit){.start = address};
    if (cutting->units->by == UNITS_MODULE) {
        line = symbols_line_at(symbols, address);
        snprintf(unit->name, sizeof unit->name, "%s",
                 line != NULL ? symbols_base_name(line->file) : file_without_lines(cutting));
        add_program(cutting, unit);
    } else if (cutting->units->by == UNITS_FUNCTION && entry != NULL && entry->is_function) {
        snprintf(unit->name, sizeof unit->name, "%s", entry->name);
        unit->link_name = symbols_link_name(symbols, entry);
        unit->start = entry->address;
    } else {
        snprintf(unit->name, sizeof unit->name, "0x%" PRIx64,
                 (uint64_t)(page - key_program(page)));
        add_program(cutting, unit);
        unit->start = page;
    }
}

static bool is_same(const struct units *units, const struct unit *a, const struct unit *b)
{
    return strcmp(a->name, b->name) == 0 && (units->by == UNITS_MODULE || a->start == b->start);
}

/* Finds the unit; modules may recur, all other units are contiguous. */
static long find(const struct units *units, const struct unit *wanted)
{
    size_t reach = units->by == UNITS_MODULE ? units->count : 1;

    for (size_t i = units->count; i-- > 0 && reach-- > 0;)
        if (is_same(units, &units->unit[i], wanted))
            return (long)i;
    return UNITS_NONE;
}

static enum err place(struct cutting *cutting, uint64_t address, uint32_t *index)
{
    struct units *units = cutting->units;
    const struct symbols_entry *entry = symbols_at(cutting->symbols, address);
    struct unit unit, *grown;
    long found;

    if (entry != NULL && entry == cutting->last) {
        *index = (uint32_t)units->count - 1;
        return ERR_OK;
    }
    cutting->last = units->by == UNITS_FUNCTION && entry != NULL && entry->is_function ? entry
                                                                                       : NULL;
    describe(cutting, address, entry, &unit);
    found = find(units, &unit);
    if (found != UNITS_NONE) {
        *index = (uint32_t)found;
        return ERR_OK;
    }
    grown = array_grow(units->unit, units->count, sizeof *grown);
    if (grown == NULL)
        return diag_no_memory(cutting->diag, "the program's code");
    units->unit = grown;
    unit.is_function = units->by == UNITS_FUNCTION && entry != NULL && entry->is_function &&
                       cutting->symbols == cutting->target->symbols &&
                       is_unique(cutting, entry);
    *index = (uint32_t)units->count;
    units->unit[units->count++] = unit;
    return ERR_OK;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static enum err add_insn(struct cutting *cutting, uint64_t address, const struct insn *decoded)
{
    struct units *units = cutting->units;
    struct units_insn insn = {.address = address, .bytes = decoded->length}, *grown;
    enum err err = place(cutting, address, &insn.unit);

    if (err != ERR_OK)
        return err;
    grown = array_grow(units->insn, units->insns, sizeof *grown);
    if (grown == NULL)
        return diag_no_memory(cutting->diag, "the program's code");
    units->insn = grown;
    insn.traps = decoded->op == OP_ecall || decoded->op == OP_ebreak;
    units->unit[insn.unit].insns++;
    units->insn[units->insns++] = insn;
    return ERR_OK;
}

/* The first function after an address. */
static uint64_t next_function(const struct symbols_entry *entry, size_t entries, size_t *at,
                              uint64_t address)
{
    while (*at < entries && (!entry[*at].is_function || entry[*at].address <= address))
        ++*at;
    return *at < entries ? entry[*at].address : UINT64_MAX;
}

/* Walks in order of address from one function to the next, so that data between them spoils at most
 * the instruction that it runs into. */
static enum err sweep(struct cutting *cutting, const struct image_section *section)
{
    const struct symbols_entry *entry;
    size_t entries = symbols_entries(cutting->symbols, &entry), at = 0;
    uint64_t address = section->addr, end = section->addr + section->bytes;
    enum err err = ERR_OK;

    while (address < end && err == ERR_OK) {
        uint64_t next = next_function(entry, entries, &at, address);
        struct insn insn;

        if (!symbols_insn(cutting->symbols, address, &insn))
            return ERR_OK;
        if (next < address + insn.length) {
            address = next;
            continue;
        }
        if (insn.op != OP_illegal)
            err = add_insn(cutting, address, &insn);
        address += insn.length;
    }
    return err;
}

static int compare_insns(const void *a, const void *b)
{
    const struct units_insn *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* Sorts the instructions, unless they are in order already, as those of one file usually are. */
static void sort_insns(struct units *units)
{
    size_t sorted = 1;

    while (sorted < units->insns &&
           units->insn[sorted - 1].address <= units->insn[sorted].address)
        sorted++;
    if (sorted < units->insns)
        qsort(units->insn, units->insns, sizeof *units->insn, compare_insns);
}

/* A page that begins before its code starts with its first instruction. */
static void find_bounds(struct units *units)
{
    for (size_t i = units->insns; i-- > 0;) {
        units->unit[units->insn[i].unit].first = i;
        units->unit[units->insn[i].unit].start = units->insn[i].address;
    }
    for (size_t i = 0; i < units->insns; i++)
        units->unit[units->insn[i].unit].end = i + 1;
}

/* ---- the interface --------------------------------------------------------------------------- */

static enum err cut(struct cutting *cutting, const struct image *image,
                    const struct symbols *symbols)
{
    enum err err = ERR_OK;

    cutting->symbols = symbols;
    cutting->last = NULL;
    for (size_t i = 0; i < image->section_count && err == ERR_OK; i++) {
        const struct image_section *section = &image->sections[i];

        if (section->is_code && section->addr != 0)
            err = sweep(cutting, section);
    }
    return err;
}

enum err units_make(struct units *units, struct target *target, enum units_by by,
                    struct diag *diag)
{
    struct cutting cutting = {.units = units, .target = target, .diag = diag};
    enum err err;

    *units = (struct units){.by = by};
    err = sort_names(&cutting);
    if (err == ERR_OK)
        err = cut(&cutting, &target->image, target->symbols);
    for (size_t i = 0; i < target->modules && err == ERR_OK; i++)
        err = cut(&cutting, &target->module[i]->image, target->module[i]->symbols);
    free(cutting.name);
    if (err == ERR_OK && units->insns == 0)
        return diag_set(diag, ERR_USAGE, "%s: no code sections", target->image.path);
    if (err == ERR_OK)
        sort_insns(units);
    if (err == ERR_OK)
        find_bounds(units);
    return err;
}

void units_free(struct units *units)
{
    free(units->unit);
    free(units->insn);
    *units = (struct units){.count = 0};
}

static bool is_up_to(const void *row, const void *address)
{
    const struct units_insn *insn = row;

    return insn->address <= *(const uint64_t *)address;
}

static const struct units_insn *insn_at(const struct units *units, uint64_t address)
{
    size_t place = sorted_place(units->insn, units->insns, sizeof units->insn[0], is_up_to,
                                &address);

    if (place == 0 || address - units->insn[place - 1].address >= units->insn[place - 1].bytes)
        return NULL;
    return &units->insn[place - 1];
}

long units_at(const struct units *units, uint64_t address)
{
    const struct units_insn *insn = insn_at(units, address);

    return insn != NULL ? (long)insn->unit : UNITS_NONE;
}

uint64_t units_retired(const struct units *units, uint64_t address, uint64_t count)
{
    const struct units_insn *insn = insn_at(units, address);

    return insn != NULL && insn->traps ? 0 : count;
}

void units_mark(const struct units *units, size_t unit, const char *flags, FILE *out)
{
    bool is_mangled;

    if (!units->unit[unit].is_function) {
        units_mark_code(units, unit, flags, out);
        return;
    }
    is_mangled = strcmp(units->unit[unit].name, units->unit[unit].link_name) != 0;
    fprintf(out, "%s  *  %s%s%s\n", units->unit[unit].link_name, flags, is_mangled ? "  # " : "",
            is_mangled ? units->unit[unit].name : "");
}

void units_mark_code(const struct units *units, size_t unit, const char *flags, FILE *out)
{
    uint64_t start = 0, end = 0;

    for (size_t i = units->unit[unit].first; i <= units->unit[unit].end; i++) {
        const struct units_insn *insn = &units->insn[i];
        bool is_ours = i < units->unit[unit].end && insn->unit == unit;

        if (is_ours && start != end && insn->address == end) {
            end += insn->bytes;
            continue;
        }
        if (start != end)
            fprintf(out, "0x%" PRIx64 "  %" PRIu64 "  %s  # %s\n", start, end - start, flags,
                    units->unit[unit].name);
        start = end = 0;
        if (is_ours) {
            start = insn->address;
            end = start + insn->bytes;
        }
    }
}
