/* Bi-mode's tables behind a single port: as in the C910 (ct_ifu_bht.v).
 *
 * A prediction reads, an outcome writes. Reads go first: an outcome that comes in a cycle with a
 * read, or behind others, waits in a short queue (bht_wr_buf), from which the oldest is written in
 * each cycle without a read. What finds the queue full is forgotten. A branch carries the counters
 * that its prediction saw, and both are written from them, whatever the tables hold by then; an
 * outcome that would move neither is not written.
 *
 * Where a bank has rows (bpred.bimode_index), they are what is read, and predictions go by what was
 * read, not by what the tables hold:
 *   counters   a branch that is predicted has the row read for the branch behind the next one; a
 *              redirect has those for the first branch and, a cycle later, for the second
 *              (bht_pred_array_rd_index)
 *   choices    those of a row of blocks are read in the cycle before fetch goes elsewhere, or on
 *              into the next row, and kept until then (bht_sel_data_reg); what is read while fetch
 *              is held is not taken over (sel_rd_flop), so that fetch goes on with the choices of
 *              the row where it was before
 * The loop buffer reads counters for its branches too, and keeps them apart (lbuf_pre_taken_reg),
 * also from one stay in a loop to the next. The choices of its two branches it reads when they come
 * in, and goes on to keep itself (back_br_sel_array_result). Its reads do not hold up writes
 * (bht_wr_buf_updt_vld): the oldest outcome is written in such a cycle, its counter into the row
 * that is read, and stays in the queue.
 * Left out: choices out of the queue of outcomes (wr_buf_hit), when a branch is predicted in the
 * very cycle behind a change of flow with the history of an outcome that waits. */
#include "sim/core/bpred/predictors.h"

#include <string.h>

#include "sim/base/cycle.h"

static void write_oldest(struct bimode *bimode)
{
    bimode_put(bimode, &bimode->write[0], NULL);
    bimode->write_count--;
    memmove(&bimode->write[0], &bimode->write[1],
            bimode->write_count * sizeof bimode->write[0]);
}

static void take_counters(struct bimode *bimode, uint64_t history)
{
    uint64_t first = bimode_row(bimode, history);
    memcpy(bimode->row[0], bimode->row[1], sizeof bimode->row[0]);
    for (unsigned bank = 0; bank < 2; bank++)
        memcpy(bimode->row[1][bank], &bimode->bank[bank][first],
               (size_t)1 << bimode->column_bits);
}

static void take_choices(struct bimode *bimode, uint64_t pc)
{
    bimode->choice_row = bimode_choice_row(bimode, pc);
    memcpy(bimode->choices, &bimode->choice[bimode->choice_row], sizeof bimode->choices);
}

static void do_oldest_read(struct bimode *bimode)
{
    const struct bimode_read read = bimode->read[0];
    bimode->read_count--;
    memmove(&bimode->read[0], &bimode->read[1], bimode->read_count * sizeof bimode->read[0]);
    if (read.what == PORT_LOOP_COUNTERS) {
        if (bimode->write_count != 0)
            bimode_put(bimode, &bimode->write[0], &read.at);
        memcpy(bimode->loop_row, bimode->row[1], sizeof bimode->loop_row);
    }
    if (read.what == PORT_COUNTERS || read.what == PORT_LOOP_COUNTERS)
        take_counters(bimode, read.at);
    else if (read.what == PORT_CHOICES)
        take_choices(bimode, read.at);
    else if (read.what == PORT_CHOICES_LOST)
        bimode->choice_row = bimode_choice_row(bimode, read.at);
}

static bool is_read_in(const struct bimode *bimode, uint64_t cycle)
{
    return bimode->read_count != 0 && bimode->read[0].cycle <= cycle;
}

void bimode_run(struct bimode *bimode, uint64_t cycle)
{
    while (bimode->due < cycle && (bimode->write_count | bimode->read_count) != 0) {
        if (!is_read_in(bimode, bimode->due) && bimode->write_count == 0) {
            bimode->due = earlier(bimode->read[0].cycle, cycle);
            continue;
        }
        if (!is_read_in(bimode, bimode->due))
            write_oldest(bimode);
        while (is_read_in(bimode, bimode->due))
            do_oldest_read(bimode);
        bimode->due++;
    }
    if (bimode->due < cycle)
        bimode->due = cycle;
}

static void will_read(struct bimode *bimode, uint64_t cycle, enum bimode_port what, uint64_t at)
{
    unsigned place = bimode->read_count;
    if (place == BIMODE_READS)
        bimode_run(bimode, bimode->read[0].cycle + 1);
    if (cycle < bimode->due)
        return;
    for (place = bimode->read_count++; place != 0 && bimode->read[place - 1].cycle > cycle; place--)
        bimode->read[place] = bimode->read[place - 1];
    bimode->read[place] = (struct bimode_read){cycle, at, what};
}

