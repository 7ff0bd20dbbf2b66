/* Perfinst segments: the shadow cache reads back exactly the marks that the builder writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shadowcache/perfinst.h"
#include "shadowcache/shadow.h"
#include "tests/shadowcache/fake_program.h"

enum { RAM_BYTES = 1 << 18, MARKS_MAX = 600 };

#define BASE   UINT64_C(0x80000000)
#define LOADED (BASE - TEXT)                /* physical minus virtual address of the program */
#define TABLES (BASE + 0x20000)

static uint8_t ram[RAM_BYTES];
static struct meta meta;
static struct diag diag;
static struct perfinst perfinst;
static struct perfinst_mark mark[MARKS_MAX];
static struct perfinst_shape shape;
static struct shadow *text, *data;

static int fresh(void **state)
{
    (void)state;
    memset(ram, 0, sizeof ram);
    memset(&meta, 0, sizeof meta);
    memset(&perfinst, 0, sizeof perfinst);
    shape = (struct perfinst_shape){.iline_bytes = 64, .dline_bytes = 64, .granule_bytes = 4};
    text = data = NULL;
    return 0;
}

static int done(void **state)
{
    (void)state;
    meta_free(&meta);
    perfinst_free(&perfinst);
    shadow_free(text);
    shadow_free(data);
    return 0;
}

static enum err build(const char *source)
{
    assert_int_equal(meta_read(&meta, source, strlen(source), "x.meta", &fake_resolver, &diag),
                     ERR_OK);
    assert_in_range(meta.marks, 0, MARKS_MAX);
    for (size_t i = 0; i < meta.marks; i++)
        mark[i] = (struct perfinst_mark){.va = meta.mark[i].address,
                                         .pa = meta.mark[i].address + LOADED,
                                         .bytes = meta.mark[i].bytes,
                                         .is_code = meta.mark[i].is_code,
                                         .origin = &meta.mark[i]};
    perfinst.segments = 2;
    perfinst.segment[0] = (struct perfinst_segment){
        .start = TEXT + LOADED, .bytes = TEXT_BYTES, .kind = PROF_SEGMENT_TEXT};
    perfinst.segment[1] = (struct perfinst_segment){
        .start = DATA + LOADED, .bytes = DATA_BYTES, .kind = PROF_SEGMENT_DATA};
    return perfinst_build(&perfinst, &shape, mark, meta.marks, &meta, &diag);
}

static struct shadow *make_shadow(uint32_t line_bytes, unsigned kind)
{
    struct shadow_memory memory = {.ram = ram, .base = BASE, .bytes = RAM_BYTES};
    uint64_t segment[PROF_SEGMENTS][4] = {{0}};
    struct shadow *shadow = shadow_new(memory, 4, line_bytes, kind);

    for (unsigned i = 0; i < perfinst.segments; i++) {
        segment[i][0] = perfinst.segment[i].start;
        segment[i][1] = perfinst.segment[i].bytes;
        segment[i][2] = perfinst.segment[i].table;
        segment[i][3] = perfinst.segment[i].kind;
    }
    shadow_set_segments(shadow, (const uint64_t(*)[4])segment);
    return shadow;
}

/* Builds and loads as the profiler does. */
static void load(const char *source)
{
    if (build(source) != ERR_OK)
        fail_msg("refused: %s", diag.text);
    perfinst_place(&perfinst, TABLES);
    assert_int_equal(perfinst.bytes % 16, 0);
    assert_in_range(perfinst.bytes, 0, RAM_BYTES - (TABLES - BASE));
    memcpy(ram + (TABLES - BASE), perfinst.image, perfinst.bytes);
    text = make_shadow(shape.iline_bytes, PROF_SEGMENT_TEXT);
    data = make_shadow(shape.dline_bytes, PROF_SEGMENT_DATA);
}

/* Flags of the item at the program's address; 0: unmarked. */
static unsigned flags_at(const struct shadow *shadow, uint64_t va, struct mark *found)
{
    struct mark local;

    found = found != NULL ? found : &local;
    return shadow_mark(shadow, SHADOW_NO_FRAME, va + LOADED, found) ? found->flags : 0;
}

static void refuse(const char *source, const char *diagnosis)
{
    assert_int_equal(build(source), ERR_USAGE);
    assert_string_equal(diag.text, diagnosis);
}

