/* One channel of banked memory: requests that wait, and the scheduler that picks among them.
 *
 * The scheduler gives one command after the other: to precharge a bank, to activate a row, or to
 * move a line (column). It picks the command that can be given first; among equals a column
 * command, then the command of the oldest request. This is FR-FCFS, with these rules:
 *   - a row is not closed while a request that has arrived hits it, unless row_hits hits have
 *     overtaken an older request of the bank, which is then next there;
 *   - a row that was opened for a request stays open until this has moved its line;
 *   - while a batch of writes is written, reads wait, except those for which a row was opened.
 * FCFS: only the oldest request gets commands, after the column command of the request before it.
 *
 * dram_channel_settle gives the commands before a cycle for good. dram_channel_plan computes when
 * each read would move its line if no further request came, and changes nothing: later requests may
 * change the plan. Private to sim/mem/dram/dram.c. */
#ifndef SIM_MEM_DRAM_QUEUE_H
#define SIM_MEM_DRAM_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

enum dram_policy { DRAM_OPEN, DRAM_CLOSED };            /* in the order of dram.policy */
enum dram_scheduling { DRAM_FR_FCFS, DRAM_FCFS };       /* in the order of dram.scheduling */
/* The state a request finds: its row open, no row open, another row open. */
enum dram_row { DRAM_ROW_HIT, DRAM_ROW_CLOSED, DRAM_ROW_CONFLICT, DRAM_ROWS };

enum { DRAM_BANKS_MAX = 256, DRAM_READS_MAX = 64, DRAM_WRITES_MAX = 128, DRAM_ACTIVATES = 4 };

struct dram_timing {
    enum dram_policy policy;
    enum dram_scheduling scheduling;
    uint32_t banks;                             /* of all ranks of a channel */
    uint32_t reads;                             /* reads in the scheduler's window */
    uint32_t row_hits, write_high, write_low;
    uint32_t line, turnaround;
    uint32_t trcd, tcas, trp, tras, trfc, trefi;
    uint32_t tcwl, trtp, twr, twtr, trrd, tfaw;
};

struct dram_bank {
    uint64_t row;                               /* number of the open row */
    uint64_t activate, column, precharge;       /* first cycle for each command */
    uint64_t refreshes;                         /* refreshes of the bank up to now */
    uint32_t overtook;                          /* row hits that overtook an older request */
    bool is_open;
    bool is_taken;                              /* the row was opened for a request that has not
                                                 * used it yet */
};

/* Shared by the banks of a channel. */
struct dram_lane {
    uint64_t column;                            /* cycle from which the next line can move */
    uint64_t read_end, write_end;               /* of the last data */
    uint64_t served;                            /* cycle of the last column command */
    uint64_t write_next;                        /* cycle from which a single write can begin */
    uint64_t refreshes, refresh_end;
    uint64_t batch_from;                        /* cycle in which the batch of writes begins */
    uint64_t activated[DRAM_ACTIVATES];         /* cycles of the last activations, a ring */
    uint32_t last;                              /* index in the ring */
    uint32_t writes, begun;                     /* waiting writes; those for which a row was
                                                 * opened */
    bool is_writing;                            /* a batch of writes is in progress */
};

struct dram_request {
    uint64_t line, row, arrival;
    uint64_t told;                              /* cycle of the data, as last reported */
    uint32_t bank;
    enum dram_row counted;
    bool is_new;                                /* not reported and not counted yet */
    bool is_write;                              /* in the queue of reads: a write, without a
                                                 * waiter */
};

/* The progress of a request. */
struct dram_progress {
    uint64_t start;                             /* is_done: cycle in which its data begin to move */
    uint8_t found;                              /* enum dram_row */
    bool is_begun, is_done;
};

/* The oldest first. */
struct dram_queue {
    uint32_t count;
    struct dram_request request[DRAM_WRITES_MAX];
    struct dram_progress progress[DRAM_WRITES_MAX];
};

enum { DRAM_READ_QUEUE, DRAM_WRITE_QUEUE };

struct dram_channel {
    struct dram_lane lane;
    struct dram_queue queue[2];
    struct dram_bank bank[DRAM_BANKS_MAX];
};

/* Gives every command before `until`; completed requests stay in their queue, with their
 * progress. */
void dram_channel_settle(struct dram_channel *channel, const struct dram_timing *timing,
                         uint64_t until);
/* Gives commands until a request of the queue is done; returns the cycle of its column command. */
uint64_t dram_channel_settle_one(struct dram_channel *channel, const struct dram_timing *timing,
                                 unsigned queue);
/* Plans all reads to completion; at[i]: the progress of read i. */
void dram_channel_plan(struct dram_channel *channel, const struct dram_timing *timing,
                       struct dram_progress at[DRAM_READS_MAX]);
/* Puts a request after all that arrived before. */
struct dram_request *dram_queue_add(struct dram_queue *queue, const struct dram_request *request);
/* True if the line is in the queue and not done. */
bool dram_queue_has(const struct dram_queue *queue, uint64_t line);

#endif
