/* A private first-level cache: when it accepts an access, and when a missing line arrives.
 *
 * An access may be refused, and is then tried again in a later cycle, because
 *   - every port of the cache serves another access in this cycle, or an arrived line is being
 *     written into the array (fill_cycles);
 *   - its bank serves another word in this cycle;
 *   - the cache blocks while a miss is under way (no hit under miss);
 *   - another line of its set is missing, and a miss locks the set;
 *   - it misses, and no miss register is free, or the set is all on its way;
 *   - it joins a miss whose register has taken as many accesses as it can (merges).
 * A line that arrives in beats is received in a line-fill buffer, from its first beat until it is
 * in the array; a burst that finds no free buffer waits. The setting bus.refill says when the words
 * of the line can be used. critical_word: each word as it arrives, in a burst that begins with the
 * missing word; early_restart: the same, but the burst begins with the line's first word;
 * whole_line: when the line is complete.
 * Left out: ports and banks that write-backs take. Private to this folder. */
#ifndef SIM_MEM_L1_H
#define SIM_MEM_L1_H

#include "sim/mem/cache/memshared.h"
#include "sim/mem/cache/prefetch.h"

enum refill { REFILL_CRITICAL_WORD, REFILL_EARLY_RESTART, REFILL_WHOLE_LINE };  /* as bus.refill */

enum { L1_BANKS_MAX = 64, L1_VICTIMS_MAX = 16 };

/* The miss in one miss register. */
struct l1_fill {
    uint64_t block, first;      /* first: cycle in which its first beat arrives */
    uint32_t offset;            /* of that beat in the line */
    uint32_t merges;            /* accesses that joined */
};

struct l1_settings {
    struct cache_shape shape;
    uint32_t hit_cycles;
    uint32_t ports, banks, bank_bytes;      /* ports 0: unlimited */
    uint32_t merges, fill_buffers, fill_cycles;     /* merges 0: any number; fill_buffers 0: as many
                                                     * as misses; fill_cycles 0: no time */
    enum refill refill;
    uint32_t prefetch;                              /* enum prefetch_kind */
    uint32_t prefetch_degree, prefetch_distance;
    uint32_t prefetch_all_hits;
    bool prefetches_into_l1;                        /* else into L2 */
    bool by_block;                                  /* the caller handles misses itself:
                                                     * memsys_code.c */
    bool trains_on_hits, trains_on_use;             /* of prefetched lines; else on misses */
    bool has_hit_under_miss, is_data;
    bool locks_sets;                        /* a set with a miss in flight refuses other misses */
    uint32_t fill_match_bits;               /* see l1_waits_for_fill; 0: never */
    uint32_t arrival_cycles;                /* from its arrival until it can be used */
    uint32_t fill_lead;                     /* cycles that fill_cycles begin before the arrival */
    uint32_t victim_buffers, victim_read_cycles, victim_buffer_cycles;      /* 0: any number */
};

struct l1 {
    struct cache cache;
    struct memshared *shared;
    const struct shared_hart *hart;     /* of a data cache: other harts are snooped on misses */
    uint64_t *events;
    struct l1_settings set;
    bool is_open;               /* l1_open() refuses nothing */
    bool is_plain;              /* only misses are refused, and hits need not be noted */
    bool is_calm;               /* the same, but the first hit of a prefetched line is noted */
    bool is_quiet;              /* hits need not be noted, and are refused only because of misses in
                                 * flight */
    bool has_fill_times;        /* words of a line in flight arrive at different times, or merges
                                 * are limited */
    struct l1_fill *fill;       /* [miss_registers] */
    uint64_t *buffer;           /* [fill_buffers] cycle in which each is free */
    uint64_t victim_from[L1_VICTIMS_MAX];   /* cycle in which each had its last modified line */
    uint64_t victim_last;                   /* the latest of them */
    uint64_t blocked_until;
    uint64_t moves;             /* number of changed arrivals of lines in flight */
    uint64_t last_arrival;      /* after this cycle no miss register is busy, except kept ones */
    struct cache_line displaced;            /* line displaced by the last miss */
    uint64_t port_cycle;        /* cycle to which ports_used refers */
    uint32_t ports_used;
    uint64_t bank_cycle[L1_BANKS_MAX], bank_word[L1_BANKS_MAX];
    struct prefetcher prefetcher;
    uint64_t load_id, load_seq, committed;  /* of the current load; as struct staged_load */
    struct prefetch_track track;                    /* of prefetches into this cache */
};

