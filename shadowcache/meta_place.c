/* Places of .meta entries: sections, symbols, lines, calls and branches become marked instructions
 * and data ranges.
 *
 * Code is walked from a known instruction start (a code symbol, else the section's first byte), so
 * that only instruction starts are marked; every code symbol on the way realigns the walk after
 * data or padding. */
#include "shadowcache/meta_internal.h"

#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "pmu/abi.h"
#include "pmu/key.h"
#include "pmu/sorted.h"
#include "sim/base/array.h"

enum { LINE_PIECES_MAX = 256 };

/* The instructions of a piece to mark. */
enum select { SELECT_ALL, SELECT_CALLS, SELECT_BRANCHES };

/* ---- names ----------------------------------------------------------------------------------- */

typedef const char *name_function(void *arg, size_t index, struct meta_place *place);

struct name_iteration {
    name_function *names;
    void *arg;
    size_t index;
    struct meta_place place;
};

static const char *next_name(void *state)
{
    struct name_iteration *iteration = state;

    return iteration->names(iteration->arg, iteration->index++, &iteration->place);
}

static bool find_name(const struct meta_reader *reader, name_function *names, const char *name,
                      struct meta_place *place)
{
    const char *candidate;

    for (size_t i = 0; names != NULL; i++) {
        candidate = names(reader->resolver->arg, i, place);
        if (candidate == NULL)
            return false;
        if (strcmp(candidate, name) == 0)
            return true;
    }
    return false;
}

static enum err fail_name(struct meta_reader *reader, unsigned column, const char *what,
                          name_function *names, const char *name)
{
    const struct meta_resolver *resolver = reader->resolver;
    struct name_iteration iteration = {.names = names, .arg = resolver->arg};
    bool is_symbol = names == resolver->symbol && resolver->near != NULL;
    const char *near = is_symbol ? resolver->near(resolver->arg, name)
                       : names != NULL ? nearest_name(name, next_name, &iteration) : NULL;

    reader->is_unknown = names != resolver->section;
    if (near != NULL)
        return meta_fail(reader, column, "the program has no %s '%s'; did you mean '%s'?", what,
                         name, near);
    return meta_fail(reader, column, "the program has no %s '%s'%s", what, name,
                     strchr(name, '(') == NULL ? "" : "; groups are calls(FUNCTION|*) and "
                                                      "branches(FUNCTION|*)");
}

static void warn_of_several(const struct meta_reader *reader, const char *name, size_t count,
                            const struct meta_place *place)
{
    meta_warn(reader->meta, "%s:%u: the program has %zu symbols '%s'; marks the one at 0x%llx",
              reader->name, reader->line, count, name, (unsigned long long)place->address);
}

/* Finds the first symbol of a name (static functions may share one). Returns 1 or 0. */
static size_t compare_symbols(const struct meta_reader *reader, const char *name,
                              struct meta_place *place)
{
    name_function *names = reader->resolver->symbol;
    const char *candidate;
    struct meta_place other;
    unsigned count = 0;

    if (!find_name(reader, names, name, place))
        return 0;
    for (size_t i = 0; (candidate = names(reader->resolver->arg, i, &other)) != NULL; i++)
        count += strcmp(candidate, name) == 0;
    if (count > 1)
        warn_of_several(reader, name, count, place);
    return 1;
}

/* The places of a name: more than one only for a pattern or for C++ functions that share it. Fills
 * in up to `max`; returns their number. */
static size_t find_symbols(const struct meta_reader *reader, const char *name,
                           struct meta_place *place, size_t max)
{
    const struct meta_resolver *resolver = reader->resolver;
    bool is_group = false;
    size_t count;

    if (resolver->select == NULL)
        return compare_symbols(reader, name, place);
    count = resolver->select(resolver->arg, name, place, max, &is_group);
    if (count > 1 && !is_group)
        warn_of_several(reader, name, count, place);
    return count > 1 && !is_group ? 1 : count;
}

enum err meta_place_section(struct meta_reader *reader, const struct meta_token *token)
{
    name_function *names = reader->resolver->section;

    if (!find_name(reader, names, token->text, &reader->section))
        return fail_name(reader, token->column, "section", names, token->text);
    reader->has_section = true;
    strcpy(reader->section_name, token->text);
    return ERR_OK;
}

/* ---- instruction starts ---------------------------------------------------------------------- */

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

enum err meta_place_begin(struct meta_reader *reader)
{
    name_function *names = reader->resolver->symbol;
    struct meta_place place;
    size_t count = 0;

