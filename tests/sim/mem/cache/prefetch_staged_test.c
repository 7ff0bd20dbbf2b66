/* The staged prefetcher: when a stream begins, and the lines that it asks for, with their times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/mem/cache/prefetch_staged.h"

#define A UINT64_C(0x80000000)
#define PC UINT64_C(0x80100000)
#define NEVER UINT64_MAX

enum { STEP = 256, BUFFERS = 8, APART = 100 };

static struct prefetch_staged staged;
static uint64_t pending[BUFFERS];       /* free */
static uint64_t seq;

static int set_up(void **state)
{
    (void)state;
    memset(&staged, 0, sizeof staged);
    memset(pending, 0, sizeof pending);
    seq = 0;
    return 0;
}

static void load_at(uint64_t pc, uint64_t pa, uint64_t now, bool misses)
{
    seq++;
    const struct staged_load load = {
        .pc = pc, .pa = pa, .id = seq, .seq = seq, .committed = seq, .now = now,
        .begins_miss = misses,
    };
    staged_train(&staged, &load);
}

/* Misses of one pc, the given distance and time apart; the time of the last. */
static uint64_t march(unsigned loads, int64_t stride)
{
    for (unsigned i = 0; i < loads; i++)
        load_at(PC, A + (uint64_t)(stride * (int64_t)i), (seq + 1) * APART, true);
    return seq * APART;
}

/* The next request; its line from A, in steps. */
static int64_t ask(uint64_t until, struct staged_request *request)
{
    if (!staged_next(&staged, pending, BUFFERS, until, request))
        return INT64_MAX;
    staged_done(&staged, request, request->at, false);
    return (int64_t)(request->pa - A) / STEP;
}

static unsigned count_requests(bool for_l1)
{
    struct staged_request request;
    unsigned count = 0;
    while (ask(NEVER - 1, &request) != INT64_MAX)
        count += request.is_for_l1 == for_l1;
    return count;
}

/* Two times three loads, then the miss that starts it: from two steps ahead on. */
static void the_stride_of_all_loads_begins_a_stream(void **state)
{
    (void)state;
    struct staged_request request;
    uint64_t now = march(7, STEP);
    assert_int_equal(ask(now + 4, &request), INT64_MAX);
    assert_int_equal(ask(now + 5, &request), 8);
    assert_int_equal(request.at, now + 5);
    assert_true(request.is_for_l1);
    assert_int_equal(ask(now + 6, &request), INT64_MAX);
    assert_int_equal(ask(now + 7, &request), 9);
}

static void six_loads_do_not_start_a_sequence(void **state)
{
    (void)state;
    march(6, STEP);
    assert_int_equal(count_requests(true), 0);
}

/* 16 steps ahead of the load that is expected next; L2 32 ahead of that. Both would be one less if
 * the end were noticed at once. */
static void the_prefetcher_runs_a_fixed_distance_ahead(void **state)
{
    (void)state;
    march(7, 64);
    assert_int_equal(count_requests(true), 16);
}

static void the_second_level_is_asked_further_ahead(void **state)
{
    (void)state;
    march(7, 64);
    assert_int_equal(count_requests(false), 33);
}

static void every_other_load_that_comes_as_expected_lets_it_go_on_by_two(void **state)
{
    (void)state;
    struct staged_request request;
    march(7, STEP);
    count_requests(true);
    load_at(PC, A + 7 * STEP, 1900, false);
    load_at(PC, A + 8 * STEP, 2000, false);
    assert_int_equal(ask(2003, &request), INT64_MAX);
    assert_int_equal(ask(2004, &request), 8 + 16);
    assert_true(request.is_for_l1);
    assert_int_equal(ask(2006, &request), 8 + 17);
    assert_true(request.is_for_l1);
    while (ask(NEVER - 1, &request) != INT64_MAX)
        assert_false(request.is_for_l1);
}

static void without_buffers_to_spare_only_the_second_level_is_asked(void **state)
{
    (void)state;
    struct staged_request request;
    for (unsigned i = 1; i < BUFFERS; i++)
        pending[i] = 1000;                      /* one is free: it is for the program */
    uint64_t now = march(7, STEP);
    assert_int_equal(ask(now + 5, &request), 8);
    assert_false(request.is_for_l1);
    pending[1] = now;
    assert_int_equal(ask(now + 7, &request), 8);
    assert_true(request.is_for_l1);
}

