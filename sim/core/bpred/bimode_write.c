/* Outcomes on their way into the tables of bi-mode, where these have a single port: as in the C910
 * (ct_ifu_bht.v, bht_wr_buf).
 *
 * A prediction reads, an outcome writes. Reads go first: an outcome that comes in a cycle with a
 * read, or behind others, waits in a short queue, from which the oldest is written in each cycle
 * without a read. What finds the queue full is forgotten. A branch carries the counters that its
 * prediction saw, and both are written from them, whatever the tables hold by then; an outcome that
 * would move neither is not written.
 *
 * Cycles with a read are bits of a mask that begins with the cycle that is due next. */
#include "sim/core/bpred/predictors.h"

#include <string.h>

enum { MASK_BITS = 64 };

static void write_oldest(struct bimode *bimode)
{
    bimode_put(bimode, &bimode->write[0]);
    bimode->write_count--;
    memmove(&bimode->write[0], &bimode->write[1],
            bimode->write_count * sizeof bimode->write[0]);
}

/* What happens before this cycle. */
static void catch_up(struct bimode *bimode, uint64_t cycle)
{
    while (bimode->busy_from < cycle && (bimode->write_count != 0 || bimode->busy != 0)) {
        if ((bimode->busy & 1) == 0 && bimode->write_count != 0)
            write_oldest(bimode);
        bimode->busy >>= 1;
        bimode->busy_from++;
    }
    if (bimode->busy_from < cycle)
        bimode->busy_from = cycle;
}

void bimode_reads(struct bimode *bimode, uint64_t cycle)
{
    if (cycle >= bimode->busy_from + MASK_BITS)
        catch_up(bimode, cycle - MASK_BITS + 1);
    if (cycle >= bimode->busy_from)
        bimode->busy |= UINT64_C(1) << (cycle - bimode->busy_from);
}

/* Does the outcome leave both counters as they are? The choice is not told of an outcome against it
 * that its bank foresaw, unless the counter moves. */
static bool is_settled(const struct bimode *bimode, const struct bimode_write *write)
{
    uint8_t choice = bimode_choice_of(write->counters);
    uint8_t counter = bimode_counter_of(write->counters), end = write->taken ? bimode->max : 0;
    return counter == end && (choice == end || (choice >= bimode->half) != write->taken);
}

void bimode_learn(struct bimode *bimode, uint64_t cycle, const struct bimode_write *write)
{
    catch_up(bimode, cycle);
    if (is_settled(bimode, write))
        return;
    if ((bimode->busy & 1) == 0 && bimode->write_count == 0)
        bimode_put(bimode, write);
    else if (bimode->write_count < bimode->write_buffer)
        bimode->write[bimode->write_count++] = *write;
}
