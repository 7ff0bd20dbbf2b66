/* Bi-mode's tables after a single port: as in the C910 (ct_ifu_bht.v).
 *
 * A prediction reads, an outcome writes. Reads go first: an outcome that arrives in a cycle with a
 * read, or while others wait, waits in a short queue (bht_wr_buf), from which the oldest is written
 * in each cycle without a read. With the queue full an outcome is dropped. A branch carries the
 * counters that its prediction used. Both are written as these plus the outcome, even if the tables
 * have changed; an outcome that changes neither is not written. Reads on wrong paths count, and so
 * do those of a jump that waits to redirect (path.c).
 *
 * If a bank has rows (part_bimode_index), a whole row is read, and predictions use the data read,
 * not the present tables:
 *   counters   the prediction of a branch reads the row for the branch after the next one; a
 *              redirect reads the row for the first branch and, a cycle later, that for the second
 *              (bht_pred_array_rd_index)
 *   choices    the choices of a row of blocks are read in the cycle before fetch is redirected, or
 *              enters the next row, and held until then (bht_sel_data_reg). Choices read while
 *              fetch is held are discarded (sel_rd_flop), so that fetch continues with those of its
 *              former row. A row of blocks is read as long as fetch is in the last block in front
 *              of it, whether or not it goes on (pcgen_bht_seq_read). A further branch of a block
 *              uses the choice of the first, which may be that of the previous block, if the branch
 *              began there (sel_array_val_flop)
 * The loop buffer reads counters for its branches too, and stores them separately
 * (lbuf_pre_taken_reg), even from one stay in a loop to the next. It reads the choices of its two
 * branches when they enter, and then updates them itself (back_br_sel_array_result).
 * While it feeds decode, fetch runs on (run_on.c). A branch of fetch, or a crossing into another
 * row, holds up writes then (bht_wr_buf_updt_vld); reads do not: the oldest outcome is written, its
 * counter into the row being read, its choice into the row of fetch's next address. It leaves the
 * queue only in a cycle without reads (bht_wr_buf_retire_vld), even if its write was held up. A
 * branch predicted in the cycle after a change of flow, with the history of a waiting outcome,
 * takes the choice from that outcome (wr_buf_hit). */
#include "sim/core/bpred/predictors.h"

#include <string.h>

static void drop_oldest_write(struct bimode *bimode)
{
    bimode->write_count--;
    bimode->written++;
    for (unsigned i = 0; i < bimode->write_count; i++)
        bimode->write[i] = bimode->write[i + 1];
}

static void write_oldest(struct bimode *bimode)
{
    bimode_put(bimode, &bimode->write[0], NULL, NULL);
    drop_oldest_write(bimode);
}

/* A row usually has as many counters as fit into `row`. */
static inline void take_row(uint8_t row[BIMODE_COLUMNS], const uint8_t *counters, size_t count)
{
    if (count == BIMODE_COLUMNS)
        memcpy(row, counters, BIMODE_COLUMNS);
    else
        memcpy(row, counters, count);
}

static void take_counters(struct bimode *bimode, uint64_t history)
{
    uint64_t first = bimode_row(bimode, history);
    size_t count = (size_t)1 << bimode_shape(bimode)->column_bits;
    memcpy(bimode->row[0], bimode->row[1], sizeof bimode->row[0]);
    for (unsigned bank = 0; bank < 2; bank++)
        take_row(bimode->row[1][bank], &bimode->bank[bank][first], count);
}

static void take_choices(struct bimode *bimode, uint64_t pc)
{
    bimode->choice_row = bimode_choice_row(bimode, pc);
    memcpy(bimode->choices, &bimode->choice[bimode->choice_row], sizeof bimode->choices);
}

static inline void do_read(struct bimode *bimode, const struct bimode_read *read)
{
    if (read->what == PORT_LOOP_COUNTERS)
        memcpy(bimode->loop_row, bimode->row[1], sizeof bimode->loop_row);
    if (read->what == PORT_COUNTERS || read->what == PORT_LOOP_COUNTERS) {
        take_counters(bimode, read->at);
        bimode->counters_read = read->cycle;
    } else if (read->what == PORT_CHOICES) {
        take_choices(bimode, read->at);
        bimode->choices_read = read->cycle;
        bimode->choices_pc = read->at;
    } else if (read->what == PORT_CHOICES_LOST) {
        bimode->choice_row = bimode_choice_row(bimode, read->at);
    }
}

static inline void do_reads_before(struct bimode *bimode, uint64_t cycle)
{
    const struct bimode_read *read = &bimode->read[bimode->first_read];
    unsigned left = bimode->read_count;
    for (; left != 0 && read->cycle < cycle; left--)
        do_read(bimode, read++);
    bimode->read_count = (uint8_t)left;
    bimode->first_read = (uint8_t)(left == 0 ? 0 : read - bimode->read);
}

