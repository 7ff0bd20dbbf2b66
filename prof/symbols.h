/* Addresses of a program as people name them: functions, objects, source lines.
 *
 * Symbols come from whoever loaded the program; lines are read here from its DWARF (libdw). Without
 * debug information there are no lines, which is no error. Everything returned lives as long as the
 * struct. Names are raw: C++ names stay mangled. */
#ifndef PROF_SYMBOLS_H
#define PROF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

struct symbols;

struct symbols_entry {
    const char *name;
    uint64_t address, bytes;
    bool is_function;
};

/* A piece of code that belongs to one source line. */
struct symbols_line {
    uint64_t address, end;
    const char *file;               /* as the compiler was told, with directories if it knew them */
    unsigned line;
};

struct symbols_program {
    struct symbols_entry *entry;    /* in any order; all stays the caller's */
    size_t entries;
    uint8_t *file;                  /* the ELF file, for its DWARF; NULL: no lines */
    size_t file_bytes;
    uint64_t bias;                  /* already added to entries; added to lines here */
    /* Code bytes as the program starts with; false when there are none. NULL: no code. */
    bool (*code)(void *arg, uint64_t address, void *bytes, size_t count);
    void *arg;
    unsigned xlen;                  /* 32, else 64 */
};

enum err symbols_new(struct symbols **out, const struct symbols_program *program,
                     struct diag *diag);
void symbols_free(struct symbols *symbols);     /* NULL is allowed */

/* The function (else the object) around an address, or NULL. Of several with one address, the one a
 * person would have written. */
const struct symbols_entry *symbols_at(const struct symbols *symbols, uint64_t address);
const struct symbols_entry *symbols_find(const struct symbols *symbols, const char *name);
/* All, in order of address. */
size_t symbols_entries(const struct symbols *symbols, const struct symbols_entry **first);

/* The line of an instruction, or NULL. */
const struct symbols_line *symbols_line_at(const struct symbols *symbols, uint64_t address);
/* All pieces, in order of address. */
size_t symbols_lines(const struct symbols *symbols, const struct symbols_line **first);
/* Whether `file` of the debug information is the one called `name`: equal, or equal from a
 * directory's name on. */
bool symbols_is_file(const char *file, const char *name);
/* The last component of a path. */
const char *symbols_base_name(const char *path);

bool symbols_code(const struct symbols *symbols, uint64_t address, void *bytes, size_t count);
unsigned symbols_xlen(const struct symbols *symbols);
/* The instruction at an address; false: no code there. */
struct insn;
bool symbols_insn(const struct symbols *symbols, uint64_t address, struct insn *insn);
/* The address of the call a return address belongs to. */
uint64_t symbols_call_site(const struct symbols *symbols, uint64_t return_address);

/* "sort+0x1c", "sort", or "0x80000010" where nothing is known. Returns text. */
enum { SYMBOLS_TEXT = 160 };
const char *symbols_describe(const struct symbols *symbols, uint64_t address,
                             char text[SYMBOLS_TEXT]);
/* "sort.c:42", or "" where nothing is known. Returns text. */
const char *symbols_describe_line(const struct symbols *symbols, uint64_t address,
                                  char text[SYMBOLS_TEXT]);

#endif