/* False: no memory. */
bool l1_init(struct l1 *l1, const struct l1_settings *set, struct memshared *shared,
             uint64_t *events);
void l1_free(struct l1 *l1);

/* True if a line is being written into the array, or read from it to be evicted. */
bool l1_array_is_busy(const struct l1 *l1, uint64_t now);
/* Takes a port and a bank for an access. False: refused. */
bool l1_open(struct l1 *l1, uint64_t pa, uint64_t now);
/* An access hits a line in flight. False: refused. */
bool l1_join(struct l1 *l1, uint32_t frame, uint64_t pa, uint64_t now,
             struct mem_response *response);
/* With fill_match_bits: true if the line in the miss register has the same low bits of its number
 * as `block`. */
static inline bool l1_fill_matches(const struct l1 *l1, uint32_t miss_register, uint64_t block)
{
    uint64_t mask = (UINT64_C(1) << l1->set.fill_match_bits) - 1;
    return mask != 0 && ((l1->fill[miss_register].block ^ block) & mask) == 0;
}
/* With fill_match_bits, a load neither joins nor begins a miss while a line with the same low bits
 * of its number is in flight. True: refused, and response->ready is the cycle in which to retry.
 * frame: that of the load's line, or CACHE_NO_FRAME. */
bool l1_waits_for_fill(const struct l1 *l1, uint32_t frame, uint64_t pa, uint64_t now,
                       struct mem_response *response);
/* Reads the missing or prefetched line into its reserved place, from cycle `from` on. */
enum l1_intent { L1_READ, L1_WRITE, L1_PREFETCH };
void l1_begin_miss(struct l1 *l1, const struct cache_place *place, uint64_t pa, uint64_t from,
                   enum l1_intent intent, struct mem_response *response);
/* Writes back the frame's line at `now`. */
void l1_write_back(struct l1 *l1, uint32_t frame, uint64_t now);
/* Puts the line of pa, which has arrived, into the cache. Returns its frame. */
uint32_t l1_put(struct l1 *l1, uint64_t pa, uint64_t now);
/* Evicts the line of pa to the next level, unless it is in flight. */
void l1_give_up(struct l1 *l1, uint64_t pa, uint64_t now);
/* Delays lines of [pa, end) that were to arrive in cycle `from` or later by `cycles`, modulo
 * 2^64. */
void l1_move_arrivals(struct l1 *l1, uint64_t pa, uint64_t end, uint64_t from, uint64_t cycles);
/* A blocking cache is accessed at pa: the line in flight will take the way that pa's set would
 * evict. Source: rsd-devel/rsd, Cache/ICache.sv: replacement state is read for the address of
 * fetch. */
void l1_steer(struct l1 *l1, uint64_t pa, uint64_t now);
/* Reserves the resources of a miss. False: refused. */
bool l1_find_place(struct l1 *l1, uint64_t block, uint64_t now, struct cache_place *place);

/* In l1_prefetch.c: a miss began, or a read hit. The prefetcher learns, and may request lines. pc:
 * of the load; 0 for a fetch. Prefetches that find no miss register are dropped. */
void l1_note_miss(struct l1 *l1, uint64_t pc, uint64_t pa, uint64_t now,
                  const struct mem_response *response);
/* A load looks up its line. False: refused as described at l1_waits_for_fill. */
bool l1_note_load(struct l1 *l1, uint32_t frame, uint64_t pc, uint64_t pa, uint64_t now,
                  struct mem_response *response);
/* Runs the staged prefetcher up to cycle `until`. */
void l1_run_prefetcher(struct l1 *l1, uint64_t until);
/* True: this is the first use of a prefetched line. */
bool l1_note_hit(struct l1 *l1, uint32_t frame, uint64_t pc, uint64_t pa, uint64_t now);
/* A store hit counts as a use of a prefetched line, but does not train the prefetcher. */
static inline void l1_note_store(struct l1 *l1, uint32_t frame, uint64_t now)
{
    if (!l1->is_plain)
        prefetch_track_use(&l1->track, &l1->cache, frame, now, l1->events);
}

#endif
