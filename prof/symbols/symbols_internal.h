/* Shared by the files of symbols. */
#ifndef PROF_SYMBOLS_SYMBOLS_INTERNAL_H
#define PROF_SYMBOLS_SYMBOLS_INTERNAL_H

#include "prof/symbols/symbols.h"

struct Elf;
struct Dwarf;

struct symbols_table {
    struct symbols_entry *entry;    /* by address; of equal ones the best name last */
    uint64_t *end;                  /* [entries] the largest end of entry[0..i] */
    size_t entries;
    const char **link_name;         /* [entries] */
    char **readable;                /* [entries] from malloc; NULL: the name is the linker's */
    uint32_t (*hash)[2];            /* [entries] of the linker's name and of the readable one,
                                     * without blanks */
    symbols_list *list;             /* NULL: the table is complete */
    uint64_t from, to;              /* span of all entries; with list */
};

struct symbols {
    struct symbols_table *table;    /* read through symbols_table */
    struct symbols_source *source;
    bool (*code)(void *arg, uint64_t address, void *bytes, size_t count);
    void *arg;
    unsigned xlen;
    const char *object, *of;
    uint64_t bias;                  /* of addresses in DWARF */
    const struct symbols **module;  /* [modules] libraries */
    size_t modules;
    const struct symbols *beside;   /* NULL: none */
};

/* Source lines, read when the first one is asked for. */
struct symbols_source {
    uint8_t *file;                  /* the program's, which must live as long; NULL: no lines */
    size_t file_bytes;
    bool is_read;
    struct symbols_line *line;      /* by address, not overlapping */
    size_t lines;
    struct symbols_line *head;      /* rows without code, at which code of another file begins */
    size_t heads;
    struct symbols_path { const char *raw; char *plain; } *path;
    size_t paths;
    struct Elf *elf;                /* own the names of files */
    struct Dwarf *dwarf;
};

/* The table with all entries, which the first call completes. */
const struct symbols_table *symbols_table(const struct symbols *symbols);
/* The last start of an entry at or below the address; 0: none, or all end below it. */
uint64_t symbols_start_below(const struct symbols *symbols, uint64_t address);

/* In symbols_find.c: makes the readable names. False: no memory. */
bool symbols_demangle(const struct symbols *symbols);
void symbols_free_names(struct symbols_table *table);

/* In symbols_line.c: makes symbols->source. dwarf: of the program; NULL: it has none. */
enum err symbols_have_lines(struct symbols *symbols, const struct symbols_program *program,
                            struct diag *diag);
struct Dwarf *symbols_dwarf(const struct symbols *symbols);
void symbols_free_lines(struct symbols *symbols);

#endif
