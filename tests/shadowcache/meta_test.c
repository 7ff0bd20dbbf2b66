/* The .meta language: every form, every flag, and every mistake that is only a warning. */
#include <stdio.h>
#include <stdlib.h>

#include "pmu/abi.h"
#include "tests/shadowcache/meta_fixture.h"

static enum err read_text(const char *text)
{
    return meta_read(&meta, text, strlen(text), "x.meta", &fake_resolver, &diag);
}

static void accept(const char *text)
{
    enum err err = read_text(text);

    if (err != ERR_OK)
        fail_msg("refused: %s", diag.text);
}

static void expect_mark(size_t index, uint64_t address, uint64_t bytes, unsigned flags)
{
    assert_in_range(index, 0, meta.marks - 1);
    assert_int_equal(meta.mark[index].address, address);
    assert_int_equal(meta.mark[index].bytes, bytes);
    assert_int_equal(meta.mark[index].action.flags, flags);
}

static void the_five_entries_of_figure_16_mark_what_it_says(void **state)
{
    (void)state;
    accept("segment .text\n"
           "0     120  count\n"
           "120   4    interrupt\n"
           "160   4    threshold=100 count\n"
           "256   4    start\n"
           "512   4    stop\n");
    assert_int_equal(meta.marks, 30 + 4);
    for (size_t i = 0; i < 30; i++)
        expect_mark(i, TEXT + 4 * i, 4, MARK_COUNT);
    expect_mark(30, TEXT + 120, 4, MARK_INTERRUPT);
    expect_mark(31, TEXT + 160, 4, MARK_COUNT | MARK_THRESHOLD);
    assert_int_equal(meta.mark[31].action.latency_cycles, 100);
    expect_mark(32, TEXT + 256, 4, MARK_START);
    expect_mark(33, TEXT + 512, 4, MARK_STOP);
    assert_int_equal(meta.warnings, 0);
}

static void every_flag_sets_its_fields(void **state)
{
    const struct meta_action *action;

    (void)state;
    accept("table 4 count interrupt toggle counter=13 threshold=bits:101 label=255 on-miss "
           "granule=8\n"
           "sort 0x10 counter bundle\n");
    action = &meta.mark[0].action;
    assert_int_equal(action->flags, MARK_COUNT | MARK_INTERRUPT | MARK_TOGGLE | MARK_COUNTER |
                                        MARK_THRESHOLD | MARK_LABEL | MARK_ON_MISS);
    assert_int_equal(action->limit, 13);
    assert_int_equal(action->latency_bits, 5);
    assert_int_equal(action->latency_cycles, 0);
    assert_int_equal(action->label, 255);
    assert_int_equal(action->granule, 8);
    assert_false(meta.mark[0].is_code);
    expect_mark(1, SORT, 4, MARK_COUNTER | MARK_BUNDLE);
    assert_int_equal(meta.mark[1].action.limit, 0);
}

static void an_alarm_marks_where_the_function_begins(void **state)
{
    (void)state;
    accept("sort * alarm=5000 label=3\n");
    assert_int_equal(meta.marks, 1);
    expect_mark(0, SORT, 4, MARK_ALARM | MARK_LABEL);
    assert_int_equal(meta_action_alarm(&meta.mark[0].action), 5000);
}

static void an_alarm_has_63_bits_and_a_kind(void **state)
{
    (void)state;
    accept("segment .text\n0 4 alarm=5000000123\n120 4 alarm=elapsed:7\n");
    assert_int_equal(meta.marks, 2);
    assert_int_equal(meta_action_alarm(&meta.mark[0].action), UINT64_C(5000000123));
    assert_int_equal(meta.mark[0].action.latency_cycles & ALARM_ELAPSED, 0);
    assert_int_equal(meta_action_alarm(&meta.mark[1].action), 7);
    assert_int_equal(meta.mark[1].action.latency_cycles, ALARM_ELAPSED);
}

