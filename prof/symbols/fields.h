/* The fields of a program's data: members of structures and elements of arrays, from DWARF (libdw).
 *
 * Each variable with an address of its own is a tree of parts (accesses_part), for the table of
 * accesses. All elements of an array are one part, "table[].next". Members that share bytes, in a
 * union or as neighbouring bit-fields, cannot be told apart by address and are one part, "(a|b)";
 * members of base classes and of anonymous structures are those of the structure around them.
 * Left out: variables without debug information, and what has no fixed address (the heap, the
 * stack, thread-local data). Beyond a million parts the rest is not divided. */
#ifndef PROF_SYMBOLS_FIELDS_H
#define PROF_SYMBOLS_FIELDS_H

#include "pmu/exact/accesses.h"
#include "prof/symbols/symbols.h"

struct fields_root { uint64_t address; uint32_t part; };

struct fields {
    struct accesses_part *part;         /* [parts] part[0] stands for none */
    char **name;                        /* [parts] "table[].next" */
    size_t parts;
    struct fields_root *root;           /* [roots] variables, by address */
    size_t roots;
};

/* Without debug information there are no roots, which is no error. The caller frees, after an error
 * too. */
enum err fields_read(struct fields *fields, const struct symbols *symbols, struct diag *diag);
void fields_free(struct fields *fields);

/* The part that is the whole variable at an address; 0: none begins there. */
uint32_t fields_root_at(const struct fields *fields, uint64_t address);
/* True for the bytes of a structure that are no member's. */
bool fields_is_padding(const struct fields *fields, uint32_t part);

#endif
