/* The code of a program cut into units - functions, pages or modules - that tools mark one at a
 * time.
 *
 * Every instruction of the code sections of the program, and of the libraries that the target has
 * when the units are made, belongs to one unit. Code that no function's
 * symbol covers goes by pages, whatever the cut. A module is what one source file became; code
 * without line information is one module of its own. */
#ifndef SIM_CLI_UNITS_H
#define SIM_CLI_UNITS_H

#include <stdio.h>

#include "sim/host/target.h"

enum units_by { UNITS_FUNCTION, UNITS_PAGE, UNITS_MODULE };
enum { UNITS_PAGE_BYTES = 4096 };

struct unit {
    char name[SYMBOLS_TEXT];
    const char *link_name;      /* of a function: its name in metadata; else NULL */
    uint64_t start;             /* of its first instruction */
    size_t insns;
    size_t first, end;          /* all of them are among these of units->insn */
    bool is_function;           /* its name is that of one function of the program only */
};

/* traps: ecall or ebreak, which its mark counts though it never retires. */
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
/* The number of `count` executions of the instruction at an address that retired. */
uint64_t units_retired(const struct units *units, uint64_t address, uint64_t count);
/* Lines of a metadata file that give every instruction of a unit these flags. */
void units_mark(const struct units *units, size_t unit, const char *flags, FILE *out);

#endif
