/* Shadow frames: marks from frames and from memory, counts that are never lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/shadowcache/blocks.h"

static void a_mark_is_the_same_from_the_frame_and_from_memory(void **state)
{
    const struct perfinst_item record = {.flags = MARK_COUNT | MARK_LABEL | MARK_THRESHOLD,
                                         .label = 9, .latency_bits = 3, .latency_cycles = 77};
    struct shadow *shadow = make(4);
    struct mark framed, direct;

    (void)state;
    put_item(2, 5, record);
    fill(shadow, 1, TEXT + 2 * LINE);
    assert_true(shadow_mark(shadow, 1, TEXT + 2 * LINE + 10, &framed));
    assert_true(shadow_mark(shadow, SHADOW_NO_FRAME, TEXT + 2 * LINE + 10, &direct));
    assert_int_equal(framed.flags, record.flags);
    assert_int_equal(framed.label, 9);
    assert_int_equal(framed.latency_bits, 3);
    assert_int_equal(framed.latency_cycles, 77);
    assert_int_equal(framed.item_pa, item_pa(2, 5));
    assert_int_equal(framed.end_pa, TEXT + 2 * LINE + 12);
    assert_memory_equal(&framed, &direct, sizeof framed);
    assert_false(shadow_mark(shadow, 1, TEXT + 2 * LINE + 12, &framed));
    assert_false(shadow_mark(shadow, 0, TEXT + 3 * LINE, &framed));
    shadow_free(shadow);
}

static void block_flags_hold_for_every_item_and_add_to_its_own(void **state)
{
    struct shadow *shadow = make(4);
    struct mark mark;

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER});
    put_block(0, (struct perfinst_block){.items = TEXT_ITEMS, .granule_log2 = 1, .label = 4,
                                         .flags = MARK_COUNT | MARK_LABEL | MARK_THRESHOLD});
    put_block(1, (struct perfinst_block){.flags = MARK_INTERRUPT, .granule_log2 = 200});
    fill(shadow, 0, TEXT);
    assert_true(shadow_mark(shadow, 0, TEXT, &mark));
    assert_int_equal(mark.flags, MARK_COUNT | MARK_LABEL | MARK_COUNTER);
    assert_int_equal(mark.label, 4);
    assert_true(shadow_mark(shadow, 0, TEXT + 62, &mark));
    assert_int_equal(mark.flags, MARK_COUNT | MARK_LABEL);
    assert_true(shadow_mark(shadow, SHADOW_NO_FRAME, TEXT + LINE + 6, &mark));
    assert_int_equal(mark.flags, MARK_INTERRUPT);
    assert_int_equal(mark.item_pa, 0);
    assert_int_equal(mark.end_pa, TEXT + 2 * LINE);
    shadow_free(shadow);
}

static void traffic_tells_hit_none_and_on_miss(void **state)
{
    struct shadow *shadow = make(4);
    struct shadow_traffic traffic;

    (void)state;
    put_item(0, 31, (struct perfinst_item){.flags = MARK_ON_MISS});
    shadow_fill(shadow, 0, TEXT, &traffic);
    assert_true(traffic.hit && traffic.on_miss && !traffic.none);
    assert_int_equal(traffic.pa, block_pa(0));
    assert_int_equal(traffic.read_bytes, 8 + 16 + TEXT_ITEMS * 32);
    assert_int_equal(traffic.written_bytes, 0);
    shadow_fill(shadow, 0, TEXT + LINE, &traffic);
    assert_true(!traffic.hit && traffic.none && !traffic.on_miss);
    assert_int_equal(traffic.read_bytes, 8);
    shadow_fill(shadow, 0, TEXT - LINE, &traffic);
    assert_true(!traffic.hit && !traffic.none);
    assert_int_equal(traffic.read_bytes, 0);
    shadow_free(shadow);
}

static void frames_know_which_line_has_metadata(void **state)
{
    struct shadow *shadow = make(2);

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNT});
    fill(shadow, 0, TEXT);
    fill(shadow, 1, TEXT + LINE);
    assert_true(shadow_frame_has(shadow, 0, TEXT));
    assert_false(shadow_frame_has(shadow, 1, TEXT + LINE));
    assert_true(shadow_frame_has(shadow, 1, TEXT));
    assert_true(shadow_frame_has(shadow, SHADOW_NO_FRAME, TEXT));
    assert_false(shadow_frame_has(shadow, SHADOW_NO_FRAME, TEXT + LINE));
    shadow_free(shadow);
}

static void a_row_tells_counters_that_were_looked_up(void **state)
{
    struct shadow *shadow = make(2);
    struct shadow_row row;
    struct mark mark;

    (void)state;
    put_item(0, 1, (struct perfinst_item){.flags = MARK_COUNTER});
    put_item(0, 2, (struct perfinst_item){.flags = MARK_COUNTER, .limit = 3});
    fill(shadow, 0, TEXT);
    fill(shadow, 1, TEXT + LINE);
    assert_true(shadow_open_row(shadow, 0, TEXT, &row));
    assert_int_equal(shadow_row_counter(&row, TEXT + 2), 0);
    assert_true(shadow_mark(shadow, 0, TEXT + 2, &mark));
    assert_true(shadow_mark(shadow, 0, TEXT + 4, &mark));
    assert_int_equal(shadow_row_counter(&row, TEXT + 2), item_pa(0, 1));
    assert_int_equal(shadow_row_counter(&row, TEXT + 4), 0);
    assert_int_equal(shadow_row_counter(&row, TEXT + LINE + 2), 0);
    assert_true(shadow_tick(shadow, 0, item_pa(0, 1)));
    assert_false(shadow_tick(shadow, 1, item_pa(0, 1)));
    assert_false(shadow_tick(shadow, SHADOW_NO_FRAME, item_pa(0, 1)));
    assert_int_equal(shadow_read_count(shadow, TEXT + 2, false), 1);
    assert_false(shadow_open_row(shadow, 1, TEXT + LINE, &row));
    assert_true(shadow_open_row(shadow, 1, TEXT, &row));
    assert_int_equal(shadow_row_counter(&row, TEXT + 2), 0);
    shadow_free(shadow);
}

static void a_single_frame_that_is_evicted_all_the_time_loses_no_count(void **state)
{
    enum { ROUNDS = 10000 };
    struct shadow *shadow = make(1);
    uint64_t count, expected[LINES][2] = {{0}};
    uint32_t random = 1;

    (void)state;
    for (unsigned line = 0; line < LINES; line++) {
        put_item(line, 1, (struct perfinst_item){.flags = MARK_COUNTER});
        put_item(line, 30, (struct perfinst_item){.flags = MARK_COUNTER, .limit = 7});
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = random * 1664525 + 1013904223;
        unsigned line = random >> 28, which = random >> 27 & 1;
        if ((random >> 20 & 3) != 0)
            fill(shadow, 0, TEXT + line * LINE);
        execute(shadow, 0, TEXT + line * LINE + (which ? 60 : 2), &count);
        expected[line][which]++;
        if (i % 1000 == 0)
            shadow_flush(shadow);
    }
    shadow_flush(shadow);
    for (unsigned line = 0; line < LINES; line++) {
        assert_int_equal(total(line, 1), expected[line][0]);
        assert_int_equal(total(line, 30), expected[line][1]);
        assert_int_equal(get_item(line, 30).count, expected[line][1] % 8);
    }
    shadow_free(shadow);
}

static void a_dropped_frame_brings_its_counts_to_memory_and_is_empty(void **state)
{
    struct shadow *shadow = make(2);
    struct shadow_traffic traffic;
    uint64_t count;

    (void)state;
    put_item(1, 3, (struct perfinst_item){.flags = MARK_COUNTER, .limit = 100});
    fill(shadow, 0, TEXT + LINE);
    for (unsigned i = 0; i < 5; i++)
        execute(shadow, 0, TEXT + LINE + 6, &count);
    assert_int_equal(total(1, 3), 0);
    shadow_drop(shadow, 0, &traffic);
    assert_int_equal(traffic.written_bytes, sizeof(struct perfinst_item));
    assert_int_equal(traffic.read_bytes, 0);
    assert_int_equal(traffic.pa, item_pa(1, 0));
    assert_int_equal(total(1, 3), 5);
    execute(shadow, 0, TEXT + LINE + 6, &count);        /* straight in memory now */
    assert_int_equal(total(1, 3), 6);
    shadow_drop(shadow, 0, &traffic);
    assert_int_equal(traffic.written_bytes, 0);
    shadow_free(shadow);
    assert_int_equal(total(1, 3), 6);
}