static void a_prefetch_of_another_page_takes_longer(void **state)
{
    (void)state;
    struct staged_request request;
    uint64_t now = march(7, STEP), last = 0;
    for (int64_t line = 8; line < 16; line++) {
        assert_int_equal(ask(NEVER - 1, &request), line);
        last = request.at;
    }
    assert_int_equal(last, now + 5 + 2 * 7);
    assert_int_equal(ask(NEVER - 1, &request), 16);
    assert_int_equal(request.at, last + 7);
}

static void strides_of_a_page_are_not_followed(void **state)
{
    (void)state;
    march(20, 4096);
    assert_int_equal(count_requests(true), 0);
}

static void strides_go_down_too(void **state)
{
    (void)state;
    struct staged_request request;
    for (unsigned i = 0; i < 7; i++)
        load_at(PC, A + 8000 - 128 * i, (seq + 1) * APART, true);
    assert_true(staged_next(&staged, pending, BUFFERS, NEVER - 1, &request));
    assert_int_equal(request.pa, A + 8000 - 128 * 8);
}

/* Three to pass the filter, three to find the stride, one that misses. Another pc in between has no
 * stride, so there is none of all loads. */
static void a_pc_has_a_stream_of_its_own(void **state)
{
    (void)state;
    struct staged_request request;
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(count_requests(true), 0);
        load_at(PC, A + STEP * i, (seq + 1) * APART, true);
        load_at(PC + 4, A + 0x100000 + 0x12340 * i * i, (seq + 1) * APART, false);
    }
    assert_int_equal(ask(NEVER - 1, &request), 8);
    assert_int_equal(request.at, 13 * APART + 5);
    for (int64_t line = 9; line <= 15; line++)          /* half as far as the one of all */
        assert_int_equal(ask(NEVER - 1, &request), line);
    assert_true(request.is_for_l1);
    ask(NEVER - 1, &request);
    assert_false(request.is_for_l1);
}

static void loads_that_have_not_committed_do_not_count(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= 20; i++) {
        const struct staged_load load = {
            .pc = PC, .pa = A + STEP * i, .id = i, .seq = i, .committed = 2, .now = i * APART,
            .begins_miss = true,
        };
        staged_train(&staged, &load);
    }
    assert_int_equal(count_requests(true), 0);
}

static void a_load_that_comes_again_teaches_nothing(void **state)
{
    (void)state;
    march(6, STEP);
    for (unsigned i = 0; i < 3; i++) {
        const struct staged_load load = {
            .pc = PC, .pa = A + 6 * STEP, .id = 7, .seq = 7, .committed = 7, .now = 900 + i,
            .begins_miss = i == 2,
        };
        staged_train(&staged, &load);
    }
    struct staged_request request;
    assert_int_equal(ask(NEVER - 1, &request), 8);
    assert_int_equal(request.at, 902 + 5);
}

static void two_lines_already_present_end_a_sequence(void **state)
{
    (void)state;
    struct staged_request request;
    march(7, STEP);
    assert_true(staged_next(&staged, pending, BUFFERS, NEVER - 1, &request));
    staged_done(&staged, &request, request.at, true);
    assert_int_equal(ask(NEVER - 1, &request), 9);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(staged_next(&staged, pending, BUFFERS, NEVER - 1, &request));
        staged_done(&staged, &request, request.at, true);
    }
    assert_false(staged_next(&staged, pending, BUFFERS, NEVER - 1, &request));
}

#define TEST(function) cmocka_unit_test_setup(function, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_stride_of_all_loads_begins_a_stream),
        TEST(six_loads_do_not_start_a_sequence),
        TEST(the_prefetcher_runs_a_fixed_distance_ahead),
        TEST(the_second_level_is_asked_further_ahead),
        TEST(every_other_load_that_comes_as_expected_lets_it_go_on_by_two),
        TEST(without_buffers_to_spare_only_the_second_level_is_asked),
        TEST(a_prefetch_of_another_page_takes_longer),
        TEST(strides_of_a_page_are_not_followed),
        TEST(strides_go_down_too),
        TEST(a_pc_has_a_stream_of_its_own),
        TEST(loads_that_have_not_committed_do_not_count),
        TEST(a_load_that_comes_again_teaches_nothing),
        TEST(two_lines_already_present_end_a_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
