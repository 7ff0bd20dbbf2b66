/* Translation lookaside buffers, for timing: the pages they hold, not their translations.
 *
 * First level: LRU, pages of all sizes, found through a hash of the page number; fully associative,
 * or with ways, in sets by the page number of the entry's own size.
 * Second level: ways, LRU, shared by instructions and data, indexed in the same manner. A
 * translation whose walk is still under way is present, with the cycle in which it is known.
 * Address spaces are not distinguished: a change of satp flushes. */
#ifndef SIM_MEM_TLB_H
#define SIM_MEM_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tlb_entry {
    uint64_t key;           /* page number and size; TLB_EMPTY */
    uint64_t ready;         /* cycle in which the translation is known */
    uint64_t stamp;         /* of the last use */
    uint32_t next;          /* in the same hash bucket */
};

struct tlb {
    struct tlb_entry *entries;
    uint32_t *buckets;      /* [bucket_mask + 1] first entry, or TLB_NONE */
    uint64_t sizes;         /* bit n: entries of pages of 1 << n bytes may exist */
    uint64_t clock;
    uint32_t count, bucket_mask;
    uint32_t ways, sets;
    uint32_t recent;        /* entry used last: looked at first */
};

#define TLB_EMPTY UINT64_MAX
#define TLB_NONE UINT32_MAX

/* ways: 0 = fully associative, else a divisor of entries. False: no memory. */
bool tlb_init(struct tlb *tlb, uint32_t entries, uint32_t ways);
void tlb_free(struct tlb *tlb);
void tlb_flush(struct tlb *tlb);
/* The entry that translates va, or NULL. Makes it the most recently used one. */
struct tlb_entry *tlb_use(struct tlb *tlb, uint64_t va);
/* The entry used last if it translates va, or NULL: tlb_use would change nothing. */
static inline const struct tlb_entry *tlb_last(const struct tlb *tlb, uint64_t va)
{
    const struct tlb_entry *entry = &tlb->entries[tlb->recent];
    unsigned page_bits = entry->key & 63;
    return entry->key == (va >> page_bits << 6 | page_bits) ? entry : NULL;
}
/* Replaces the least recently used entry of its set. The page must not be here already. */
void tlb_fill(struct tlb *tlb, uint64_t va, unsigned page_bits, uint64_t ready);

struct tlb_l2_entry {
    uint64_t key;           /* page number and size; TLB_EMPTY */
    uint64_t ready;         /* cycle in which the translation is known */
};

struct tlb_l2 {
    struct tlb_l2_entry *entries;   /* [sets * ways] in order of use, the latest first */
    uint32_t sets, ways;
    bool is_present;
};

/* ways: a divisor of entries; entries 0: none. False: no memory. */
bool tlb_l2_init(struct tlb_l2 *tlb, uint32_t entries, uint32_t ways);
void tlb_l2_free(struct tlb_l2 *tlb);
void tlb_l2_flush(struct tlb_l2 *tlb);
/* The entry of the page, or NULL. Use and fill make the entry the most recently used one of its
 * set. */
const struct tlb_l2_entry *tlb_l2_use(struct tlb_l2 *tlb, uint64_t va, unsigned page_bits);
void tlb_l2_fill(struct tlb_l2 *tlb, uint64_t va, unsigned page_bits, uint64_t ready);

#endif
