/* See storage.h.
 *
 * A cache line has a tag, the remaining bits of a physical address of 56 bits, and a state: valid;
 * of a cache that is written, one of four. A TLB entry has a virtual page number and a size, a
 * physical page number, seven attributes and a valid bit. Left out: error correction, miss
 * registers, the second copy of tags that snooping takes. Source of the widths: RISC-V Privileged
 * Architecture 20240411, chapter 12 (Sv39). */
#include "sim/core/storage.h"

#include "sim/core/bpred/bpred.h"
#include "sim/core/profile/metadata.h"
#include "sim/mem/cache/prefetch.h"
#include "sim/mem/cache/replace.h"

enum { PA_BITS = 56, VPN_BITS = 27, PPN_BITS = 44, SIZE_BITS = 2, ATTRIBUTE_BITS = 7 };
enum { ENTRY_BITS = PPN_BITS + SIZE_BITS + ATTRIBUTE_BITS + 1, PTE_SHIFT = 3 };
enum { VALID = 1, STATES = 2 };             /* bits of a line's state */

const char *storage_name(enum storage_part part)
{
    static const char *const name[] = {
#define STORAGE(id, what) #id,
#include "sim/core/storage.def"
#undef STORAGE
    };
    return name[part];
}

const char *storage_meaning(enum storage_part part)
{
    static const char *const meaning[] = {
#define STORAGE(id, what) what,
#include "sim/core/storage.def"
#undef STORAGE
    };
    return meaning[part];
}

static uint32_t log2_of(uint32_t value)
{
    uint32_t bits = 0;
    while (UINT32_C(1) << bits < value)
        bits++;
    return bits;
}

/* ---- caches ---------------------------------------------------------------------------------- */

struct shape { uint32_t kib, ways, line_bytes, state_bits, replacement; };

/* Data, tags, replacement: in that order in `bits`. */
static void count_cache(const struct shape *shape, uint64_t *bits)
{
    uint64_t data = (uint64_t)shape->kib << 13;
    if (data == 0)
        return;
    uint32_t lines = (uint32_t)(data / 8 / shape->line_bytes), sets = lines / shape->ways;
    uint32_t index = 31u - (uint32_t)__builtin_clz(sets);
    uint32_t tag = PA_BITS - log2_of(shape->line_bytes) - index + shape->state_bits;
    bits[0] = data;
    bits[1] = (uint64_t)lines * tag;
    bits[2] = replace_storage_bits(shape->replacement, sets, shape->ways);
}

#define CACHE(name, lines, bits) &(struct shape){config->name##_kib, config->name##_ways,          \
    config->lines##_line_bytes, bits, config->name##_replacement}

static void count_caches(const struct config *config, uint64_t bits[STORAGE_PARTS])
{
    count_cache(CACHE(l1i, l1i, VALID), &bits[STORAGE_l1i_data]);
    count_cache(CACHE(l1d, l1d, STATES), &bits[STORAGE_l1d_data]);
    count_cache(CACHE(l2, l2, STATES), &bits[STORAGE_l2_data]);
    count_cache(CACHE(l3, l2, STATES), &bits[STORAGE_l3_data]);
    bits[STORAGE_l1i_prefetcher] = prefetch_storage_bits(config->l1i_prefetch);
    bits[STORAGE_l1d_prefetcher] = prefetch_storage_bits(config->l1d_prefetch);
}

/* ---- translation ----------------------------------------------------------------------------- */

/* ways 0: fully associative. LRU. */
static uint64_t tlb_bits(uint32_t entries, uint32_t ways)
{
    if (entries == 0)
        return 0;
    uint32_t in_set = ways == 0 ? entries : ways, sets = entries / in_set;
    return (uint64_t)entries * (ENTRY_BITS + VPN_BITS - log2_of(sets)) +
           replace_storage_bits(REPLACE_LRU, sets, in_set);
}

static uint64_t walk_cache_bits(uint32_t entries)
{
    if (entries == 0)
        return 0;
    return (uint64_t)entries * (PA_BITS - PTE_SHIFT + PPN_BITS + 1) +
           replace_storage_bits(REPLACE_LRU, 1, entries);
}

bool storage_count(const struct config *config, uint64_t bits[STORAGE_PARTS])
{
    struct bpred_storage predictor;
    if (!bpred_storage(config, &predictor))
        return false;
    for (unsigned part = 0; part < STORAGE_PARTS; part++)
        bits[part] = 0;
    bits[STORAGE_direction] = predictor.direction;
    bits[STORAGE_history] = predictor.history;
    bits[STORAGE_target_buffers] = predictor.btb;
    bits[STORAGE_return_address_stack] = predictor.ras;
    bits[STORAGE_indirect_targets] = predictor.indirect;
    count_caches(config, bits);
    bits[STORAGE_itlb] = tlb_bits(config->itlb_entries, config->itlb_ways);
    bits[STORAGE_dtlb] = tlb_bits(config->dtlb_entries, config->dtlb_ways);
    bits[STORAGE_l2tlb] = tlb_bits(config->l2tlb_entries, config->l2tlb_ways);
    bits[STORAGE_walk_cache] = walk_cache_bits(config->walker_cache_entries);
    const struct metadata_storage metadata = metadata_storage(config);
    bits[STORAGE_metadata_code] = metadata.code;
    bits[STORAGE_metadata_data] = metadata.data;
    bits[STORAGE_metadata_marks] = metadata.marks;
    return true;
}
