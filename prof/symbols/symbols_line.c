/* Source lines from DWARF: one table of pieces, sorted once, so that a lookup is a search without
 * library calls. See symbols.h. */
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "prof/symbols/symbols_internal.h"
#include "sim/base/array.h"

static bool append(struct symbols_line **list, size_t *count, const struct symbols_line *piece)
{
    struct symbols_line *line = array_grow(*list, *count, sizeof *line);

    if (line == NULL)
        return false;
    *list = line;
    (*list)[(*count)++] = *piece;
    return true;
}

static bool add_piece(const struct symbols *symbols, const struct symbols_line *piece)
{
    return append(&symbols->source->line, &symbols->source->lines, piece);
}

/* ---- names of files -------------------------------------------------------------------------- */

/* Removes "." and "x/..", so that a file has one name in all inclusions. */
static void simplify(char *path)
{
    char *to = path + (*path == '/'), *start = to;

    for (const char *from = to; *from != '\0';) {
        size_t length = strcspn(from, "/");
        bool is_up = length == 2 && memcmp(from, "..", 2) == 0;
        char *last = to;

        while (last > start && last[-1] != '/')
            last--;
        if (is_up && to > start && strncmp(last, "..", (size_t)(to - last)) != 0) {
            to = last > start ? last - 1 : start;
        } else if (length != 0 && !(length == 1 && *from == '.')) {
            if (to > start)
                *to++ = '/';
            memmove(to, from, length);
            to += length;
        }
        from += length + (from[length] == '/');
    }
    *to = '\0';
}