static void the_flag_table_names_every_mark_once(void **state)
{
    unsigned seen = 0;

    (void)state;
    for (size_t i = 0; meta_flag(i) != NULL; i++) {
        assert_int_equal(seen & meta_flag(i)->mark, 0);
        seen |= meta_flag(i)->mark;
    }
    assert_int_equal(seen, 0xefff);     /* MARK_HINT is no word of a file */
}

static void a_symbol_is_its_whole_length_or_a_part(void **state)
{
    (void)state;
    accept("table * count\n"
           "table+0x10 * count\n"
           "qsort+0x1c 4 interrupt\n"
           "stub 4 count\n");
    expect_mark(0, TABLE, 0x40, MARK_COUNT);
    expect_mark(1, TABLE + 0x10, 0x30, MARK_COUNT);
    expect_mark(2, QSORT + 0x1c, 4, MARK_INTERRUPT);
    assert_int_equal(meta.mark[3].address, STUB);
}

static void offsets_follow_the_last_segment_line(void **state)
{
    (void)state;
    accept("segment .data\n"
           "8 8 count\n"
           "segment .text\n"
           "0x20 4 count\n"
           "0x3fc * count\n");
    expect_mark(0, DATA + 8, 8, MARK_COUNT);
    expect_mark(1, TEXT + 0x20, 4, MARK_COUNT);
    expect_mark(2, TEXT + 0x3fc, 4, MARK_COUNT);
    assert_int_equal(meta.marks, 3);
}

static void a_hexadecimal_number_beyond_the_segment_is_an_address(void **state)
{
    (void)state;
    accept("segment .data\n"
           "0x80010000 4096 count threshold=50\n"
           "0x10004 4 count\n");
    expect_mark(0, 0x80010000, 4096, MARK_COUNT | MARK_THRESHOLD);
    assert_false(meta.mark[0].is_code);
    expect_mark(1, TEXT + 4, 4, MARK_COUNT);
    assert_true(meta.mark[1].is_code);
}

static void an_address_needs_no_segment(void **state)
{
    (void)state;
    accept("0x20000 64 counter\n");
    expect_mark(0, DATA, 64, MARK_COUNTER);
}

static void a_source_line_marks_all_its_pieces(void **state)
{
    (void)state;
    accept("sort.c:42 * count\n");
    assert_int_equal(meta.marks, 3);
    expect_mark(0, SORT + 0x10, 4, MARK_COUNT);
    expect_mark(1, SORT + 0x14, 4, MARK_COUNT);
    expect_mark(2, SORT + 0x40, 4, MARK_COUNT);
}

static void quotation_marks_around_a_whole_place_are_as_good_as_none(void **state)
{
    (void)state;
    accept("\"sort.c:42\" * count\n"
           "\"table+8\" 8 counter granule=8\n"
           "range D0 \"table+16\" 8\n");
    assert_int_equal(meta.warnings, 0);
    expect_mark(0, SORT + 0x10, 4, MARK_COUNT);
    expect_mark(meta.marks - 1, TABLE + 8, 8, MARK_COUNTER);
}

static void only_instruction_starts_are_marked(void **state)
{
    static const uint64_t starts[] = {0, 2, 6, 10, 12, 14, 18, 20, 24, 26};

    (void)state;
    accept("main * counter\n"
           "main+4 6 count\n");
    assert_int_equal(meta.marks, 10 + 1);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(meta.mark[i].address, MAIN + starts[i]);
    expect_mark(1, MAIN + 2, 4, MARK_COUNTER);
    expect_mark(3, MAIN + 10, 2, MARK_COUNTER);
    expect_mark(10, MAIN + 6, 4, MARK_COUNT);
}

static void a_symbol_sets_the_walk_right_after_data(void **state)
{
    (void)state;
    accept("segment .text\n"
           "0x33c 12 count\n");
    assert_true(meta.marks >= 3);
    expect_mark(meta.marks - 2, TAIL, 4, MARK_COUNT);
    expect_mark(meta.marks - 1, TAIL + 4, 4, MARK_COUNT);
}

