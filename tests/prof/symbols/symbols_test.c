/* Symbols by address and name; lines out of real DWARF, that of this very program. */
#define _GNU_SOURCE
#include "tests/prof/made.h"

#include <link.h>

static struct diag diag;

/* ---- symbols --------------------------------------------------------------------------------- */

static void an_address_has_the_function_around_it(void **state)
{
    struct symbols *symbols = made_symbols();
    char text[SYMBOLS_TEXT];

    (void)state;
    assert_string_equal(symbols_describe(symbols, MADE_AT(MAIN, 0), text), "main");
    assert_string_equal(symbols_describe(symbols, MADE_AT(MAIN, 63), text), "main+0x3f");
    assert_string_equal(symbols_describe(symbols, 0x80ff, text), "table+0xff");
    assert_string_equal(symbols_describe(symbols, 0x8100, text), "0x8100");
    assert_string_equal(symbols_describe(symbols, MADE_BASE - 1, text), "0xfff");
    assert_string_equal(symbols_describe(symbols, UINT64_MAX, text), "0xffffffffffffffff");
    symbols_free(symbols);
}

static void of_several_names_the_plain_one_is_shown_and_all_are_found(void **state)
{
    struct symbols *symbols = made_symbols();

    (void)state;
    assert_string_equal(symbols_at(symbols, MADE_AT(SORT, 8))->name, "sort");
    assert_int_equal(symbols_find(symbols, "__sort_alias")->address, MADE_AT(SORT, 0));
    assert_null(symbols_find(symbols, "sor"));
    symbols_free(symbols);
}

static void of_two_plain_names_the_weak_one_is_the_alias(void **state)
{
    struct symbols_entry entry[] = {
        {"bcmp", 0x100, 0x40, true, true}, {"memcmp", 0x100, 0x40, true, false},
        {"write", 0x140, 0x40, true, true}, {"__write", 0x140, 0x40, true, false},
    };
    const struct symbols_program program = {.entry = entry, .entries = 4};
    struct symbols *symbols;

    (void)state;
    assert_int_equal(symbols_new(&symbols, &program, &diag), ERR_OK);
    assert_string_equal(symbols_at(symbols, 0x110)->name, "memcmp");
    assert_string_equal(symbols_at(symbols, 0x150)->name, "write");
    assert_int_equal(symbols_find(symbols, "bcmp")->address, 0x100);
    symbols_free(symbols);
}

static void a_function_inside_another_wins(void **state)
{
    struct symbols_entry entry[] = {
        {"outer", 0x100, 0x100, true, false}, {"inner", 0x140, 0x10, true, false},
        {"data", 0x140, 0x40, false, false}, {"unsized", 0x180, 0, true, false},
    };
    const struct symbols_program program = {.entry = entry, .entries = 4};
    struct symbols *symbols;

    (void)state;
    assert_int_equal(symbols_new(&symbols, &program, &diag), ERR_OK);
    assert_string_equal(symbols_at(symbols, 0x148)->name, "inner");
    assert_string_equal(symbols_at(symbols, 0x150)->name, "outer");
    assert_string_equal(symbols_at(symbols, 0x180)->name, "outer");
    assert_null(symbols_line_at(symbols, 0x148));
    symbols_free(symbols);
}

static void a_name_that_has_no_room_ends_in_dots(void **state)
{
    const size_t lengths[] = {1, 4000, 4064, 4065, 4095, 4096, 10000};
    char name[10001], text[SYMBOLS_TEXT], line[SYMBOLS_TEXT], place[SYMBOLS_TEXT];

    (void)state;
    memset(name, 'n', sizeof name - 1);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct symbols_entry entry[] = {{name, 0x100, 0x100, true, false}};
        const struct symbols_program program = {.entry = entry, .entries = 1};
        bool is_cut = lengths[i] > 4064;
        struct symbols *symbols;

        name[lengths[i]] = '\0';
        assert_int_equal(symbols_new(&symbols, &program, &diag), ERR_OK);
        assert_int_equal(symbols_name(&entry[0], text), is_cut ? 4064 : lengths[i]);
        assert_int_equal(strlen(text), is_cut ? 4064 : lengths[i]);
        assert_string_equal(text + strlen(text) - (is_cut ? 3 : 0), is_cut ? "..." : "");
        symbols_describe_frame(symbols, 0x110, true, place, line);
        assert_string_equal(place, text);
        symbols_describe(symbols, 0x110, place);
        assert_memory_equal(place, text, strlen(text));
        assert_string_equal(place + strlen(text), "+0x10");
        symbols_free(symbols);
        name[lengths[i]] = 'n';
    }
}

