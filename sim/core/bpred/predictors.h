/* Direction predictors that other parts access directly: bimodal is the base of others, gshare and
 * bimode have ports (gshare_port.c, bimode_port.c), TAGE is a part of TAGE-SC-L. The general
 * interface is in predictor.h; the functions here implement it. */
#ifndef SIM_CORE_BPRED_PREDICTORS_H
#define SIM_CORE_BPRED_PREDICTORS_H

#include "sim/base/config.h"
#include "sim/core/bpred/direction/bimode.h"
#include "sim/core/bpred/predictor.h"

/* In bimodal.c: a counter for each (hashed) pc, with learned-once bits if `unseen` is static.
 * gshare.c and the base predictor of TAGE use it with their own index. */
struct bimodal {
    uint8_t *counter;
    uint8_t *seen;                      /* NULL: not used */
    struct bimodal_shape shape;
    bool has_seen;
};

static inline const struct bimodal_shape *bimodal_shape(const struct bimodal *bimodal)
{
    return SHAPE_OF(bimodal, bimodal);
}

void bimodal_init(struct bimodal *bimodal, const struct config *config, struct arena *arena);
uint64_t bimodal_storage(const struct bimodal *bimodal);

static inline uint64_t bimodal_place(const struct bimodal *bimodal, uint64_t index)
{
    const struct bimodal_shape *shape = bimodal_shape(bimodal);
    return entry_at(index & shape->mask, shape->entries);
}

static inline bool bimodal_predict(const struct bimodal *bimodal, uint64_t index, bool is_backward)
{
    index = bimodal_place(bimodal, index);
    if (bimodal->seen != NULL && bimodal->seen[index] == 0)
        return is_backward;
    return bimodal->counter[index] >= bimodal_shape(bimodal)->half;
}

static inline void bimodal_train(struct bimodal *bimodal, uint64_t index, bool taken)
{
    index = bimodal_place(bimodal, index);
    counter_move(&bimodal->counter[index], taken, bimodal_shape(bimodal)->max);
    if (bimodal->seen != NULL)
        bimodal->seen[index] = 1;
}

/* gshare.c */
struct gshare {
    struct bimodal table;
    struct gshare_shape shape;
};

static inline const struct gshare_shape *gshare_shape(const struct gshare *gshare)
{
    return SHAPE_OF(gshare, gshare);
}

void gshare_init(struct gshare *gshare, const struct config *config, struct arena *arena);
uint64_t gshare_storage(const struct gshare *gshare);

static inline uint64_t gshare_index(const struct gshare *gshare, uint64_t pc, uint64_t history)
{
    const struct gshare_shape *shape = gshare_shape(gshare);
    return (pc >> bimodal_shape(&gshare->table)->shift & shape->pc_mask) ^
           ((history & shape->history_mask) | (history >> 1 & shape->older_mask))
               << shape->history_shift;
}

static inline bool gshare_predict(const struct gshare *gshare, uint64_t pc, uint64_t history,
                                  bool is_backward)
{
    return bimodal_predict(&gshare->table, gshare_index(gshare, pc, history), is_backward);
}

static inline void gshare_train(struct gshare *gshare, uint64_t pc, uint64_t history, bool taken)
{
    bimodal_train(&gshare->table, gshare_index(gshare, pc, history), taken);
}

/* `value`: the counter as read by the prediction. */
static inline void gshare_write(struct gshare *gshare, uint64_t pc, uint64_t history,
                                uint8_t value, bool taken)
{
    counter_move(&value, taken, bimodal_shape(&gshare->table)->max);
    gshare->table.counter[bimodal_place(&gshare->table, gshare_index(gshare, pc, history))] = value;
}

static inline uint8_t gshare_counter(const struct gshare *gshare, uint64_t pc, uint64_t history)
{
    return gshare->table.counter[bimodal_place(&gshare->table, gshare_index(gshare, pc, history))];
}

/* gshare_port.c */
enum { GSHARE_ROW = 8 };
struct gshare_port {
    uint8_t held[GSHARE_ROW], next[GSHARE_ROW];     /* rows of the next branch, and of the one
                                                     * after */
    uint8_t restart[2][GSHARE_ROW];                 /* rows of a misprediction, executed in */
    uint64_t history;                               /* of predictions, newest in bit 0 */
    uint64_t restart_cycle;                         /* this cycle */
    uint64_t write_cycle, write_index;
    bool restarts, writes;
    bool is_busy;                                   /* when the last branch executed */
    uint8_t value;                                  /* to be written */
};

/* tage.c */
struct tage_entry { int8_t counter; uint8_t useful; uint16_t tag; };
struct tage {
    struct bimodal base;
    struct tage_entry *entry;           /* [tables][entries] */
    struct history *history;
    uint32_t tables, index_bits, tag_bits, entries;
    bool wraps;                         /* entries is no power of two */
    bool is_wide;                       /* the host has wide vectors */
    tage_lanes back;                    /* length of the history, in bytes of the ring of sums */
    word_vector first_even, first_odd;  /* number of the table's first entry */
    tage_lanes index_mask, tag_mask;
    tage_lanes path_mask;               /* as much of the path as the table's history is long */
    tage_lanes is_table;                /* all ones; 0: there is none */
    tage_lanes pc_up;                   /* 2 to the power of 16 less the shift of the pc: tables
                                           of like history differ in the pc's bits */
    int tick;
    uint32_t noise;
    int8_t alternate_wins;              /* chooser: positive if the alternate is better than a new
                                         * entry */
    uint8_t shift;
};
void tage_init(struct tage *tage, const struct config *config, struct history *history,
               struct arena *arena);
bool tage_predict(const struct tage *tage, uint64_t pc, struct record *record);
uint64_t tage_storage(const struct tage *tage);

#endif
