/* The oracle profile (pmu/oracle.h) of a run, all harts together. */
#ifndef PROF_PROFILE_COST_H
#define PROF_PROFILE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event that happened to an instruction. */
struct profile_cost_event {
    size_t event;                   /* its place in profile->event_name */
    uint64_t count;
};

/* The true cycles of an instruction, and the events that happened to it. */
struct profile_cost {
    uint64_t address;
    bool is_monitor;                /* of the resident monitor: no address of the program */
    bool is_transfer;               /* a branch or jump: the last three are known */
    uint64_t count;                 /* commits */
    uint64_t units;                 /* time, in 1/units_per_cycle */
    uint64_t taken, mispredicted;
    uint64_t lost;                  /* units charged to it for its mispredictions */
    struct profile_cost_event *event;   /* [events] by place; none is 0 */
    size_t events;
};

#endif
