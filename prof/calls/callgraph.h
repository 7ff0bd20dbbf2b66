/* Callers and callees, from the stacks a monitor stored.
 *
 * Each record becomes a path of routines, leaf first. The interrupt comes after the marked
 * instruction, so a call's leaf is the routine just entered, and a return's leaf the routine just
 * left. A trap without a mark becomes a routine of its own, one for each cause, called by the
 * interrupted routine. At the return from a trap, its handler is the leaf, called by the trap.
 * Recursion stays visible: a routine may be its own caller. */
#ifndef PROF_CALLS_CALLGRAPH_H
#define PROF_CALLS_CALLGRAPH_H

#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

enum callgraph_kind {
    CALLGRAPH_ENTRY,        /* the first instruction of the routine was marked */
    CALLGRAPH_CALL,         /* a call to it */
    CALLGRAPH_RETURN,       /* a return from it */
    CALLGRAPH_INSIDE,       /* another instruction of it */
    CALLGRAPH_DATA,         /* data it touched */
    CALLGRAPH_TRAP,         /* an exception, an interrupt or a system call (PROF_REG_TRANSFERS) */
    CALLGRAPH_TRAP_RETURN,  /* the return from a trap */
};

/* One level of a stack. */
struct callgraph_frame {
    uint64_t routine;       /* its first address; an address in it if there is no symbol; for a trap
                             * a number that is no address */
    uint64_t address;       /* of the call; for the leaf, of the marked instruction */
};

struct callgraph_path {
    const struct profile_record *record;
    enum callgraph_kind kind;
    bool is_handler;                    /* a trap's return, whose leaf is the trap's handler */
    unsigned depth;
    struct callgraph_frame *frame;      /* [depth] leaf first */
};

/* Sums over paths with the same leaf, caller and kind. */
struct callgraph_caller {
    uint64_t routine, caller;           /* caller 0: none known */
    enum callgraph_kind kind;
    uint64_t interrupts, executions, cycles;
    uint64_t instructions;              /* of the program, since the last interrupt before each */
    uint64_t own;                       /* of the routine itself, in all its calls from the caller,
                                           by the exact call tree */
    bool has_own;                       /* the tree has such calls */
    uint64_t total;                     /* interrupts of the routine and kind, all callers */
};

struct callgraph {
    struct callgraph_path *path;
    size_t paths;
    struct callgraph_caller *caller;    /* by falling total, routine, kind, falling interrupts */
    size_t callers;
};

/* Numbers that are no address, in place of the callers that a walk did not reach: the stack was too
 * deep, or code on it was unknown. */
#define CALLGRAPH_TRUNCATED (UINT64_MAX - 1)
#define CALLGRAPH_BROKEN (UINT64_MAX - 2)

/* CALLGRAPH_TRUNCATED or _BROKEN; 0: the path reaches its root. */
uint64_t callgraph_cut(const struct callgraph_path *path);

enum err callgraph_build(struct callgraph *graph, const struct profile *profile,
                         const struct symbols *symbols, struct diag *diag);
void callgraph_free(struct callgraph *graph);

/* "entry", "call", ... */
const char *callgraph_kind_name(enum callgraph_kind kind);
/* The routine's name, or its address as text; for a trap its kind; "[truncated]", "[broken]".
 * Returns text or the name. */
const char *callgraph_name(const struct profile *profile, const struct symbols *symbols,
                           uint64_t routine, char text[SYMBOLS_TEXT]);

#endif
