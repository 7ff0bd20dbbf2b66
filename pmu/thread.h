/* The thread a hart runs, as its scheduler says (CSR_PROF_THREAD), and who is told of it. */
#ifndef PMU_THREAD_H
#define PMU_THREAD_H

#include <stdint.h>

struct pmu_thread {
    uint64_t id;
    /* Told of every write, after events[] holds all that happened before it; NULL: nobody. */
    void (*changed)(void *arg, uint64_t before, uint64_t now);
    void *arg;
};

#endif