/* NULL: no memory, or no name. */
static const char *plain_path(const struct symbols *symbols, const char *raw)
{
    struct symbols_path *grown;
    char *plain;

    if (raw == NULL || (strstr(raw, "./") == NULL && strstr(raw, "//") == NULL))
        return raw;
    for (size_t i = symbols->source->paths; i-- > 0;)
        if (symbols->source->path[i].raw == raw)
            return symbols->source->path[i].plain;
    grown = array_grow(symbols->source->path, symbols->source->paths, sizeof *grown);
    if (grown == NULL)
        return NULL;
    symbols->source->path = grown;
    plain = strdup(raw);
    if (plain == NULL)
        return NULL;
    simplify(plain);
    symbols->source->path[symbols->source->paths++] = (struct symbols_path){raw, plain};
    return plain;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* False for code that the linker removed; it keeps its lines, at invalid addresses. */
static bool is_code(const struct symbols *symbols, uint64_t address)
{
    uint16_t half;

    return symbols->code == NULL || symbols->code(symbols->arg, address, &half, sizeof half);
}

/* The piece from row `index` to the next row. False: there is none. */
static bool piece_of(const struct symbols *symbols, Dwarf_Lines *rows, size_t index, uint64_t bias,
                     struct symbols_line *piece)
{
    Dwarf_Line *row = dwarf_onesrcline(rows, index), *next = dwarf_onesrcline(rows, index + 1);
    Dwarf_Addr from, to;
    bool is_end = true;
    int line = 0;

    if (row == NULL || next == NULL || dwarf_lineendsequence(row, &is_end) != 0 || is_end ||
        dwarf_lineaddr(row, &from) != 0 || dwarf_lineaddr(next, &to) != 0 || to <= from ||
        dwarf_lineno(row, &line) != 0 || line <= 0)
        return false;
    *piece = (struct symbols_line){.address = from + bias, .end = to + bias,
                                   .file = dwarf_linesrc(row, NULL, NULL), .line = (unsigned)line};
    return piece->file != NULL && is_code(symbols, piece->address);
}

/* Adds a row without code, at whose address another file's code begins: if a function starts with
 * inlined code, this is the function's own line. The end of the code before it, which has the same
 * address, is no such row. False: no memory. */
static bool add_head(const struct symbols *symbols, Dwarf_Lines *rows, size_t index, uint64_t bias)
{
    Dwarf_Line *row = dwarf_onesrcline(rows, index), *next = dwarf_onesrcline(rows, index + 1);
    const char *file = row != NULL ? dwarf_linesrc(row, NULL, NULL) : NULL;
    struct symbols_line head = {.address = 0};
    Dwarf_Addr from, to;
    bool is_end = true;
    int line = 0;

    if (file == NULL || next == NULL || dwarf_lineaddr(row, &from) != 0 ||
        dwarf_lineaddr(next, &to) != 0 || from != to || dwarf_lineno(row, &line) != 0 ||
        line <= 0 || dwarf_lineendsequence(row, &is_end) != 0 || is_end ||
        file == dwarf_linesrc(next, NULL, NULL))
        return true;
    head = (struct symbols_line){.address = from + bias, .end = from + bias,
                                 .file = plain_path(symbols, file), .line = (unsigned)line};
    return head.file != NULL &&
           append(&symbols->source->head, &symbols->source->heads, &head);
}

static bool read_unit(const struct symbols *symbols, Dwarf_Die *unit, uint64_t bias)
{
    struct symbols_line piece;
    Dwarf_Lines *rows;
    size_t count;

    if (dwarf_getsrclines(unit, &rows, &count) != 0)
        return true;
    for (size_t i = 0; i + 1 < count; i++) {
        if (!add_head(symbols, rows, i, bias))
            return false;
        if (!piece_of(symbols, rows, i, bias, &piece))
            continue;
        piece.file = plain_path(symbols, piece.file);
        if (piece.file == NULL || !add_piece(symbols, &piece))
            return false;
    }
    return true;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct symbols_line *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Sorts, removes overlaps, and joins neighbours of one line. */
static void tidy(const struct symbols *symbols)
{
    struct symbols_line *line = symbols->source->line;
    size_t kept = 0;

    if (symbols->source->lines == 0)
        return;
    qsort(line, symbols->source->lines, sizeof line[0], compare_pieces);
    for (size_t i = 1; i < symbols->source->lines; i++) {
        struct symbols_line *last = &line[kept];

        if (last->end > line[i].address)
            last->end = line[i].address;
        if (last->end == line[i].address && last->line == line[i].line &&
            strcmp(last->file, line[i].file) == 0)
            last->end = line[i].end;
        else if (last->end == last->address)
            *last = line[i];
        else
            line[++kept] = line[i];
    }
    symbols->source->lines = kept + 1;
}

enum err symbols_have_lines(struct symbols *symbols, const struct symbols_program *program,
                            struct diag *diag)
{
    symbols->source = calloc(1, sizeof *symbols->source);
    if (symbols->source == NULL)
        return diag_no_memory(diag, "source lines");
    symbols->source->file = program->file;
    symbols->source->file_bytes = program->file_bytes;
    return ERR_OK;
}

/* Reads the lines of all units. False: no memory. */
static bool read_units(const struct symbols *symbols)
{
    struct symbols_source *source = symbols->source;
    Dwarf_Off offset = 0, next;
    size_t header_bytes;

    source->dwarf = dwarf_begin_elf(source->elf, DWARF_C_READ, NULL);
    while (source->dwarf != NULL &&
           dwarf_nextcu(source->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;

        if (dwarf_offdie(source->dwarf, offset + header_bytes, &unit) != NULL &&
            !read_unit(symbols, &unit, symbols->bias))
            return false;
        offset = next;
    }
    return true;
}

/* The lines, read at the first look-up, as most runs need none. If memory does not suffice for all,
 * there are none. */
static const struct symbols_source *lines_of(const struct symbols *symbols)
{
    struct symbols_source *source = symbols->source;

    if (source->file == NULL || source->is_read)
        return source;
    source->is_read = true;
    if (elf_version(EV_CURRENT) != EV_NONE)
        source->elf = elf_memory((char *)source->file, source->file_bytes);
    if (source->elf != NULL && !read_units(symbols))
        source->lines = source->heads = 0;
    tidy(symbols);
    return source;
}

struct Dwarf *symbols_dwarf(const struct symbols *symbols)
{
    return lines_of(symbols)->dwarf;
}

void symbols_free_lines(struct symbols *symbols)
{
    struct symbols_source *source = symbols->source;

    if (source == NULL)
        return;
    if (source->dwarf != NULL)
        dwarf_end(source->dwarf);
    if (source->elf != NULL)
        elf_end(source->elf);
    for (size_t i = 0; i < source->paths; i++)
        free(source->path[i].plain);
    free(source->path);
    free(source->head);
    free(source->line);
    free(source);
}

const char *symbols_file_of(const struct symbols *symbols, uint64_t routine)
{
    const struct symbols_source *source = lines_of(symbols);
    const struct symbols_line *line = symbols_line_at(symbols, routine);

    for (size_t i = 0; i < symbols->modules && line == NULL; i++)
        if (symbols_line_at(symbols->module[i], routine) != NULL)
            return symbols_file_of(symbols->module[i], routine);
    for (size_t i = 0; i < source->heads; i++)
        if (source->head[i].address == routine)
            return source->head[i].file;
    return line != NULL ? line->file : NULL;
}

static bool is_up_to(const void *row, const void *address)
{
    const struct symbols_line *line = row;

    return line->address <= *(const uint64_t *)address;
}

const struct symbols_line *symbols_line_at(const struct symbols *symbols, uint64_t address)
{
    const struct symbols_source *source = lines_of(symbols);
    size_t place = sorted_place(source->line, source->lines, sizeof source->line[0], is_up_to,
                                &address);

    if (place != 0 && address < source->line[place - 1].end)
        return &source->line[place - 1];
    for (size_t i = 0; i < symbols->modules; i++) {
        const struct symbols_line *line = symbols_line_at(symbols->module[i], address);

        if (line != NULL)
            return line;
    }
    return symbols->beside != NULL ? symbols_line_at(symbols->beside, address) : NULL;
}

size_t symbols_lines(const struct symbols *symbols, const struct symbols_line **first)
{
    const struct symbols_source *source = lines_of(symbols);

    *first = source->line;
    return source->lines;
}
