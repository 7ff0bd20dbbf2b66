/* Names for addresses of a program: functions, objects, source lines.
 *
 * Symbols come from the loader of the program; lines are read here from its DWARF (libdw). Without
 * debug information there are no lines, which is no error. Returned pointers are valid as long as
 * the struct. Names of C++ and Rust are demangled. */
#ifndef PROF_SYMBOLS_SYMBOLS_H
#define PROF_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

struct symbols;

struct symbols_entry {
    const char *name;               /* input: the linker's name; output: demangled */
    uint64_t address, bytes;
    bool is_function;
    bool is_weak;                   /* an alias, if the address has another name */
};

/* A piece of code of one source line. */
struct symbols_line {
    uint64_t address, end;
    const char *file;               /* as given to the compiler, with directories if known */
    unsigned line;
};

/* Finds all entries of a program: an array from malloc, in any order. False: no memory. */
typedef bool symbols_list(void *arg, struct symbols_entry **entry, size_t *entries);

struct symbols_program {
    struct symbols_entry *entry;    /* in any order; all stays the caller's */
    size_t entries;
    /* Alternative to `entry`, if finding the entries takes long: called once, with `arg`, at the
     * first look-up of a name or of an address in [from, to). If it fails there are no entries.
     * NULL: `entry` has all. */
    symbols_list *list;
    uint64_t from, to;
    uint8_t *file;                  /* the ELF file, for its DWARF, read while there are symbols;
                                       NULL: no lines */
    size_t file_bytes;
    uint64_t bias;                  /* already added to entries; added to lines here */
    /* Code bytes at the start of the program; false: none there. NULL: no code. */
    bool (*code)(void *arg, uint64_t address, void *bytes, size_t count);
    void *arg;
    unsigned xlen;                  /* 32, else 64 */
    const char *object;             /* the path of the file, or another name; owned by the caller */
    const char *of;                 /* for files of another program than the first: the program's
                                     * name, appended to all names here ("main@sort"); else NULL */
};

enum err symbols_new(struct symbols **out, const struct symbols_program *program,
                     struct diag *diag);
void symbols_free(struct symbols *symbols);     /* NULL is allowed */
/* Adds code outside the program, such as its kernel's: `beside`, which must live as long, answers
 * for addresses that `symbols` does not have. Names are searched in the program only. */
void symbols_set_beside(struct symbols *symbols, const struct symbols *beside);
/* The same; NULL: none. */
const struct symbols *symbols_beside(const struct symbols *symbols);
/* Adds a library that the program has loaded, which must live as long: it answers for its
 * addresses, and for names that the program does not have. False: no memory. */
bool symbols_add_module(struct symbols *symbols, const struct symbols *module);

/* The function (else the object) that contains an address, or NULL. Of several with one address,
 * the one most likely written by a programmer. */
const struct symbols_entry *symbols_at(const struct symbols *symbols, uint64_t address);
/* Routines with a name: the symbol with it (ignoring blanks); else the C++ or Rust functions with
 * it, without parameters; else, if it has * ? [, the functions that match. FILE:NAME is a name in
 * this program or library. Fills in up to `max`, in order of address, each address once; returns
 * their number. *is_group: the name stands for all of these; otherwise several share it. */
size_t symbols_select(const struct symbols *symbols, const char *name,
                      const struct symbols_entry **entry, size_t max, bool *is_group);
/* The linker's name, without "@" and the program's name. */
const char *symbols_link_name(const struct symbols *symbols, const struct symbols_entry *entry);
/* The file with the code at an address: the program (symbols_object), a library, "[kernel]"; NULL:
 * unknown. */
const char *symbols_object(const struct symbols *symbols);
const char *symbols_object_at(const struct symbols *symbols, uint64_t address);
/* The program's name that is appended to all names here (symbols_program.of); NULL: none. */
const char *symbols_of_program(const struct symbols *symbols);
/* True if the symbol has this name, or matches the pattern: whole, or without parameters. */
bool symbols_matches(const struct symbols *symbols, const struct symbols_entry *entry,
                     const char *pattern);
/* The symbol with a name, the first of several; NULL: none, or a group. */
const struct symbols_entry *symbols_find(const struct symbols *symbols, const char *name);
/* The functions with a name, including all that share it. The caller frees; NULL: no memory. *count
 * 0: there is none. */
const struct symbols_entry **symbols_functions(const struct symbols *symbols, const char *name,
                                               size_t *count);
/* The reason why symbols_find() found no `what`: "no such function", "it means 2 functions".
 * Returns text. */
enum { SYMBOLS_REASON = 64 };
const char *symbols_reason(const struct symbols *symbols, const char *name, const char *what,
                           char text[SYMBOLS_REASON]);
/* The function with the name nearest to an unknown one, in the program or else in what was added to
 * it; NULL: none is near. */
const char *symbols_near(const struct symbols *symbols, const char *name);
/* Adds "; did you mean X?" to a diagnosis about `name` if a name is near. Returns err. */
enum err symbols_suggest(const struct symbols *symbols, const char *name, enum err err,
                         struct diag *diag);
/* All entries, in order of address. */
size_t symbols_entries(const struct symbols *symbols, const struct symbols_entry **first);

/* The line of an instruction, or NULL. */
const struct symbols_line *symbols_line_at(const struct symbols *symbols, uint64_t address);
/* The source file of a routine, by its first address; NULL: unknown. Its code may begin with
 * inlined code of another file. */
const char *symbols_file_of(const struct symbols *symbols, uint64_t routine);
/* All pieces, in order of address. */
size_t symbols_lines(const struct symbols *symbols, const struct symbols_line **first);
/* True if `file` of the debug information is the one called `name`: equal, or equal from the name
 * of a directory on. */
bool symbols_is_file(const char *file, const char *name);
/* The last component of a path. */
const char *symbols_base_name(const char *path);

bool symbols_code(const struct symbols *symbols, uint64_t address, void *bytes, size_t count);
unsigned symbols_xlen(const struct symbols *symbols);
/* The instruction at an address; false: no code there. */
struct insn;
bool symbols_insn(const struct symbols *symbols, uint64_t address, struct insn *insn);
/* The address of the call to which a return address belongs; for an odd one, which marks code
 * interrupted by a signal, the even address below. */
uint64_t symbols_call_site(const struct symbols *symbols, uint64_t return_address);

/* The address without the number of its program, if it is a key (pmu/key.h) of one of the
 * programs. */
uint64_t symbols_address(const struct symbols *symbols, uint64_t key);

/* Size of a text for a name and an offset; a name that is too long is cut and ends in "...". */
enum { SYMBOLS_TEXT = 4096 };
/* The name. Returns its length in the text. */
size_t symbols_name(const struct symbols_entry *entry, char text[SYMBOLS_TEXT]);
/* "sort+0x1c", "sort", or "0x80000010" if unknown. Returns text. */
const char *symbols_describe(const struct symbols *symbols, uint64_t address,
                             char text[SYMBOLS_TEXT]);
/* "sort.c:42", or "" if unknown. Returns text. */
const char *symbols_describe_line(const struct symbols *symbols, uint64_t address,
                                  char text[SYMBOLS_TEXT]);
/* A frame of a call stack, its leaf or a return address: the function, and the line as above. */
void symbols_describe_frame(const struct symbols *symbols, uint64_t pc, bool is_leaf,
                            char name[SYMBOLS_TEXT], char line[SYMBOLS_TEXT]);

#endif
