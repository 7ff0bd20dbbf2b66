/* Cost summaries: namespaces of names, and the sums that are possible for a bucket. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "prof/serve/store/summary.h"

static void a_function_has_the_namespace_before_its_last_part(void **state)
{
    static const struct { const char *function, *space; } name[] = {
        {"main", ""},
        {"a::f(int)", "a"},
        {"a::b::f(x::y)", "a::b"},
        {"int a::t<int>(a::b)", "a"},
        {"std::vector<a::b>::push(int)", "std::vector<a::b>"},
        {"(anonymous namespace)::f()", "(anonymous namespace)"},
        {"a::(anonymous namespace)::f()", "a::(anonymous namespace)"},
        {"a::operator()(int)", "a"},
        {"a::operator<<(std::ostream&)", "a"},
        {"a::operators::f()", "a::operators"},
        {"core::fmt::write", "core::fmt"},
        {"a::{lambda(b::c)#1}::operator()() const", "a::{lambda(b::c)#1}"},
        {"", ""}, {"::f", ""}, {"::", ""}, {"<<<", ""}, {">>>::x", ""},
    };
    char space[256];

    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        summary_namespace(name[i].function, space, sizeof space);
        assert_string_equal(space, name[i].space);
    }
    summary_namespace("abcdefgh::f", space, 4);
    assert_string_equal(space, "abc");
}

static enum err read_one(unsigned at, unsigned count, unsigned sum, unsigned squares)
{
    char text[512];
    struct summary summary;
    struct diag diag;
    enum err err;

    snprintf(text, sizeof text,
             "{\"schema\":1,\"id\":\"0123456789abcdef\",\"program\":\"p\",\"functions\":[{"
             "\"function\":\"f\",\"cost\":\"cycles\",\"scope\":\"inclusive\",\"buckets\":[{"
             "\"bucket\":%u,\"count\":%u,\"sum\":\"%u\",\"sum_of_squares\":\"%u\"}]}]}", at, count,
             sum, squares);
    err = summary_read(&summary, text, &diag);
    summary_free(&summary);
    return err;
}

/* Of up to three costs from 4 to 7: each sum that any three have is taken, and none outside of the
 * bounds, though some that no costs have are inside. */
static void sums_of_costs_are_taken(void **state)
{
    (void)state;
    for (unsigned a = 4; a < 8; a++)
        for (unsigned b = 4; b < 8; b++)
            for (unsigned c = 4; c < 8; c++) {
                assert_int_equal(read_one(2, 3, a + b + c, a * a + b * b + c * c), ERR_OK);
                assert_int_equal(read_one(2, 2, a + b, a * a + b * b), ERR_OK);
            }
    for (unsigned sum = 0; sum < 40; sum++)
        for (unsigned squares = 0; squares < 200; squares++) {
            bool is_possible = sum >= 12 && sum <= 21 && sum * sum <= 3 * squares &&
                               squares + 3 * 4 * 7 <= 11 * sum;

            assert_int_equal(read_one(2, 3, sum, squares), is_possible ? ERR_OK : ERR_USAGE);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_has_the_namespace_before_its_last_part),
        cmocka_unit_test(sums_of_costs_are_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
