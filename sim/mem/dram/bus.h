/* The bus interface unit: lines and metadata between the last cache and memory.
 *
 * Without a width (bus.bytes = 0) a line occupies the bus for line_cycles from its request on, and
 * is there as a whole when memory's latency has passed. With a width, memory answers after its
 * latency with the first beat, and the others follow each beat_cycles; the burst begins with the
 * beat that was asked for and wraps. The number of reads in flight can be limited. With a limit of
 * 1 the bus is serialised: a read begins when the last beat of the read before it has arrived.
 * Writes share the data lines with reads, or have a channel of their own (AXI). Only the next write
 * waits for a write. The order is arbitrated between instruction fetch and everything else; see
 * arbiter.h. Left out: address phases, bursts that are split, turnaround time. */
#ifndef SIM_MEM_BUS_H
#define SIM_MEM_BUS_H

#include "sim/mem/dram/arbiter.h"
#include "sim/mem/dram/dram.h"

enum { BUS_READS_MAX = 64, REPLY_SLOTS_MAX = 256 };

struct bus {
    struct arbiter data;                /* the data lines; reads == 1: from request to last beat */
    struct arbiter write;               /* only when writes have a channel of their own */
    uint64_t slot[BUS_READS_MAX];       /* reads > 1: cycle in which each is free again */
    uint32_t bytes, beat_cycles, write_beat_cycles, reads;
    bool has_write_channel;
    struct dram dram;
    /* part_reply_slots: the last request in each; a write with its number, odd or even */
    uint32_t reply_slots, reply_next;
    uint8_t reply[REPLY_SLOTS_MAX];
    bool write_is_odd;
};

/* False: no memory. */
bool bus_init(struct bus *bus, const struct config *config);
void bus_free(struct bus *bus);

struct bus_request {
    uint64_t pa, now;
    uint64_t *events;
    uint32_t bytes;
    bool is_fetch;
};

/* The cycle in which the first beat of the line arrives; bus_beat_cycles gives the distance of the
 * others. */
uint64_t bus_read(struct bus *bus, const struct bus_request *request);
/* The cycle in which the bus has accepted the whole line. */
uint64_t bus_write(struct bus *bus, const struct bus_request *request);
/* The first cycle from `now` on in which a write can have the bus. */
uint64_t bus_write_start(const struct bus *bus, uint64_t now);
/* Called before a line is written while the caller starts no read until the write is complete.
 * True: with part_reply_slots, the write seems complete at once. Until a reply arrives, the queue's
 * output is the slot after the last request, where the next reply goes, so an older write of the
 * same number is taken for this one. (RSD: Memory.sv, MemoryLatencySimulator.sv, nextMemPipeReg.wr;
 * serial numbers of one bit.) */
bool bus_write_seems_done(struct bus *bus);
/* Metadata occupies the bus for `cycles`; returns the cycle of their arrival. */
uint64_t bus_metadata(struct bus *bus, uint64_t now, uint64_t cycles, uint64_t *events);

/* Cycles between beats; 0: a line arrives as a whole. */
static inline uint32_t bus_beat_cycles(const struct bus *bus)
{
    return bus->bytes != 0 ? bus->beat_cycles : 0;
}

#endif
