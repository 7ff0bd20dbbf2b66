/* The sampling of a profile, and its samples one by one. */
#ifndef PROF_PROFILE_PROFILE_SAMPLES_H
#define PROF_PROFILE_PROFILE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_SAMPLES_MARKS "marks"   /* in place of an event: marks interrupt */

/* One interrupt of the monitor. */
struct profile_sample {
    uint64_t cycle;                 /* of its hart, since measurement began */
    uint32_t hart;
    uint32_t thread;                /* thread that the hart ran; 0: none, or there was only one */
    size_t record;                  /* index in profile->record: its place and stack */
};

struct profile_sampling {
    const char *event;              /* of the PMU, or PROFILE_SAMPLES_MARKS */
    uint64_t period;                /* occurrences between two samples; 0 for marks */
    bool has_stacks;
    struct profile_sample *sample;  /* [samples] in order of arrival, of `rvsim record`; none with
                                     * a monitor on the machine, which stores only sums */
    size_t samples;
};

#endif