static bool is_read_in(const struct bimode *bimode, uint64_t cycle)
{
    return bimode->read_count != 0 && bimode->read[bimode->first_read].cycle <= cycle;
}

static bool is_busy(const struct bimode *bimode, uint64_t cycle)
{
    return is_read_in(bimode, cycle) || (bimode->end_from <= cycle && cycle < bimode->end_until);
}

/* Takes in the outcomes that arrived in this cycle, whose reads are all known now. */
static void take_arrivals(struct bimode *bimode, bool feeds)
{
    bool is_free = !feeds && !is_busy(bimode, bimode->due);
    for (unsigned i = 0; i < bimode->arrivals; i++) {
        if (is_free && bimode->write_count == 0)
            bimode_put(bimode, &bimode->arrival[i], NULL, NULL);
        else if (bimode->write_count < bimode_shape(bimode)->write_buffer)
            bimode->write[bimode->write_count++] = bimode->arrival[i];
    }
    bimode->arrivals = 0;
}

/* A cycle in which the loop buffer does not feed decode: reads go first. */
static void run_alone(struct bimode *bimode)
{
    if (!is_busy(bimode, bimode->due) && bimode->write_count != 0)
        write_oldest(bimode);
    do_reads_before(bimode, bimode->due + 1);
}

/* The data read in a cycle while fetch runs on: NULL, or the row of counters; choices. */
struct beside { const uint64_t *counters, *choices; bool is_redirect; };

static struct beside reads_beside(const struct bimode *bimode)
{
    struct beside beside = {NULL, NULL, false};
    const struct bimode_read *read = &bimode->read[bimode->first_read];
    for (unsigned i = 0; i < bimode->read_count && read->cycle <= bimode->due; i++, read++) {
        if (read->what == PORT_COUNTERS)
            beside.is_redirect = true;
        if (read->what == PORT_COUNTERS || read->what == PORT_LOOP_COUNTERS)
            beside.counters = &read->at;
        else
            beside.choices = &read->at;
    }
    return beside;
}

static uint8_t counter_ahead(const struct bimode *bimode, uint8_t choice, uint64_t pc,
                             uint64_t history)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    uint64_t column = (pc >> shape->shift ^ history) & shape->pc_mask;
    return bimode->row[0][choice >= shape->half][column];
}

/* Writes the oldest outcome where the tables are read, unless a branch of fetch or a crossing into
 * another row holds it up. It leaves the queue, written or not, if the tables are not read. */
static void write_beside(struct bimode *bimode, const struct beside *beside,
                         const struct run_on_cycle *cycle)
{
    const uint64_t *choices = beside->choices != NULL ? beside->choices
                              : cycle->reads_choices ? &cycle->choices_at : NULL;
    if (bimode->write_count == 0)
        return;
    if (!cycle->has_branch && !cycle->crosses)
        bimode_put(bimode, &bimode->write[0], beside->counters, choices);
    if (beside->counters == NULL && choices == NULL)
        drop_oldest_write(bimode);
}

/* A cycle in which the loop buffer feeds decode, and fetch runs on. */
static NOT_INLINE void run_beside(struct bimode *bimode)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    struct run_on *run_on = bimode->run_on;
    struct beside beside = reads_beside(bimode);
    struct run_on_cycle cycle = run_on_look(run_on);
    uint64_t history = run_on->history, pc = cycle.is_held ? run_on->second.pc : run_on->pc;
    uint8_t choice = bimode->choices[pc >> shape->shift & (BIMODE_CHOICES - 1)];
    bool is_in_loop = beside.counters != NULL && !beside.is_redirect;
    if (beside.is_redirect)
        cycle.has_branch = false;
    if (is_in_loop) {
        history = *beside.counters >> 2;
        run_on->history = history << 1 | (*beside.counters & 1);
    }
    if (cycle.has_branch)
        history = history << 1 | (run_on->second.counter >= shape->half);
    write_beside(bimode, &beside, &cycle);
    do_reads_before(bimode, bimode->due + 1);
    if (beside.is_redirect)
        return;
    run_on_step(run_on, &cycle, counter_ahead(bimode, choice, pc, history));
    if (cycle.reads_choices && !cycle.is_held)
        take_choices(bimode, cycle.choices_at);
}

/* The loop buffer does not feed decode now and no outcome waits; this stays so until the cycle
 * before the result. */
static uint64_t quiet_until(const struct bimode *bimode, uint64_t cycle)
{
    const struct run_on *run_on = bimode->run_on;
    return run_on->until > bimode->due && run_on->from < cycle ? run_on->from : cycle;
}