/* A program without symbols, of 2-byte instructions; arg counts what is read of it. */
enum { STRIPPED = 0x10000, STRIPPED_BYTES = 0x8000 };

static const char *stripped_section(void *arg, size_t index, struct meta_place *place)
{
    (void)arg;
    *place = (struct meta_place){STRIPPED, STRIPPED_BYTES, true};
    return index == 0 ? ".text" : NULL;
}

static bool stripped_code(void *arg, uint64_t address, void *bytes, size_t count)
{
    if (address - STRIPPED >= STRIPPED_BYTES)
        return false;
    ++*(size_t *)arg;
    memset(bytes, 0, count);
    ((uint8_t *)bytes)[0] = 1;
    return true;
}

static void many_entries_of_a_program_without_symbols_read_it_once(void **state)
{
    size_t read = 0, size;
    const struct meta_resolver resolver = {
        .arg = &read, .section = stripped_section, .code = stripped_code, .xlen = 64};
    char *text;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    for (unsigned at = 0; at < STRIPPED_BYTES; at += 8)
        fprintf(out, "0x%x 4 counter\n", STRIPPED + at);
    fputs("0x10100 2 count\n", out);                 /* and back */
    fclose(out);
    assert_int_equal(meta_read(&meta, text, size, "x.meta", &resolver, &diag), ERR_OK);
    free(text);
    assert_int_equal(meta.marks, STRIPPED_BYTES / 4 + 1);
    expect_mark(STRIPPED_BYTES / 4 - 1, STRIPPED + STRIPPED_BYTES - 6, 2, MARK_COUNTER);
    expect_mark(STRIPPED_BYTES / 4, STRIPPED + 0x100, 2, MARK_COUNT);
    assert_in_range(read, STRIPPED_BYTES / 4, STRIPPED_BYTES);
}

static void calls_are_calls_and_returns(void **state)
{
    (void)state;
    accept("calls(main) * interrupt\n");
    assert_int_equal(meta.marks, 4);
    expect_mark(0, MAIN + 2, 4, MARK_INTERRUPT);
    expect_mark(1, MAIN + 12, 2, MARK_INTERRUPT);
    expect_mark(2, MAIN + 18, 2, MARK_INTERRUPT);
    expect_mark(3, MAIN + 20, 4, MARK_INTERRUPT);
}

static void branches_are_the_conditional_ones_of_the_whole_program(void **state)
{
    (void)state;
    accept("branches(*) * counter\n");
    assert_int_equal(meta.marks, 2);
    expect_mark(0, MAIN + 6, 4, MARK_COUNTER);
    expect_mark(1, MAIN + 10, 2, MARK_COUNTER);
}

static void a_bundle_entry_marks_the_aligned_16_bytes_around_it(void **state)
{
    (void)state;
    accept("sort+0x14 4 count bundle\n"
           "sort+0x2c 8 count bundle\n");
    assert_int_equal(meta.marks, 4 + 8);
    for (size_t i = 0; i < 4; i++)
        expect_mark(i, SORT + 0x10 + 4 * i, 4, MARK_COUNT | MARK_BUNDLE);
    expect_mark(4, SORT + 0x20, 4, MARK_COUNT | MARK_BUNDLE);
    expect_mark(11, SORT + 0x3c, 4, MARK_COUNT | MARK_BUNDLE);
}

static void ranges_name_registers(void **state)
{
    (void)state;
    accept("range I0 sort *\n"
           "range I7 main+2 4\n"
           "range D0 table 64\n"
           "range D3 0x80010000 4096\n");
    assert_int_equal(meta.irange[0].start, SORT);
    assert_int_equal(meta.irange[0].end, SORT + 0x200);
    assert_string_equal(meta.irange[7].name, "main+2");
    assert_int_equal(meta.drange[0].end, TABLE + 64);
    assert_int_equal(meta.drange[3].start, 0x80010000);
    assert_false(meta.irange[1].is_set);
    assert_int_equal(meta.marks, 0);
}

