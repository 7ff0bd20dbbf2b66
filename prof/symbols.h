/* Addresses of a program as people name them: functions, objects, source lines.
 *
 * Symbols come from the loader of the program; lines are read here from its DWARF (libdw). Without
 * debug information there are no lines, which is no error. Everything returned lives as long as the
 * struct. Names are those that people write: of C++ and Rust they are demangled. */
#ifndef PROF_SYMBOLS_H
#define PROF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

struct symbols;

struct symbols_entry {
    const char *name;               /* given as the linker has it, returned as people write it */
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
    const char *object;             /* the path of the file, or another name; stays the caller's */
};

enum err symbols_new(struct symbols **out, const struct symbols_program *program,
                     struct diag *diag);
void symbols_free(struct symbols *symbols);     /* NULL is allowed */
/* Code beside the program, such as its kernel's: what lies at an address that `symbols` has nothing
 * for is told by `beside`, which must live as long. Names are looked for in the program only. */
void symbols_set_beside(struct symbols *symbols, const struct symbols *beside);
/* A library that the program has loaded, which must live as long: what lies at its addresses is
 * told by it, and a name that the program does not have may be one of its own. False: no memory. */
bool symbols_add_module(struct symbols *symbols, const struct symbols *module);

/* The function (else the object) around an address, or NULL. Of several with one address, the one a
 * person would have written. */
const struct symbols_entry *symbols_at(const struct symbols *symbols, uint64_t address);
/* Routines of a name: the symbol that has it (blanks do not matter); else the C++ or Rust functions
 * that have it without parameters; else, with * ? [ in it, the functions that match. Fills up to
 * `max`, in order of address, each address once; returns how many there are. *is_group: the name
 * stands for all of these; else several share one name. */
size_t symbols_select(const struct symbols *symbols, const char *name,
                      const struct symbols_entry **entry, size_t max, bool *is_group);
/* The name that the linker has. */
const char *symbols_link_name(const struct symbols *symbols, const struct symbols_entry *entry);
/* The file whose code is at an address: the program (symbols_object), a library, "[kernel]"; NULL:
 * none is known. */
const char *symbols_object(const struct symbols *symbols);
const char *symbols_object_at(const struct symbols *symbols, uint64_t address);
/* Whether the symbol has this name, or one that matches the pattern: whole, or without
 * parameters. */
bool symbols_matches(const struct symbols *symbols, const struct symbols_entry *entry,
                     const char *pattern);
/* The symbol that a name means, the first of several with this name; NULL: none, or a group. */
const struct symbols_entry *symbols_find(const struct symbols *symbols, const char *name);
/* The functions that a name means, those that share it included. The caller frees; NULL: no memory.
 * *count 0: there is none. */
const struct symbols_entry **symbols_functions(const struct symbols *symbols, const char *name,
                                               size_t *count);
/* Why symbols_find() found no `what`: "no such function", "it means 2 functions". Returns text. */
enum { SYMBOLS_REASON = 64 };
const char *symbols_reason(const struct symbols *symbols, const char *name, const char *what,
                           char text[SYMBOLS_REASON]);
/* The function whose name is nearest to one that means nothing; NULL: none is near. */
const char *symbols_near(const struct symbols *symbols, const char *name);
/* diag's text was about `name`: adds "; did you mean X?" when one is near. Returns err. */
enum err symbols_suggest(const struct symbols *symbols, const char *name, enum err err,
                         struct diag *diag);
/* All, in order of address. */
size_t symbols_entries(const struct symbols *symbols, const struct symbols_entry **first);

/* The line of an instruction, or NULL. */
const struct symbols_line *symbols_line_at(const struct symbols *symbols, uint64_t address);
/* The file that a routine is written in, of its first address; NULL: nobody knows. Its code may
 * begin with another file's, which was inlined. */
const char *symbols_file_of(const struct symbols *symbols, uint64_t routine);
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
/* The address of the call a return address belongs to; of an odd one, which stands for what a
 * signal interrupted, the even one below. */
uint64_t symbols_call_site(const struct symbols *symbols, uint64_t return_address);

/* "sort+0x1c", "sort", or "0x80000010" where nothing is known. Returns text. */
enum { SYMBOLS_TEXT = 4096 };
const char *symbols_describe(const struct symbols *symbols, uint64_t address,
                             char text[SYMBOLS_TEXT]);
/* "sort.c:42", or "" where nothing is known. Returns text. */
const char *symbols_describe_line(const struct symbols *symbols, uint64_t address,
                                  char text[SYMBOLS_TEXT]);

#endif
