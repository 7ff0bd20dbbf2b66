/* Storage of metadata on a chip, in bits, for one hart, except the marks on lines of L2 and L3. */
#include "sim/core/profile/metadata.h"

enum { PA_BITS = 56, FLAG_BITS = 12, LABEL_BITS = 8, GRANULE_BITS = 3 };
enum { FRAME_BITS = 2 + FLAG_BITS + LABEL_BITS + GRANULE_BITS };        /* valid, dirty */
/* Of a descriptor: flags, label, three latency bits, latency, limit, interrupts. */
enum { RECORD_BITS = FLAG_BITS + LABEL_BITS + 3 + 32 + 32 + 32 };

static uint32_t floor_log2(uint32_t value)
{
    uint32_t bits = 0;
    while (UINT32_C(1) << bits < value)
        bits++;
    return bits;
}

/* own: frames apart from the cache's, which need a tag and their age; 0: beside them. */
static uint64_t frames_bits(const struct config *config, uint32_t beside, uint32_t own,
                            uint32_t line, uint32_t granule)
{
    uint32_t ways = config->shadow_ways < own ? config->shadow_ways : own;
    uint64_t bits = FRAME_BITS;
    bits += (uint64_t)(line / granule) * (RECORD_BITS + config->pmu_counter_bits);
    if (own != 0)
        bits += PA_BITS - floor_log2(line) - floor_log2(own / ways) + floor_log2(ways);
    return bits * (own != 0 ? own : beside);
}

struct metadata_storage metadata_storage(const struct config *config)
{
    uint32_t iframes = config->l1i_kib * 1024 / config->l1i_line_bytes;
    uint32_t dframes = config->l1d_kib * 1024 / config->l1d_line_bytes;
    struct metadata_storage bits = {.marks = 0};
    if (config->shadow_placement == PLACEMENT_MIXED) {      /* has metadata; is metadata */
        bits.marks = iframes + 2 * (uint64_t)dframes;
        bits.marks += (uint64_t)config->l2_kib * 1024 / config->l2_line_bytes;
        bits.marks += (uint64_t)config->l3_kib * 1024 / config->l2_line_bytes;
        return bits;
    }
    bits.code = frames_bits(config, iframes, config->shadow_iframes, config->l1i_line_bytes, 2);
    bits.data = frames_bits(config, dframes, config->shadow_dframes, config->l1d_line_bytes,
                            config->pmu_granule_bytes);
    return bits;
}
