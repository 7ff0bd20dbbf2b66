/* Perfinst blocks in guest memory: found where the table points, and never when the guest wrote an
 * invalid table; the shadow cache then behaves as if there were no metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shadowcache/shadow.h"
#include "shadowcache/table.h"

enum { LINE = 64, RAM_BYTES = 1 << 16, ITEMS = LINE / 2 };

#define BASE  UINT64_C(0x80000000)
#define TEXT  (BASE + 0x1000)
#define TABLE (BASE + 0x4000)
#define BLOCK (BASE + 0x5000)

static uint8_t ram[RAM_BYTES];
static uint64_t segment[PROF_SEGMENTS][4];
static struct table table;

static void put(uint64_t pa, const void *bytes, size_t count)
{
    memcpy(ram + (pa - BASE), bytes, count);
}

static void put_word(uint64_t pa, uint64_t value)
{
    put(pa, &value, sizeof value);
}

static void put_head(uint64_t pa, uint32_t items, unsigned granule_log2)
{
    const struct perfinst_block head = {.items = items,
                                        .granule_log2 = (unsigned char)granule_log2};

    put(pa, &head, sizeof head);
}

static void register_segments(void)
{
    table_set_segments(&table, (const uint64_t(*)[4])segment, PROF_SEGMENT_TEXT);
}

/* One line of text, marked. */
static int fresh(void **state)
{
    const struct perfinst_item item = {.flags = MARK_COUNT};

    (void)state;
    memset(ram, 0, sizeof ram);
    memset(segment, 0, sizeof segment);
    segment[3][0] = TEXT;
    segment[3][1] = 4 * LINE;
    segment[3][2] = TABLE;
    segment[3][3] = PROF_SEGMENT_TEXT;
    put_word(TABLE, BLOCK);
    put_head(BLOCK, ITEMS, 1);
    put(BLOCK + sizeof(struct perfinst_block), &item, sizeof item);
    table = table_make((struct shadow_memory){.ram = ram, .base = BASE, .bytes = RAM_BYTES}, LINE,
                       PROF_SEGMENT_TEXT);
    register_segments();
    return 0;
}

static bool finds(uint64_t line_pa)
{
    struct table_place place;

    return table_find(&table, line_pa, &place);
}

/* With invalid registers or memory nothing may be found and nothing may break. */
static void expect_no_metadata(void)
{
    struct shadow *shadow = shadow_new(table.memory, 1, LINE, PROF_SEGMENT_TEXT);
    struct shadow_traffic traffic;
    struct mark mark;

    register_segments();
    assert_false(finds(TEXT));
    shadow_set_segments(shadow, (const uint64_t(*)[4])segment);
    shadow_fill(shadow, 0, TEXT, &traffic);
    assert_false(traffic.hit);
    assert_false(shadow_mark(shadow, 0, TEXT, &mark));
    assert_false(shadow_mark(shadow, SHADOW_NO_FRAME, TEXT, &mark));
    assert_int_equal(shadow_read_count(shadow, TEXT, true), 0);
    shadow_free(shadow);
}

static void a_block_is_found_where_the_table_says(void **state)
{
    struct table_place place;

    (void)state;
    assert_true(table_find(&table, TEXT, &place));
    assert_int_equal(place.pa, BLOCK);
    assert_int_equal(place.block.items, ITEMS);
    assert_int_equal(table_load_item(&table, BLOCK + sizeof place.block).flags, MARK_COUNT);
    assert_false(table_find(&table, TEXT + LINE, &place));
    assert_true(place.in_segment);
    assert_int_equal(place.pa, TABLE + 8);
    assert_false(table_find(&table, TEXT + 4 * LINE, &place));
    assert_false(place.in_segment);
    assert_false(table_find(&table, TEXT - LINE, &place));
    assert_false(place.in_segment);
}

static void segments_of_both_kinds_and_unused_ones_keep_apart(void **state)
{
    struct table data = table_make(table.memory, LINE, PROF_SEGMENT_DATA);

    (void)state;
    table_set_segments(&data, (const uint64_t(*)[4])segment, PROF_SEGMENT_DATA);
    assert_int_equal(data.segments, 0);
    assert_int_equal(table.segments, 1);
    segment[3][1] = 0;
    register_segments();
    assert_int_equal(table.segments, 0);
}

static void tables_outside_of_ram_or_misaligned_are_no_metadata(void **state)
{
    static const uint64_t bad[] = {0, BASE - 8, BASE + RAM_BYTES, BASE + RAM_BYTES - 4,
                                   TABLE + 4, UINT64_MAX - 7};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        segment[3][2] = bad[i];
        expect_no_metadata();
    }
}

static void segments_that_wrap_around_are_no_segments(void **state)
{
    (void)state;
    segment[3][1] = UINT64_MAX;
    expect_no_metadata();
    segment[3][1] = 0 - TEXT;
    expect_no_metadata();
}

static void blocks_outside_of_ram_or_misaligned_are_no_metadata(void **state)
{
    static const uint64_t bad[] = {0, 1, BASE - 16, BASE + RAM_BYTES, BASE + RAM_BYTES - 8,
                                   BASE + RAM_BYTES - 16, BLOCK + 8, UINT64_MAX - 15};

    (void)state;
    put_head(BASE + RAM_BYTES - 16, ITEMS, 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put_word(TABLE, bad[i]);
        expect_no_metadata();
    }
}

static void absurd_item_counts_are_no_metadata(void **state)
{
    static const struct { uint32_t items; unsigned granule_log2; } bad[] = {
        {1, 1}, {UINT32_MAX, 1}, {ITEMS, 2}, {LINE, 0}, {ITEMS, 33}, {1, 7}, {ITEMS, 255}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put_head(BLOCK, bad[i].items, bad[i].granule_log2);
        expect_no_metadata();
    }
    put_head(BLOCK, LINE / 4, 2);
    assert_true(finds(TEXT));
}

static void S4_bitmaps_of_items_that_do_not_exist_are_no_metadata(void **state)
{
    static const unsigned bad[] = {0, 7, 64, 255};     /* 64 items are more than code has */
    struct perfinst_block head = {.flags = MARK_COUNT, .bitmap = 1};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        head.granule_log2 = (unsigned char)bad[i];
        put(BLOCK, &head, sizeof head);
        expect_no_metadata();
    }
    head.granule_log2 = 1;
    put(BLOCK, &head, sizeof head);
    assert_true(finds(TEXT));
    head.bitmap = 0;                            /* all of the line */
    head.granule_log2 = 255;
    put(BLOCK, &head, sizeof head);
    assert_true(finds(TEXT));
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_block_is_found_where_the_table_says),
        TEST(segments_of_both_kinds_and_unused_ones_keep_apart),
        TEST(tables_outside_of_ram_or_misaligned_are_no_metadata),
        TEST(segments_that_wrap_around_are_no_segments),
        TEST(blocks_outside_of_ram_or_misaligned_are_no_metadata),
        TEST(absurd_item_counts_are_no_metadata),
        TEST(S4_bitmaps_of_items_that_do_not_exist_are_no_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
