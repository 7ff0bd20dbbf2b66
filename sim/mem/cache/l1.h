/* A private first-level cache: when it takes an access, and when a line that is missing comes.
 *
 * An access may be refused, and is then tried again in a later cycle, because
 *   - every port of the cache serves another access in this cycle, or a line that has come is being
 *     written into the array (fill_cycles);
 *   - its bank serves another word in this cycle;
 *   - the cache blocks while a miss is under way (no hit under miss);
 *   - another line of its set is missing, and a miss locks the set;
 *   - it misses, and no miss register is free, or the set is all on its way;
 *   - it joins a miss whose register has taken as many accesses as it can (merges).
 * A line that comes in beats is received in a line-fill buffer, from its first beat until it is in
 * the array; a burst that finds no buffer waits. Its words can be used as refill says:
 * critical_word and early_restart each as it comes, the burst beginning with the word that missed
 * or with the line's first; whole_line when the line is complete.
 * Left out: ports and banks that write-backs take. Private to this folder. */
#ifndef SIM_MEM_L1_H
#define SIM_MEM_L1_H

#include "sim/mem/cache/memshared.h"
#include "sim/mem/cache/prefetch.h"

enum refill { REFILL_CRITICAL_WORD, REFILL_EARLY_RESTART, REFILL_WHOLE_LINE };  /* as bus.refill */

enum { L1_BANKS_MAX = 64, L1_VICTIMS_MAX = 16 };

/* Of the miss in one miss register. */
struct l1_fill {
    uint64_t block, first;      /* cycle in which the first beat comes */
    uint32_t offset;            /* of that beat in the line */
    uint32_t merges;            /* accesses that joined */
};

struct l1_settings {
    struct cache_shape shape;
    uint32_t hit_cycles;
    uint32_t ports, banks, bank_bytes;      /* ports 0: as many as there are accesses */
    uint32_t merges, fill_buffers, fill_cycles;     /* 0: any number; as many as misses; no time */
    enum refill refill;
    uint32_t prefetch;                              /* enum prefetch_kind */
    uint32_t prefetch_degree, prefetch_distance;
    uint32_t prefetch_all_hits;
    bool prefetches_into_l1;                        /* else into L2 */
    bool by_block;                                  /* its owner takes what misses: memsys_code.c */
    bool trains_on_hits, trains_on_use;             /* of prefetched lines; else on misses */
    bool has_hit_under_miss, is_data;
    bool locks_sets;                        /* that have a miss under way */
    uint32_t fill_match_bits;               /* see l1_waits_for_fill; 0: never */
    uint32_t arrival_cycles;                /* from its arrival until it can be used */
    uint32_t fill_lead;                     /* cycles that fill_cycles begin before the arrival */
    uint32_t victim_buffers, victim_read_cycles, victim_buffer_cycles;      /* 0: any number */
};

struct l1 {
    struct cache cache;
    struct memshared *shared;
    const struct shared_hart *hart;     /* of a data cache: others are asked for what misses */
    uint64_t *events;
    struct l1_settings set;
    bool is_plain;              /* nothing is refused but misses, and hits need not be noted */
    bool is_quiet;              /* hits need not be noted, and only misses under way refuse any */
    bool has_fill_times;        /* words of a line on its way differ, or merges are limited */
    struct l1_fill *fill;       /* [miss_registers] */
    uint64_t *buffer;           /* [fill_buffers] cycle in which each is free */
    uint64_t victim_from[L1_VICTIMS_MAX];   /* cycle in which each had its last modified line */
    uint64_t blocked_until;
    uint64_t moves;             /* of lines on their way, by memory */
    uint64_t last_arrival;      /* no miss register is free again later, but for those kept */
    struct cache_line displaced;            /* by the last miss */
    uint64_t port_cycle;        /* in which ports_used were */
    uint32_t ports_used;
    uint64_t bank_cycle[L1_BANKS_MAX], bank_word[L1_BANKS_MAX];
    struct prefetcher prefetcher;
    uint64_t load_id, load_seq, committed;  /* of the load at hand; as struct staged_load */
    struct prefetch_track track;                    /* of prefetches into this cache */
};

