/* Prefetchers: the lines that each kind proposes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/mem/cache/prefetch.h"

#define PAGE UINT64_C(0x80001000)
#define PC UINT64_C(0x80100000)

enum { LINE = 64, DEGREE = 4 };

static struct prefetcher prefetcher;
static uint64_t next[PREFETCH_DEGREE_MAX];

static void make(enum prefetch_kind kind)
{
    prefetch_free(&prefetcher);
    assert_true(prefetch_init(&prefetcher, kind, LINE, DEGREE));
}

static unsigned train_at(uint64_t pc, uint64_t pa, uint64_t now)
{
    const struct prefetch_access access = {.pc = pc, .pa = pa, .now = now};
    return prefetch_train(&prefetcher, &access, next);
}

static unsigned train(uint64_t pc, uint64_t pa)
{
    return train_at(pc, pa, 0);
}

/* ---- next line ------------------------------------------------------------------------------- */

static void the_lines_after_are_proposed_up_to_the_page(void **state)
{
    (void)state;
    make(PREFETCH_NEXT_LINE);
    assert_int_equal(train(PC, PAGE + 70), DEGREE);
    for (unsigned i = 0; i < DEGREE; i++)
        assert_int_equal(next[i], PAGE + LINE * (i + 2));
    assert_int_equal(train(PC, PAGE + 4096 - 2 * LINE), 1);
    assert_int_equal(train(PC, PAGE + 4096 - 1), 0);
}

static void no_prefetcher_proposes_nothing(void **state)
{
    (void)state;
    make(PREFETCH_NONE);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(train(PC, PAGE + LINE * i), 0);
}

/* ---- stride ---------------------------------------------------------------------------------- */

static void a_distance_is_trusted_when_it_came_twice(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    assert_int_equal(train(PC, PAGE), 0);
    assert_int_equal(train(PC, PAGE + 64), 0);
    assert_int_equal(train(PC, PAGE + 128), DEGREE);
    for (unsigned i = 0; i < DEGREE; i++)
        assert_int_equal(next[i], PAGE + 128 + 64 * (i + 1));
}

static unsigned miss(uint64_t pa)
{
    const struct prefetch_access access = {.pc = PC, .pa = pa, .is_miss = true};
    return prefetch_train(&prefetcher, &access, next);
}

/* Words of 16 bytes: lines are proposed from a miss on, four at once, up to six ahead. */
static void with_a_distance_lines_are_proposed_ahead_of_the_program(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    prefetcher.distance = 6;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(train(PC, PAGE + 16 * i), 0);
    assert_int_equal(miss(PAGE + 64), DEGREE);
    for (unsigned i = 0; i < DEGREE; i++)
        assert_int_equal(next[i], PAGE + LINE * (i + 2));
    assert_int_equal(train(PC, PAGE + 80), 2);
    assert_int_equal(next[1], PAGE + LINE * 7);
    assert_int_equal(train(PC, PAGE + 96), 0);
    assert_int_equal(train(PC, PAGE + 112), 0);
    assert_int_equal(train(PC, PAGE + 128), 1);
    assert_int_equal(next[0], PAGE + LINE * 8);
    prefetch_refuse(&prefetcher, next[0]);              /* and is proposed again */
    assert_int_equal(train(PC, PAGE + 144), 1);
    assert_int_equal(next[0], PAGE + LINE * 8);
}

/* Steps of two lines downwards, to the beginning of the page. */
static void with_a_distance_steps_are_whole_lines(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    prefetcher.distance = 6;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(miss(PAGE + 1024 - 130 * i), 0);
    assert_int_equal(miss(PAGE + 1024 - 260), DEGREE);
    for (unsigned i = 0; i < DEGREE; i++)
        assert_int_equal(next[i], PAGE + 64 * (11 - 2 * (i + 1)));
    assert_int_equal(miss(PAGE + 1024 - 390), 1);
    assert_int_equal(next[0], PAGE + 64);
}

/* A miss has an instruction watched: after the first distance four more like it, then the next
 * miss is run ahead of. */
static void a_miss_has_its_instruction_watched(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    prefetcher.distance = 6;
    prefetcher.all_hits = 60;
    for (unsigned i = 0; i < 12; i++)
        assert_int_equal(train(PC, PAGE + 64 * i), 0);          /* no miss, not watched */
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(miss(PAGE + 64 * i), 0);
    assert_int_equal(train(PC, PAGE + 64 * 6), 0);
    assert_int_equal(miss(PAGE + 64 * 7), DEGREE);
    assert_int_equal(next[0], PAGE + 64 * 8);
}

/* Accesses of two instructions, each at changing distances, but in turn at one. */
static void all_accesses_may_be_one_sequence(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    prefetcher.distance = 6;
    prefetcher.all_hits = 5;
    assert_int_equal(miss(PAGE), 0);
    for (unsigned i = 1; i < 7; i++)
        assert_int_equal(train(PC + 4 * i, PAGE + 64 * i), 0);
    assert_int_equal(miss(PAGE + 64 * 7), DEGREE);
    assert_int_equal(next[0], PAGE + 64 * 8);
}

