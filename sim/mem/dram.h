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
 * Scheduling approximates FR-FCFS (Rixner et al., "Memory access scheduling", ISCA 2000) under the
 * rule that each request is told its time at once and keeps it: banks work side by side, the data
 * pins are given to whoever is ready first, also before what was promised to an earlier request of
 * another bank, and a request to the row that is still open overtakes one that waits to close it;
 * what was overtaken keeps its time, the time is charged to the bank's next request. Requests wait
 * in no queue of limited length. Left out: tFAW, turning the pins from reads to writes, tWR, power
 * states, differences between ranks. All times are core cycles. */
#ifndef SIM_MEM_DRAM_H
#define SIM_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

enum dram_kind { DRAM_FIXED, DRAM_BANKED };             /* in the order of dram.kind */
enum dram_policy { DRAM_OPEN, DRAM_CLOSED };            /* in the order of dram.policy */

enum { DRAM_CHANNELS_MAX = 8, DRAM_BANKS_MAX = 256, DRAM_PINS = 16 };

struct dram_bank {
    uint64_t row;               /* the open one */
    uint64_t ready;             /* cycle from which it takes a command */
    uint64_t activated;         /* cycle in which the row was opened */
    uint64_t refreshes;         /* how many it has seen */
    uint64_t old_row;           /* open until old_until, takes a command from old_ready */
    uint64_t old_ready, old_until;
    bool is_open;
};

struct dram_channel {
    struct dram_bank bank[DRAM_BANKS_MAX];
    struct { uint64_t start, end; } pins[DRAM_PINS];    /* promised, in order of start */
};

struct dram {
    enum dram_kind kind;
    enum dram_policy policy;
    uint32_t latency_cycles;                            /* fixed: of a read */
    uint32_t line_cycles;                               /* of one line on the bus, or the pins */
    uint32_t controller_cycles;                         /* banked: on the way there and back */
    uint32_t channels, banks, row_bytes, line_bytes;    /* banks: of all ranks of a channel */
    uint32_t trcd, tcas, trp, tras, trfc, trefi;
    struct dram_channel *channel;                       /* [channels]; NULL = fixed */
};

struct config;

/* False: no memory. */
bool dram_init(struct dram *dram, const struct config *config);
void dram_free(struct dram *dram);
/* A line is wanted, or brought, at `now`: the cycle in which its data can begin to move. */
uint64_t dram_access(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events);

#endif