/* False: no memory. */
bool l1_init(struct l1 *l1, const struct l1_settings *set, struct memshared *shared,
             uint64_t *events);
void l1_free(struct l1 *l1);

/* A line is written into the array, or read from it as it leaves. */
bool l1_array_is_busy(const struct l1 *l1, uint64_t now);
/* Takes a port and a bank for an access. False: refused. */
bool l1_open(struct l1 *l1, uint64_t pa, uint64_t now);
/* The access hit a line that is on its way. False: refused. */
bool l1_join(struct l1 *l1, uint32_t frame, uint64_t pa, uint64_t now,
             struct mem_response *response);
/* With fill_match_bits: does the line in a miss register count as the same as `block`? */
static inline bool l1_fill_matches(const struct l1 *l1, uint32_t miss_register, uint64_t block)
{
    uint64_t mask = (UINT64_C(1) << l1->set.fill_match_bits) - 1;
    return mask != 0 && ((l1->fill[miss_register].block ^ block) & mask) == 0;
}
/* With fill_match_bits, a load neither joins a miss nor begins one while a line is on its way whose
 * number has the same low bits: it is refused, and response->ready is the cycle in which it
 * comes again. frame: of its line, or CACHE_NO_FRAME. */
bool l1_waits_for_fill(const struct l1 *l1, uint32_t frame, uint64_t pa, uint64_t now,
                       struct mem_response *response);
/* The access missed, or its line is prefetched, and its place was found: reads the line, from
 * `from` on. */
enum l1_intent { L1_READ, L1_WRITE, L1_PREFETCH };
void l1_begin_miss(struct l1 *l1, const struct cache_place *place, uint64_t pa, uint64_t from,
                   enum l1_intent intent, struct mem_response *response);
/* The line in the frame leaves it at `now`. */
void l1_write_back(struct l1 *l1, uint32_t frame, uint64_t now);
/* The line of pa, which is there, is put into the cache: its frame. */
uint32_t l1_put(struct l1 *l1, uint64_t pa, uint64_t now);
/* The line of pa goes to the next level, unless it is in flight. */
void l1_give_up(struct l1 *l1, uint64_t pa, uint64_t now);
/* Lines of [pa, end) whose arrival was told for cycle `from` or later come later by `cycles`,
 * modulo 2^64. */
void l1_move_arrivals(struct l1 *l1, uint64_t pa, uint64_t end, uint64_t from, uint64_t cycles);
/* A cache that blocks was asked for pa: the line on its way goes to the way that the set of pa
 * gives up. Source: rsd-devel/rsd, Cache/ICache.sv: the state of use is read where fetch looks. */
void l1_steer(struct l1 *l1, uint64_t pa, uint64_t now);
/* Takes the resources of a miss. False: refused. */
bool l1_find_place(struct l1 *l1, uint64_t block, uint64_t now, struct cache_place *place);

/* l1_prefetch.c. A miss began, or a read hit: the prefetcher learns, and may bring lines. pc: of
 * the load; a fetch has none. Prefetches that find no miss register are dropped. */
void l1_note_miss(struct l1 *l1, uint64_t pc, uint64_t pa, uint64_t now,
                  const struct mem_response *response);
/* A load looks for its line. False: it is refused, as l1_waits_for_fill says. */
bool l1_note_load(struct l1 *l1, uint32_t frame, uint64_t pc, uint64_t pa, uint64_t now,
                  struct mem_response *response);
/* Runs the staged prefetcher up to cycle `until`. */
void l1_run_prefetcher(struct l1 *l1, uint64_t until);
/* True: it was the first use of a line that was prefetched. */
bool l1_note_hit(struct l1 *l1, uint32_t frame, uint64_t pc, uint64_t pa, uint64_t now);
/* A store hit: it uses what was prefetched, and teaches nothing. */
static inline void l1_note_store(struct l1 *l1, uint32_t frame, uint64_t now)
{
    if (!l1->is_plain)
        prefetch_track_use(&l1->track, &l1->cache, frame, now, l1->events);
}

#endif
