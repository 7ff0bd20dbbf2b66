/* The exact call tree of a run (pmu/exact/calls.h), all harts together. */
#ifndef PROF_PROFILE_PROFILE_CALLS_H
#define PROF_PROFILE_PROFILE_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/* A routine with one particular stack above it, of the exact call tree (pmu/exact/calls.h). */
struct profile_call {
    uint64_t routine;               /* its first address; for a trap a number that is no address */
    unsigned kind;                  /* CALLS_* */
    size_t parent;                  /* call[0] is above all roots */
    uint64_t calls, instructions, units;    /* entries; the routine's own instructions and units */
    const char *name;               /* of a system call; NULL: unknown, or not a system call */
};
/* Entries of a routine from one site; inclusive. */
struct profile_edge {
    uint64_t site, routine;
    unsigned kind;
    uint64_t calls, instructions, units;
};

/* The number of entries of a routine: by calls, by jumps from other routines, by traps. */
uint64_t profile_entered(const struct profile *profile, uint64_t routine);

#endif
