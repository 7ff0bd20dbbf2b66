/* The .meta language: every form, every flag, every kind of wrong line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/abi.h"
#include "tests/shadowcache/fake_program.h"

static struct meta meta;
static struct diag diag;

static int fresh(void **state)
{
    (void)state;
    memset(&meta, 0, sizeof meta);
    memset(&diag, 0, sizeof diag);
    return 0;
}

static int done(void **state)
{
    (void)state;
    meta_free(&meta);
    return 0;
}

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

/* The text is refused with exactly this diagnosis. */
static void refuse(const char *text, const char *diagnosis)
{
    struct meta other = {0};

    memset(&diag, 0, sizeof diag);
    assert_int_equal(meta_read(&other, text, strlen(text), "x.meta", &fake_resolver, &diag),
                     ERR_USAGE);
    assert_string_equal(diag.text, diagnosis);
    meta_free(&other);
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

static void the_flag_table_names_every_mark_once(void **state)
{
    unsigned seen = 0;

    (void)state;
    for (size_t i = 0; meta_flag(i) != NULL; i++) {
        assert_int_equal(seen & meta_flag(i)->mark, 0);
        seen |= meta_flag(i)->mark;
    }
    assert_int_equal(seen, 0x6fff);     /* MARK_HINT is no word of a file */
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

static void a_symbol_sets_the_walk_right_behind_data(void **state)
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
           "range D0 table 0\n");
    assert_int_equal(meta.marks, 0);
    assert_int_equal(meta.warnings, 5);
    assert_string_equal(meta.warning[1], "x.meta:2: the entry marks nothing");
    assert_string_equal(meta.warning[4], "x.meta:5: the range is empty");
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

static void wrong_places_are_refused_with_line_and_column(void **state)
{
    (void)state;
    refuse("\n  srot * count\n",
           "x.meta:2:3: the program has no symbol 'srot'; did you mean 'sort'?");
    refuse("segment .txt\n",
           "x.meta:1:9: the program has no section '.txt'; did you mean '.text'?");
    refuse("calls(mian) * count\n",
           "x.meta:1:7: the program has no function 'mian'; did you mean 'main'?");
    refuse("calls(table) * count\n", "x.meta:1:7: 'table' is no function");
    refuse("branches(stub) * count\n", "x.meta:1:10: 'stub' is a function without a size");
    refuse("120 4 count\n", "x.meta:1:1: offset 120 without a 'segment NAME' line above it");
    refuse("segment .data\n513 1 count\n",
           "x.meta:2:1: offset 0x201 is outside of .data (0x200 bytes)");
    refuse("table+65 1 count\n", "x.meta:1:7: offset 0x41 is outside of table (0x40 bytes)");
    refuse("table+0x 1 count\n", "x.meta:1:7: expected a number behind '+'");
    refuse("12x 4 count\n", "x.meta:1:1: '12x' is no number");
    refuse("sort.c:0 * count\n", "x.meta:1:8: expected a line number behind ':'");
    refuse("sort.c:x * count\n", "x.meta:1:8: expected a line number behind ':'");
    refuse("none.c:4 * count\n", "x.meta:1:1: the program has no line numbers for 'none.c' "
                                 "(is it compiled with -g?)");
    refuse("returns(main) * count\n",
           "x.meta:1:1: 'returns(main)': only calls(FUNCTION) and branches(FUNCTION), or (*), have "
           "parentheses, without blanks");
    refuse("calls() * count\n",
           "x.meta:1:1: 'calls()': only calls(FUNCTION) and branches(FUNCTION), or (*), have "
           "parentheses, without blanks");
    refuse("segment\n", "x.meta:1:8: expected the name of a section");
    refuse("segment .text 4\n", "x.meta:1:15: unexpected '4' at the end of the line");
    refuse("sort* 4 count\n",
           "x.meta:1:1: the program has no symbol 'sort*'; did you mean 'sort'?");
}

static void wrong_lengths_are_refused(void **state)
{
    (void)state;
    refuse("table\n", "x.meta:1:6: expected a length: a number of bytes, or *");
    refuse("table count\n",
           "x.meta:1:7: 'count' is no length: expected a number of bytes, or *");
    refuse("table -4 count\n",
           "x.meta:1:7: '-4' is no length: expected a number of bytes, or *");
    refuse("table 65 count\n",
           "x.meta:1:7: length 65 reaches behind the end of table (0x40 bytes)");
    refuse("segment .data\n0x1f8 9 count\n",
           "x.meta:2:7: length 9 reaches behind the end of .data (0x200 bytes)");
    refuse("stub * count\n",
           "x.meta:1:6: 'stub' has no size in the program: expected a number of bytes");
    refuse("0x80000000 * count\n",
           "x.meta:1:12: an address has no length of its own: expected a number of bytes");
    refuse("0x80000000 0x100000000 count\n",
           "x.meta:1:12: expected at most 4 GiB from an address");
    refuse("0xfffffffffffffff0 32 count\n",
           "x.meta:1:20: these bytes end behind the last address");
    refuse("0x10000000000000000 4 count\n", "x.meta:1:1: '0x10000000000000000' is no number");
    refuse("sort.c:42 4 count\n", "x.meta:1:11: the length of 'sort.c:42' must be *");
    refuse("calls(*) 4 count\n", "x.meta:1:10: the length of 'calls(*)' must be *");
}

static void wrong_flags_are_refused(void **state)
{
    (void)state;
    refuse("table 4\n", "x.meta:1:8: expected a flag that says what to do: count, counter, "
                        "interrupt, ...");
    refuse("table 4 granule=4\n", "x.meta:1:18: expected a flag that says what to do: count, "
                                  "counter, interrupt, ...");
    refuse("sort 4 taken\n", "x.meta:1:13: expected a flag that says what to do: count, counter, "
                             "interrupt, ...");
    refuse("sort 4 bundle\n", "x.meta:1:14: expected a flag that says what to do: count, counter, "
                              "interrupt, ...");
    refuse("table 4 cuont\n", "x.meta:1:9: no flag 'cuont'; did you mean 'count'?");
    refuse("table 4 count zzzzzzzzzz\n", "x.meta:1:15: no flag 'zzzzzzzzzz'");
    refuse("table 4 count count\n", "x.meta:1:15: flag 'count' given twice");
    refuse("table 4 count granule=4 granule=4\n", "x.meta:1:25: flag 'granule' given twice");
    refuse("table 4 count=3\n", "x.meta:1:15: flag 'count' takes no value");
    refuse("table 4 label\n", "x.meta:1:9: flag 'label' needs a value: label=K");
    refuse("table 4 label=\n", "x.meta:1:15: label=: expected a number from 1 to 255");
    refuse("table 4 label=0\n", "x.meta:1:15: label=0: expected a number from 1 to 255");
    refuse("table 4 label=256\n", "x.meta:1:15: label=256: expected a number from 1 to 255");
    refuse("table 4 counter=0\n",
           "x.meta:1:17: counter=0: expected a number from 1 to 4294967295");
    refuse("table 4 counter=4294967296\n",
           "x.meta:1:17: counter=4294967296: expected a number from 1 to 4294967295");
    refuse("table 4 threshold=fast\n",
           "x.meta:1:19: threshold=fast: expected a number from 1 to 4294967295");
    refuse("table 4 threshold=bits:12\n",
           "x.meta:1:19: threshold=bits:12: expected three binary digits, not all 0");
    refuse("table 4 threshold=bits:000\n",
           "x.meta:1:19: threshold=bits:000: expected three binary digits, not all 0");
    refuse("table 4 granule=3 count\n",
           "x.meta:1:17: granule=3: expected 1, 2, 4, 8, 16, 32 or 64");
    refuse("table 4 granule=128 count\n",
           "x.meta:1:17: granule=128: expected 1, 2, 4, 8, 16, 32 or 64");
    refuse("sort 4 count granule=4\n", "x.meta:1:14: 'granule' is for data, and sort is code");
    refuse("table 4 count bundle\n", "x.meta:1:9: 'bundle' is for code, and table is data");
    refuse("sort 4 count near\n", "x.meta:1:8: 'near' needs 'counter'");
    refuse("sort 4 start stop\n",
           "x.meta:1:8: only one of 'start', 'stop' and 'toggle' can be given");
}

static void wrong_ranges_are_refused(void **state)
{
    static const char *const names[] = {"I8", "X0", "I", "I00", "i0", "0"};
    char text[64];

    (void)state;
    for (size_t i = 0; i < FAKE_COUNT(names); i++) {
        snprintf(text, sizeof text, "range %s sort *\n", names[i]);
        refuse(text, "x.meta:1:7: expected a range register, I0 to I7 or D0 to D7");
    }
    refuse("range\n", "x.meta:1:6: expected a range register, I0 to I7 or D0 to D7");
    refuse("range I0\n", "x.meta:1:9: expected an offset, SYMBOL[+OFFSET], FILE:LINE, 0xADDRESS, "
                         "calls(FUNCTION) or branches(FUNCTION)");
    refuse("range I0 sort * count\n", "x.meta:1:17: unexpected 'count' at the end of the line");
    refuse("range I0 sort *\nrange I0 main *\n", "x.meta:2:7: range I0 is set twice");
    refuse("range I0 table *\n",
           "x.meta:1:10: an instruction range needs code, and table is data");
    refuse("range I0 calls(main) *\n", "x.meta:1:10: 'calls(main)' is not one piece of memory: "
                                       "expected an offset, symbol or address");
}

static void control_characters_and_endless_words_are_refused(void **state)
{
    char text[2048];

    (void)state;
    refuse("ta\001ble 4 count\n", "x.meta:1:3: control character 0x01");
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    refuse(text, "x.meta:1:1: word longer than 1023 characters");
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    assert_int_equal(meta_read_file(&meta, "/no/such/file.meta", &fake_resolver, &diag), ERR_IO);
    assert_string_equal(diag.text, "/no/such/file.meta: No such file or directory");
}

static void a_program_without_anything_knows_no_name(void **state)
{
    static const struct meta_resolver nothing = {0};

    (void)state;
    assert_int_equal(meta_read(&meta, "a 4 count", 9, "x.meta", &nothing, &diag), ERR_USAGE);
    assert_string_equal(diag.text, "x.meta:1:1: the program has no symbol 'a'");
    assert_int_equal(meta_read(&meta, "0x100 4 count", 13, "x.meta", &nothing, &diag), ERR_OK);
    assert_int_equal(meta.marks, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_five_entries_of_figure_16_mark_what_it_says),
        TEST(every_flag_sets_its_fields),
        TEST(the_flag_table_names_every_mark_once),
        TEST(a_symbol_is_its_whole_length_or_a_part),
        TEST(offsets_follow_the_last_segment_line),
        TEST(a_hexadecimal_number_beyond_the_segment_is_an_address),
        TEST(an_address_needs_no_segment),
        TEST(a_source_line_marks_all_its_pieces),
        TEST(only_instruction_starts_are_marked),
        TEST(a_symbol_sets_the_walk_right_behind_data),
        TEST(many_entries_of_a_program_without_symbols_read_it_once),
        TEST(calls_are_calls_and_returns),
        TEST(branches_are_the_conditional_ones_of_the_whole_program),
        TEST(a_bundle_entry_marks_the_aligned_16_bytes_around_it),
        TEST(ranges_name_registers),
        TEST(comments_blanks_and_line_ends_do_not_matter),
        TEST(several_files_add_up),
        TEST(an_entry_that_marks_nothing_is_a_warning),
        TEST(a_name_that_several_symbols_have_is_a_warning),
        TEST(wrong_places_are_refused_with_line_and_column),
        TEST(wrong_lengths_are_refused),
        TEST(wrong_flags_are_refused),
        TEST(wrong_ranges_are_refused),
        TEST(control_characters_and_endless_words_are_refused),
        TEST(a_missing_file_is_named),
        TEST(a_program_without_anything_knows_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
