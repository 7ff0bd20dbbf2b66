/* The store queue's state; see store_queue.c. */
#ifndef SIM_CORE_LSU_STORE_QUEUE_H
#define SIM_CORE_LSU_STORE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct store {
    uint64_t seq, pa, value, data_ready;
    uint8_t bytes;
    bool is_issued, is_committed;
    bool is_half_written;           /* the store crosses lines, and its first line is written */
    bool is_written;                /* the data cache already has the store */
    bool is_fp;                     /* data come from an FP register */
    bool is_filling;               /* the store missed, and stays until its line arrives (port.h) */
    uint64_t drains_at;             /* committed: cycle from which the cache may take it */
    uint64_t violator;              /* oldest load that wrongly passed this store; NEVER = none */
    uint64_t pc;
    uint64_t va;
    uint64_t issued_at;             /* if loads search late: its address; and when it leaves the */
    uint64_t pops_at;               /* queue for the write buffer; NEVER: not known */
    uint64_t pops_from;             /* of a model: cycle from which it may */
    uint64_t entry;                 /* of the write queue, once it has moved there */
    bool is_waited_for;             /* by loads, until it leaves the queue */
    bool is_awaited;                /* by thresholds of its marks: profile/awaited.h */
};

enum { STORE_HASH = 256 };

/* A ring numbered like the instructions: head <= commit <= tail. */
struct store_queue {
    struct store *store;
    uint64_t mask;                  /* number of slots, a power of two, minus one */
    uint32_t places;                /* largest number in use */
    uint64_t head, tail;            /* head: oldest not drained; tail: next to allocate */
    uint64_t drain_from;            /* until then a missing store holds the others */
    uint64_t commit;                /* next to commit */
    uint64_t unissued;              /* every store before this number has issued */
    uint16_t hash[STORE_HASH];      /* number of queued stores touching a granule */
};

#endif
