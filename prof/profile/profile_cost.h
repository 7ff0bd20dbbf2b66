/* The oracle profile (pmu/exact/oracle.h) of a run, all harts together; of all threads, and of
 * each. */
#ifndef PROF_PROFILE_PROFILE_COST_H
#define PROF_PROFILE_PROFILE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code of threads that the oracle had no room to separate. */
#define PROFILE_OTHER_THREADS UINT32_MAX

/* An event of an instruction. */
struct profile_cost_event {
    size_t event;                   /* its index in profile->event_name */
    uint64_t count;
};

/* The true cycles of an instruction, and its events. */
struct profile_cost {
    uint64_t address;
    uint32_t thread;                /* number as of gettid, or PROFILE_OTHER_THREADS; 0: no thread;
                                     * in profile->cost, where an element stands for all threads,
                                     * 0 */
    bool is_monitor;                /* of the resident monitor: no address of the program */
    bool is_transfer;               /* a branch or jump: the last three fields are valid */
    uint64_t count;                 /* commits */
    uint64_t units;                 /* time, in 1/units_per_cycle */
    uint64_t taken, mispredicted;
    uint64_t lost;                  /* units charged to it for its mispredictions */
    struct profile_cost_event *event;   /* [events] by place; none is 0 */
    size_t events;
};

struct profile;

/* Sorts profile->thread_cost, in any order and from any number of harts, by thread, monitor,
 * address, and joins equal elements; the sums over threads become profile->cost. With a single
 * thread thread_cost becomes empty. False: no memory. */
bool profile_sum_costs(struct profile *profile);

/* Sum of a thread in thread_cost. */
struct profile_cost_sum { uint32_t thread; uint64_t count, units; };
/* Sums by thread; *sums: their number. NULL: no memory, or no threads. The caller frees. */
struct profile_cost_sum *profile_thread_sums(const struct profile *profile, size_t *sums);

#endif
