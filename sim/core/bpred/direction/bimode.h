/* Bi-mode: its tables (bimode.c), and accesses through their port (bimode_port.c). One of the
 * predictors of predictors.h. */
#ifndef SIM_CORE_BPRED_BIMODE_H
#define SIM_CORE_BPRED_BIMODE_H

#include "sim/base/config.h"
#include "sim/core/bpred/run_on.h"
#include "sim/core/bpred/tables.h"

enum { BIMODE_WRITES = 8, BIMODE_READS = 8, BIMODE_READ_PLACES = 4 * BIMODE_READS,
       BIMODE_ARRIVALS = 4, BIMODE_COLUMNS = 16, BIMODE_CHOICES = 8, BIMODE_LOOP = 2 };
struct bimode_write { uint64_t pc, history; uint8_t counters; bool taken; };
/* Data read in a cycle. PORT_BUSY: not used; PORT_COUNTERS: the counters of a history's row;
 * PORT_CHOICES: the choices of a pc's row; PORT_CHOICES_LOST: choices read while fetch was held,
 * which are discarded, and not read again for that row. */
enum bimode_port { PORT_BUSY, PORT_COUNTERS, PORT_LOOP_COUNTERS, PORT_CHOICES, PORT_CHOICES_LOST };
struct bimode_read { uint64_t cycle, at; enum bimode_port what; };
struct bimode {
    uint8_t *choice, *bank[2];          /* bank[1]: for mostly taken branches */
    struct bimode_shape shape;
    /* with part_write_buffer */
    uint64_t due;                               /* the first cycle not simulated yet */
    struct bimode_write write[BIMODE_WRITES];   /* a queue of write_count */
    struct bimode_read read[BIMODE_READ_PLACES];    /* read_count, by their cycles, from this on: */
    uint8_t first_read;
    struct bimode_write arrival[BIMODE_ARRIVALS];  /* outcomes of the cycle `due` */
    uint8_t write_count, read_count, arrivals;
    uint32_t written;                   /* outcomes that have left the queue */
    /* with reads_rows */
    uint8_t row[2][2][BIMODE_COLUMNS];  /* counters of both banks for the next branch, and for the
                                         * one after it */
    uint8_t loop_row[2][BIMODE_COLUMNS];        /* for the next branch from the loop buffer */
    struct bimode_kept { uint64_t pc; uint8_t choice; } kept[BIMODE_LOOP];  /* the loop's own */
    uint8_t next_kept;
    uint8_t choices[BIMODE_CHOICES];
    uint64_t choice_row;                /* row of fetch, which may differ from that of `choices` */
    uint64_t counters_read, choices_read, choices_pc;   /* cycles of the last reads; pc of the last
                                                         * read of choices */
    uint64_t passed;                    /* block of the last branch, if fetch continued after it */
    uint8_t passed_choice;
    uint64_t end_from, end_until;       /* cycles: fetch is in the last block of a row of choices */
    struct run_on *run_on;              /* fetch, while the loop buffer feeds decode */
};
static inline const struct bimode_shape *bimode_shape(const struct bimode *bimode)
{
    return SHAPE_OF(bimode, bimode);
}

void bimode_init(struct bimode *bimode, const struct config *config, struct arena *arena);
bool bimode_predict(const struct bimode *bimode, uint64_t pc, uint64_t history);
void bimode_train(struct bimode *bimode, uint64_t pc, uint64_t history, bool taken);
/* The counters used by a prediction: the choice, and the counter of the selected bank, of at most
 * BIMODE_CARRIED bits. */
enum { BIMODE_CARRIED = 4 };
static inline uint8_t bimode_pack(uint8_t choice, uint8_t counter)
{
    return (uint8_t)(choice << BIMODE_CARRIED | counter);
}
static inline uint8_t bimode_choice_of(uint8_t counters)
{
    return counters >> BIMODE_CARRIED;
}
static inline uint8_t bimode_counter_of(uint8_t counters)
{
    return counters & ((1u << BIMODE_CARRIED) - 1);
}
uint8_t bimode_counters(const struct bimode *bimode, uint64_t pc, uint64_t history);
/* Writes the new values of the counters that the prediction used. row: NULL, or the history of
 * another row, to which the counter is written; choices: NULL, or a pc to whose row the choice is
 * written. */
void bimode_put(struct bimode *bimode, const struct bimode_write *write, const uint64_t *row,
                const uint64_t *choices);
/* The index of the first counter in the row for this history; of the first choice in the row for
 * this pc. */
uint64_t bimode_row(const struct bimode *bimode, uint64_t history);
uint64_t bimode_choice_row(const struct bimode *bimode, uint64_t pc);
/* As bimode_counters, with the data read by this cycle; in_loop: fetch stands still, and the loop
 * buffer's choices are used. */
uint8_t bimode_seen(struct bimode *bimode, uint64_t now, uint64_t pc, uint64_t history,
                    bool in_loop);
/* The loop buffer takes in the branch, with the choice of its prediction. */
void bimode_keep(struct bimode *bimode, uint64_t pc, uint8_t counters);
/* A table is read in this cycle, which must not be past: with unused data; for the branch after the
 * next one, after the prediction of a branch with this history; because fetch goes to pc in the
 * next cycle. */
void bimode_reads(struct bimode *bimode, uint64_t cycle);
void bimode_reads_counters(struct bimode *bimode, uint64_t cycle, uint64_t history, bool in_loop,
                           bool taken);
void bimode_reads_choices(struct bimode *bimode, uint64_t cycle, uint64_t pc, bool is_held);
/* Fetch is redirected to pc in this cycle, with this history. is_held: its stages stand still. */
void bimode_redirect(struct bimode *bimode, uint64_t cycle, uint64_t pc, uint64_t history,
                     bool is_held);
/* The branch with its last parcel at `end` was predicted not taken, with these counters.
 * bimode_turns: fetch goes elsewhere. */
void bimode_passes(struct bimode *bimode, uint64_t end, uint8_t counters);
void bimode_turns(struct bimode *bimode);
/* Fetch is at pc from now on; it has read the tables in cycle `now` if it was at the end of a
 * row. */
void bimode_moves(struct bimode *bimode, uint64_t now, uint64_t from, uint64_t pc);
static inline bool bimode_ends_row(const struct bimode *bimode, uint64_t pc)
{
    return ((pc >> bimode_shape(bimode)->shift) + 1) % BIMODE_CHOICES == 0;
}
/* True if choices are read in that cycle, the last known one. */
static inline bool bimode_is_led(const struct bimode *bimode, uint64_t cycle)
{
    const struct bimode_read *first = &bimode->read[bimode->first_read];
    const struct bimode_read *read = first + bimode->read_count;
    while (read != first && (--read)->cycle >= cycle)
        if (read->cycle == cycle && read->what == PORT_CHOICES)
            return true;
    return false;
}
/* True if fetch moves from or to the end of a row. */
static inline bool bimode_is_moved(const struct bimode *bimode, uint64_t now, uint64_t pc)
{
    return bimode->end_until > now || bimode_ends_row(bimode, pc);
}
/* Simulates all cycles before this one. */
void bimode_catch_up(struct bimode *bimode, uint64_t cycle);
static inline void bimode_run(struct bimode *bimode, uint64_t cycle)
{
    if (bimode->due < cycle)
        bimode_catch_up(bimode, cycle);
}
/* The outcome arrives in this cycle; cycles must not decrease. */
void bimode_learn(struct bimode *bimode, uint64_t cycle, const struct bimode_write *write);
uint64_t bimode_storage(const struct bimode *bimode);

#endif
