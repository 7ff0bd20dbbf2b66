/* Binary search in sorted rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmu/sorted.h"

enum { ROWS_MAX = 40 };

struct row { uint16_t key; char more; };

static bool is_less(const void *row, const void *wanted)
{
    const struct row *at = row;

    return at->key < *(const uint16_t *)wanted;
}

static bool is_up_to(const void *row, const void *wanted)
{
    const struct row *at = row;

    return at->key <= *(const uint16_t *)wanted;
}

/* By looking at each row. */
static size_t counted(const struct row *row, size_t rows, sorted_is_before *is_before, uint16_t key)
{
    size_t count = 0;

    while (count < rows && is_before(&row[count], &key))
        count++;
    return count;
}

static void no_rows_have_one_place(void **state)
{
    uint16_t key = 7;
    (void)state;
    assert_int_equal(sorted_place(NULL, 0, sizeof(struct row), is_less, &key), 0);
}

static void every_place_in_rows_of_every_length_is_that_of_a_linear_search(void **state)
{
    struct row row[ROWS_MAX];
    (void)state;
    for (size_t rows = 1; rows <= ROWS_MAX; rows++) {
        for (size_t i = 0; i < rows; i++)
            row[i] = (struct row){.key = (uint16_t)(2 * i + 1)};
        for (uint16_t key = 0; key <= 2 * rows + 1; key++) {
            assert_int_equal(sorted_place(row, rows, sizeof row[0], is_less, &key),
                             counted(row, rows, is_less, key));
            assert_int_equal(sorted_place(row, rows, sizeof row[0], is_up_to, &key),
                             counted(row, rows, is_up_to, key));
        }
    }
}

static void equal_rows_lie_between_their_two_places(void **state)
{
    const struct row row[] = {{1, 0}, {3, 0}, {3, 0}, {3, 0}, {8, 0}};
    uint16_t key = 3;
    (void)state;
    assert_int_equal(sorted_place(row, 5, sizeof row[0], is_less, &key), 1);
    assert_int_equal(sorted_place(row, 5, sizeof row[0], is_up_to, &key), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rows_have_one_place),
        cmocka_unit_test(every_place_in_rows_of_every_length_is_that_of_a_linear_search),
        cmocka_unit_test(equal_rows_lie_between_their_two_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
