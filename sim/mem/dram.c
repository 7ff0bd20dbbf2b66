/* See dram.h. */
#include "sim/mem/dram.h"

uint64_t dram_read(struct dram *dram, uint64_t now)
{
    return dram_occupy(dram, now, dram->line_cycles) + dram->latency_cycles;
}

void dram_write(struct dram *dram, uint64_t now)
{
    dram_occupy(dram, now, dram->line_cycles);
}