    while (names != NULL && names(reader->resolver->arg, count, &place) != NULL)
        count++;
    reader->start = calloc(count + 1, sizeof *reader->start);
    if (reader->start == NULL)
        return diag_no_memory(reader->diag, NULL);
    for (size_t i = 0; i < count; i++) {
        names(reader->resolver->arg, i, &place);
        if (place.is_code && place.address % 2 == 0)
            reader->start[reader->starts++] = place.address;
    }
    qsort(reader->start, reader->starts, sizeof *reader->start, compare_addresses);
    return ERR_OK;
}

static bool is_up_to(const void *start, const void *address)
{
    return *(const uint64_t *)start <= *(const uint64_t *)address;
}

/* Index of the first start above the address. */
static size_t start_above(const struct meta_reader *reader, uint64_t address)
{
    return sorted_place(reader->start, reader->starts, sizeof reader->start[0], is_up_to, &address);
}

/* The nearest known instruction start at or below the address. A walk continues where the one
 * before ended, so that entries in order of address are fast without symbols too. */
static uint64_t walk_start(struct meta_reader *reader, uint64_t address)
{
    size_t above = start_above(reader, address);
    struct meta_place section;
    uint64_t begin = address & ~UINT64_C(1);

    if (meta_section_at(reader, address, &section) && section.is_code)
        begin = (section.address + 1) & ~UINT64_C(1);
    if (above > 0 && reader->start[above - 1] > begin)
        begin = reader->start[above - 1];
    if (begin == reader->walked_from && reader->walked_to <= address)
        return reader->walked_to;
    reader->walked_from = reader->walked_to = begin;
    return begin;
}

static bool code_at(const struct meta_reader *reader, uint64_t address, uint32_t *bits)
{
    const struct meta_resolver *resolver = reader->resolver;
    uint8_t bytes[4] = {0};

    if (resolver->code == NULL || !resolver->code(resolver->arg, address, bytes, 2))
        return false;
    if (insn_length(bytes[0]) == 4 && !resolver->code(resolver->arg, address + 2, bytes + 2, 2))
        return false;
    *bits = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
            (uint32_t)bytes[3] << 24;
    return true;
}