static void only_changed_items_are_written_back(void **state)
{
    struct shadow *shadow = make(1);
    struct shadow_traffic traffic;
    uint64_t count;

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER});
    put_item(0, 2, (struct perfinst_item){.flags = MARK_COUNTER});
    fill(shadow, 0, TEXT);
    execute(shadow, 0, TEXT + 4, &count);
    execute(shadow, 0, TEXT + 4, &count);
    assert_int_equal(total(0, 2), 0);
    shadow_fill(shadow, 0, TEXT + LINE, &traffic);
    assert_int_equal(traffic.written_bytes, sizeof(struct perfinst_item));
    assert_int_equal(total(0, 2), 2);
    shadow_free(shadow);
}

static void two_shadows_that_count_one_item_add_up(void **state)
{
    struct shadow *first = make(1), *second = make(1);
    uint64_t count;

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER});
    fill(first, 0, TEXT);
    fill(second, 0, TEXT);
    for (unsigned i = 0; i < 5; i++)
        execute(first, 0, TEXT, &count);
    for (unsigned i = 0; i < 7; i++)
        execute(second, 0, TEXT, &count);
    execute(second, SHADOW_NO_FRAME, TEXT, &count);
    shadow_flush(second);
    shadow_flush(first);
    assert_int_equal(total(0, 0), 13);
    shadow_free(first);
    shadow_free(second);
}