static void figure_16_reaches_the_shadow_cache(void **state)
{
    struct mark found;

    (void)state;
    load("segment .text\n"
         "0     120  count\n"
         "120   4    interrupt\n"
         "160   4    threshold=100 count\n"
         "256   4    start\n"
         "512   4    stop\n");
    for (uint64_t at = 0; at < TEXT_BYTES; at += 4) {
        unsigned expected = at < 120   ? MARK_COUNT
                            : at == 120 ? MARK_INTERRUPT
                            : at == 160 ? MARK_COUNT | MARK_THRESHOLD
                            : at == 256 ? MARK_START
                            : at == 512 ? MARK_STOP
                                        : 0;
        assert_int_equal(flags_at(text, TEXT + at, NULL), expected);
        if (at != 0 && at >= 64)
            assert_int_equal(flags_at(text, TEXT + at + 2, NULL), 0);
    }
    flags_at(text, TEXT + 160, &found);
    assert_int_equal(found.latency_cycles, 100);
}

static void a_block_where_all_is_alike_has_flags_and_no_items(void **state)
{
    struct mark found;

    (void)state;
    load("sort 128 count label=7\n"
         "sort+128 64 count label=8\n"
         "sort+192 60 count label=8\n"
         "sort+256 64 count on-miss\n");
    assert_int_equal(flags_at(text, SORT + 4, &found), MARK_COUNT | MARK_LABEL);
    assert_int_equal(found.item_pa, 0);
    assert_int_equal(found.label, 7);
    flags_at(text, SORT + 128, &found);
    assert_int_equal(found.item_pa, 0);
    assert_int_equal(found.label, 8);
    assert_int_equal(flags_at(text, SORT + 192, &found), MARK_COUNT | MARK_LABEL);
    assert_int_equal(found.item_pa, 0);
    assert_int_equal(flags_at(text, SORT + 252, &found), 0);
    flags_at(text, SORT + 256, &found);
    assert_int_not_equal(found.item_pa, 0);
    assert_int_equal(perfinst.sites, 16);
}

static struct perfinst_block block_at(uint64_t va)
{
    struct perfinst_block block;
    uint64_t word, table = perfinst.segment[va >= DATA].table;
    uint64_t line = (va - (va >= DATA ? DATA : TEXT)) / 64;

    memcpy(&word, ram + (table + 8 * line - BASE), sizeof word);
    assert_int_not_equal(word, 0);
    memcpy(&block, ram + (word - BASE), sizeof block);
    return block;
}

static void S4_equal_marks_of_a_line_are_a_bitmap(void **state)
{
    struct perfinst_block block;
    struct mark found;

    (void)state;
    load("sort+4 4 count\n"
         "sort+12 8 count\n"
         "main+2 4 count\n"
         "main+10 2 count\n"
         "table+8 16 count granule=8\n");
    block = block_at(SORT);
    assert_int_equal(block.items, 0);
    assert_int_equal(block.granule_log2, 1);
    assert_int_equal(block.bitmap, 1 << 2 | 1 << 6 | 1 << 8);
    assert_int_equal(block_at(MAIN).bitmap, 1 << 1 | 1 << 5);
    assert_int_equal(block_at(TABLE).bitmap, 1 << 1 | 1 << 2);
    for (uint64_t at = 0; at < 64; at += 2) {
        bool is_marked = at == 4 || at == 12 || at == 16;

        assert_int_equal(flags_at(text, SORT + at, &found), is_marked ? MARK_COUNT : 0);
        assert_int_equal(found.end_pa, SORT + LOADED + at + 2);
    }
    assert_int_equal(flags_at(data, TABLE + 7, NULL), 0);
    assert_int_equal(flags_at(data, TABLE + 15, &found), MARK_COUNT);
    assert_int_equal(found.end_pa, TABLE + LOADED + 16);
    assert_int_equal(flags_at(data, TABLE + 24, NULL), 0);
    assert_int_equal(perfinst.sites, 0);
    assert_int_equal(perfinst.bytes, TEXT_BYTES / 8 + DATA_BYTES / 8 + 3 * 16);
}

static void S4_the_full_form_says_the_same(void **state)
{
    (void)state;
    shape.form = FORM_FULL;
    load("sort * count\n"
         "table+8 16 count granule=8\n");
    assert_int_equal(block_at(SORT).items, 32);
    assert_int_equal(block_at(TABLE).items, 8);
    assert_int_equal(flags_at(text, SORT + 0x1fc, NULL), MARK_COUNT);
    assert_int_equal(flags_at(text, SORT + 0x1fe, NULL), 0);
    assert_int_equal(flags_at(data, TABLE + 15, NULL), MARK_COUNT);
    assert_int_equal(perfinst.sites, 0x200 / 4 + 2);
}

