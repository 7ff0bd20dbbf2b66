/* C3: work areas count in arrays; and invalid areas, blocks and tables break nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/shadowcache/blocks.h"

#define CELLS (BASE + 0xf000)

static uint64_t area[PROF_AREAS][PROF_AREA_WORDS];

static int fresh_area(void **state)
{
    const uint64_t word[PROF_AREA_WORDS] = {
        [PROF_AREA_START] = TEXT, [PROF_AREA_BYTES] = 4 * LINE, [PROF_AREA_GRANULE] = 2,
        [PROF_AREA_COUNTS] = CELLS, [PROF_AREA_SIZE] = 2};

    memset(area, 0, sizeof area);
    memcpy(area[5], word, sizeof word);
    return fresh(state);
}

static struct shadow *make_with_area(void)
{
    struct shadow *shadow = make(2);

    shadow_set_areas(shadow, (const uint64_t(*)[PROF_AREA_WORDS])area, 16);
    return shadow;
}

static uint16_t cell(unsigned index)
{
    uint16_t count;

    memcpy(&count, ram + (CELLS - BASE) + 2 * index, sizeof count);
    return count;
}

static uint64_t count_up(struct shadow *shadow, uint32_t frame, uint64_t pa, unsigned times)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < times; i++)
        execute(shadow, frame, pa, &count);
    return count;
}

static void C3_frames_of_compact_blocks_hold_what_cells_get(void **state)
{
    struct shadow *shadow = make_with_area(), *other = make_with_area();
    struct shadow_traffic traffic;

    (void)state;
    put_block(1, (struct perfinst_block){.flags = MARK_AREA, .granule_log2 = 1, .bitmap = 0x15});
    fill(shadow, 0, TEXT + LINE);
    fill(other, 1, TEXT + LINE);
    assert_int_equal(count_up(shadow, 0, TEXT + LINE, 3), 3);
    assert_int_equal(count_up(shadow, 0, TEXT + LINE + 8, 2), 2);
    assert_int_equal(count_up(other, 1, TEXT + LINE, 4), 4);
    assert_int_equal(cell(16), 0);
    shadow_drop(shadow, 0, &traffic);
    assert_int_equal(traffic.written_bytes, 2 * 2);
    assert_int_equal(shadow_read_count(other, TEXT + LINE, false), 7);
    assert_int_equal(shadow_read_count(other, TEXT + LINE, true), 7);
    assert_int_equal(count_up(shadow, SHADOW_NO_FRAME, TEXT + LINE, 1), 1);
    shadow_flush(other);
    assert_int_equal(cell(16), 1);
    assert_int_equal(cell(18), 2);
    shadow_free(shadow);
    shadow_free(other);
}

static void C3_cells_saturate_or_are_handed_over_near_their_top(void **state)
{
    struct shadow *shadow;
    struct mark mark;
    uint64_t count;

    (void)state;
    put_block(0, (struct perfinst_block){.flags = MARK_AREA, .granule_log2 = 1});
    area[5][PROF_AREA_SIZE] = 1;
    area[5][PROF_AREA_FLAGS] = PROF_AREA_SATURATES;
    shadow = make_with_area();
    assert_int_equal(count_up(shadow, SHADOW_NO_FRAME, TEXT, 300), 255);
    area[5][PROF_AREA_FLAGS] = PROF_AREA_NEAR;
    shadow_set_areas(shadow, (const uint64_t(*)[PROF_AREA_WORDS])area, 16);
    assert_true(shadow_mark(shadow, SHADOW_NO_FRAME, TEXT, &mark));
    assert_int_equal(shadow_count(shadow, SHADOW_NO_FRAME, &mark, &count), SHADOW_NEAR);
    assert_int_equal(count, 256);
    assert_int_equal(count_up(shadow, SHADOW_NO_FRAME, TEXT, 5), 5);
    shadow_free(shadow);
}

struct heard { unsigned times; struct shadow_near last; };

static void hear(void *arg, const struct shadow_near *near)
{
    struct heard *heard = arg;

    heard->times++;
    heard->last = *near;
}

/* Two frames count 200 each in a cell of one byte. The first merge brings it to 200; returns the
 * value of the cell after the second merge, and the interrupts up to then. */
