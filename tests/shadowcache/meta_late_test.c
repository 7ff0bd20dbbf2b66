/* Lines whose names or addresses the program lacks wait for a library, if the program loads any. */
#include <stdlib.h>

#include "pmu/abi.h"
#include "shadowcache/meta_late.h"
#include "tests/shadowcache/meta_fixture.h"

enum { HELP = 0x50010 };

static const char *help_section(void *arg, size_t index, struct meta_place *place)
{
    (void)arg;
    *place = (struct meta_place){0x50000, 0x100, true};
    return index == 0 ? ".text" : NULL;
}

static const char *help_symbol(void *arg, size_t index, struct meta_place *place)
{
    static const struct fake_name symbol[] = {
        {"help", {HELP, 0x20, true}}, {"sort", {HELP + 0x20, 8, true}},
        {"helpless", {HELP + 0x100, 8, false}},
    };

    (void)arg;
    if (index >= FAKE_COUNT(symbol))
        return NULL;
    *place = symbol[index].place;
    return symbol[index].name;
}

static bool help_code(void *arg, uint64_t address, void *bytes, size_t count)
{
    static const uint8_t nop[4] = {0x13, 0, 0, 0};

    (void)arg;
    memcpy(bytes, nop + address % 4, count);
    return true;
}

static const struct meta_resolver library = {
    .section = help_section, .symbol = help_symbol, .code = help_code,
};

static enum err read_text(const char *text, bool is_open)
{
    struct meta_resolver resolver = fake_resolver;

    resolver.is_open = is_open;
    return meta_read(&meta, text, strlen(text), "x.meta", &resolver, &diag);
}

static void expect_wait(const char *text, size_t lates)
{
    assert_int_equal(read_text(text, true), ERR_OK);
    assert_int_equal(meta.lates, lates);
}

static void a_name_that_the_program_lacks_waits(void **state)
{
    struct meta_part part;

    (void)state;
    expect_wait("sort 4 count\nhelp 8 counter interrupt\n", 1);
    assert_int_equal(meta.marks, 1);
    assert_int_equal(meta_flags(&meta), MARK_COUNT | MARK_COUNTER | MARK_INTERRUPT);
    assert_int_equal(meta_read_late(&meta, &library, &part, &diag), ERR_OK);
    assert_int_equal(part.marks, 2);
    assert_int_equal(part.mark[0].address, HELP);
    assert_int_equal(part.mark[1].address, HELP + 4);
    assert_int_equal(part.mark[1].line, 2);
    assert_string_equal(meta.file[part.mark[1].file], "x.meta");
    assert_true(meta.late[0].is_placed);
}

static void an_address_waits_and_a_range_is_set(void **state)
{
    struct meta_part part;

    (void)state;
    expect_wait("0x50014 4 counter\nrange I1 help *\n", 2);
    assert_false(meta.irange[1].is_set);
    assert_int_equal(meta_read_late(&meta, &library, &part, &diag), ERR_OK);
    assert_int_equal(part.marks, 1);
    assert_int_equal(part.mark[0].address, HELP + 4);
    assert_true(meta.irange[1].is_set);
    assert_int_equal(meta.irange[1].start, HELP);
    assert_int_equal(meta.irange[1].end, HELP + 0x20);
}

static void a_line_that_no_library_has_keeps_its_reason(void **state)
{
    struct meta_part part;

    (void)state;
    expect_wait("hlep 4 count\nsort.c:42 * count\nnone.c:7 * count\n", 2);
    assert_int_equal(meta_read_late(&meta, &library, &part, &diag), ERR_OK);
    assert_int_equal(part.marks, 0);
    assert_false(meta.late[0].is_placed);
    assert_non_null(strstr(meta.late[0].reason, "x.meta:1:1: the program has no symbol 'hlep'"));
}

static void data_of_a_library_is_one_mark(void **state)
{
    struct meta_part part;

    (void)state;
    expect_wait("helpless 8 counter\n", 1);
    assert_int_equal(meta_read_late(&meta, &library, &part, &diag), ERR_OK);
    assert_int_equal(part.marks, 1);
    assert_false(part.mark[0].is_code);
    assert_int_equal(part.mark[0].bytes, 8);
    assert_int_equal(meta.warnings, 0);
}

static void errors_of_form_areas_and_sections_do_not_wait(void **state)
{
    static const char *const text[] = {
        "help 4 cuonter\n", "help counter\n", "area help 8\n", "segment .help\n",
        "sort+0x999 4 count\n",
    };

    (void)state;
    for (size_t i = 0; i < FAKE_COUNT(text); i++)
        assert_int_equal(read_text(text[i], true), ERR_USAGE);
    assert_int_equal(meta.lates, 0);
}

static void nothing_waits_for_a_program_without_libraries(void **state)
{
    (void)state;
    assert_int_equal(read_text("help 4 count\n", false), ERR_USAGE);
    assert_int_equal(meta.lates, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_name_that_the_program_lacks_waits),
        TEST(an_address_waits_and_a_range_is_set),
        TEST(a_line_that_no_library_has_keeps_its_reason),
        TEST(data_of_a_library_is_one_mark),
        TEST(errors_of_form_areas_and_sections_do_not_wait),
        TEST(nothing_waits_for_a_program_without_libraries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
