/* Translation lookaside buffers: which translations are known, not what they say.
 *
 * First level: fully associative, LRU, pages of all sizes, found through a hash of the page number.
 * Second level: 4 ways, LRU, shared by instructions and data, indexed with the page number of the
 * entry's own size. Address spaces are not told apart: whoever changes satp flushes. */
#ifndef SIM_MEM_TLB_H
#define SIM_MEM_TLB_H

#include <stdbool.h>
#include <stdint.h>

enum { TLB_L2_WAYS = 4 };

struct tlb_entry {
    uint64_t key;           /* page number and size; TLB_EMPTY */
    uint64_t ready;         /* cycle in which the translation is known */
    uint64_t stamp;         /* of the last use */
    uint32_t next;          /* in the same hash bucket */
};

struct tlb {
    struct tlb_entry *entries;
    uint32_t *buckets;      /* [bucket_mask + 1] first entry, or TLB_NONE */
    uint64_t sizes;         /* bit n: pages of 1 << n bytes may be here */
    uint64_t clock;
    uint32_t count, bucket_mask;
    uint32_t recent;        /* entry used last: looked at first */
};

#define TLB_EMPTY UINT64_MAX
#define TLB_NONE UINT32_MAX

/* False: no memory. */
bool tlb_init(struct tlb *tlb, uint32_t entries);
void tlb_free(struct tlb *tlb);
void tlb_flush(struct tlb *tlb);
/* The entry that translates va, now the most recently used one, or NULL. */
struct tlb_entry *tlb_use(struct tlb *tlb, uint64_t va);
/* Replaces the least recently used entry. The page must not be here already. */
void tlb_fill(struct tlb *tlb, uint64_t va, unsigned page_bits, uint64_t ready);

struct tlb_l2 {
    uint64_t *key;          /* [sets * TLB_L2_WAYS] in order of use, the latest first */
    uint32_t set_mask;
    bool is_present;
};

/* entries: a power of two, at least TLB_L2_WAYS, or 0: none. False: no memory. */
bool tlb_l2_init(struct tlb_l2 *tlb, uint32_t entries);
void tlb_l2_free(struct tlb_l2 *tlb);
void tlb_l2_flush(struct tlb_l2 *tlb);
/* True: the page is here. Both make it the most recently used one of its set. */
bool tlb_l2_use(struct tlb_l2 *tlb, uint64_t va, unsigned page_bits);
void tlb_l2_fill(struct tlb_l2 *tlb, uint64_t va, unsigned page_bits);

#endif
