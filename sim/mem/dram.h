/* Memory behind the last cache: a fixed latency, and a bus that carries one thing at a time.
 *
 * A line read occupies the bus for line_cycles when its request leaves, and arrives latency cycles
 * later; write-backs and metadata occupy the bus and nobody waits for them. Banks, rows and refresh
 * are left out: one number is what published machines state. */
#ifndef SIM_MEM_DRAM_H
#define SIM_MEM_DRAM_H

#include <stdint.h>

struct dram {
    uint64_t bus_free;          /* cycle from which the bus is free */
    uint32_t latency_cycles, line_cycles;
};

/* Takes the bus for `cycles` from `now`, or from when it is free; returns when that began. */
static inline uint64_t dram_occupy(struct dram *dram, uint64_t now, uint64_t cycles)
{
    uint64_t start = now > dram->bus_free ? now : dram->bus_free;
    dram->bus_free = start + cycles;
    return start;
}

/* Returns the cycle in which the line arrives. */
uint64_t dram_read(struct dram *dram, uint64_t now);
void dram_write(struct dram *dram, uint64_t now);

#endif
