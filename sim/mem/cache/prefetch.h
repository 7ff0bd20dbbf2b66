/* Prefetchers: from the accesses of one first-level cache they guess lines that will be wanted.
 *
 * One interface, a file for each kind:
 *   next_line    the `degree` lines after the one accessed.
 *   stride       for each instruction, by its pc, the distance between its accesses. Source: Baer
 *                and Chen, "An effective on-chip preloading scheme to reduce data access penalty",
 *                Supercomputing 1991 (reference prediction table).
 *   stream       regions in which accesses move up or down; lines ahead are fetched. Source:
 *                Srinath, Mutlu, Kim, Patt, "Feedback directed prefetching", HPCA 2007, 2.1 (the
 *                stream prefetcher of POWER4), after Jouppi, ISCA 1990.
 *   staged       see prefetch_staged.h; it acts in time, and not by prefetch_train.
 *   best_offset  one offset for all, learned by asking which one would have been in time. Source:
 *                Michaud, "Best-offset hardware prefetching", HPCA 2016.
 * Proposed lines are in the 4 KiB page of the access: the physical address of the next is unknown.
 * The caller decides where the lines go, and drops those that are there already. */
#ifndef SIM_MEM_PREFETCH_H
#define SIM_MEM_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/cache/prefetch_staged.h"

/* In the order of the settings *.prefetch. */
enum prefetch_kind {
    PREFETCH_NONE, PREFETCH_NEXT_LINE, PREFETCH_STRIDE, PREFETCH_STREAM, PREFETCH_BEST_OFFSET,
    PREFETCH_STAGED,
};

enum { PREFETCH_DEGREE_MAX = 16, PREFETCH_PAGE_BITS = 12 };

struct prefetch_access {
    uint64_t pc, pa, now;
    bool is_write, is_miss;
};

/* ---- stride ---------------------------------------------------------------------------------- */

enum { STRIDE_ENTRIES = 64, STRIDE_TRUST = 2 };

struct stride_entry {
    uint64_t pc, pa;        /* of the last access; pc 0 = empty */
    uint64_t ahead;         /* with a distance: line proposed last; 0 = it does not run */
    int64_t stride;
    uint32_t confidence, wait;
    uint8_t state;          /* with all_hits: enum watch_state */
};

struct prefetch_stride {
    struct stride_entry entries[STRIDE_ENTRIES];
    struct stride_entry *trained;       /* by the last access */
    struct stride_entry all;            /* with all_hits: of accesses of any instructions */
};

/* ---- stream ---------------------------------------------------------------------------------- */

/* A stream is followed when STREAM_TRUST accesses in a row moved the same way by less than
 * STREAM_WINDOW lines; then it runs up to STREAM_DISTANCE lines ahead. */
enum { STREAM_ENTRIES = 16, STREAM_WINDOW = 16, STREAM_TRUST = 2, STREAM_DISTANCE = 16 };

struct stream_entry {
    uint64_t line, ahead;       /* accessed last; proposed last */
    uint64_t used;              /* time of the last use; 0 = empty */
    int32_t direction;          /* 1, -1, 0 = unknown */
    uint32_t confidence;
};

struct prefetch_stream {
    struct stream_entry entries[STREAM_ENTRIES];
    uint64_t clock;
};

/* ---- best offset ----------------------------------------------------------------------------- */

/* The paper's parameters. */
enum {
    OFFSETS = 52, OFFSET_RECENT = 256, OFFSET_SCORE_MAX = 31, OFFSET_ROUND_MAX = 100,
    OFFSET_BAD_SCORE = 1, OFFSET_ON_THE_WAY = 64,
};

struct prefetch_best_offset {
    uint64_t recent[OFFSET_RECENT];         /* lines whose prefetch has come; 0 = none */
    struct { uint64_t ready, base; } on_the_way[OFFSET_ON_THE_WAY];
    uint32_t first, count;                  /* of on_the_way */
    uint32_t test, round;                   /* offset tested next; rounds of this phase */
    uint32_t offset;                        /* in use, in lines */
    bool is_off;                            /* no offset was good enough: only learning */
    bool is_found;                          /* one reached the highest score in this round */
    uint8_t score[OFFSETS];
};

/* ---- any ------------------------------------------------------------------------------------- */

struct prefetcher {
    enum prefetch_kind kind;
    unsigned line_shift, degree;
    uint32_t patience;          /* stride: accesses before distances count */
    uint32_t all_hits;          /* stride: distances alike until all are followed; 0: never */
    uint32_t distance;          /* stride: steps of whole lines to run ahead; 0 = none */
    union {
        struct prefetch_stride stride;
        struct prefetch_stream stream;
        struct prefetch_best_offset best_offset;
        struct prefetch_staged staged;
    };
};

void prefetch_init(struct prefetcher *prefetcher, enum prefetch_kind kind, uint32_t line_bytes,
                   unsigned degree);
/* An access. Returns how many addresses it put into pa[], at most the degree. */
unsigned prefetch_train(struct prefetcher *prefetcher, const struct prefetch_access *access,
                        uint64_t pa[PREFETCH_DEGREE_MAX]);
/* The line of pa, wanted by the program or prefetched, comes at `ready`. */
void prefetch_note_fill(struct prefetcher *prefetcher, uint64_t pa, bool is_prefetch,
                        uint64_t ready);
/* There was no room for the line of pa, and lines proposed after it were not requested. */
void prefetch_refuse(struct prefetcher *prefetcher, uint64_t pa);
/* Bits of storage the kind needs in hardware. */
uint64_t prefetch_storage_bits(enum prefetch_kind kind);

static inline bool prefetch_same_page(uint64_t a, uint64_t b)
{
    return a >> PREFETCH_PAGE_BITS == b >> PREFETCH_PAGE_BITS;
}

/* The kinds, in files of their own. */
unsigned prefetch_next_line(const struct prefetcher *prefetcher, uint64_t access_pa, uint64_t *pa);
unsigned prefetch_stride(struct prefetcher *prefetcher, const struct prefetch_access *access,
                         uint64_t *pa);
void prefetch_stride_refuse(struct prefetcher *prefetcher, uint64_t pa);
unsigned prefetch_stream(struct prefetcher *prefetcher, const struct prefetch_access *access,
                         uint64_t *pa);
unsigned prefetch_best_offset(struct prefetcher *prefetcher, const struct prefetch_access *access,
                              uint64_t *pa);
void prefetch_best_offset_fill(struct prefetcher *prefetcher, uint64_t access_pa, bool is_prefetch,
                               uint64_t ready);
uint32_t prefetch_offset(unsigned index);       /* the list of offsets, in lines */

#endif
