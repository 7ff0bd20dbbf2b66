/* Shared by harts: L2, L3, memory, and the directory of the L1 caches that have each line. Private
 * to this folder.
 *
 * A level that misses takes one of its own miss registers and asks the next level; a request that
 * finds no free register waits for one. By the setting of its inclusion a level
 *   non_inclusive  holds lines read through it; a written-back line that it no longer has goes to
 *                  the next level;
 *   inclusive      the same, and a line it evicts is invalidated in the caches before it;
 *   exclusive      holds lines evicted by the level before it, clean or dirty; a line that is read
 *                  moves to the reader. It keeps lines itself that no level before it keeps
 *                  (page-table entries, prefetches into it).
 * An access occupies its bank for bank_cycles; one that finds the bank busy waits. With bank_place,
 * bank_fill, bank_share or bank_reads it uses its bank several times (bank.h), and a line in flight
 * is looked up again when it arrives.
 * When memory moves a read, every cache changes the arrival times of the read's lines and miss
 * registers. Answers given before do not change, nor do requests that waited for such a register.
 *
 * A hart's clock may be ahead of the time of shared structures (memsys_set_ahead): the hart's
 * requests and answers are in its own time, and so are the stamps in its own caches; the stamps
 * here are in shared time (ahead.c). */
#ifndef SIM_MEM_MEMSHARED_H
#define SIM_MEM_MEMSHARED_H

#include "sim/mem/cache/bank.h"
#include "sim/mem/dram/bus.h"
#include "sim/mem/cache/cache.h"
#include "sim/mem/cache/code_ahead.h"
#include "sim/mem/memsys.h"
#include "sim/mem/cache/prefetch_track.h"

enum { MEMSHARED_HARTS_MAX = 64, MEMSHARED_LEVELS_MAX = 2, MEMSHARED_BANKS_MAX = 64 };

/* In the order of the settings *.inclusion. */
enum inclusion { NON_INCLUSIVE, INCLUSIVE, EXCLUSIVE };

/* Codes of the events of a level. */
struct level_events { uint8_t access, miss, writeback, bank_wait; };

struct shared_level {
    struct cache cache;
    uint32_t cycles;                            /* hit time in cycles, seen from the level before */
    uint32_t banks, bank_cycles, victim_cycles;
    enum inclusion inclusion;
    enum mem_level name;
    struct level_events event;
    uint64_t bank_free[MEMSHARED_BANKS_MAX];
    struct banks again;                         /* instead of bank_free */
    struct prefetch_track track;
    uint8_t *was_read;                          /* [frames] by a cache before; NULL: not noted */
    uint32_t snoop_cycles, fetch_miss_cycles;
};

struct l1;

/* The private caches of a hart. */
struct shared_hart {
    struct l1 *fetch, *data;                    /* the caches of the hart; NULL: none */
    struct cache *l1i, *l1d;                    /* NULL: left */
    uint64_t *events;
    uint64_t upgrade_block;                     /* a store waits for it; or NO_BLOCK */
    uint64_t upgrade_ready;                     /* cycle of completion */
    uint64_t ahead;                             /* of its clock, when its turn began */
};

/* As the settings coherence.*. */
struct coherence {
    uint32_t transfer_cycles, invalidate_cycles;
    bool is_direct;
};

struct memshared {
    struct shared_level level[MEMSHARED_LEVELS_MAX];
    unsigned levels;
    struct code_ahead code_ahead;
    bool wants_clean_victims;                   /* the first level is exclusive */
    struct bus bus;
    struct coherence coherence;
    uint32_t l1d_line_bytes;
    uint64_t ahead;                             /* of the hart that asks; 0 while it is answered */
    unsigned harts;                             /* slots in use */
    struct shared_hart hart[MEMSHARED_HARTS_MAX];
};

/* A line or page-table entry wanted at `now`. Counts go to the events of the hart that asks. */
struct mem_request {
    uint64_t pa, now;       /* pa: of the word that is wanted first */
    uint64_t *events;
    const struct shared_hart *hart; /* hart whose data cache asks; NULL: no snoop */
    uint32_t bytes;         /* of the line */
    bool is_write;          /* the hart is going to write: no other may have the line */
    bool is_fetch, is_prefetch;
    bool is_kept;           /* the cache that asks keeps the line */
    bool takes_modified;    /* the cache that asks also accepts a modified line */
};

struct mem_answer {
    uint64_t first;         /* cycle in which the first beat arrives */
    uint32_t beat_cycles;   /* cycles between beats; 0: the line arrives as a whole */
    uint32_t beat_bytes;
    enum mem_level level;
    bool is_dirty;          /* it is modified: from an exclusive level or another hart */
    bool is_shared;         /* other harts have it */
    bool is_peers;          /* another hart had it exclusively, and supplied it */
};

/* The cycle in which `bytes` bytes, from the first beat on, have arrived. */
static inline uint64_t mem_answer_end(const struct mem_answer *answer, uint32_t bytes)
{
    if (answer->beat_cycles == 0 || bytes <= answer->beat_bytes)
        return answer->first;
    return answer->first + (uint64_t)(bytes / answer->beat_bytes - 1) * answer->beat_cycles;
}

struct shared_hart *memshared_join(struct memshared *shared, struct cache *l1i, struct cache *l1d,
                                   uint64_t *events);
void memshared_leave(struct memshared *shared, const struct cache *l1d);

struct mem_answer memshared_read(struct memshared *shared, const struct mem_request *request);
/* The same from memory, past L2 and L3. */
struct mem_answer memshared_read_past(struct memshared *shared, const struct mem_request *request);
/* An L1 evicts a line: a modified one, or any with wants_clean_victims. */
void memshared_take(struct memshared *shared, uint64_t pa, bool is_dirty, uint64_t now,
                    uint64_t *events);
/* A store past the L1s: the first level takes it (and reads the line, unless exclusive), else
 * memory. Returns the cycle in which the next store can follow. */
uint64_t memshared_write(struct memshared *shared, const struct mem_request *request);
/* Reads the line into the first level, if it is absent and a miss register is free. Returns the
 * cycle of its arrival, or 0. */
uint64_t memshared_prefetch(struct memshared *shared, uint64_t pa, uint64_t now, uint64_t *events);
/* The first cycle from `now` on in which the first level accepts a read of pa and has a miss
 * register. */
uint64_t memshared_room(const struct memshared *shared, uint64_t pa, uint64_t now);
/* The shared level that would answer; changes nothing. */
enum mem_level memshared_probe(const struct memshared *shared, uint64_t pa);
/* Hit time of the first level, or 0. */
static inline uint32_t memshared_cycles(const struct memshared *shared)
{
    return shared->levels != 0 ? shared->level[0].cycles : 0;
}

/* In moved.c: applies to every cache the arrivals that memory has changed since the last call. */
void memshared_follow_memory(struct memshared *shared);

#endif
