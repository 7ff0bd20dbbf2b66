/* Machine files: lines, mistakes, presets, inheritance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/config.h"
#include "sim/base/config_read.h"

static struct diag diag;

/* The configuration that an empty file gives. */
static struct config defaults(void)
{
    struct config config;
    config_init(&config);
    assert_int_equal(config_load(&config, "default", "sim/presets", &diag), ERR_OK);
    return config;
}

static enum err parse(struct config *config, const char *text)
{
    diag.text[0] = '\0';
    return config_parse(config, text, strlen(text), "m.ini", "sim/presets", &diag);
}

static void assert_refused(const char *text, const char *message)
{
    struct config config = defaults(), before = config;
    assert_int_equal(parse(&config, text), ERR_USAGE);
    assert_string_equal(diag.text, message);
    assert_memory_equal(&config, &before, sizeof config);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void a_file_sets_what_it_names_and_leaves_the_defaults(void **state)
{
    (void)state;
    struct config config = defaults();
    config.rob_entries = 4;
    assert_int_equal(parse(&config, "# machine\n[l1d]\n  kib = 16   ; small\n\tways=4 # few\n"
                                    "[unit]\r\nints = 2\r\n; end"), ERR_OK);
    struct config expected = defaults();
    expected.l1d_kib = 16;
    expected.l1d_ways = 4;
    expected.unit_ints = 2;
    assert_memory_equal(&config, &expected, sizeof config);
}

static void a_value_under_an_old_name_is_taken(void **state)
{
    (void)state;
    struct config config, expected = defaults();
    assert_int_equal(parse(&config, "[rename]\nkind = physical\nmove_elimination = true\n"
                                    "zero_idioms = true\n[bpred]\nperceptron_history = 20\n"
                                    "[l1d]\nwrite = write_through\nwrite_allocate = false\n"
                                    "[l1i]\nrefill = whole_line\n"), ERR_OK);
    assert_int_equal(config_set(&expected, "rename.kind=physical", &diag), ERR_OK);
    assert_int_equal(config_set(&expected, "rename.eliminates=both", &diag), ERR_OK);
    assert_int_equal(config_set(&expected, "bpred.history=20", &diag), ERR_OK);
    assert_int_equal(config_set(&expected, "l1d.write=write_through_around", &diag), ERR_OK);
    assert_int_equal(config_set(&expected, "bus.refill=whole_line", &diag), ERR_OK);
    assert_memory_equal(&config, &expected, sizeof config);

    assert_int_equal(config_set(&expected, "rename.zero_idioms=no", &diag), ERR_OK);
    assert_true(config_is(&expected, "rename.eliminates", "moves"));
    assert_int_equal(config_set(&expected, "l1d.write_allocate=yes", &diag), ERR_OK);
    assert_true(config_is(&expected, "l1d.write", "write_through"));
}

static void mistakes_under_an_old_name_are_told_of(void **state)
{
    (void)state;
    assert_refused("[rename]\nzero_idioms = both\n",
                   "m.ini:2: rename.zero_idioms = both: expected true or false; now it is "
                   "rename.eliminates");
    assert_refused("[bpred]\nperceptron_history = 100\n",
                   "m.ini:2: bpred.history = 100: expected 0..64, in branches");
    assert_refused("[l3]\nline_bytes = 64\n",
                   "m.ini:2: no setting 'l3.line_bytes'; did you mean l2.line_bytes (8..128, a "
                   "power of two)?");
}

static void mistakes_in_a_file_name_the_file_and_the_line(void **state)
{
    (void)state;
    assert_refused("[l1d]\nkib = 16\nway = 4\n",
                   "m.ini:3: no setting 'l1d.way'; did you mean l1d.ways (1..64)?");
    assert_refused("\n\n[l1d]\nkib = much\n",
                   "m.ini:4: l1d.kib = much: expected 1..4096, in KiB");
    assert_refused("[pair]\n",
                   "m.ini:1: no section 'pair'; did you mean inorder.pairs (all|LIST)?");
    assert_refused("[l1dd]\n", "m.ini:1: no section [l1dd]; did you mean [l1d]?");
    assert_refused("[l1d]\nkib = 16\nkib = 16\n", "m.ini:3: l1d.kib was set in line 2 already");
    assert_refused("[l1d]\nkib\n", "m.ini:2: expected [section], name = value or a comment");
    assert_refused("[l1d\nkib = 1\n", "m.ini:1: expected [section], name = value or a comment");
    assert_refused("kib = 1\n",
                   "m.ini:1: expected a [section] or 'inherit = NAME' before the settings");
}

static void only_the_first_mistake_is_reported(void **state)
{
    (void)state;
    assert_refused("[l1d]\nkib = 0\nways = 0\n[what]\n",
                   "m.ini:2: l1d.kib = 0: expected 1..4096, in KiB");
}

static void lines_that_do_not_fit_and_zero_bytes_are_refused(void **state)
{
    (void)state;
    char text[600] = "[l1d]\nk";
    struct config config = defaults();
    memset(text + 7, 'x', sizeof text - 8);
    assert_int_equal(parse(&config, text), ERR_USAGE);
    assert_string_equal(diag.text, "m.ini:2: the line is too long");
    memcpy(text, "[l1d]\n; ", 8);               /* a comment may be longer, ... */
    assert_int_equal(parse(&config, text), ERR_OK);
    memcpy(text, "[l1d]\nkib = 16 ; ", 17);     /* ... also one after a setting */
    assert_int_equal(parse(&config, text), ERR_OK);
    assert_int_equal(config.l1d_kib, 16);
    assert_int_equal(config_parse(&config, "[l1d]\nkib = 1\0\n", 15, "m.ini", ".", &diag),
                     ERR_USAGE);
    assert_string_equal(diag.text, "m.ini:2: a zero byte; expected text");
}

static void a_section_may_be_opened_twice_but_not_a_setting_set_twice(void **state)
{
    (void)state;
    struct config config = defaults();
    assert_int_equal(parse(&config, "[l1d]\nkib = 16\n[l1i]\nkib = 8\n[l1d]\nways = 4\n"), ERR_OK);
    assert_int_equal(config.l1d_ways, 4);
    assert_refused("[l1d]\nkib = 16\n[l1i]\nkib = 8\n[l1d]\nkib = 16\n",
                   "m.ini:6: l1d.kib was set in line 2 already");
}

/* ---- presets and inheritance ----------------------------------------------------------------- */

/* A file in the test's own directory. */
static const char *write_file(const char *name, const char *text)
{
    static char path[512];
    const char *directory = getenv("TEST_TMP");
    snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : "/tmp", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void presets_load_by_name_and_are_consistent(void **state)
{
    (void)state;
    static const char *const names[] = {"default", "fig2", "tiny"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct config config;
        assert_int_equal(config_load(&config, names[i], "sim/presets", &diag), ERR_OK);
        assert_int_equal(config_check(&config, &diag), ERR_OK);
    }
}

static void the_classic_preset_is_all_defaults(void **state)
{
    (void)state;
    struct config config = {0}, expected;
    config_init(&expected);
    assert_int_equal(config_load(&config, "classic", "sim/presets", &diag), ERR_OK);
    assert_memory_equal(&config, &expected, sizeof config);
}

static void a_file_that_inherits_nothing_has_the_defaults(void **state)
{
    (void)state;
    struct config config, expected;
    config_init(&expected);
    expected.rob_entries = 96;
    assert_int_equal(parse(&config, "inherit = none\n[rob]\nentries = 96\n"), ERR_OK);
    assert_memory_equal(&config, &expected, sizeof config);
}

static void a_file_that_names_no_machine_builds_on_the_default_one(void **state)
{
    (void)state;
    struct config config, expected = defaults();
    assert_int_equal(parse(&config, "; nothing\n"), ERR_OK);
    assert_memory_equal(&config, &expected, sizeof config);
    expected.rob_entries = 96;
    assert_int_equal(parse(&config, "[rob]\nentries = 96\n"), ERR_OK);
    assert_memory_equal(&config, &expected, sizeof config);
    assert_int_equal(config_parse(&config, "", 0, "m.ini", "/nonexistent", &diag), ERR_IO);
}

static void figure_2_is_four_wide_with_two_simple_integer_units(void **state)
{
    (void)state;
    struct config config;
    assert_int_equal(config_load(&config, "fig2", "sim/presets", &diag), ERR_OK);
    assert_int_equal(config.decode_width, 4);
    assert_int_equal(config.dispatch_width, 4);
    assert_int_equal(config.unit_ints, 2);
    assert_int_equal(config.unit_complexes, 1);
    assert_int_equal(config.rob_entries, 16);
    assert_int_equal(config.rename_int_buffers, 12);
    assert_int_equal(config.l2_kib, 0);
}

static void an_unknown_preset_is_refused_with_the_nearest(void **state)
{
    (void)state;
    struct config config;
    assert_int_equal(config_load(&config, "fgi2", "sim/presets", &diag), ERR_USAGE);
    assert_string_equal(diag.text, "no preset 'fgi2'; did you mean fig2?");
    assert_int_equal(config_load(&config, "fig2", "/nonexistent", &diag), ERR_IO);
}

static void a_missing_file_is_an_input_error(void **state)
{
    (void)state;
    struct config config;
    assert_int_equal(config_load(&config, "/nonexistent/m.ini", ".", &diag), ERR_IO);
    assert_string_equal(diag.text, "/nonexistent/m.ini: No such file or directory");
}

static void a_directory_is_no_machine_file(void **state)
{
    (void)state;
    struct config config;
    assert_int_equal(config_load(&config, "sim/presets", ".", &diag), ERR_IO);
}

static void a_file_builds_on_the_machine_it_inherits(void **state)
{
    (void)state;
    struct config config, expected;
    assert_int_equal(config_load(&expected, "tiny", "sim/presets", &diag), ERR_OK);
    expected.rob_entries = 16;
    assert_int_equal(parse(&config, "inherit = tiny\n[rob]\nentries = 16\n"), ERR_OK);
    assert_memory_equal(&config, &expected, sizeof config);
}

static void a_file_inherits_from_a_file_beside_it(void **state)
{
    (void)state;
    struct config config;
    write_file("base.ini", "[rob]\nentries = 32\n");
    const char *path = write_file("derived.ini", "inherit = base.ini\n[unit]\nints = 4\n");
    assert_int_equal(config_load(&config, path, "sim/presets", &diag), ERR_OK);
    assert_int_equal(config.rob_entries, 32);
    assert_int_equal(config.unit_ints, 4);
}

static void inheritance_comes_first_and_once(void **state)
{
    (void)state;
    assert_refused("inherit = tiny\ninherit = fig2\n", "m.ini:2: 'inherit' must be the first "
                                                       "setting, and the only one of its kind");
    assert_refused("[rob]\nentries = 8\n[]\ninherit = tiny\n", "m.ini:3: no section []; `rvsim "
                                                               "config show default` lists all");
}

static void an_inherited_mistake_names_the_file_it_is_in(void **state)
{
    (void)state;
    struct config config;
    char expected[600];
    write_file("broken.ini", "[rob]\nentries = 3\n");
    const char *path = write_file("heir.ini", "\ninherit = broken.ini\n");
    snprintf(expected, sizeof expected, "%.*s/broken.ini:2: rob.entries = 3: expected 4..1024, "
             "in instructions", (int)(strrchr(path, '/') - path), path);
    assert_int_equal(config_load(&config, path, "sim/presets", &diag), ERR_USAGE);
    assert_string_equal(diag.text, expected);
}

/* A contradiction that a later --set makes is not attributed to the file. */
static void a_contradiction_in_a_file_names_the_file(void **state)
{
    (void)state;
    struct config config;
    char expected[600];
    const char *path = write_file("odd.ini", "[l1d]\nkib = 32\nways = 3\n");
    snprintf(expected, sizeof expected, "%s: l1d.kib = 32, l1d.ways = 3 and l1d.line_bytes = 64 "
             "make 170.7 sets; expected a whole number", path);
    assert_int_equal(config_load(&config, path, "sim/presets", &diag), ERR_OK);
    assert_int_equal(config_check_loaded(&config, path, "sim/presets", &diag), ERR_USAGE);
    assert_string_equal(diag.text, expected);
    config.l1d_ways = 5;
    assert_int_equal(config_check_loaded(&config, path, "sim/presets", &diag), ERR_USAGE);
    assert_string_equal(diag.text, "l1d.kib = 32, l1d.ways = 5 and l1d.line_bytes = 64 make 102.4 "
                        "sets; expected a whole number");
    config.l1d_ways = 4;
    assert_int_equal(config_check_loaded(&config, path, "sim/presets", &diag), ERR_OK);
}

static void an_unknown_machine_to_inherit_is_reported_with_its_line(void **state)
{
    (void)state;
    assert_refused("\ninherit = fgi2\n", "m.ini:2: no preset 'fgi2'; did you mean fig2?");
    struct config config;
    assert_int_equal(parse(&config, "inherit = /nonexistent/m.ini\n"), ERR_IO);
    assert_string_equal(diag.text, "m.ini:1: /nonexistent/m.ini: No such file or directory");
}

static void a_circle_of_files_is_refused(void **state)
{
    (void)state;
    struct config config;
    write_file("one.ini", "inherit = two.ini\n");
    const char *path = write_file("two.ini", "inherit = one.ini\n");
    assert_int_equal(config_load(&config, path, "sim/presets", &diag), ERR_USAGE);
    assert_non_null(strstr(diag.text, "inherits from itself"));
}

/* Two of them are the presets default and classic. */
static void a_long_chain_of_files_is_refused(void **state)
{
    (void)state;
    struct config config;
    char name[16], text[32];
    const char *path = NULL;
    for (unsigned i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "c%u.ini", i);
        snprintf(text, sizeof text, "inherit = c%u.ini\n", i - 1);
        path = write_file(name, i == 0 ? "[rob]\nentries = 8\n" : text);
        enum err expected = i <= 6 ? ERR_OK : ERR_USAGE;
        assert_int_equal(config_load(&config, path, "sim/presets", &diag), expected);
    }
    assert_non_null(strstr(diag.text, "more than 8 files inherit from each other"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_sets_what_it_names_and_leaves_the_defaults),
        cmocka_unit_test(mistakes_in_a_file_name_the_file_and_the_line),
        cmocka_unit_test(only_the_first_mistake_is_reported),
        cmocka_unit_test(lines_that_do_not_fit_and_zero_bytes_are_refused),
        cmocka_unit_test(a_section_may_be_opened_twice_but_not_a_setting_set_twice),
        cmocka_unit_test(presets_load_by_name_and_are_consistent),
        cmocka_unit_test(the_classic_preset_is_all_defaults),
        cmocka_unit_test(a_file_that_inherits_nothing_has_the_defaults),
        cmocka_unit_test(a_file_that_names_no_machine_builds_on_the_default_one),
        cmocka_unit_test(figure_2_is_four_wide_with_two_simple_integer_units),
        cmocka_unit_test(an_unknown_preset_is_refused_with_the_nearest),
        cmocka_unit_test(a_missing_file_is_an_input_error),
        cmocka_unit_test(a_directory_is_no_machine_file),
        cmocka_unit_test(a_file_builds_on_the_machine_it_inherits),
        cmocka_unit_test(a_file_inherits_from_a_file_beside_it),
        cmocka_unit_test(inheritance_comes_first_and_once),
        cmocka_unit_test(an_inherited_mistake_names_the_file_it_is_in),
        cmocka_unit_test(a_contradiction_in_a_file_names_the_file),
        cmocka_unit_test(an_unknown_machine_to_inherit_is_reported_with_its_line),
        cmocka_unit_test(a_value_under_an_old_name_is_taken),
        cmocka_unit_test(mistakes_under_an_old_name_are_told_of),
        cmocka_unit_test(a_circle_of_files_is_refused),
        cmocka_unit_test(a_long_chain_of_files_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
