/* Marks and ranges with their counts, and the monitor's records of interrupts. */
#ifndef PROF_PROFILE_PROFILE_MARKS_H
#define PROF_PROFILE_PROFILE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "prof/profile/profile_share.h"

/* A marked instruction or datum with an own counter, or whose mark can interrupt. */
struct profile_mark {
    uint64_t address;
    uint32_t bytes;
    bool is_code;
    bool has_counter;
    const char *flags;              /* words of the metadata file, a space between them */
    unsigned label;                 /* 0 = none */
    uint32_t limit;                 /* of the counter; 0 = none */
    uint64_t count, interrupts;
    bool has_entered;               /* the count is of a part of the run: */
    uint64_t entered;               /* calls of the routine that begins here, in that part */
    struct profile_shares by_thread;
    const char *source;             /* "app.meta:4" */
};

struct profile_range {
    const char *name;               /* "I0", "D0" */
    const char *place;              /* as the metadata file called it */
    bool is_data;
    uint64_t start, end, entries;
    uint64_t executed;              /* of data: accesses */
    struct profile_shares by_thread;
};

/* A record of the monitor, for one instruction and call stack. */
struct profile_record {
    uint64_t address;               /* of the marked instruction */
    uint64_t data_address;          /* of the last data access */
    uint64_t interrupts;
    uint64_t executions;            /* executions for which these interrupts stand */
    uint64_t cycles;                /* sum of latencies */
    uint64_t instructions;          /* executed since the last interrupt, summed */
    bool is_data;
    unsigned kind;                  /* IND_KIND_*: reason of the interrupt */
    /* for a trap, and the return from one */
    unsigned trap;                  /* IND_KIND_EXCEPTION, _INTERRUPT, _SYSCALL; 0: no trap */
    uint32_t cause, number;         /* number of the system call, or 0 */
    const char *name;               /* of the system call; NULL: not known */
    struct profile_shares by_thread;
    unsigned walk;                  /* MONITOR_WALK_* */
    unsigned depth;
    uint64_t *stack;                /* [depth] interrupted pc, then return addresses, leaf first */
};

#endif