static void a_limit_that_two_shadows_reach_together_is_passed_once(void **state)
{
    struct shadow *first = make(1), *second = make(1);
    struct perfinst_item record = {.flags = MARK_COUNTER | MARK_INTERRUPT, .limit = 10, .count = 9};
    uint64_t count;
    unsigned passed = 0;

    (void)state;
    put_item(0, 0, record);
    fill(first, 0, TEXT);
    fill(second, 0, TEXT);
    for (unsigned i = 0; i < 4; i++) {
        passed += execute(first, 0, TEXT, &count);
        passed += execute(second, 0, TEXT, &count);
    }
    assert_int_equal(passed, 1);
    shadow_flush(first);
    passed += execute(second, 0, TEXT, &count);
    assert_int_equal(count, 7);         /* 2 of the first, 5 of its own */
    shadow_flush(second);
    assert_int_equal(total(0, 0), 9 + 9);
    assert_in_range(get_item(0, 0).count, 0, 10);
    assert_int_equal(get_item(0, 0).interrupts, passed);
    shadow_free(first);
    shadow_free(second);
}

static void a_limit_fires_at_every_n_plus_first_execution(void **state)
{
    struct shadow *shadow = make(1);
    uint64_t count;

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER | MARK_INTERRUPT, .limit = 13});
    for (unsigned i = 1; i <= 140; i++) {
        uint32_t frame = i % 3 == 0 ? SHADOW_NO_FRAME : 0;
        if (i % 5 == 0)
            fill(shadow, 0, TEXT);
        if (frame == SHADOW_NO_FRAME)
            shadow_flush(shadow);
        assert_int_equal(execute(shadow, frame, TEXT, &count), i % 14 == 0);
        assert_int_equal(count, (i - 1) % 14 + 1);
    }
    shadow_flush(shadow);
    assert_int_equal(get_item(0, 0).count, 0);
    assert_int_equal(get_item(0, 0).cleared, 140);
    assert_int_equal(get_item(0, 0).interrupts, 10);
    shadow_free(shadow);
}

static void a_limit_without_interrupt_clears_and_interrupts_nobody(void **state)
{
    struct shadow *shadow = make(1);
    uint64_t count;

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER, .limit = 1});
    assert_false(execute(shadow, 0, TEXT, &count));
    assert_true(execute(shadow, 0, TEXT, &count));
    assert_int_equal(get_item(0, 0).interrupts, 0);
    assert_int_equal(get_item(0, 0).cleared, 2);
    shadow_free(shadow);
}

static void noted_interrupts_reach_memory(void **state)
{
    struct shadow *shadow = make(1);
    struct mark mark;

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_INTERRUPT});
    fill(shadow, 0, TEXT);
    assert_true(shadow_mark(shadow, 0, TEXT, &mark));
    shadow_note_interrupt(shadow, 0, &mark);
    shadow_note_interrupt(shadow, SHADOW_NO_FRAME, &mark);
    shadow_flush(shadow);
    assert_int_equal(get_item(0, 0).interrupts, 2);
    shadow_free(shadow);
}

static void reading_a_count_sees_the_frames_share_and_can_clear_it(void **state)
{
    struct shadow *shadow = make(4);
    uint64_t count;

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER, .count = 100});
    put_item(0, 1, (struct perfinst_item){.flags = MARK_COUNT});
    fill(shadow, 3, TEXT);
    execute(shadow, 3, TEXT, &count);
    assert_int_equal(shadow_read_count(shadow, TEXT, false), 101);
    assert_int_equal(shadow_read_count(shadow, TEXT, true), 101);
    assert_int_equal(shadow_read_count(shadow, TEXT, false), 0);
    assert_int_equal(shadow_read_count(shadow, TEXT + 2, false), 0);
    assert_int_equal(shadow_read_count(shadow, TEXT + LINE, true), 0);
    execute(shadow, 3, TEXT, &count);
    shadow_flush(shadow);
    assert_int_equal(get_item(0, 0).count, 1);
    assert_int_equal(get_item(0, 0).cleared, 101);
    assert_int_equal(shadow_read_count(shadow, TEXT, true), 1);
    assert_int_equal(get_item(0, 0).cleared, 102);
    shadow_free(shadow);
}