static void comments_blanks_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    accept("# comment\n\n   \t\r\n  sort\t4   count# comment\r\n#\nqsort 4 count");
    assert_int_equal(meta.marks, 2);
    assert_int_equal(meta.mark[0].line, 4);
    assert_int_equal(meta.mark[1].line, 6);
}

static void several_files_add_up(void **state)
{
    (void)state;
    accept("sort 4 count\n");
    assert_int_equal(meta_read(&meta, "main 2 count", 12, "y.meta", &fake_resolver, &diag), ERR_OK);
    assert_int_equal(meta.files, 2);
    assert_int_equal(meta.mark[1].file, 1);
    assert_string_equal(meta.file[1], "y.meta");
    assert_int_equal(meta_read(&meta, "8 4 count", 9, "z.meta", &fake_resolver, &diag), ERR_USAGE);
}

static void an_entry_that_marks_nothing_is_a_warning(void **state)
{
    (void)state;
    accept("table 0 count\n"
           "sort.c:43 * count\n"
           "branches(sort) * count\n"
           "main+4 2 count\n"
           "range D0 table 0\n"
           "calls(sort) * count\n"
           "sort.c:4100 * count\n");
    assert_int_equal(meta.marks, 0);
    assert_int_equal(meta.warnings, 7);
    assert_string_equal(meta.warning[0], "x.meta:1: the entry marks nothing: it has no bytes");
    assert_string_equal(meta.warning[1], "x.meta:2: the entry marks nothing: line 43 of sort.c has "
                        "no code; the nearest that has is 42");
    assert_string_equal(meta.warning[2], "x.meta:3: the entry marks nothing: no conditional branch "
                        "is there");
    assert_string_equal(meta.warning[3], "x.meta:4: the entry marks nothing: no instruction begins "
                        "in its bytes");
    assert_string_equal(meta.warning[4], "x.meta:5: the range is empty");
    assert_string_equal(meta.warning[5], "x.meta:6: the entry marks nothing: no call is there");
    assert_string_equal(meta.warning[6], "x.meta:7: the entry marks nothing: no line near 4100 of "
                        "sort.c has code");
}

static void a_name_that_several_symbols_have_is_a_warning(void **state)
{
    (void)state;
    accept("twin * count\n");
    assert_int_equal(meta.marks, 1);
    assert_int_equal(meta.mark[0].address, QSORT + 0x10);
    assert_int_equal(meta.warnings, 1);
    assert_string_equal(meta.warning[0],
                        "x.meta:1: the program has 2 symbols 'twin'; marks the one at 0x10210");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_five_entries_of_figure_16_mark_what_it_says),
        TEST(every_flag_sets_its_fields),
        TEST(an_alarm_marks_where_the_function_begins),
        TEST(an_alarm_has_63_bits_and_a_kind),
        TEST(the_flag_table_names_every_mark_once),
        TEST(a_symbol_is_its_whole_length_or_a_part),
        TEST(offsets_follow_the_last_segment_line),
        TEST(a_hexadecimal_number_beyond_the_segment_is_an_address),
        TEST(an_address_needs_no_segment),
        TEST(a_source_line_marks_all_its_pieces),
        TEST(quotation_marks_around_a_whole_place_are_as_good_as_none),
        TEST(only_instruction_starts_are_marked),
        TEST(a_symbol_sets_the_walk_right_after_data),
        TEST(many_entries_of_a_program_without_symbols_read_it_once),
        TEST(calls_are_calls_and_returns),
        TEST(branches_are_the_conditional_ones_of_the_whole_program),
        TEST(a_bundle_entry_marks_the_aligned_16_bytes_around_it),
        TEST(ranges_name_registers),
        TEST(comments_blanks_and_line_ends_do_not_matter),
        TEST(several_files_add_up),
        TEST(an_entry_that_marks_nothing_is_a_warning),
        TEST(a_name_that_several_symbols_have_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