void bimode_catch_up(struct bimode *bimode, uint64_t cycle)
{
    while (bimode->due < cycle) {
        bool feeds = run_on_feeds(bimode->run_on, bimode->due);
        if (bimode->arrivals != 0)
            take_arrivals(bimode, feeds);
        if (!feeds && bimode->write_count == 0) {
            uint64_t until = quiet_until(bimode, cycle);
            do_reads_before(bimode, until);
            bimode->due = until;
            continue;
        }
        if (feeds)
            run_beside(bimode);
        else
            run_alone(bimode);
        bimode->due++;
    }
}

/* No place is left after these outcomes. */
static NOT_INLINE void move_reads(struct bimode *bimode)
{
    memmove(bimode->read, &bimode->read[bimode->first_read],
            bimode->read_count * sizeof bimode->read[0]);
    bimode->first_read = 0;
}

static void will_read(struct bimode *bimode, uint64_t cycle, enum bimode_port what, uint64_t at)
{
    if (bimode->read_count == BIMODE_READS)
        bimode_run(bimode, bimode->read[bimode->first_read].cycle + 1);
    if (cycle < bimode->due)
        return;
    if (bimode->first_read + bimode->read_count == BIMODE_READ_PLACES)
        move_reads(bimode);
    struct bimode_read *first = &bimode->read[bimode->first_read];
    struct bimode_read *read = first + bimode->read_count++;
    for (; read != first && read[-1].cycle > cycle; read--)
        *read = read[-1];
    *read = (struct bimode_read){cycle, at, what};
}

void bimode_reads(struct bimode *bimode, uint64_t cycle)
{
    will_read(bimode, cycle, PORT_BUSY, 0);
}

void bimode_reads_counters(struct bimode *bimode, uint64_t cycle, uint64_t history, bool in_loop,
                           bool taken)
{
    enum bimode_port what = in_loop ? PORT_LOOP_COUNTERS : PORT_COUNTERS;
    bool is_used = bimode_shape(bimode)->reads_rows;
    will_read(bimode, cycle, is_used ? what : PORT_BUSY, history << 2 | taken);
}

void bimode_reads_choices(struct bimode *bimode, uint64_t cycle, uint64_t pc, bool is_held)
{
    enum bimode_port what = is_held ? PORT_CHOICES_LOST : PORT_CHOICES;
    will_read(bimode, cycle, bimode_shape(bimode)->reads_rows ? what : PORT_BUSY, pc);
}

static bool reads_loop_in(const struct bimode *bimode, uint64_t cycle)
{
    return is_read_in(bimode, cycle) &&
           bimode->read[bimode->first_read].what == PORT_LOOP_COUNTERS;
}

/* In the first cycle in which the loop buffer feeds decode, it is still empty, and fetch
 * predicts. */
void bimode_redirect(struct bimode *bimode, uint64_t cycle, uint64_t pc, uint64_t history,
                     bool is_held)
{
    if (!bimode_shape(bimode)->reads_rows)
        return;
    bimode_run(bimode, cycle);
    bimode_turns(bimode);
    if (bimode->run_on->from == cycle && reads_loop_in(bimode, cycle))
        memcpy(bimode->loop_row, bimode->row[1], sizeof bimode->loop_row);
    bimode->read_count = bimode->first_read = 0;
    if (run_on_feeds(bimode->run_on, cycle))
        is_held = run_on_is_held(bimode->run_on);
    bimode->run_on->until = run_on_feeds(bimode->run_on, cycle) ? cycle + 1 : 0;
    will_read(bimode, cycle, PORT_COUNTERS, history);
    will_read(bimode, cycle, is_held ? PORT_CHOICES_LOST : PORT_CHOICES, pc);
    will_read(bimode, cycle + 1, PORT_COUNTERS, history << 1);
}

static uint64_t choice_block(const struct bimode *bimode, uint64_t pc)
{
    return pc >> bimode_shape(bimode)->shift;
}

void bimode_turns(struct bimode *bimode)
{
    bimode->passed = UINT64_MAX;
}

void bimode_passes(struct bimode *bimode, uint64_t end, uint8_t counters)
{
    bimode->passed = choice_block(bimode, end);
    bimode->passed_choice = bimode_choice_of(counters);
}

void bimode_moves(struct bimode *bimode, uint64_t now, uint64_t from, uint64_t pc)
{
    bool is_end = bimode_ends_row(bimode, pc);
    bimode_run(bimode, now);
    bimode->end_from = is_end ? from : 0;
    bimode->end_until = is_end ? UINT64_MAX : 0;
}

/* After a change of flow that read both tables: a waiting outcome of this block and history, for
 * its choice; NULL: none. Its counter is replaced by the lower bit of its choice and the upper bit
 * of its bank's counter, and its direction by the upper bit of its choice
 * (entry0_sel_updt_data). */
