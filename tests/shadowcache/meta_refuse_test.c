/* The .meta language: every kind of wrong line is refused with its file, line and column, and with
 * exactly the diagnosis that helps. */
#include <stdio.h>

#include "tests/shadowcache/meta_fixture.h"

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
    refuse("table+0x 1 count\n", "x.meta:1:7: expected a number after '+'");
    refuse("12x 4 count\n", "x.meta:1:1: '12x' is no number");
    refuse("sort.c:0 * count\n", "x.meta:1:8: expected a line number after ':'");
    refuse("sort.c:x * count\n", "x.meta:1:8: expected a line number after ':'");
    refuse("none.c:4 * count\n", "x.meta:1:1: the program has no line numbers for 'none.c' "
                                 "(is it compiled with -g?)");
    refuse("returns(main) * count\n",
           "x.meta:1:1: the program has no symbol 'returns(main)'; groups are calls(FUNCTION|*) "
           "and branches(FUNCTION|*)");
    refuse("calls() * count\n",
           "x.meta:1:1: the program has no symbol 'calls()'; groups are calls(FUNCTION|*) and "
           "branches(FUNCTION|*)");
    refuse("\"sort * count\n", "x.meta:1:1: no quotation mark ends this word");
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
           "x.meta:1:7: length 65 reaches past the end of table (0x40 bytes)");
    refuse("segment .data\n0x1f8 9 count\n",
           "x.meta:2:7: length 9 reaches past the end of .data (0x200 bytes)");
    refuse("stub * count\n",
           "x.meta:1:6: 'stub' has no size in the program: expected a number of bytes");
    refuse("0x80000000 * count\n",
           "x.meta:1:12: an address has no length of its own: expected a number of bytes");
    refuse("0x80000000 0x100000000 count\n",
           "x.meta:1:12: expected at most 4 GiB from an address");
    refuse("0xfffffffffffffff0 32 count\n",
           "x.meta:1:20: these bytes end past the last address");
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
    refuse("sort * alarm\n",
           "x.meta:1:8: flag 'alarm' needs a value: alarm=CYCLES or elapsed:CYCLES");
    refuse("sort * alarm=0\n",
           "x.meta:1:14: alarm=0: expected a number from 1 to 9223372036854775807");
    refuse("sort * alarm=9 threshold=9\n",
           "x.meta:1:8: 'alarm' and 'threshold' cannot share an instruction");
    refuse("sort * alarm=9 counter\n",
           "x.meta:1:8: 'alarm' and 'counter' cannot share an instruction");
    refuse("table * alarm=9\n", "x.meta:1:9: 'alarm' is for code, and table is data");
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
    char text[8192];

    (void)state;
    refuse("ta\001ble 4 count\n", "x.meta:1:3: control character 0x01");
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    refuse(text, "x.meta:1:1: word longer than 4095 characters");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
