/* C1: own counters of any width, wrapping or saturating, near their overflow, read and cleared: one
 * counter, in however many frames and harts it is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/shadowcache/blocks.h"

static struct shadow *make_with(uint64_t format, uint64_t near)
{
    struct shadow *shadow = make(2);

    shadow_set_format(shadow, format, near);
    return shadow;
}

static uint64_t count_up(struct shadow *shadow, uint32_t frame, unsigned times)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < times; i++)
        execute(shadow, frame, TEXT, &count);
    return count;
}

static void C1_a_counter_of_8_bits_wraps_to_zero(void **state)
{
    struct shadow *shadow = make_with(8, 0);

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER});
    fill(shadow, 0, TEXT);
    assert_int_equal(count_up(shadow, 0, 255), 255);
    assert_int_equal(count_up(shadow, 0, 1), 0);
    assert_int_equal(count_up(shadow, SHADOW_NO_FRAME, 10), 10);
    shadow_flush(shadow);
    assert_int_equal(get_item(0, 0).count, 10);
    assert_int_equal(get_item(0, 0).cleared, 0);
    shadow_free(shadow);
}

static void C1_a_saturating_counter_stays_at_its_largest_value(void **state)
{
    struct shadow *shadow = make_with(12 | PROF_COUNTER_SATURATES, 0);

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER, .count = 4000});
    fill(shadow, 0, TEXT);
    assert_int_equal(count_up(shadow, 0, 95), 4095);
    assert_int_equal(count_up(shadow, 0, 1000), 4095);
    shadow_flush(shadow);
    assert_int_equal(get_item(0, 0).count, 4095);
    assert_int_equal(shadow_read_count(shadow, TEXT, true), 4095);
    assert_int_equal(shadow_read_count(shadow, TEXT, false), 0);
    shadow_free(shadow);
}

static void C1_widths_that_do_not_exist_are_64_bits(void **state)
{
    static const unsigned bits[] = {0, 1, 7, 64, 65, 127};

    (void)state;
    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        struct shadow *shadow = make_with(bits[i], 0);

        put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER, .count = UINT64_MAX - 1});
        assert_int_equal(count_up(shadow, SHADOW_NO_FRAME, 1), UINT64_MAX);
        assert_int_equal(count_up(shadow, SHADOW_NO_FRAME, 1), 0);
        shadow_free(shadow);
    }
}

static void C1_near_its_overflow_a_counter_is_handed_over(void **state)
{
    struct shadow *shadow = make_with(8, 16);
    struct mark mark;
    uint64_t count = 0;

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER | MARK_NEAR});
    fill(shadow, 0, TEXT);
    assert_int_equal(count_up(shadow, 0, 239), 239);
    assert_true(shadow_mark(shadow, 0, TEXT, &mark));
    assert_int_equal(shadow_count(shadow, 0, &mark, &count), SHADOW_NEAR);
    assert_int_equal(count, 240);
    assert_int_equal(count_up(shadow, 0, 1), 1);
    shadow_flush(shadow);
    assert_int_equal(get_item(0, 0).count, 1);
    assert_int_equal(get_item(0, 0).cleared, 240);
    assert_int_equal(get_item(0, 0).interrupts, 1);
    shadow_free(shadow);
}

struct heard { unsigned times; struct shadow_near last; };

static void hear(void *arg, const struct shadow_near *near)
{
    struct heard *heard = arg;

    heard->times++;
    heard->last = *near;
}

/* 200 in each of two frames: neither of them is near, 400 together is. */
static void C1_S5_what_two_frames_bring_near_together_is_signalled_at_the_merge(void **state)
{
    struct shadow *one = make_with(8, 16), *two = make_with(8, 16);
    struct heard heard = {.times = 0};

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER | MARK_NEAR});
    shadow_on_near(one, hear, &heard);
    shadow_on_near(two, hear, &heard);
    fill(one, 0, TEXT);
    fill(two, 1, TEXT);
    shadow_note_place(two, 1, 0x40, 0x1000);
    assert_int_equal(count_up(one, 0, 200), 200);
    assert_int_equal(count_up(two, 1, 200), 200);
    shadow_flush(one);
    assert_int_equal(heard.times, 0);
    assert_int_equal(get_item(0, 0).count, 200);
    shadow_flush(two);
    assert_int_equal(heard.times, 1);
    assert_int_equal(heard.last.count, 400);
    assert_int_equal(heard.last.pc, 0x40);
    assert_int_equal(heard.last.va, TEXT + 0x1000);
    assert_int_equal(heard.last.flags, MARK_COUNTER | MARK_NEAR);
    assert_false(heard.last.is_data);
    shadow_flush(one);
    shadow_flush(two);
    assert_int_equal(heard.times, 1);
    assert_int_equal(get_item(0, 0).count, 0);
    assert_int_equal(get_item(0, 0).cleared, 400);
    assert_int_equal(get_item(0, 0).interrupts, 1);
    shadow_free(one);
    shadow_free(two);
}