static void calls_are_found_before_return_addresses(void **state)
{
    struct symbols *symbols = made_symbols();

    (void)state;
    assert_int_equal(symbols_call_site(symbols, MADE_AT(MAIN, MADE_CALL + 4)),
                     MADE_AT(MAIN, MADE_CALL));
    assert_int_equal(symbols_call_site(symbols, MADE_AT(MAIN, MADE_SHORT_CALL + 2)),
                     MADE_AT(MAIN, MADE_SHORT_CALL));
    symbols_free(symbols);
}

static void files_are_known_by_the_end_of_their_path(void **state)
{
    (void)state;
    assert_true(symbols_is_file("/src/lib/sort.c", "sort.c"));
    assert_true(symbols_is_file("/src/lib/sort.c", "lib/sort.c"));
    assert_true(symbols_is_file("/src/lib/sort.c", "/src/lib/sort.c"));
    assert_true(symbols_is_file("sort.c", "sort.c"));
    assert_false(symbols_is_file("/src/lib/qsort.c", "sort.c"));
    assert_false(symbols_is_file("sort.c", "lib/sort.c"));
    assert_false(symbols_is_file("sort.c", ""));
    assert_string_equal(symbols_base_name("/a/b.c"), "b.c");
    assert_string_equal(symbols_base_name("b.c"), "b.c");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int load_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uint64_t *)bias = info->dlpi_addr;
    return 1;                           /* the first is the program */
}

static uint8_t *read_self(size_t *bytes)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    uint8_t *text;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    text = malloc(*bytes);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *bytes, file), *bytes);
    fclose(file);
    return text;
}

enum { MARKED_LINE = __LINE__ + 3 };
__attribute__((noinline)) static int marked(int a)
{
    return a * 7 + 1;
}

static void lines_come_from_the_debug_information(void **state)
{
    struct symbols_program program = {.bias = 0};
    const struct symbols_line *line, *all;
    struct symbols *symbols;
    char text[SYMBOLS_TEXT];
    size_t count, pieces = 0;

    (void)state;
    assert_int_equal(marked(2), 15);
    program.file = read_self(&program.file_bytes);
    dl_iterate_phdr(load_bias, &program.bias);
    assert_int_equal(symbols_new(&symbols, &program, &diag), ERR_OK);
    line = symbols_line_at(symbols, (uint64_t)(uintptr_t)marked);
    assert_non_null(line);
    assert_true(symbols_is_file(line->file, "tests/prof/symbols/symbols_test.c"));
    assert_in_range(line->line, MARKED_LINE - 2, MARKED_LINE);
    symbols_describe_line(symbols, (uint64_t)(uintptr_t)marked, text);
    assert_memory_equal(text, "symbols_test.c:", 15);
    count = symbols_lines(symbols, &all);
    for (size_t i = 0; i < count; i++) {
        assert_true(all[i].address < all[i].end);
        assert_true(i == 0 || all[i - 1].end <= all[i].address);
        pieces += all[i].line == MARKED_LINE && symbols_is_file(all[i].file, "symbols_test.c");
    }
    assert_true(pieces != 0);
    symbols_free(symbols);
    free(program.file);
}

static bool no_code(void *arg, uint64_t address, void *bytes, size_t count)
{
    (void)arg, (void)address, (void)bytes, (void)count;
    return false;
}

static void lines_of_code_that_is_not_there_are_dropped(void **state)
{
    struct symbols_program program = {.code = no_code};
    const struct symbols_line *all;
    struct symbols *symbols;

    (void)state;
    program.file = read_self(&program.file_bytes);
    assert_int_equal(symbols_new(&symbols, &program, &diag), ERR_OK);
    assert_int_equal(symbols_lines(symbols, &all), 0);
    symbols_free(symbols);
    free(program.file);
}

static void a_file_that_is_no_elf_has_no_lines(void **state)
{
    uint8_t text[] = "this is no ELF file";
    const struct symbols_program program = {.file = text, .file_bytes = sizeof text};
    struct symbols *symbols;

    (void)state;
    assert_int_equal(symbols_new(&symbols, &program, &diag), ERR_OK);
    assert_null(symbols_line_at(symbols, 0));
    symbols_free(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_the_function_around_it),
        cmocka_unit_test(of_several_names_the_plain_one_is_shown_and_all_are_found),
        cmocka_unit_test(of_two_plain_names_the_weak_one_is_the_alias),
        cmocka_unit_test(a_function_inside_another_wins),
        cmocka_unit_test(a_name_that_has_no_room_ends_in_dots),
        cmocka_unit_test(calls_are_found_before_return_addresses),
        cmocka_unit_test(files_are_known_by_the_end_of_their_path),
        cmocka_unit_test(lines_come_from_the_debug_information),
        cmocka_unit_test(lines_of_code_that_is_not_there_are_dropped),
        cmocka_unit_test(a_file_that_is_no_elf_has_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
