/* The code of a program cut into units - functions, pages or modules - that tools mark one at a
 * time.
 *
 * Every instruction of the code sections of the program, and of the libraries that the target has
 * when the units are made, belongs to one unit. Code outside all functions is divided by pages for
 * every cut. A module is the code of one source file; code without line information is one module
 * of its own for each file. */
#ifndef SIM_CLI_TOOL_UNITS_H
#define SIM_CLI_TOOL_UNITS_H

#include <stdio.h>

#include "sim/host/target.h"

enum units_by { UNITS_FUNCTION, UNITS_PAGE, UNITS_MODULE };
enum { UNITS_PAGE_BYTES = 4096 };

struct unit {
    char name[SYMBOLS_TEXT];
    const char *link_name;      /* of a function: its name in metadata; else NULL */
    uint64_t start;             /* of its first instruction */
    size_t insns;
    size_t first, end;          /* its instructions are among these of units->insn */
    bool is_function;           /* its name belongs to exactly one function of the program */
};

/* traps: ecall or ebreak, which its mark counts although it never retires. */
struct units_insn { uint64_t address; uint32_t unit; uint8_t bytes; bool traps; };

struct units {
    enum units_by by;
    struct unit *unit;          /* in order of their first instruction */
    size_t count;
    struct units_insn *insn;    /* in order of address */
    size_t insns;
};

enum { UNITS_NONE = -1 };

/* units_free is due afterwards, also after an error. */
enum err units_make(struct units *units, struct target *target, enum units_by by,
                    struct diag *diag);
void units_free(struct units *units);
/* "function", "page", "module". */
const char *units_by_name(enum units_by by);
/* The unit of the instruction at an address, or UNITS_NONE. */
long units_at(const struct units *units, uint64_t address);
/* Of `count` executions of the instruction at an address, the number that retired. */
uint64_t units_retired(const struct units *units, uint64_t address, uint64_t count);
/* Writes lines of a metadata file that give every instruction of a unit these flags. */
void units_mark(const struct units *units, size_t unit, const char *flags, FILE *out);
/* The same by addresses, which are quick to read. */
void units_mark_code(const struct units *units, size_t unit, const char *flags, FILE *out);

#endif