static void an_access_finds_every_item_it_touches_also_across_lines(void **state)
{
    struct shadow *shadow = shadow_new(memory(), 2, LINE, PROF_SEGMENT_DATA);
    struct perfinst_item record = {.flags = MARK_COUNTER};
    struct mark mark;

    (void)state;
    segment[3][3] = PROF_SEGMENT_DATA;
    shadow_set_segments(shadow, (const uint64_t(*)[4])segment);
    put_block(0, (struct perfinst_block){.items = LINE / 4, .granule_log2 = 2});
    put_block(1, (struct perfinst_block){.items = LINE / 4, .granule_log2 = 2});
    memcpy(ram + (item_pa(0, 15) - BASE), &record, sizeof record);
    memcpy(ram + (item_pa(1, 0) - BASE), &record, sizeof record);
    fill(shadow, 0, TEXT);
    assert_true(shadow_access_mark(shadow, 0, TEXT + 56, 16, &mark));
    assert_int_equal(mark.item_pa, item_pa(0, 15));
    assert_int_equal(mark.end_pa, TEXT + 64);
    assert_true(shadow_access_mark(shadow, 0, mark.end_pa, 8, &mark));
    assert_int_equal(mark.item_pa, item_pa(1, 0));
    assert_false(shadow_access_mark(shadow, 0, mark.end_pa, 4, &mark));
    assert_false(shadow_access_mark(shadow, 0, TEXT + 52, 8, &mark));
    shadow_free(shadow);
}

static void other_kinds_and_unused_segments_are_ignored(void **state)
{
    struct shadow *shadow = make(1);

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNT});
    assert_true(shadow_frame_has(shadow, SHADOW_NO_FRAME, TEXT));
    segment[3][3] = PROF_SEGMENT_DATA;
    shadow_set_segments(shadow, (const uint64_t(*)[4])segment);
    assert_false(shadow_frame_has(shadow, SHADOW_NO_FRAME, TEXT));
    segment[3][3] = 0;
    shadow_set_segments(shadow, (const uint64_t(*)[4])segment);
    assert_false(shadow_frame_has(shadow, SHADOW_NO_FRAME, TEXT));
    shadow_free(shadow);
}

static void a_segment_that_starts_inside_a_line_covers_the_line(void **state)
{
    struct shadow *shadow = make(1);
    struct mark mark;

    (void)state;
    put_item(0, 1, (struct perfinst_item){.flags = MARK_COUNT});
    segment[3][0] = TEXT + 10;
    segment[3][1] = 20;
    shadow_set_segments(shadow, (const uint64_t(*)[4])segment);
    assert_true(shadow_mark(shadow, SHADOW_NO_FRAME, TEXT + 2, &mark));
    assert_false(shadow_frame_has(shadow, SHADOW_NO_FRAME, TEXT + LINE));
    shadow_free(shadow);
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_mark_is_the_same_from_the_frame_and_from_memory),
        TEST(block_flags_hold_for_every_item_and_add_to_its_own),
        TEST(traffic_tells_hit_none_and_on_miss),
        TEST(frames_know_which_line_has_metadata),
        TEST(a_row_tells_counters_that_were_looked_up),
        TEST(a_single_frame_that_is_evicted_all_the_time_loses_no_count),
        TEST(a_dropped_frame_brings_its_counts_to_memory_and_is_empty),
        TEST(only_changed_items_are_written_back),
        TEST(two_shadows_that_count_one_item_add_up),
        TEST(a_limit_that_two_shadows_reach_together_is_passed_once),
        TEST(a_limit_fires_at_every_n_plus_first_execution),
        TEST(a_limit_without_interrupt_clears_and_interrupts_nobody),
        TEST(noted_interrupts_reach_memory),
        TEST(reading_a_count_sees_the_frames_share_and_can_clear_it),
        TEST(an_access_finds_every_item_it_touches_also_across_lines),
        TEST(other_kinds_and_unused_segments_are_ignored),
        TEST(a_segment_that_starts_inside_a_line_covers_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