static void a_distance_may_be_negative(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    train(PC, PAGE + 1024);
    train(PC, PAGE + 896);
    assert_int_equal(train(PC, PAGE + 768), DEGREE);
    assert_int_equal(next[0], PAGE + 640);
}

static void another_distance_must_earn_its_trust(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    for (unsigned i = 0; i < 4; i++)
        train(PC, PAGE + 64 * i);
    assert_int_equal(train(PC, PAGE + 1024), 0);
    assert_int_equal(train(PC, PAGE + 1088), 0);
    assert_int_equal(train(PC, PAGE + 1152), DEGREE);
}

static void the_same_line_again_is_no_sequence(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(train(PC, PAGE), 0);
}

static void nothing_is_proposed_beyond_the_page(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    train(PC, PAGE + 4096 - 5 * 64);
    train(PC, PAGE + 4096 - 4 * 64);
    assert_int_equal(train(PC, PAGE + 4096 - 3 * 64), 2);
    assert_int_equal(next[1], PAGE + 4096 - 64);
}

static void loads_are_told_apart_by_their_pc(void **state)
{
    (void)state;
    make(PREFETCH_STRIDE);
    for (unsigned i = 0; i < 3; i++) {
        unsigned expected = i < 2 ? 0 : DEGREE;
        assert_int_equal(train(PC, PAGE + 64 * i), expected);
        assert_int_equal(train(PC + 4, PAGE + 2048 - 128 * i), expected);
    }
}

/* ---- stream ---------------------------------------------------------------------------------- */

static void a_stream_is_followed_when_it_moved_twice_the_same_way(void **state)
{
    (void)state;
    make(PREFETCH_STREAM);
    assert_int_equal(train(PC, PAGE), 0);
    assert_int_equal(train(PC + 8, PAGE + 2 * LINE), 0);        /* from any pc, by any distance */
    assert_int_equal(train(PC + 4, PAGE + 3 * LINE), DEGREE);
    for (unsigned i = 0; i < DEGREE; i++)
        assert_int_equal(next[i], PAGE + LINE * (4 + i));
}

static void a_stream_runs_ahead_and_proposes_no_line_twice(void **state)
{
    (void)state;
    uint64_t expected = PAGE + 3 * LINE;
    make(PREFETCH_STREAM);
    for (unsigned i = 0; i < 20; i++) {
        unsigned count = train(PC, PAGE + LINE * i);
        assert_true(i < 2 || count >= 1);
        for (unsigned n = 0; n < count; n++, expected += LINE)
            assert_int_equal(next[n], expected);
        assert_true(i < 2 || expected <= PAGE + LINE * (i + 1 + STREAM_DISTANCE));
    }
    assert_int_equal(expected, PAGE + LINE * (20 + STREAM_DISTANCE));
}

static void a_stream_may_run_down(void **state)
{
    (void)state;
    make(PREFETCH_STREAM);
    train(PC, PAGE + 20 * LINE);
    train(PC, PAGE + 19 * LINE);
    assert_int_equal(train(PC, PAGE + 18 * LINE), DEGREE);
    assert_int_equal(next[0], PAGE + 17 * LINE);
    assert_int_equal(next[3], PAGE + 14 * LINE);
}

static void turning_round_costs_a_stream_its_trust(void **state)
{
    (void)state;
    make(PREFETCH_STREAM);
    for (unsigned i = 0; i < 5; i++)
        train(PC, PAGE + LINE * (10 + i));
    assert_int_equal(train(PC, PAGE + LINE * 13), 0);
    assert_int_equal(train(PC, PAGE + LINE * 12), DEGREE);
    assert_int_equal(next[0], PAGE + LINE * 11);
}

static void streams_far_apart_do_not_disturb_each_other(void **state)
{
    (void)state;
    make(PREFETCH_STREAM);
    for (unsigned i = 0; i < 3; i++)
        for (uint64_t stream = 0; stream < STREAM_ENTRIES; stream++)
            assert_int_equal(train(PC, PAGE + stream * 65536 + LINE * i), i < 2 ? 0 : DEGREE);
    train(PC, PAGE + 99 * 65536);               /* one too many: the oldest is forgotten */
    assert_int_equal(train(PC, PAGE + LINE * 3), 0);
    assert_int_equal(train(PC, PAGE + 15 * 65536 + LINE * 3), DEGREE);
}

/* ---- best offset ----------------------------------------------------------------------------- */

static void offsets_are_all_numbers_up_to_256_of_small_primes(void **state)
{
    (void)state;
    unsigned index = 0;
    for (unsigned n = 1; n <= 256; n++) {
        unsigned rest = n;
        while (rest % 2 == 0) rest /= 2;
        while (rest % 3 == 0) rest /= 3;
        while (rest % 5 == 0) rest /= 5;
        if (rest == 1)
            assert_int_equal(prefetch_offset(index++), n);
    }
    assert_int_equal(index, OFFSETS);
}

