/* Source lines out of DWARF: one table of pieces, sorted once, so that looking up costs a search
 * and no library call. See symbols.h. */
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "prof/symbols_internal.h"

static bool add_piece(struct symbols *symbols, const struct symbols_line *piece)
{
    if (symbols->lines == symbols->line_capacity) {
        size_t capacity = symbols->line_capacity * 2 + 256;
        struct symbols_line *line = realloc(symbols->line, capacity * sizeof *line);

        if (line == NULL)
            return false;
        symbols->line = line;
        symbols->line_capacity = capacity;
    }
    symbols->line[symbols->lines++] = *piece;
    return true;
}

/* Code the linker threw away keeps its lines, at addresses where nothing is. */
static bool is_code(const struct symbols *symbols, uint64_t address)
{
    uint16_t half;

    return symbols->code == NULL || symbols->code(symbols->arg, address, &half, sizeof half);
}

/* The piece from row `index` to the next one. False: there is none. */
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

static bool read_unit(struct symbols *symbols, Dwarf_Die *unit, uint64_t bias)
{
    struct symbols_line piece;
    Dwarf_Lines *rows;
    size_t count;

    if (dwarf_getsrclines(unit, &rows, &count) != 0)
        return true;
    for (size_t i = 0; i + 1 < count; i++)
        if (piece_of(symbols, rows, i, bias, &piece) && !add_piece(symbols, &piece))
            return false;
    return true;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct symbols_line *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Sorted, without overlaps, neighbours of one line joined. */
static void tidy(struct symbols *symbols)
{
    struct symbols_line *line = symbols->line;
    size_t kept = 0;

    if (symbols->lines == 0)
        return;
    qsort(line, symbols->lines, sizeof line[0], compare_pieces);
    for (size_t i = 1; i < symbols->lines; i++) {
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
    symbols->lines = kept + 1;
}

enum err symbols_read_lines(struct symbols *symbols, const struct symbols_program *program,
                            struct diag *diag)
{
    Dwarf_Off offset = 0, next;
    size_t header_bytes;

    if (program->file == NULL || elf_version(EV_CURRENT) == EV_NONE)
        return ERR_OK;
    symbols->elf = elf_memory((char *)program->file, program->file_bytes);
    if (symbols->elf == NULL)
        return ERR_OK;
    symbols->dwarf = dwarf_begin_elf(symbols->elf, DWARF_C_READ, NULL);
    while (symbols->dwarf != NULL &&
           dwarf_nextcu(symbols->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;

        if (dwarf_offdie(symbols->dwarf, offset + header_bytes, &unit) != NULL &&
            !read_unit(symbols, &unit, program->bias))
            return diag_no_memory(diag, "source lines");
        offset = next;
    }
    tidy(symbols);
    return ERR_OK;
}

void symbols_free_lines(struct symbols *symbols)
{
    if (symbols->dwarf != NULL)
        dwarf_end(symbols->dwarf);
    if (symbols->elf != NULL)
        elf_end(symbols->elf);
    free(symbols->line);
}

const struct symbols_line *symbols_line_at(const struct symbols *symbols, uint64_t address)
{
    size_t low = 0, high = symbols->lines;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (symbols->line[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= symbols->line[low - 1].end)
        return symbols->beside != NULL ? symbols_line_at(symbols->beside, address) : NULL;
    return &symbols->line[low - 1];
}

size_t symbols_lines(const struct symbols *symbols, const struct symbols_line **first)
{
    *first = symbols->line;
    return symbols->lines;
}
