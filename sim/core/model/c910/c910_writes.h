/* Stores between their leaving the store queue and the data cache (c910.drain_spare); see
 * c910_writes.c and c910_hurry.c. */
#ifndef SIM_CORE_MODEL_C910_C910_WRITES_H
#define SIM_CORE_MODEL_C910_C910_WRITES_H

#include <stdbool.h>
#include <stdint.h>

/* Entries at most; stores remembered in all, as an average per entry: a load finds others in the
 * cache. */
enum { WRITE_ENTRIES = 64, WRITE_ENTRY_STORES = 8 };
enum { DATA_TO_POP = 2 };       /* cycles until a store with its data may leave the queue */

struct known_lines;

/* Cycles in the store queue's time; NEVER: not yet. */
struct write_entry {
    uint64_t number;            /* counted from the first that was made */
    uint64_t block, bytes;      /* address / c910.merge_bytes; which of them it has */
    uint64_t made, sent;        /* sent: to the cache, or past it */
    uint64_t there;             /* until then it is in use */
    uint64_t held;              /* a store joins it: not written in this cycle */
    uint64_t hurried;           /* it has to be written soon, from this cycle on */
    bool asks;                  /* for its line, which is not there */
    const struct known_lines *missed_in;        /* its line was not in this cache, or NULL, */
    uint64_t fills;                             /* when so many lines had come there */
};

/* Stores that fill consecutive blocks. */
struct write_run {
    uint64_t block, bytes;      /* of the last store, and its bytes filled */
    uint32_t filled;            /* blocks, since the run began or broke */
    uint32_t level;             /* breaks from which it goes on; 0: no run */
};

struct c910_writes {
    struct write_entry entry[WRITE_ENTRIES];    /* a ring */
    uint64_t made, next;        /* entries made; the first of them that is not sent */
    uint64_t oldest;            /* the first that may be in use */
    uint64_t calm_from;         /* the first after those that had to be written soon */
    uint64_t look_from;         /* until then no entry can be written into the cache, */
    const struct known_lines *looked_in;        /* this one, */
    uint64_t fills;                             /* unless more lines than these come there */
    uint32_t asking;            /* entries whose line could not be requested yet */
    uint64_t popped;            /* number of the store that leaves the store queue next */
    struct {                    /* between store queue and entries: at most one store */
        uint64_t block, bytes;
        uint64_t into;          /* the entry that it joins, or NEVER */
        bool is_taken, waits;   /* waits: until that entry is gone */
    } stage;
    struct write_run run;
    uint64_t stepped, blocked;  /* last cycle of either: in the second nothing reads the cache */
    uint64_t issued;            /* last cycle in which a load or store was issued */
    uint64_t store, store_before;       /* last two in which a store was, or had to wait */
    bool hurries;               /* it is written even so */
    bool hurried;               /* so it was a cycle before */
    bool holds, may_hold;       /* for two cycles in a row */
};

static inline struct write_entry *write_entry_at(struct c910_writes *writes, uint64_t number)
{
    return &writes->entry[number % WRITE_ENTRIES];
}

static inline bool write_entry_is_used(const struct write_entry *entry, uint64_t cycle)
{
    return entry->made < cycle && entry->there >= cycle;
}

#endif