static void C1_without_the_flag_nothing_is_near(void **state)
{
    struct shadow *shadow = make_with(8, 200);

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER});
    assert_int_equal(count_up(shadow, SHADOW_NO_FRAME, 255), 255);
    assert_int_equal(get_item(0, 0).interrupts, 0);
    shadow_free(shadow);
}

static void C1_a_new_format_takes_what_frames_hold_in_the_old_one(void **state)
{
    struct shadow *shadow = make_with(16, 0);

    (void)state;
    put_item(0, 0, (struct perfinst_item){.flags = MARK_COUNTER});
    fill(shadow, 0, TEXT);
    count_up(shadow, 0, 1000);
    shadow_set_format(shadow, 8, 0);
    assert_int_equal(get_item(0, 0).count, 1000);
    fill(shadow, 0, TEXT);
    assert_int_equal(count_up(shadow, 0, 1), 1001 & 255);
    shadow_free(shadow);
}

/* Three shadows, two frames each, fill, count, drop, flush and clear in any order. */
struct script { uint64_t format, near; unsigned flags; bool clears; };

static void run_script(const struct script *script, uint32_t seed, uint64_t expected[2])
{
    struct shadow *shadow[3];
    uint64_t counted = 0, read = 0, count;

    fresh(NULL);
    put_item(0, 0, (struct perfinst_item){.flags = (uint16_t)script->flags});
    for (unsigned i = 0; i < 3; i++)
        shadow[i] = make_with(script->format, script->near);
    for (unsigned step = 0; step < 3000; step++) {
        struct shadow *one = shadow[(seed = seed * 1664525 + 1013904223) % 3];
        struct shadow_traffic traffic;
        uint32_t frame = seed >> 20 & 1;

        switch (seed >> 24 & 15) {
        case 0: shadow_drop(one, frame, &traffic); break;
        case 1: shadow_flush(one); break;
        case 2: fill(one, frame, TEXT); break;
        case 3: fill(one, frame, TEXT + LINE); break;
        case 4:
            if (script->clears)
                read += shadow_read_count(one, TEXT, true);
            break;
        default:
            execute(one, frame, TEXT, &count);
            counted++;
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        shadow_flush(shadow[i]);
        shadow_free(shadow[i]);
    }
    expected[0] = counted;
    expected[1] = read;
}

static void S5_deltas_of_many_frames_merge_into_one_counter(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        const struct script wrapping = {.format = 8, .flags = MARK_COUNTER};
        const struct script saturating = {.format = 10 | PROF_COUNTER_SATURATES,
                                          .flags = MARK_COUNTER};
        uint64_t expected[2];

        run_script(&wrapping, seed, expected);
        assert_int_equal(get_item(0, 0).count, expected[0] & 255);
        run_script(&saturating, seed, expected);
        assert_true(expected[0] > 1023);
        assert_int_equal(get_item(0, 0).count, 1023);
    }
}

static void S5_what_is_read_and_cleared_and_what_is_left_is_all_that_was_counted(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        const struct script clearing = {.flags = MARK_COUNTER, .clears = true};
        uint64_t expected[2];

        run_script(&clearing, seed, expected);
        assert_int_equal(expected[1] + get_item(0, 0).count, expected[0]);
        assert_int_equal(get_item(0, 0).cleared, expected[1]);
    }
}

static void S5_narrow_counters_that_are_handed_over_near_the_overflow_lose_nothing(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        const struct script near = {.format = 8 | (seed & 1 ? PROF_COUNTER_SATURATES : 0),
                                    .near = seed * 5, .flags = MARK_COUNTER | MARK_NEAR};
        uint64_t expected[2];

        run_script(&near, seed, expected);
        assert_int_equal(total(0, 0), expected[0]);
        assert_in_range(get_item(0, 0).count, 0, 255 - seed * 5);
    }
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(C1_a_counter_of_8_bits_wraps_to_zero),
        TEST(C1_a_saturating_counter_stays_at_its_largest_value),
        TEST(C1_widths_that_do_not_exist_are_64_bits),
        TEST(C1_near_its_overflow_a_counter_is_handed_over),
        TEST(C1_S5_what_two_frames_bring_near_together_is_signalled_at_the_merge),
        TEST(C1_without_the_flag_nothing_is_near),
        TEST(C1_a_new_format_takes_what_frames_hold_in_the_old_one),
        TEST(S5_deltas_of_many_frames_merge_into_one_counter),
        TEST(S5_what_is_read_and_cleared_and_what_is_left_is_all_that_was_counted),
        TEST(S5_narrow_counters_that_are_handed_over_near_the_overflow_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
