/* A hand-made feed for the profiling schemes, and their results. */
#ifndef TESTS_PMU_SCHEME_SCHEME_FEED_H
#define TESTS_PMU_SCHEME_SCHEME_FEED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/scheme/scheme.h"

enum { I1 = 0x1000, I2 = 0x1004, I3 = 0x1008, I4 = 0x100c, I5 = 0x2000, ALL = SCHEME_UNITS };

/* dispatched: in the next cycle that is fed, and only in that one. */
struct feed { struct schemes *schemes; uint64_t cycle; bool is_masked; uint64_t dispatched; };

static inline struct feed begin(struct scheme_settings settings)
{
    struct feed feed = {schemes_new(&settings), 1, false, 0};

    assert_non_null(feed.schemes);
    return feed;
}

static inline struct scheme_insn insn_at(uint64_t place)
{
    return (struct scheme_insn){.place = place, .next_pc = place + 4};
}

static inline void commit(struct feed *feed, const struct scheme_insn *insn, unsigned count)
{
    const struct scheme_cycle cycle = {
        feed->cycle++, 1, insn, count, NULL, feed->is_masked, feed->dispatched};

    schemes_cycle(feed->schemes, &cycle);
    feed->dispatched = 0;
}

static inline void commit_pair(struct feed *feed, struct scheme_insn a, struct scheme_insn b)
{
    const struct scheme_insn insn[2] = {a, b};

    commit(feed, insn, 2);
}

static inline void commit_one(struct feed *feed, struct scheme_insn insn)
{
    commit(feed, &insn, 1);
}

/* head: the oldest in flight; NULL: none. */
static inline void wait_for(struct feed *feed, uint64_t cycles, const struct scheme_insn *head)
{
    const struct scheme_cycle cycle = {
        feed->cycle, cycles, NULL, 0, head, feed->is_masked, feed->dispatched};

    schemes_cycle(feed->schemes, &cycle);
    feed->dispatched = 0;
    feed->cycle += cycles;
}

static inline uint64_t units(const struct feed *feed, enum scheme_id id, uint64_t place)
{
    const uint64_t *row;
    uint64_t key[2];
    size_t at = 0;

    while ((row = scheme_table_next(schemes_places(feed->schemes), &at, key)) != NULL)
        if (key[0] == place)
            return row[id];
    return 0;
}

static inline uint64_t stack_units(const struct feed *feed, unsigned which, uint64_t place,
                                   unsigned signature)
{
    const uint64_t *row;
    uint64_t key[2];
    size_t at = 0;

    while ((row = scheme_table_next(schemes_stacks(feed->schemes), &at, key)) != NULL)
        if (key[0] == place && key[1] == signature)
            return row[which];
    return 0;
}

static inline uint64_t segment(const struct feed *feed, uint64_t first, uint64_t last,
                               unsigned which)
{
    const uint64_t *row;
    uint64_t key[2];
    size_t at = 0;

    while ((row = scheme_table_next(schemes_segments(feed->schemes), &at, key)) != NULL)
        if (key[0] == first && key[1] == last)
            return row[which];
    return 0;
}

#define assert_units(feed, id, place, expected) \
    assert_int_equal(units(&(feed), SCHEME_##id, place), expected)

#endif
