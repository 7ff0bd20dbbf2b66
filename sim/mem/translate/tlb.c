/* See tlb.h. A key is the page number shifted left by 6, with log2 of the page size below it. */
#include "sim/mem/translate/tlb.h"

#include <stdlib.h>

static uint64_t make_key(uint64_t va, unsigned page_bits)
{
    return va >> page_bits << 6 | page_bits;
}

static bool covers(const struct tlb_entry *entry, uint64_t va)
{
    return entry->key == make_key(va, entry->key & 63);
}

static uint32_t *bucket_of(const struct tlb *tlb, uint64_t key)
{
    return &tlb->buckets[(uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & tlb->bucket_mask];
}

/* By the low bits of the page number when the sets are a power of two, else by the remainder. */
static uint32_t set_index(uint64_t page, uint32_t sets)
{
    return (sets & (sets - 1)) == 0 ? (uint32_t)page & (sets - 1) : (uint32_t)(page % sets);
}

/* ---- first level ----------------------------------------------------------------------------- */

bool tlb_init(struct tlb *tlb, uint32_t entries, uint32_t ways)
{
    uint32_t buckets = 4;
    while (buckets < 2 * entries)
        buckets *= 2;
    *tlb = (struct tlb){
        .entries = calloc(entries, sizeof tlb->entries[0]),
        .buckets = calloc(buckets, sizeof tlb->buckets[0]),
        .count = entries, .bucket_mask = buckets - 1,
        .ways = ways == 0 ? entries : ways, .sets = ways == 0 ? 1 : entries / ways,
    };
    if (tlb->entries == NULL || tlb->buckets == NULL) {
        tlb_free(tlb);
        return false;
    }
    tlb_flush(tlb);
    return true;
}

void tlb_free(struct tlb *tlb)
{
    free(tlb->entries);
    free(tlb->buckets);
    *tlb = (struct tlb){0};
}

void tlb_flush(struct tlb *tlb)
{
    for (uint32_t i = 0; i < tlb->count; i++)
        tlb->entries[i] = (struct tlb_entry){.key = TLB_EMPTY, .next = TLB_NONE};
    for (uint32_t i = 0; i <= tlb->bucket_mask; i++)
        tlb->buckets[i] = TLB_NONE;
    tlb->sizes = 0;
}

static uint32_t find(const struct tlb *tlb, uint64_t va)
{
    for (uint64_t sizes = tlb->sizes; sizes != 0; sizes &= sizes - 1) {
        uint64_t key = make_key(va, (unsigned)__builtin_ctzll(sizes));
        for (uint32_t i = *bucket_of(tlb, key); i != TLB_NONE; i = tlb->entries[i].next)
            if (tlb->entries[i].key == key)
                return i;
    }
    return TLB_NONE;
}

struct tlb_entry *tlb_use(struct tlb *tlb, uint64_t va)
{
    struct tlb_entry *entry = &tlb->entries[tlb->recent];
    if (entry->key != TLB_EMPTY && covers(entry, va))
        return entry;
    uint32_t index = find(tlb, va);
    if (index == TLB_NONE)
        return NULL;
    tlb->recent = index;
    tlb->entries[index].stamp = ++tlb->clock;
    return &tlb->entries[index];
}

static void unlink_entry(struct tlb *tlb, uint32_t index)
{
    uint32_t *link = bucket_of(tlb, tlb->entries[index].key);
    while (*link != index)
        link = &tlb->entries[*link].next;
    *link = tlb->entries[index].next;
}

void tlb_fill(struct tlb *tlb, uint64_t va, unsigned page_bits, uint64_t ready)
{
    uint64_t key = make_key(va, page_bits);
    uint32_t first = set_index(va >> page_bits, tlb->sets) * tlb->ways;
    uint32_t victim = first, *bucket = bucket_of(tlb, key);
    for (uint32_t i = first + 1; i < first + tlb->ways; i++)
        if (tlb->entries[i].stamp < tlb->entries[victim].stamp)
            victim = i;
    if (tlb->entries[victim].key != TLB_EMPTY)
        unlink_entry(tlb, victim);
    tlb->entries[victim] = (struct tlb_entry){key, ready, ++tlb->clock, *bucket};
    *bucket = tlb->recent = victim;
    tlb->sizes |= UINT64_C(1) << page_bits;
}

/* ---- second level ---------------------------------------------------------------------------- */

bool tlb_l2_init(struct tlb_l2 *tlb, uint32_t entries, uint32_t ways)
{
    *tlb = (struct tlb_l2){.is_present = entries != 0, .ways = ways};
    if (entries == 0)
        return true;
    tlb->sets = entries / ways;
    tlb->entries = calloc(entries, sizeof tlb->entries[0]);
    if (tlb->entries == NULL)
        return false;
    tlb_l2_flush(tlb);
    return true;
}

void tlb_l2_free(struct tlb_l2 *tlb)
{
    free(tlb->entries);
    *tlb = (struct tlb_l2){0};
}

void tlb_l2_flush(struct tlb_l2 *tlb)
{
    for (uint32_t i = 0; tlb->is_present && i < tlb->sets * tlb->ways; i++)
        tlb->entries[i].key = TLB_EMPTY;
}

static struct tlb_l2_entry *set_of(const struct tlb_l2 *tlb, uint64_t va, unsigned page_bits)
{
    return &tlb->entries[set_index(va >> page_bits, tlb->sets) * tlb->ways];
}

/* Moves an entry to the front of its set; entries before `way` move back by one. */
static void move_to_front(struct tlb_l2_entry *set, unsigned way, struct tlb_l2_entry entry)
{
    for (; way != 0; way--)
        set[way] = set[way - 1];
    set[0] = entry;
}

const struct tlb_l2_entry *tlb_l2_use(struct tlb_l2 *tlb, uint64_t va, unsigned page_bits)
{
    if (!tlb->is_present)
        return NULL;
    struct tlb_l2_entry *set = set_of(tlb, va, page_bits);
    uint64_t key = make_key(va, page_bits);
    for (unsigned way = 0; way < tlb->ways; way++)
        if (set[way].key == key) {
            move_to_front(set, way, set[way]);
            return &set[0];
        }
    return NULL;
}

void tlb_l2_fill(struct tlb_l2 *tlb, uint64_t va, unsigned page_bits, uint64_t ready)
{
    if (!tlb->is_present)
        return;
    move_to_front(set_of(tlb, va, page_bits), tlb->ways - 1,
                  (struct tlb_l2_entry){make_key(va, page_bits), ready});
}
