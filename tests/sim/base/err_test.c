/* Diagnoses and the nearest name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/err.h"

/* The names after `name`, until NULL, are the candidates. */
struct list { const char *names[8]; size_t at; };

static const char *next(void *state)
{
    struct list *list = state;
    return list->names[list->at] != NULL ? list->names[list->at++] : NULL;
}

static const char *nearest(const char *name, struct list list)
{
    return nearest_name(name, next, &list);
}

#define NEAREST(name, ...) nearest(name, (struct list){{__VA_ARGS__, NULL}, 0})

static void a_diagnosis_is_formatted_and_returns_its_code(void **state)
{
    (void)state;
    struct diag diag;
    assert_int_equal(diag_set(&diag, ERR_IO, "%s:%u: %s", "a.ini", 3u, "expected b"), ERR_IO);
    assert_string_equal(diag.text, "a.ini:3: expected b");
}

static void a_diagnosis_without_a_place_still_returns_its_code(void **state)
{
    (void)state;
    assert_int_equal(diag_set(NULL, ERR_USAGE, "%d", 1), ERR_USAGE);
}

static void a_long_diagnosis_is_cut_and_ends(void **state)
{
    (void)state;
    struct diag diag;
    char text[2 * sizeof diag.text];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    diag_set(&diag, ERR_USAGE, "%s", text);
    assert_int_equal(strlen(diag.text), sizeof diag.text - 1);
}

static void one_wrong_missing_or_added_letter_is_near(void **state)
{
    (void)state;
    assert_string_equal(NEAREST("gshar", "static", "gshare"), "gshare");
    assert_string_equal(NEAREST("gsharee", "static", "gshare"), "gshare");
    assert_string_equal(NEAREST("gshbre", "static", "gshare"), "gshare");
}

static void swapped_neighbours_are_one_mistake(void **state)
{
    (void)state;
    assert_string_equal(NEAREST("kbi", "kxx", "kib"), "kib");
    assert_string_equal(NEAREST("fgi2", "fog23", "fig2"), "fig2");
}

static void upper_and_lower_case_are_equal(void **state)
{
    (void)state;
    assert_string_equal(NEAREST("L1D.KIB", "l1i.kib", "l1d.kib"), "l1d.kib");
}

static void the_first_of_equally_near_names_is_taken(void **state)
{
    (void)state;
    assert_string_equal(NEAREST("l1.kib", "l1i.kib", "l1d.kib"), "l1i.kib");
    assert_string_equal(NEAREST("l1.kib", "l1d.kib", "l1i.kib"), "l1d.kib");
}

static void the_nearer_name_is_taken_wherever_it_stands(void **state)
{
    (void)state;
    assert_string_equal(NEAREST("entries", "entriesxx", "entry", "entriee", "enter"), "entriee");
}

static void far_names_are_not_suggested(void **state)
{
    (void)state;
    assert_null(NEAREST("rob", "fetch", "l1d"));
    assert_null(NEAREST("x", "y"));
    assert_null(NEAREST("", "a"));
    assert_null(NEAREST("something", "else"));
}

static void no_candidate_means_no_suggestion(void **state)
{
    (void)state;
    assert_null(NEAREST("name", NULL));
}

static void very_long_names_are_left_alone(void **state)
{
    (void)state;
    static char name[4096], other[4096];
    memset(name, 'n', sizeof name - 1);
    memcpy(other, name, sizeof other);
    other[7] = 'm';
    assert_null(NEAREST(name, other));
    assert_string_equal(NEAREST("short", other, "shorts"), "shorts");
}

static void a_near_name_is_added_to_the_diagnosis(void **state)
{
    (void)state;
    struct diag diag;
    struct list near = {{"plain", "loaded", NULL}, 0}, far = {{"zebra", NULL}, 0};

    diag_set(&diag, ERR_USAGE, "no kind '%s'", "laoded");
    assert_int_equal(diag_suggest(&diag, ERR_USAGE, "laoded", next, &near), ERR_USAGE);
    assert_string_equal(diag.text, "no kind 'laoded'; did you mean loaded?");
    diag_set(&diag, ERR_IO, "no kind '%s'", "laoded");
    assert_int_equal(diag_suggest(&diag, ERR_IO, "laoded", next, &far), ERR_IO);
    assert_string_equal(diag.text, "no kind 'laoded'");
    near.at = 0;
    assert_int_equal(diag_suggest(NULL, ERR_USAGE, "laoded", next, &near), ERR_USAGE);
}

static void a_lack_of_memory_names_its_purpose(void **state)
{
    (void)state;
    struct diag diag;
    assert_int_equal(diag_no_memory(&diag, "marks"), ERR_NO_MEMORY);
    assert_string_equal(diag.text, "out of memory for marks");
    assert_int_equal(diag_no_memory(&diag, NULL), ERR_NO_MEMORY);
    assert_string_equal(diag.text, "out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diagnosis_is_formatted_and_returns_its_code),
        cmocka_unit_test(a_diagnosis_without_a_place_still_returns_its_code),
        cmocka_unit_test(a_long_diagnosis_is_cut_and_ends),
        cmocka_unit_test(one_wrong_missing_or_added_letter_is_near),
        cmocka_unit_test(swapped_neighbours_are_one_mistake),
        cmocka_unit_test(upper_and_lower_case_are_equal),
        cmocka_unit_test(the_first_of_equally_near_names_is_taken),
        cmocka_unit_test(the_nearer_name_is_taken_wherever_it_stands),
        cmocka_unit_test(far_names_are_not_suggested),
        cmocka_unit_test(no_candidate_means_no_suggestion),
        cmocka_unit_test(very_long_names_are_left_alone),
        cmocka_unit_test(a_near_name_is_added_to_the_diagnosis),
        cmocka_unit_test(a_lack_of_memory_names_its_purpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
