/* Memory behind the bus: when the data of a line can begin to move.
 *
 * fixed    every read takes latency_cycles; nothing is ever busy. One number is what published
 *          machines state.
 * banked   channels with banks, each with a row buffer. A row that is open is read after tCAS; a
 *          closed bank is activated first (tRCD), and another open row precharged before that (tRP,
 *          not before tRAS after its activation). With the closed policy each access precharges.
 *          All banks refresh together for tRFC at every multiple of tREFI, which closes their rows.
 *          A line occupies its channel's data pins for line_cycles. An address is, from its low
 *          end: byte in the line, channel, line in the row, bank and rank, row.
 *
 * Scheduling is FR-FCFS (Rixner et al., "Memory access scheduling", ISCA 2000), or FCFS, in each
 * channel. With a write queue, reads go first and writes wait (write_high, write_low): when so many
 * wait as the high watermark says, the controller turns to writing until the low one is reached;
 * between the two it writes, one after the other, while there is nothing to read. What is read
 * while its write waits comes from the queue. (Hansson et al., "Simulating DRAM controllers for
 * future system architecture exploration", ISPASS 2014.) Pins that turn from reads to writes, or
 * back, are idle for `turnaround`.
 *
 * What that means where each read is told its time at once, and keeps it:
 *   writes   nobody waits for them: their order, and the reads that wait for them, are those of
 *            FR-FCFS exactly, with one exception: a batch begins behind reads promised before.
 *   reads    each is put, with what is known when it comes, where FR-FCFS puts it: banks work side
 *            by side, the pins go to whoever is ready first, and a hit of a row that is still open
 *            goes before an older request that waits to close it. The older one keeps the time it
 *            was told, which is too early by line_cycles for each hit that overtook it (at most
 *            row_hits); the bank's next request pays for that, so that bandwidth is exact. Only the
 *            row closed last by a promise can still be hit so.
 * A full queue of reads is bus.reads, of the whole bus. Left out: tFAW, tWR, a write latency other
 * than tCAS, power states, differences between ranks. All times are core cycles. */
#ifndef SIM_MEM_DRAM_H
#define SIM_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

enum dram_kind { DRAM_FIXED, DRAM_BANKED };             /* in the order of dram.kind */
enum dram_policy { DRAM_OPEN, DRAM_CLOSED };            /* in the order of dram.policy */
enum dram_scheduling { DRAM_FR_FCFS, DRAM_FCFS };       /* in the order of dram.scheduling */

enum { DRAM_CHANNELS_MAX = 8, DRAM_BANKS_MAX = 256, DRAM_PINS = 16, DRAM_WRITES_MAX = 128 };

struct dram_bank {
    uint64_t row;               /* the open one */
    uint64_t ready;             /* cycle from which it takes a command */
    uint64_t activated;         /* cycle in which the row was opened */
    uint64_t refreshes;         /* how many it has seen */
    uint64_t old_row;           /* open until old_until, takes a command from old_ready */
    uint64_t old_ready, old_until;
    uint32_t overtook;          /* hits of the old row since then */
    bool is_open;
};

/* A write that waits. */
struct dram_write { uint64_t line, row, arrival; uint32_t bank; };

struct dram_channel {
    struct dram_bank bank[DRAM_BANKS_MAX];
    struct { uint64_t start, end; } pins[DRAM_PINS];    /* promised, in order of start */
    struct dram_write write[DRAM_WRITES_MAX];           /* the oldest first */
    uint32_t writes;
    uint32_t passed;            /* hits that went before the oldest write */
    uint64_t write_next;        /* cycle from which the next write can be begun */
    uint64_t read_end, write_end;   /* of the last data */
    uint64_t served;            /* fcfs: last column command */
};

struct dram {
    enum dram_kind kind;
    enum dram_policy policy;
    uint32_t latency_cycles;                            /* fixed: of a read */
    uint32_t line_cycles;                               /* of one line on the bus, or the pins */
    uint32_t controller_cycles;                         /* banked: on the way there and back */
    uint32_t channels, banks, row_bytes, line_bytes;    /* banks: of all ranks of a channel */
    uint32_t trcd, tcas, trp, tras, trfc, trefi;
    enum dram_scheduling scheduling;
    uint32_t row_hits, write_high, write_low, turnaround;
    struct dram_channel *channel;                       /* [channels]; NULL = fixed */
};

struct config;

/* False: no memory. */
bool dram_init(struct dram *dram, const struct config *config);
void dram_free(struct dram *dram);
/* A line is wanted at `now`: the cycle in which its data can begin to move. */
uint64_t dram_read(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events);
/* A line is brought at `now`: the cycle in which its data can begin to move, or in which the write
 * queue has it. */
uint64_t dram_write(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events);

#endif