static void S4_the_compact_form_alone_takes_what_needs_no_record(void **state)
{
    struct mark found;

    (void)state;
    shape.form = FORM_COMPACT;
    load("sort 4 interrupt label=3\n"
         "sort+64 4 start\n");
    assert_int_equal(flags_at(text, SORT, &found), MARK_INTERRUPT | MARK_LABEL);
    assert_int_equal(found.label, 3);
    assert_int_equal(flags_at(text, SORT + 2, NULL), 0);
    assert_int_equal(flags_at(text, SORT + 64, NULL), MARK_START);
    assert_int_equal(block_at(SORT + 64).items, 0);
}

static void S4_the_compact_form_alone_refuses_what_needs_a_record(void **state)
{
    (void)state;
    shape.form = FORM_COMPACT;
    refuse("sort 4 counter\n",
           "x.meta:1: the cache line of 0x10000 needs the full form, and shadow.form is compact: "
           "all marks of a line must be equal, without counter and threshold");
}

static void S4_marks_that_differ_in_a_line_are_refused_there_too(void **state)
{
    (void)state;
    shape.form = FORM_COMPACT;
    refuse("qsort 4 start\nqsort+8 4 stop\n",
           "x.meta:1: the cache line of 0x10200 needs the full form, and shadow.form is compact: "
           "all marks of a line must be equal, without counter and threshold");
}

static void S4_a_line_of_more_than_64_items_has_no_bitmap(void **state)
{
    (void)state;
    shape.iline_bytes = 256;
    load("sort+4 4 count\n");
    assert_int_equal(flags_at(text, SORT + 4, NULL), MARK_COUNT);
    assert_int_equal(perfinst.sites, 1);
}

static void equal_compact_blocks_share_one_block(void **state)
{
    size_t tables;

    (void)state;
    load("sort * count\n");
    tables = TEXT_BYTES / 64 * 8 + DATA_BYTES / 64 * 8;
    assert_int_equal(perfinst.bytes, tables + sizeof(struct perfinst_block));
    assert_int_equal(perfinst.sites, 0);
    assert_int_equal(flags_at(text, SORT + 0x1fc, NULL), MARK_COUNT);
    assert_int_equal(flags_at(text, SORT + 0x200, NULL), 0);
}

static void code_with_16_bit_instructions_can_be_compact(void **state)
{
    struct mark found;

    (void)state;
    shape.iline_bytes = 8;
    load("main * count\n");
    assert_int_equal(flags_at(text, MAIN + 10, &found), MARK_COUNT);
    assert_int_equal(found.item_pa, 0);
    assert_int_equal(flags_at(text, MAIN + 24, &found), MARK_COUNT);
    assert_int_equal(found.item_pa, 0);
    assert_int_equal(flags_at(text, MAIN + 28, &found), 0);
    assert_int_equal(perfinst.sites, 0);
}

static void every_counter_has_a_site_that_leads_to_its_item(void **state)
{
    struct mark found;
    uint64_t count;

    (void)state;
    load("table 16 counter granule=8\n"
         "main * counter interrupt\n");
    assert_int_equal(perfinst.sites, 10 + 2);
    for (size_t i = 0; i < perfinst.sites; i++) {
        const struct perfinst_site *site = &perfinst.site[i];
        struct shadow *shadow = site->is_code ? text : data;
        struct perfinst_item item;

        assert_true(i == 0 || site->va > perfinst.site[i - 1].va);
        assert_int_equal(site->pa, site->va + LOADED);
        flags_at(shadow, site->va, &found);
        assert_int_equal(found.item_pa, site->item);
        assert_int_equal(found.flags, site->action.flags);
        for (size_t n = 0; n <= i; n++)
            shadow_count(shadow, SHADOW_NO_FRAME, &found, &count);
        memcpy(&item, ram + (site->item - BASE), sizeof item);
        assert_int_equal(item.count, i + 1);
    }
    assert_int_equal(perfinst.site[1].bytes, 4);
    assert_int_equal(perfinst.site[3].bytes, 2);
    assert_int_equal(perfinst.site[11].bytes, 8);
    assert_int_equal(perfinst.site[11].va, TABLE + 8);
}

static void data_without_a_granule_takes_the_machines_or_its_lines(void **state)
{
    struct mark found;

    (void)state;
    shape.granule_bytes = 2;
    load("table 4 counter\n"
         "other 4 counter\n"
         "segment .data\n"
         "0xc0 8 counter granule=16\n"
         "0xe0 16 count\n");
    flags_at(data, TABLE, &found);
    assert_int_equal(found.end_pa, TABLE + 2 + LOADED);
    assert_int_equal(flags_at(data, TABLE + 4, NULL), 0);
    flags_at(data, DATA + 0xe0, &found);
    assert_int_equal(found.end_pa, DATA + 0xf0 + LOADED);
    assert_int_equal(flags_at(data, DATA + 0xcf, NULL), MARK_COUNTER);
}