/* A program that reads every `stride`-th line, page after page, one line in `gap` cycles, from a
 * memory that takes `latency`. Returns the offset in use at the end; 0 = off. */
static unsigned learn(unsigned stride, unsigned gap, unsigned latency)
{
    uint64_t now = 0, line = PAGE / LINE;
    make(PREFETCH_BEST_OFFSET);
    prefetcher.degree = 1;
    for (unsigned i = 0; i < 20000; i++, now += gap, line += stride) {
        prefetch_note_fill(&prefetcher, line * LINE, false, now + latency);
        if (train_at(PC, line * LINE, now) != 0)
            prefetch_note_fill(&prefetcher, next[0], true, now + latency);
    }
    const struct prefetch_best_offset *best = prefetcher.state;
    return best->is_off ? 0 : best->offset;
}

static void the_best_offset_is_the_shortest_that_is_in_time(void **state)
{
    (void)state;
    assert_int_equal(learn(1, 100, 50), 1);     /* each prefetch comes before it is needed */
    assert_int_equal(learn(1, 100, 250), 3);    /* ... three lines ahead, or too late */
    assert_int_equal(learn(1, 100, 390), 4);
    for (unsigned latency = 50; latency <= 350; latency += 100) {
        unsigned offset = learn(3, 100, latency);       /* a multiple of the distance */
        assert_true(offset % 3 == 0 && offset / 3 * 100 >= latency);
    }
}

/* Each line but the last of a page is 1 ahead of one that was read: of 52 tests of a round one. */
static void a_phase_ends_with_the_round_in_which_a_score_is_the_highest(void **state)
{
    (void)state;
    make(PREFETCH_BEST_OFFSET);
    struct prefetch_best_offset *best = prefetcher.state;
    for (unsigned i = 0; i < OFFSET_RECENT; i++)
        best->recent[(i ^ i >> 8) % OFFSET_RECENT] = i;
    for (unsigned round = 0; round < OFFSET_SCORE_MAX; round++)
        for (unsigned test = 0; test < OFFSETS; test++) {
            assert_int_equal(best->round, round);
            assert_int_equal(best->score[0], round + (test != 0));
            train_at(PC, 20 * LINE, 0);         /* lines 19, 18, ... were recent */
        }
    assert_int_equal(best->round, 0);
    assert_int_equal(best->score[0], 0);
    assert_int_equal(best->offset, 1);
}

static void without_a_sequence_prefetching_stops_and_can_start_again(void **state)
{
    (void)state;
    uint64_t seed = 1, now = 0;
    make(PREFETCH_BEST_OFFSET);
    const struct prefetch_best_offset *best = prefetcher.state;
    for (unsigned i = 0; i < 20000; i++, now += 100) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t pa = (seed >> 24 & 0xffffff) * LINE;
        prefetch_note_fill(&prefetcher, pa, false, now + 50);
        if (train_at(PC, pa, now) != 0)
            prefetch_note_fill(&prefetcher, next[0], true, now + 50);
    }
    assert_true(best->is_off);
    for (uint64_t line = 0; line < 20000; line++, now += 100) {
        prefetch_note_fill(&prefetcher, line * LINE, false, now + 50);
        if (train_at(PC, line * LINE, now) != 0)
            prefetch_note_fill(&prefetcher, next[0], true, now + 50);
    }
    assert_false(best->is_off);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lines_after_are_proposed_up_to_the_page),
        cmocka_unit_test(no_prefetcher_proposes_nothing),
        cmocka_unit_test(a_distance_is_trusted_when_it_came_twice),
        cmocka_unit_test(with_a_distance_lines_are_proposed_ahead_of_the_program),
        cmocka_unit_test(with_a_distance_steps_are_whole_lines),
        cmocka_unit_test(a_miss_has_its_instruction_watched),
        cmocka_unit_test(all_accesses_may_be_one_sequence),
        cmocka_unit_test(a_distance_may_be_negative),
        cmocka_unit_test(another_distance_must_earn_its_trust),
        cmocka_unit_test(the_same_line_again_is_no_sequence),
        cmocka_unit_test(nothing_is_proposed_beyond_the_page),
        cmocka_unit_test(loads_are_told_apart_by_their_pc),
        cmocka_unit_test(a_stream_is_followed_when_it_moved_twice_the_same_way),
        cmocka_unit_test(a_stream_runs_ahead_and_proposes_no_line_twice),
        cmocka_unit_test(a_stream_may_run_down),
        cmocka_unit_test(turning_round_costs_a_stream_its_trust),
        cmocka_unit_test(streams_far_apart_do_not_disturb_each_other),
        cmocka_unit_test(offsets_are_all_numbers_up_to_256_of_small_primes),
        cmocka_unit_test(the_best_offset_is_the_shortest_that_is_in_time),
        cmocka_unit_test(a_phase_ends_with_the_round_in_which_a_score_is_the_highest),
        cmocka_unit_test(without_a_sequence_prefetching_stops_and_can_start_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
