/* A gshare table with one port, whose rows are read ahead (part_row_ahead).
 *
 * At a prediction the table is read for the branch after the next: the history without its two
 * youngest outcomes selects the row, and the youngest part_history_gap outcomes select the counter
 * in it. So a prediction uses a row as it was two predictions ago. After a misprediction the two
 * rows of the corrected history are read, in the two cycles after its execution; a prediction in
 * the second of them still uses the old row.
 *
 * Only a mispredicted branch corrects the history of predictions: branches fetched after a
 * mispredicted jump stay in it.
 *
 * A counter that changes is written in the cycle after the execution, or in the third after a
 * misprediction, starting from the value that the prediction used; predictions go first. While a
 * write waits, others are dropped, and a misprediction reads no rows.
 * Source: C906, aq_ifu_bht.v. */
#include "sim/core/bpred/bpred_internal.h"

#include <string.h>

/* A prediction is made in the stage after fetch. Cycles here are those of fetch, so data of some
 * cycle are available to the fetch of that many cycles before. */
enum { SEES_LATER = 2 };

static const uint8_t *row_of(const struct gshare *gshare, uint64_t history)
{
    uint64_t index = gshare_index(gshare, 0, history) & bimodal_shape(&gshare->table)->mask;
    return &gshare->table.counter[index & ~(uint64_t)(GSHARE_ROW - 1)];
}

static void read_row(const struct gshare *gshare, uint8_t *row, uint64_t history)
{
    memcpy(row, row_of(gshare, history), GSHARE_ROW);
}

void gshare_port_init(struct bpred *bpred, const struct config *config)
{
    memset(bpred->port.held, (int)config->bpred_counter_initial, GSHARE_ROW);
    memset(bpred->port.next, (int)config->bpred_counter_initial, GSHARE_ROW);
}

/* The cycle begins, with or without a prediction. */
static void settle(struct bpred *bpred, uint64_t cycle, bool predicts)
{
    struct gshare_port *port = &bpred->port;
    if (!port->writes)
        return;
    if (port->write_cycle < cycle) {
        bpred->by.gshare.table.counter[port->write_index] = port->value;
        port->writes = false;
    } else if (predicts && port->write_cycle == cycle) {
        port->write_cycle++;
    }
}

/* Takes over the rows read after a misprediction. True: only after this prediction, which is in the
 * cycle of the second read. */
static bool take_restart(struct gshare_port *port, uint64_t now)
{
    if (!port->restarts)
        return false;
    port->restarts = false;
    memcpy(port->held, port->restart[0], GSHARE_ROW);
    memcpy(port->next, port->restart[1], GSHARE_ROW);
    return now <= port->restart_cycle + 2;
}

static uint8_t see(struct bpred *bpred, uint64_t now)
{
    struct gshare_port *port = &bpred->port;
    const struct gshare *gshare = &bpred->by.gshare;
    unsigned pick = (unsigned)(port->history & (GSHARE_ROW - 1));
    uint8_t old = port->held[pick];
    settle(bpred, now, true);
    if (take_restart(port, now))
        return old;
    uint8_t counter = port->held[pick];
    memcpy(port->held, port->next, GSHARE_ROW);
    read_row(gshare, port->next, port->history << 2);
    return counter;
}

uint8_t gshare_port_see(struct bpred *bpred, uint64_t now)
{
    uint8_t counter = see(bpred, now);
    bool taken = counter > bimodal_shape(&bpred->by.gshare.table)->max / 2;
    bpred->port.history = bpred->port.history << 1 | taken;
    return counter;
}

void gshare_port_learn(struct bpred *bpred, const struct bpred_snapshot *snapshot, bool taken)
{
    struct gshare_port *port = &bpred->port;
    const struct gshare *gshare = &bpred->by.gshare;
    uint64_t executes = bpred->lesson_cycle - SEES_LATER;
    bool is_wrong = snapshot->predicted_taken != taken;
    uint8_t value = snapshot->counter;
    settle(bpred, executes, false);
    counter_move(&value, taken, bimodal_shape(&gshare->table)->max);
    port->is_busy = port->writes;
    if (port->writes || value == snapshot->counter)
        return;
    port->write_cycle = executes + (is_wrong ? 3 : 1);
    port->writes = true;
    port->write_index = gshare_index(gshare, 0, snapshot->history) &
                        bimodal_shape(&gshare->table)->mask;
    port->value = value;
}

void gshare_port_restart(struct bpred *bpred)
{
    struct gshare_port *port = &bpred->port;
    lessons_learn_due(bpred, UINT64_MAX);
    port->history = bpred->history;
    if (port->is_busy)
        return;
    port->restarts = true;
    port->restart_cycle = bpred->lesson_cycle - SEES_LATER;
    read_row(&bpred->by.gshare, port->restart[0], bpred->history);
    read_row(&bpred->by.gshare, port->restart[1], bpred->history << 1);
}
