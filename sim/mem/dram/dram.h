/* The timing of memory at the bus: when the data of a line can begin to move.
 *
 * fixed    every read takes latency_cycles; nothing is ever busy. Published machines state such a
 *          single number. With slot_cycles time is divided into slots, as in a memory that serves
 *          several masters in turn: a read begins with the next slot that no other read has.
 * banked   channels with banks, each with a row buffer. A row that is open is read after tCAS; a
 *          closed bank is activated first (tRCD), and another open row precharged before that (tRP,
 *          not before tRAS after its activation). With the closed policy each access precharges.
 *          All banks refresh together for tRFC at every multiple of tREFI, which closes their rows.
 *          A line occupies its channel's data pins for line_cycles. An address is, from its low
 *          end: byte in the line, channel, line in the row, bank and rank, row.
 *
 * Each channel has a queue of reads, and its scheduler is that of dram_queue.h: FR-FCFS (Rixner et
 * al., "Memory access scheduling", ISCA 2000) or FCFS, command by command. With a write queue,
 * reads go first and writes wait (write_high, write_low): when the high watermark is reached, the
 * controller turns to writing until the low one is reached; between the two it writes one line at a
 * time while no read waits. A read of a waiting write is served from the queue. (Hansson et al.,
 * "Simulating DRAM controllers for future system architecture exploration", ISPASS 2014.) Pins that
 * turn from reads to writes, or back, are idle for `turnaround`. Without a write queue a write
 * takes its turn like a read.
 *
 * A read gets its time on arrival as if no further request came. When one
 * comes, requests not decided by then are rescheduled; a read whose time this moves is one of
 * dram_next_change, and its waiters must follow.
 *
 * Row hits are counted when a request arrives, according to the schedule of that moment. If the
 * request is served otherwise in the end, the count of a later request is changed instead, so that
 * sums are exact at any time. Left out: command bus, bank groups, power states, differences between
 * ranks. All times are core cycles. */
#ifndef SIM_MEM_DRAM_H
#define SIM_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/dram/dram_queue.h"

enum dram_kind { DRAM_FIXED, DRAM_BANKED };             /* in the order of dram.kind */

enum { DRAM_CHANNELS_MAX = 8 };

/* A read that was to begin in cycle `from` begins in cycle `to`. */
struct dram_change { uint64_t pa, from, to; };

struct dram {
    enum dram_kind kind;
    uint32_t latency_cycles;                            /* fixed: latency of a read */
    uint32_t slot_cycles;                               /* fixed: length of a time slot; 0 = a read
                                                         * begins at once */
    uint64_t slot_free;                                 /* cycle from which no slot is taken */
    uint32_t line_cycles;                               /* time of a line on the bus, or the pins */
    uint32_t line_write_cycles;                         /* time of a written line; 0: as
                                                         * line_cycles */
    uint32_t controller_cycles;                         /* banked: on the way to the channel and
                                                         * back */
    uint32_t channels, row_bytes, line_bytes;
    struct dram_timing timing;
    struct dram_channel *channel;                       /* [channels]; NULL = fixed */
    uint64_t clock;             /* no request arrives before this cycle; set by the caller */
    int32_t owed[DRAM_ROWS];    /* number of accesses counted too many; negative: too few */
    uint32_t changes;           /* not yet returned by dram_next_change */
    struct dram_change change[DRAM_READS_MAX];
};

struct config;

/* False: no memory. */
bool dram_init(struct dram *dram, const struct config *config);
void dram_free(struct dram *dram);
/* A line is read at `now`. Returns the cycle in which its data can begin to move. */
uint64_t dram_read(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events);
/* A line is written at `now`. Returns the cycle in which its data can begin to move, or in which
 * the write queue accepts it. */
uint64_t dram_write(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events);
/* The next request that the last read or write has moved; call until it returns false. */
bool dram_next_change(struct dram *dram, struct dram_change *change);

#endif
