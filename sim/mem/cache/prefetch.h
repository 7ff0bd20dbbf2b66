/* Prefetchers: from the accesses of one first-level cache they predict lines that the program will
 * access.
 *
 * One interface, and a file for each kind, which a row of sim/base/prefetch.def names
 * (docs/extending.md makes one):
 *   next_line    the `degree` lines after the one accessed.
 *   stride       the distance between accesses of each instruction, found by its pc. Source: Baer
 *                and Chen, "An effective on-chip preloading scheme to reduce data access penalty",
 *                Supercomputing 1991 (reference prediction table).
 *   stream       regions in which accesses move up or down; lines ahead are fetched. Source:
 *                Srinath, Mutlu, Kim, Patt, "Feedback directed prefetching", HPCA 2007, 2.1 (the
 *                stream prefetcher of POWER4), after Jouppi, ISCA 1990.
 *   staged       see prefetch_staged.h; it acts in time, and not by prefetch_train.
 *   best_offset  one offset for all accesses, learned by testing which offset would have been in
 *                time. Source: Michaud, "Best-offset hardware prefetching", HPCA 2016.
 * Proposed lines are in the 4 KiB page of the access: the physical address of the next is unknown.
 * The caller decides where the lines go, and drops those that are there already. */
#ifndef SIM_MEM_PREFETCH_H
#define SIM_MEM_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds by name, for the parts that only some of them have. */
#define PREFETCH(id, name, caches, settings, meaning) PREFETCH_##id,
enum prefetch_kind {
#include "sim/base/prefetch.def"
};
#undef PREFETCH

enum { PREFETCH_DEGREE_MAX = 16, PREFETCH_PAGE_BITS = 12 };

struct prefetch_access {
    uint64_t pc, pa, now;
    bool is_write, is_miss;
};

struct prefetcher {
    const struct prefetch_model *model;
    void *state;                /* private state of the kind */
    uint64_t *events;           /* of the hart, by enum event; NULL: not counted */
    unsigned line_shift, degree;
    uint32_t all_hits;          /* stride: equal distances until all accesses are followed; 0:
                                 * never */
    uint32_t distance;          /* stride: distance in whole lines to run ahead; 0 = none */
};

/* A kind: the object prefetch_NAME of its file. */
struct prefetch_model {
    size_t state_bytes;         /* size of prefetcher->state, zeroed; 0: none */
    void (*init)(struct prefetcher *prefetcher);            /* NULL: zeros suffice */
    /* Learns from an access. Returns the number of addresses written to pa[], at most the
     * degree. */
    unsigned (*train)(struct prefetcher *prefetcher, const struct prefetch_access *access,
                      uint64_t pa[PREFETCH_DEGREE_MAX]);
    /* As prefetch_note_fill, prefetch_refuse; NULL: ignored. */
    void (*note_fill)(struct prefetcher *prefetcher, uint64_t pa, bool is_prefetch,
                      uint64_t ready);
    void (*refuse)(struct prefetcher *prefetcher, uint64_t pa);
    uint64_t storage_bits;      /* storage that hardware needs */
};

/* False: no memory. prefetch_free then, too. */
bool prefetch_init(struct prefetcher *prefetcher, uint32_t kind, uint32_t line_bytes,
                   unsigned degree);
void prefetch_free(struct prefetcher *prefetcher);
static inline unsigned prefetch_train(struct prefetcher *prefetcher,
                                      const struct prefetch_access *access,
                                      uint64_t pa[PREFETCH_DEGREE_MAX])
{
    return prefetcher->model->train(prefetcher, access, pa);
}
/* The line of pa, demanded or prefetched, arrives at `ready`. */
static inline void prefetch_note_fill(struct prefetcher *prefetcher, uint64_t pa, bool is_prefetch,
                                      uint64_t ready)
{
    if (prefetcher->model->note_fill != NULL)
        prefetcher->model->note_fill(prefetcher, pa, is_prefetch, ready);
}
/* There was no room for the line of pa, and lines proposed after it were not requested. Called only
 * with a distance. */
static inline void prefetch_refuse(struct prefetcher *prefetcher, uint64_t pa)
{
    if (prefetcher->model->refuse != NULL)
        prefetcher->model->refuse(prefetcher, pa);
}
/* Bits of storage the kind needs in hardware. */
uint64_t prefetch_storage_bits(uint32_t kind);

static inline bool prefetch_same_page(uint64_t a, uint64_t b)
{
    return a >> PREFETCH_PAGE_BITS == b >> PREFETCH_PAGE_BITS;
}

/* ---- stream ---------------------------------------------------------------------------------- */

/* A stream is followed when STREAM_TRUST accesses in a row moved the same way by less than
 * STREAM_WINDOW lines; then it runs up to STREAM_DISTANCE lines ahead. */
enum { STREAM_ENTRIES = 16, STREAM_WINDOW = 16, STREAM_TRUST = 2, STREAM_DISTANCE = 16 };

/* ---- best offset ----------------------------------------------------------------------------- */

/* The paper's parameters. */
enum {
    OFFSETS = 52, OFFSET_RECENT = 256, OFFSET_SCORE_MAX = 31, OFFSET_ROUND_MAX = 100,
    OFFSET_BAD_SCORE = 1, OFFSET_ON_THE_WAY = 64,
};

struct prefetch_best_offset {
    uint64_t recent[OFFSET_RECENT];         /* lines whose prefetch has arrived; 0 = none */
    struct { uint64_t ready, base; } on_the_way[OFFSET_ON_THE_WAY];
    uint32_t first, count;                  /* of the queue on_the_way */
    uint32_t test, round;                   /* offset tested next; rounds of this learning phase */
    uint32_t offset;                        /* offset in use, in lines */
    bool is_off;                            /* no offset scored well: learns only */
    bool is_found;                          /* an offset reached the highest score in this round */
    uint8_t score[OFFSETS];
};

uint32_t prefetch_offset(unsigned index);       /* offset `index` of the list, in lines */

#endif