static unsigned merge_two(uint64_t flags, struct heard *heard)
{
    struct shadow *one, *two;
    unsigned count;

    *heard = (struct heard){.times = 0};
    put_block(0, (struct perfinst_block){.flags = MARK_AREA, .granule_log2 = 1});
    area[5][PROF_AREA_SIZE] = 1;
    area[5][PROF_AREA_FLAGS] = flags;
    ram[CELLS - BASE] = 0;
    one = make_with_area();
    two = make_with_area();
    shadow_on_near(one, hear, heard);
    shadow_on_near(two, hear, heard);
    fill(one, 0, TEXT);
    fill(two, 1, TEXT);
    shadow_note_place(two, 1, 0x40, 0x1000);
    assert_int_equal(count_up(one, 0, TEXT, 200), 200);
    assert_int_equal(count_up(two, 1, TEXT, 200), 200);
    shadow_flush(one);
    assert_int_equal(heard->times, 0);
    assert_int_equal(ram[CELLS - BASE], 200);
    shadow_flush(two);
    count = ram[CELLS - BASE];
    shadow_flush(one);
    shadow_flush(two);
    assert_int_equal(ram[CELLS - BASE], count);
    shadow_free(one);
    shadow_free(two);
    return count;
}

static void C3_deltas_that_pass_the_top_together(void **state)
{
    struct heard heard;

    (void)state;
    assert_int_equal(merge_two(PROF_AREA_SATURATES, &heard), 255);
    assert_int_equal(heard.times, 0);
    assert_int_equal(merge_two(0, &heard), 400 - 256);
    assert_int_equal(heard.times, 0);
    for (unsigned saturates = 0; saturates <= PROF_AREA_SATURATES;
         saturates += PROF_AREA_SATURATES) {
        assert_int_equal(merge_two(PROF_AREA_NEAR | saturates, &heard), 0);
        assert_int_equal(heard.times, 1);
        assert_int_equal(heard.last.count, 400);
        assert_int_equal(heard.last.pc, 0x40);
        assert_int_equal(heard.last.va, TEXT + 0x1000);
        assert_false(heard.last.is_data);
    }
}

static void C3_areas_that_make_no_sense_count_nothing(void **state)
{
    static const struct { unsigned word; uint64_t value; } bad[] = {
        {PROF_AREA_BYTES, 0}, {PROF_AREA_BYTES, UINT64_MAX}, {PROF_AREA_START, UINT64_MAX - 8},
        {PROF_AREA_GRANULE, 7}, {PROF_AREA_GRANULE, UINT64_MAX}, {PROF_AREA_SIZE, 0},
        {PROF_AREA_SIZE, 3}, {PROF_AREA_SIZE, 16}, {PROF_AREA_COUNTS, CELLS + 1},
        {PROF_AREA_COUNTS, BASE - 2}, {PROF_AREA_COUNTS, BASE + RAM_BYTES - 2},
        {PROF_AREA_COUNTS, UINT64_MAX - 1}, {PROF_AREA_BYTES, UINT64_MAX - TEXT}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct shadow *shadow;

        fresh_area(NULL);
        area[5][bad[i].word] = bad[i].value;
        put_block(0, (struct perfinst_block){.flags = MARK_AREA, .granule_log2 = 1});
        shadow = make_with_area();
        fill(shadow, 0, TEXT);
        assert_int_equal(count_up(shadow, 0, TEXT, 3), 0);
        assert_int_equal(shadow_read_count(shadow, TEXT, true), 0);
        shadow_free(shadow);
        assert_int_equal(cell(0), 0);
    }
}

/* A table that is its own block, blocks that overlap, counts that lie in the table: counts go where
 * they are sent, and nothing else happens. */
static void S3_metadata_that_refers_to_itself_is_only_bytes(void **state)
{
    uint32_t random = 7;

    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        struct shadow *shadow;
        struct mark mark;
        uint64_t count;

        fresh_area(NULL);
        for (unsigned i = 0; i < 64; i++) {
            random = random * 1664525 + 1013904223;
            put64(TABLE + 8 * i, random >> 28 < 12 ? TABLE + (random >> 20 & 0x3f0)
                                                   : (uint64_t)random << 16 | (random >> 8));
        }
        area[5][PROF_AREA_COUNTS] = TABLE + (random >> 16 & 0xf8);
        shadow = make_with_area();
        for (uint64_t pa = TEXT; pa < TEXT + LINES * LINE; pa += 6) {
            fill(shadow, (uint32_t)(pa >> 6) & 1, pa & ~(uint64_t)(LINE - 1));
            if (shadow_mark(shadow, (uint32_t)(pa >> 6) & 1, pa, &mark))
                shadow_count(shadow, (uint32_t)(pa >> 6) & 1, &mark, &count);
        }
        shadow_flush(shadow);
        shadow_free(shadow);
    }
}

#define TEST(name) cmocka_unit_test_setup(name, fresh_area)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(C3_frames_of_compact_blocks_hold_what_cells_get),
        TEST(C3_cells_saturate_or_are_handed_over_near_their_top),
        TEST(C3_deltas_that_pass_the_top_together),
        TEST(C3_areas_that_make_no_sense_count_nothing),
        TEST(S3_metadata_that_refers_to_itself_is_only_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