static void two_granules_in_a_line_are_refused(void **state)
{
    (void)state;
    refuse("table 8 counter granule=8\n"
           "table+16 8 counter granule=4\n",
           "x.meta:2: granule=4 meets granule=8 of x.meta:1 in the cache line of 0x20050, which "
           "can have only one");
}

static void a_granule_wider_than_a_line_is_refused(void **state)
{
    (void)state;
    shape.dline_bytes = 32;
    refuse("table 8 counter granule=64\n",
           "x.meta:1: granule=64 is more than a cache line (32 bytes)");
}

static void a_mark_outside_of_all_segments_is_refused(void **state)
{
    (void)state;
    refuse("0x30000 8 count\n", "x.meta:1: 0x30000 is in no segment of the program");
}

static void overlapping_entries_combine_and_the_last_value_wins(void **state)
{
    struct mark found;

    (void)state;
    load("sort 8 count label=1\n"
         "sort+4 8 counter=5 label=2\n"
         "sort+4 4 interrupt\n"
         "qsort 4 threshold=10 counter\n"
         "qsort 4 threshold=20\n"
         "qsort+4 4 count\n"
         "qsort+4 4 counter threshold=30\n");
    assert_int_equal(flags_at(text, SORT, NULL), MARK_COUNT | MARK_LABEL);
    assert_int_equal(flags_at(text, SORT + 4, &found),
                     MARK_COUNT | MARK_LABEL | MARK_COUNTER | MARK_INTERRUPT);
    assert_int_equal(found.label, 2);
    assert_int_equal(found.limit, 5);
    flags_at(text, QSORT, &found);
    assert_int_equal(found.latency_cycles, 20);
    assert_int_equal(meta.warnings, 3);
    assert_string_equal(meta.warning[0],
                        "x.meta:2: its label replaces that of x.meta:1 where both mark");
    assert_string_equal(meta.warning[1],
                        "x.meta:5: its threshold replaces that of x.meta:4 where both mark");
    assert_string_equal(meta.warning[2], "x.meta:7: shares instructions or data with x.meta:6, so "
                                         "one's threshold holds for both");
}

static void nothing_marked_makes_empty_tables(void **state)
{
    struct shadow_traffic traffic;

    (void)state;
    load("# nothing\n");
    shadow_fill(text, 0, TEXT + LOADED, &traffic);
    assert_true(traffic.none);
    assert_int_equal(perfinst.sites, 0);
}

static void small_lines_work_too(void **state)
{
    (void)state;
    shape.iline_bytes = 8;
    shape.dline_bytes = 8;
    shape.granule_bytes = 64;
    load("main * counter\n"
         "table 24 counter\n");
    assert_int_equal(flags_at(text, MAIN + 6, NULL), MARK_COUNTER);
    assert_int_equal(flags_at(text, MAIN + 8, NULL), 0);
    assert_int_equal(flags_at(text, MAIN + 10, NULL), MARK_COUNTER);
    assert_int_equal(flags_at(data, TABLE + 23, NULL), MARK_COUNTER);
    assert_int_equal(flags_at(data, TABLE + 24, NULL), 0);
    assert_int_equal(perfinst.sites, 10 + 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(figure_16_reaches_the_shadow_cache),
        TEST(a_block_where_all_is_alike_has_flags_and_no_items),
        TEST(S4_equal_marks_of_a_line_are_a_bitmap),
        TEST(S4_the_full_form_says_the_same),
        TEST(S4_the_compact_form_alone_takes_what_needs_no_record),
        TEST(S4_the_compact_form_alone_refuses_what_needs_a_record),
        TEST(S4_marks_that_differ_in_a_line_are_refused_there_too),
        TEST(S4_a_line_of_more_than_64_items_has_no_bitmap),
        TEST(equal_compact_blocks_share_one_block),
        TEST(code_with_16_bit_instructions_can_be_compact),
        TEST(every_counter_has_a_site_that_leads_to_its_item),
        TEST(data_without_a_granule_takes_the_machines_or_its_lines),
        TEST(two_granules_in_a_line_are_refused),
        TEST(a_granule_wider_than_a_line_is_refused),
        TEST(a_mark_outside_of_all_segments_is_refused),
        TEST(overlapping_entries_combine_and_the_last_value_wins),
        TEST(nothing_marked_makes_empty_tables),
        TEST(small_lines_work_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
