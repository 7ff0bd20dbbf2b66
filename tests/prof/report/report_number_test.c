/* Numbers as reports print them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "prof/report/report.h"

static void tenths_are_rounded_to_nearest(void **state)
{
    static const struct { uint64_t value, unit; const char *text; } row[] = {
        {0, 840, "0.0"},
        {41, 840, "0.0"},
        {42, 840, "0.1"},
        {560, 840, "0.7"},
        {797, 840, "0.9"},
        {798, 840, "1.0"},
        {839, 840, "1.0"},
        {840 * 1234 + 839, 840, "1,235.0"},
        {840 * UINT64_C(999999) + 798, 840, "1,000,000.0"},
        {UINT64_MAX, 840, "21,960,409,611,558,990.0"},
        {7, 1, "7.0"},
    };
    char text[REPORT_NUMBER];

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        assert_string_equal(report_tenths(row[i].value, row[i].unit, text), row[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenths_are_rounded_to_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
