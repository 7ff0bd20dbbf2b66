/* UTF-8: its characters, and texts of other bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/utf8.h"

static void assert_becomes(const char *before, const char *mended, const char *cleaned)
{
    char text[64];

    utf8_mend(strcpy(text, before));
    assert_string_equal(text, mended);
    utf8_clean(strcpy(text, before));
    assert_string_equal(text, cleaned);
}

static void text_stays(void **state)
{
    static const char *const texts[] = {"", "a \"b\" \\c", "\u00fc\u20ac\U0001f600",
                                        "\ud7ff\ue000"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_becomes(texts[i], texts[i], texts[i]);
}

static void other_bytes_become_question_marks(void **state)
{
    (void)state;
    assert_becomes("\xff\xfe" "a", "??a", "??a");
    assert_becomes("a\x80z", "a?z", "a?z");
    assert_becomes("\xc0\xaf|\xed\xa0\x80|\xf5\x80\x80\x80", "??|???|????", "??|???|????");
    assert_becomes("cut \xe2\x82", "cut ??", "cut ??");
}

static void control_characters_are_cleaned_only(void **state)
{
    (void)state;
    assert_becomes("a\tb\nc\x1b[31m\x7f", "a\tb\nc\x1b[31m\x7f", "a?b?c?[31m?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_stays),
        cmocka_unit_test(other_bytes_become_question_marks),
        cmocka_unit_test(control_characters_are_cleaned_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