static const struct bimode_write *waiting_for(const struct bimode *bimode, uint64_t now,
                                              uint64_t pc, uint64_t history)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    const struct bimode_write *found = NULL;
    unsigned place = BIMODE_WRITES;
    uint64_t mask = shape->history_mask >> 1, block = choice_block(bimode, pc);
    if (bimode->choices_read + 1 != now || bimode->counters_read + 1 != now ||
        choice_block(bimode, bimode->choices_pc) != block)
        return NULL;
    for (unsigned i = 0; i < bimode->write_count; i++) {
        const struct bimode_write *write = &bimode->write[i];
        unsigned at = (bimode->written + i) % shape->write_buffer;
        bool is_same = ((choice_block(bimode, write->pc) ^ block) & shape->choice_mask) == 0 &&
                       ((write->history ^ history) & mask) == 0;
        if (is_same && at < place) {
            found = write;
            place = at;
        }
    }
    return found;
}

static uint8_t choice_waiting(const struct bimode *bimode, const struct bimode_write *write)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    unsigned choice = bimode_choice_of(write->counters);
    unsigned counter = bimode_counter_of(write->counters);
    uint8_t moved = (uint8_t)((choice << 1 | counter >> 1) & shape->max);
    counter_move(&moved, choice >= shape->half, shape->max);
    return moved;
}

/* Fetch entered another row without a change of flow, and read the row on the way. */
static uint8_t choice_seen(struct bimode *bimode, uint64_t pc)
{
    if (choice_block(bimode, pc) == bimode->passed)
        return bimode->passed_choice;
    if (bimode_choice_row(bimode, pc) != bimode->choice_row)
        take_choices(bimode, pc);
    return bimode->choices[pc >> bimode_shape(bimode)->shift & (BIMODE_CHOICES - 1)];
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

/* The choice stored by the loop buffer; for more branches than it has room for, that of the
 * tables. */
static uint8_t kept_choice(struct bimode *bimode, uint64_t pc)
{
    const struct bimode_kept *kept = kept_of(bimode, pc);
    return kept != NULL ? kept->choice : choice_seen(bimode, pc);
}

/* As for the choice in the tables, but starting from the stored value. */
static void teach_kept(struct bimode *bimode, const struct bimode_write *write)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    bool predicted = bimode_counter_of(write->counters) >= shape->half;
    for (unsigned i = 0; i < BIMODE_LOOP; i++) {
        struct bimode_kept *kept = &bimode->kept[i];
        bool chosen = kept->choice >= shape->half;
        if (kept->pc == write->pc && (chosen == write->taken || predicted != write->taken))
            counter_move(&kept->choice, write->taken, shape->max);
    }
}

static bool reads_counters_by(const struct bimode *bimode, uint64_t cycle)
{
    const struct bimode_read *read = &bimode->read[bimode->first_read];
    for (unsigned i = 0; i < bimode->read_count && read->cycle <= cycle; i++, read++)
        if (read->what == PORT_COUNTERS || read->what == PORT_LOOP_COUNTERS)
            return true;
    return false;
}

/* Counters are available to the next branch in the cycle of a read, choices in the cycle after it.
 * The loop buffer predicts a stage later, with its own choices. */
uint8_t bimode_seen(struct bimode *bimode, uint64_t now, uint64_t pc, uint64_t history,
                    bool in_loop)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    if (!shape->reads_rows)
        return bimode_counters(bimode, pc, history);
    bimode_run(bimode, now + in_loop);
    bool is_read = reads_counters_by(bimode, now + in_loop);
    uint8_t (*row)[BIMODE_COLUMNS] = is_read ? bimode->row[1]
                                     : in_loop ? bimode->loop_row : bimode->row[0];
    const struct bimode_write *write = in_loop ? NULL : waiting_for(bimode, now, pc, history);
    uint8_t choice = in_loop ? kept_choice(bimode, pc)
                     : write != NULL ? choice_waiting(bimode, write) : choice_seen(bimode, pc);
    uint64_t column = (pc >> shape->shift ^ history) & shape->pc_mask;
    return bimode_pack(choice, row[choice >= shape->half][column]);
}

/* True if the outcome changes neither counter. The choice does not learn an outcome against it that
 * its bank predicted, unless the counter moves. */
static bool is_settled(const struct bimode *bimode, const struct bimode_write *write)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    uint8_t choice = bimode_choice_of(write->counters);
    uint8_t counter = bimode_counter_of(write->counters), end = write->taken ? shape->max : 0;
    return counter == end && (choice == end || (choice >= shape->half) != write->taken);
}

void bimode_learn(struct bimode *bimode, uint64_t cycle, const struct bimode_write *write)
{
    bimode_run(bimode, cycle);
    teach_kept(bimode, write);
    if (is_settled(bimode, write))
        return;
    if (bimode->arrivals == BIMODE_ARRIVALS)
        take_arrivals(bimode, run_on_feeds(bimode->run_on, cycle));
    bimode->arrival[bimode->arrivals++] = *write;
}
