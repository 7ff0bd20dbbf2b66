/* The events that count waiting for a level of memory. */
#ifndef SIM_CORE_PIPE_ACCOUNT_LEVEL_H
#define SIM_CORE_PIPE_ACCOUNT_LEVEL_H

#include "pmu/event.h"
#include "sim/mem/memsys.h"

/* The LOST_* and CPI_* events of waiting for a load that is served by this level (enum
 * mem_level). */
static inline unsigned account_lost_to_level(unsigned level)
{
    static const uint8_t lost[] = {
        [MEM_L1] = EVENT_LOST_L1, [MEM_FORWARD] = EVENT_LOST_L1, [MEM_L2] = EVENT_LOST_L2,
        [MEM_L3] = EVENT_LOST_L3, [MEM_DRAM] = EVENT_LOST_DRAM,
    };
    return lost[level & ~(unsigned)MEM_PEER];
}
static inline unsigned account_cpi_of_level(unsigned level)
{
    static const uint8_t cpi[] = {
        [MEM_L1] = EVENT_CPI_L1, [MEM_FORWARD] = EVENT_CPI_L1, [MEM_L2] = EVENT_CPI_L2,
        [MEM_L3] = EVENT_CPI_L3, [MEM_DRAM] = EVENT_CPI_DRAM,
    };
    return cpi[level & ~(unsigned)MEM_PEER];
}

#endif
