/* The states of each hart and thread of a program under the guest kernel over time, with the
 * reasons of waits. */
#ifndef PROF_PROFILE_PROFILE_THREADS_H
#define PROF_PROFILE_PROFILE_THREADS_H

#include <stddef.h>
#include <stdint.h>

enum profile_thread_state {
#define THREAD_STATE(id, name, meaning) PROFILE_THREAD_##id,
#include "prof/profile/thread_state.def"
    PROFILE_THREAD_STATES
};

/* A span ends where the next span of its track begins. */
struct profile_span {
    uint64_t end;                   /* cycles since measurement began; they rise */
    uint64_t changes;               /* number of spans merged into this one; 1: it is exact */
    uint64_t cycles[PROFILE_THREAD_STATES];     /* exact: all cycles are in one state */
    uint32_t who;                   /* exact: the hart that runs a thread, or the reverse */
};

/* The track of a hart or of a thread. The sums are exact; only spans are merged. */
struct profile_track {
    uint32_t number;                /* number of the hart; of the thread, as gettid returns it */
    uint64_t begin;                 /* of its first span */
    uint64_t cycles[PROFILE_THREAD_STATES];     /* of all spans */
    uint64_t switches, preempted, migrations, waits, waited, longest_wait;  /* as in sched.h */
    struct profile_span *span;
    size_t spans;
};

struct profile_threads {
    uint64_t cycles;                /* of the measurement */
    uint64_t grain;                 /* cycles: shorter neighbours may be merged; 0: none are */
    struct profile_track *hart, *thread;        /* threads by number */
    size_t harts, threads;
    uint64_t left_out;              /* number of threads without a track: those that ran least */
};

#endif
