/* The exact call tree of a run (pmu/calls.h), all harts together. */
#ifndef PROF_PROFILE_CALLS_H
#define PROF_PROFILE_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/* A routine with one stack above it, of the exact call tree (pmu/calls.h). */
struct profile_call {
    uint64_t routine;               /* its first address; of a trap a number that no address is */
    unsigned kind;                  /* CALLS_* */
    size_t parent;                  /* call[0] is above all roots */
    uint64_t calls, instructions, units;    /* entries; of its own */
    const char *name;               /* of a system call; NULL: not known, or none */
};
/* Entries of a routine from one place; inclusive. */
struct profile_edge {
    uint64_t site, routine;
    unsigned kind;
    uint64_t calls, instructions, units;
};

/* How often a routine was entered: by calls, by jumps from other routines, by traps. */
uint64_t profile_entered(const struct profile *profile, uint64_t routine);

#endif
