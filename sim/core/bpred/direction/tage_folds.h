/* The folded histories of TAGE's tables, all side by side (history.h). */
#ifndef SIM_CORE_BPRED_TAGE_FOLDS_H
#define SIM_CORE_BPRED_TAGE_FOLDS_H

#include "sim/core/bpred/predictors.h"

/* A ring of sums that is as long as 16 bits count: lanes with offsets in it wrap around by
 * themselves. */
_Static_assert(HISTORY_BITS * sizeof(history_sums) == 1 << LANE_BITS, "offsets wrap around");

/* Sums of a column of the history, as the folds of the bits since; bits above the width are
 * undefined. */
static ALWAYS_INLINE void tage_turn(const struct history *history, unsigned column,
                                    lane_vector *bits)
{
    unsigned width = history->width[column], left = history_turn(history, column);
    *bits ^= history_sum(history, history->at.position)->of[column];
    *bits = *bits << left | *bits >> (width - left);
}

/* Folds of the histories of all tables, as tage_turn() has them: of two columns from the first on,
 * whose sums are read at the places after which the histories begin. */
static ALWAYS_INLINE void tage_read_folds(const struct tage *tage, unsigned first, lane_vector *low,
                                          lane_vector *high, const struct lane_ops ops)
{
    const struct history *history = tage->history;
    uint16_t now = (uint16_t)(history->at.position * sizeof(history_sums));
    lane_vector at = now - tage->back.all, zero = {0};
    word_vector even_at = (word_vector)LANES_OF(at, zero);
    word_vector odd_at = (word_vector)at >> LANE_BITS, even, odd;
    ops.gather(&history->sum[0].of[first], 1, &even_at, &even);
    ops.gather(&history->sum[0].of[first], 1, &odd_at, &odd);
    *low = LANES_OF((lane_vector)even, (lane_vector)(odd << LANE_BITS));
    *high = LANES_OF((lane_vector)(even >> LANE_BITS), (lane_vector)odd);
    tage_turn(history, first, low);
    tage_turn(history, first + 1, high);
}

static ALWAYS_INLINE void tage_folds(const struct tage *tage, tage_lanes fold[FOLDS],
                                     const struct lane_ops ops)
{
    lane_vector low, high;
    tage_read_folds(tage, 0, &low, &high, ops);
    fold[0].all = fold[2].all = low;
    fold[1].all = high;
    if (tage->history->width[2] != tage->history->width[0]) {
        tage_read_folds(tage, 1, &high, &low, ops);
        fold[2].all = low;
    }
}

#endif
