/* How a profile was sampled, and its samples one by one: `rvsim record`. */
#ifndef PROF_PROFILE_SAMPLES_H
#define PROF_PROFILE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One interrupt of the monitor. */
struct profile_sample {
    uint64_t cycle;                 /* of its hart, since measurement began */
    uint32_t hart;
    uint32_t thread;                /* that the hart ran; 0: nobody's, or there was one alone */
    size_t record;                  /* in profile->record: where it was, and its stack */
};

struct profile_sampling {
    const char *event;              /* "cycles"; "marks": what is marked interrupts */
    uint64_t period;                /* occurrences between two samples; of marks 0 */
    bool has_stacks;
    struct profile_sample *sample;  /* [samples] as they came; none with a monitor on the machine,
                                       which keeps sums only */
    size_t samples;
};

#endif