void bimode_reads(struct bimode *bimode, uint64_t cycle)
{
    will_read(bimode, cycle, PORT_BUSY, 0);
}

void bimode_reads_counters(struct bimode *bimode, uint64_t cycle, uint64_t history, bool in_loop)
{
    enum bimode_port what = in_loop ? PORT_LOOP_COUNTERS : PORT_COUNTERS;
    will_read(bimode, cycle, bimode->reads_rows ? what : PORT_BUSY, history << 2);
}

void bimode_reads_choices(struct bimode *bimode, uint64_t cycle, uint64_t pc)
{
    will_read(bimode, cycle, bimode->reads_rows ? PORT_CHOICES : PORT_BUSY, pc);
}

void bimode_redirect(struct bimode *bimode, uint64_t cycle, uint64_t pc, uint64_t history,
                     bool is_held)
{
    if (!bimode->reads_rows)
        return;
    bimode_run(bimode, cycle);
    bimode->read_count = 0;
    will_read(bimode, cycle, PORT_COUNTERS, history);
    will_read(bimode, cycle, is_held ? PORT_CHOICES_LOST : PORT_CHOICES, pc);
    will_read(bimode, cycle + 1, PORT_COUNTERS, history << 1);
}

/* Fetch came into another row without a change of flow, and read it on the way. */
static uint8_t choice_seen(struct bimode *bimode, uint64_t pc)
{
    if (bimode_choice_row(bimode, pc) != bimode->choice_row)
        take_choices(bimode, pc);
    return bimode->choices[pc >> bimode->shift & (BIMODE_CHOICES - 1)];
}

static struct bimode_kept *kept_of(struct bimode *bimode, uint64_t pc)
{
    for (unsigned i = 0; i < BIMODE_LOOP; i++)
        if (bimode->kept[i].pc == pc)
            return &bimode->kept[i];
    return NULL;
}

void bimode_keep(struct bimode *bimode, uint64_t pc, uint8_t counters)
{
    struct bimode_kept *kept = kept_of(bimode, pc);
    if (kept == NULL)
        kept = &bimode->kept[bimode->next_kept++ % BIMODE_LOOP];
    *kept = (struct bimode_kept){pc, bimode_choice_of(counters)};
}

/* The loop's own; of more branches than it has, those of the tables. */
static uint8_t kept_choice(struct bimode *bimode, uint64_t pc)
{
    const struct bimode_kept *kept = kept_of(bimode, pc);
    return kept != NULL ? kept->choice : choice_seen(bimode, pc);
}

/* As the choice in the tables, but from the value that is kept. */
static void teach_kept(struct bimode *bimode, const struct bimode_write *write)
{
    bool predicted = bimode_counter_of(write->counters) >= bimode->half;
    for (unsigned i = 0; i < BIMODE_LOOP; i++) {
        struct bimode_kept *kept = &bimode->kept[i];
        bool chosen = kept->choice >= bimode->half;
        if (kept->pc == write->pc && (chosen == write->taken || predicted != write->taken))
            counter_move(&kept->choice, write->taken, bimode->max);
    }
}

static bool reads_counters_by(const struct bimode *bimode, uint64_t cycle)
{
    for (unsigned i = 0; i < bimode->read_count && bimode->read[i].cycle <= cycle; i++)
        if (bimode->read[i].what == PORT_COUNTERS || bimode->read[i].what == PORT_LOOP_COUNTERS)
            return true;
    return false;
}

/* Counters are handed on to the next branch in the cycle of a read, choices are there in the one
 * behind it. The loop buffer predicts a stage later, by choices of its own. */
uint8_t bimode_seen(struct bimode *bimode, uint64_t now, uint64_t pc, uint64_t history,
                    bool in_loop)
{
    if (!bimode->reads_rows)
        return bimode_counters(bimode, pc, history);
    bimode_run(bimode, now + in_loop);
    bool is_read = reads_counters_by(bimode, now + in_loop);
    uint8_t (*row)[BIMODE_COLUMNS] = is_read ? bimode->row[1]
                                     : in_loop ? bimode->loop_row : bimode->row[0];
    uint8_t choice = in_loop ? kept_choice(bimode, pc) : choice_seen(bimode, pc);
    uint64_t column = (pc >> bimode->shift ^ history) & bimode->pc_mask;
    return bimode_pack(choice, row[choice >= bimode->half][column]);
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
    bimode_run(bimode, cycle);
    teach_kept(bimode, write);
    if (is_settled(bimode, write))
        return;
    if (!is_read_in(bimode, cycle) && bimode->write_count == 0)
        bimode_put(bimode, write, NULL);
    else if (bimode->write_count < bimode->write_buffer)
        bimode->write[bimode->write_count++] = *write;
}
