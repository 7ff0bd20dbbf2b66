/* The events of an access, by the level that answered it. */
#include "pmu/abi.h"
#include "sim/core/pipe/stage_lsu.h"


uint8_t lsu_indicator_level(unsigned level)
{
    static const uint8_t indicator_level[] = {
        [MEM_L1] = IND_LEVEL_L1, [MEM_FORWARD] = IND_LEVEL_QUEUE, [MEM_L2] = IND_LEVEL_L2,
        [MEM_L3] = IND_LEVEL_L3, [MEM_DRAM] = IND_LEVEL_MEMORY,
    };
    return (level & MEM_PEER) != 0 ? IND_LEVEL_PEER : indicator_level[level];
}

SELDOM uint64_t lsu_level_events_beyond(const struct core *core, unsigned level)
{
    switch (level & ~(unsigned)MEM_PEER) {
    case MEM_L2: return EVENT_BIT(DCACHE_MISS) | EVENT_BIT(L2_HIT);
    case MEM_L3: return EVENT_BIT(DCACHE_MISS) | EVENT_BIT(L2_MISS) | EVENT_BIT(L3_HIT);
    case MEM_DRAM: return EVENT_BIT(DCACHE_MISS) | EVENT_BIT(L2_MISS) |
                          (core->config->l3_kib != 0 ? EVENT_BIT(L3_MISS) : 0);
    case MEM_FORWARD: return EVENT_BIT(STORE_FORWARDED);
    default: return EVENT_BIT(DCACHE_HIT);
    }
}