static bool is_selected(const struct meta_resolver *resolver, uint32_t bits, enum select select)
{
    struct insn insn;

    if (select == SELECT_ALL)
        return true;
    insn_decode_xlen(&insn, bits, resolver->xlen);
    if (select == SELECT_BRANCHES)
        return insn_info[insn.op].kind == KIND_BRANCH;
    return insn_is_call(&insn) || insn_is_return(&insn);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static enum err add_mark(struct meta_reader *reader, const struct meta_place *place,
                         const struct meta_action *action)
{
    struct meta *meta = reader->meta;
    struct meta_mark *mark = array_grow(meta->mark, meta->marks, sizeof *mark);

    if (mark == NULL)
        return diag_no_memory(reader->diag, NULL);
    meta->mark = mark;
    meta->mark[meta->marks++] = (struct meta_mark){
        .address = place->address,
        .bytes = place->bytes,
        .is_code = place->is_code,
        .line = reader->line,
        .file = reader->file,
        .waits = meta_waits(reader),
        .action = *action,
    };
    return ERR_OK;
}

/* Marks the instructions that start in the piece. */
static enum err mark_code(struct meta_reader *reader, const struct meta_place *piece,
                          enum select select, const struct meta_action *action)
{
    uint64_t at = walk_start(reader, piece->address), end = piece->address + piece->bytes;
    size_t above = start_above(reader, at);
    enum err err = ERR_OK;
    uint32_t bits;

    while (err == ERR_OK && at < end && code_at(reader, at, &bits)) {
        struct meta_place insn = {.address = at, .bytes = insn_length(bits), .is_code = true};

        if (at >= piece->address && is_selected(reader->resolver, bits, select))
            err = add_mark(reader, &insn, action);
        reader->walked_to = at;
        at += insn.bytes;
        for (; above < reader->starts && reader->start[above] <= at; above++)
            if (reader->start[above] > insn.address)
                at = reader->start[above];
    }
    return err;
}

static void widen_to_bundles(struct meta_place *piece)
{
    uint64_t end = piece->address + piece->bytes + META_BUNDLE_BYTES - 1;

    piece->address &= ~(uint64_t)(META_BUNDLE_BYTES - 1);
    piece->bytes = (end & ~(uint64_t)(META_BUNDLE_BYTES - 1)) - piece->address;
}

static enum err mark_piece(struct meta_reader *reader, struct meta_place piece, enum select select,
                           const struct meta_entry *entry)
{
    bool is_bundle = (entry->action.flags & MARK_BUNDLE) != 0;

    if (piece.bytes == 0)
        return ERR_OK;
    if (piece.is_code && entry->granule_column != 0)
        return meta_fail(reader, entry->granule_column,
                         "'granule' is for data, and %s is code", entry->where.token.text);
    if (!piece.is_code && (entry->action.flags & (MARK_BUNDLE | MARK_ALARM)) != 0)
        return meta_fail(reader, entry->flags_column, "'%s' is for code, and %s is data",
                         is_bundle ? "bundle" : "alarm", entry->where.token.text);
    if (is_bundle)
        widen_to_bundles(&piece);
    piece.bytes = (entry->action.flags & MARK_ALARM) != 0 ? 1 : piece.bytes;   /* its start */
    return piece.is_code ? mark_code(reader, &piece, select, &entry->action)
                         : add_mark(reader, &piece, &entry->action);
}

/* ---- forms of WHERE -------------------------------------------------------------------------- */

void meta_place_quoted(const struct meta_reader *reader, struct meta_where *where)
{
    struct meta_place symbol;

    if (where->kind == WHERE_SYMBOL && where->token.quoted != 0 &&
        where->token.quoted == strlen(where->token.text) &&
        find_symbols(reader, where->name, &symbol, 1) == 0)
        meta_parse_unquoted(where);
}

/* The part of `whole` from `offset` on that the length selects. */
static enum err cut(const struct meta_reader *reader, const struct meta_where *where,
                    const struct meta_length *length, const struct meta_place *whole,
                    const char *name, struct meta_place *place)
{
    uint64_t offset = where->number, rest = whole->bytes - offset;

    if (offset > whole->bytes)
        return meta_fail(reader, where->number_column,
                         "offset 0x%llx is outside of %s (0x%llx bytes)",
                         (unsigned long long)offset, name, (unsigned long long)whole->bytes);
    if (!length->is_whole && length->bytes > rest)
        return meta_fail(reader, length->column,
                         "length %llu reaches past the end of %s (0x%llx bytes)",
                         (unsigned long long)length->bytes, name,
                         (unsigned long long)whole->bytes);
    place->address = whole->address + offset;
    place->bytes = length->is_whole ? rest : length->bytes;
    place->is_code = whole->is_code;
    return ERR_OK;
}

/* A symbol without a size (a label in assembly) ends with its section, and has no `*`. */
static enum err cut_symbol(struct meta_reader *reader, const struct meta_where *where,
                           const struct meta_length *length, struct meta_place whole,
                           struct meta_place *place)
{
    struct meta_place section;

    if (whole.bytes == 0 && length->is_whole)
        return meta_fail(reader, length->column,
                         "'%s' has no size in the program: expected a number of bytes",
                         where->name);
    if (whole.bytes == 0 && meta_section_at(reader, whole.address, &section))
        whole.bytes = section.address + section.bytes - whole.address;
    return cut(reader, where, length, &whole, where->name, place);
}

static enum err place_symbol(struct meta_reader *reader, const struct meta_where *where,
                             const struct meta_length *length, struct meta_place *place)
{
    struct meta_place whole;
    size_t count = find_symbols(reader, where->name, &whole, 1);

    if (count == 0)
        return fail_name(reader, where->token.column, "symbol", reader->resolver->symbol,
                         where->name);
    if (count > 1)
        return meta_fail(reader, where->token.column, "'%s' means %zu functions; expected one",
                         where->name, count);
    return cut_symbol(reader, where, length, whole, place);
}

static enum err place_address(struct meta_reader *reader, const struct meta_where *where,
                              const struct meta_length *length, struct meta_place *place)
{
    struct meta_place section;

    if (length->is_whole)
        return meta_fail(reader, length->column,
                         "an address has no length of its own: expected a number of bytes");
    if (length->bytes > UINT32_MAX)
        return meta_fail(reader, length->column, "expected at most 4 GiB from an address");
    if (where->number + length->bytes < where->number)
        return meta_fail(reader, length->column, "these bytes end past the last address");
    reader->is_unknown = !meta_section_at(reader, where->number, &section);
    reader->is_of_other = key_program(where->number) != 0;
    *place = (struct meta_place){where->number, length->bytes,
                                 !reader->is_unknown && section.is_code};
    return ERR_OK;
}

enum err meta_place_range(struct meta_reader *reader, const struct meta_where *where,
                          const struct meta_length *length, struct meta_place *place)
{
    switch (where->kind) {
    case WHERE_OFFSET:
        return cut(reader, where, length, &reader->section, reader->section_name, place);
    case WHERE_ADDRESS:
        return place_address(reader, where, length, place);
    case WHERE_SYMBOL:
        return place_symbol(reader, where, length, place);
    default:
        return meta_fail(reader, where->token.column,
                         "'%s' is not one piece of memory: expected an offset, symbol or address",
                         where->token.text);
    }
}

static enum err place_line(struct meta_reader *reader, const struct meta_entry *entry)
{
    struct meta_place piece[LINE_PIECES_MAX];
    const struct meta_resolver *resolver = reader->resolver;
    const struct meta_where *where = &entry->where;
    enum err err = ERR_OK;
    size_t count;

    reader->is_unknown = resolver->line == NULL ||
                         resolver->line(resolver->arg, where->name, 0, piece, 1) == 0;
    if (reader->is_unknown)
        return meta_fail(reader, where->token.column,
                         "the program has no line numbers for '%s' (is it compiled with -g?)",
                         where->name);
    count = resolver->line(resolver->arg, where->name, (unsigned)where->number, piece,
                           LINE_PIECES_MAX);
    for (size_t i = 0; i < count && i < LINE_PIECES_MAX && err == ERR_OK; i++)
        err = mark_piece(reader, piece[i], SELECT_ALL, entry);
    return err;
}

static enum err place_everywhere(struct meta_reader *reader, const struct meta_entry *entry,
                                 enum select select)
{
    name_function *names = reader->resolver->section;
    struct meta_place section;
    enum err err = ERR_OK;

    for (size_t i = 0; names != NULL && names(reader->resolver->arg, i, &section) != NULL; i++)
        if (section.is_code && err == ERR_OK)
            err = mark_piece(reader, section, select, entry);
    return err;
}

/* Marks the calls or branches of a function; in a group, functions without a size are left out. */
static enum err mark_group(struct meta_reader *reader, const struct meta_entry *entry,
                           const struct meta_place *function, bool is_one)
{
    const struct meta_where *where = &entry->where;

    if (function->is_code && function->bytes != 0)
        return mark_piece(reader, *function,
                          where->kind == WHERE_CALLS ? SELECT_CALLS : SELECT_BRANCHES, entry);
    if (!is_one)
        return ERR_OK;
    return meta_fail(reader, where->number_column, "'%s' is %s", where->name,
                     function->is_code ? "a function without a size" : "no function");
}

/* Marks one of the symbols of the entry. */
static enum err mark_symbol(struct meta_reader *reader, const struct meta_entry *entry,
                            const struct meta_place *symbol, bool is_one)
{
    struct meta_place place;
    enum err err;

    if (entry->where.kind != WHERE_SYMBOL)
        return mark_group(reader, entry, symbol, is_one);
    if (!is_one && symbol->bytes == 0 && entry->length.is_whole)
        return ERR_OK;
    err = cut_symbol(reader, &entry->where, &entry->length, *symbol, &place);
    return err == ERR_OK ? mark_piece(reader, place, SELECT_ALL, entry) : err;
}

/* Marks all places of SYMBOL, calls(FUNCTION), branches(FUNCTION). */
static enum err place_names(struct meta_reader *reader, const struct meta_entry *entry)
{
    const struct meta_where *where = &entry->where;
    bool is_symbol = where->kind == WHERE_SYMBOL;
    struct meta_place first, *all;
    size_t count = find_symbols(reader, where->name, &first, 1);
    enum err err = ERR_OK;

    if (count == 0)
        return fail_name(reader, is_symbol ? where->token.column : where->number_column,
                         is_symbol ? "symbol" : "function", reader->resolver->symbol, where->name);
    if (count == 1)
        return mark_symbol(reader, entry, &first, true);
    all = calloc(count, sizeof *all);
    if (all == NULL)
        return diag_no_memory(reader->diag, "metadata");
    count = find_symbols(reader, where->name, all, count);
    for (size_t i = 0; i < count && err == ERR_OK; i++)
        err = mark_symbol(reader, entry, &all[i], false);
    free(all);
    return err;
}

enum err meta_place_entry(struct meta_reader *reader, const struct meta_entry *entry)
{
    const struct meta_where *where = &entry->where;
    bool is_listed = where->kind == WHERE_LINE || where->kind == WHERE_CALLS ||
                     where->kind == WHERE_BRANCHES;
    struct meta_place place;
    enum err err;

    if (is_listed && !entry->length.is_whole)
        return meta_fail(reader, entry->length.column, "the length of '%s' must be *",
                         where->token.text);
    if (where->kind == WHERE_LINE)
        return place_line(reader, entry);
    if (is_listed && strcmp(where->name, "*") == 0)
        return place_everywhere(reader, entry,
                                where->kind == WHERE_CALLS ? SELECT_CALLS : SELECT_BRANCHES);
    if (is_listed || where->kind == WHERE_SYMBOL)
        return place_names(reader, entry);
    err = meta_place_range(reader, where, &entry->length, &place);
    if (err == ERR_OK && meta_waits_for_code(reader)) {
        reader->meta->late_bytes += place.bytes;
        return ERR_OK;
    }
    return err == ERR_OK ? mark_piece(reader, place, SELECT_ALL, entry) : err;
}
