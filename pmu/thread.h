/* The thread a hart runs, as its scheduler says (CSR_PROF_THREAD), and its listener. */
#ifndef PMU_THREAD_H
#define PMU_THREAD_H

#include <stdint.h>

/* Cycles and instructions in each privilege (0 user, 1 supervisor, 3 machine), up to the last
 * change of it; waiting included. */
struct pmu_modes { uint64_t cycles[4], insns[4], since_cycles, since_insns; };

struct pmu_thread {
    struct pmu_modes modes;
    uint64_t id;
    /* Told of every write, after events[] holds all that happened before it; NULL: none. */
    void (*changed)(void *arg, uint64_t before, uint64_t now);
    void *arg;
};

#endif
