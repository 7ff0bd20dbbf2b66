/* Stores between their leaving the store queue and the data cache (c910.drain_spare); see
 * c910_writes.c and c910_hurry.c. */
#ifndef SIM_CORE_MODEL_C910_C910_WRITES_H
#define SIM_CORE_MODEL_C910_C910_WRITES_H

#include <stdbool.h>
#include <stdint.h>

/* Most entries; and stores remembered in all, as an average per entry: a load finds the bytes of
 * older ones in the cache. */
enum { WRITE_ENTRIES = 64, WRITE_ENTRY_STORES = 8 };
enum { DATA_TO_POP = 2 };       /* cycles from a store's data until it may leave the store queue */

struct known_lines;

/* Cycles are those of the store queue; NEVER: not yet. */
struct write_entry {
    uint64_t number;            /* counted from the first that was made */
    uint64_t block, bytes;      /* address / c910.merge_bytes; mask of the bytes it has */
    uint64_t made, sent;        /* sent: written into the cache, or past it */
    uint64_t there;             /* last cycle in which it is in use */
    uint64_t held;              /* cycle in which it is not written, as a store joins it */
    uint64_t hurried;           /* cycle from which it has to be written soon */
    bool asks;                  /* its line, not in the cache, has not been requested yet */
    const struct known_lines *missed_in;        /* cache that did not have its line, or NULL */
    uint64_t fills;                             /* fills of that cache until then */
};

/* Stores that fill consecutive blocks. */
struct write_run {
    uint64_t block, bytes;      /* of the last store, and its bytes filled */
    uint32_t filled;            /* blocks filled since the run began or last broke */
    uint32_t level;             /* further breaks that end the run; 0: no run */
};

struct c910_writes {
    struct write_entry entry[WRITE_ENTRIES];    /* a ring */
    uint64_t made, next;        /* entries made; the first that is not sent */
    uint64_t oldest;            /* the first entry that may be in use */
    uint64_t calm_from;         /* the first entry after those that had to be written soon */
    uint64_t look_from;         /* before this cycle no entry can be written, */
    const struct known_lines *looked_in;        /* as long as this is the data cache */
    uint64_t fills;                             /* and no more lines than these have come there */
    uint32_t asking;            /* entries whose line could not be requested yet */
    uint64_t popped;            /* number of the store that leaves the store queue next */
    struct {                    /* between store queue and entries: at most one store */
        uint64_t block, bytes;
        uint64_t into;          /* the entry that it joins, or NEVER */
        bool is_taken, waits;   /* waits: until that entry is gone */
    } stage;
    struct write_run run;
    uint64_t stepped, blocked;  /* last cycle with c910_writes_step; last one in which a write that
                                 * comes first keeps loads and stores from issuing */
    uint64_t issued;            /* last cycle in which a load or store was issued */
    uint64_t store, store_before;       /* last two cycles in which a store issued, or had to
                                         * wait */
    bool hurries;               /* writes come before loads and stores */
    bool hurried;               /* they did so a cycle before */
    bool holds, may_hold;       /* they do so for a second entry, as two stores came in a row; they
                                 * may do so in the next cycle */
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
