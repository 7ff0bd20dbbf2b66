/* A ledger keeps the parts of a sum apart, whatever their number. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#include "pmu/exact/ledger.h"

enum { PLACES = 40, THREADS = 50 };

static void every_pair_of_place_and_thread_has_a_sum_of_its_own(void **state)
{
    struct ledger ledger = {0};
    struct ledger_row *row;
    size_t rows;

    (void)state;
    for (unsigned round = 1; round <= 3; round++)
        for (unsigned i = 0; i < PLACES * THREADS; i++)
            ledger_add(&ledger, 64 * (i % PLACES), 1000 + i / PLACES,
                       (const uint64_t[LEDGER_VALUES]){i, round, 0, 1});
    row = ledger_sorted(&ledger, &rows);
    assert_int_equal(rows, PLACES * THREADS);
    for (unsigned i = 0; i < rows; i++) {
        assert_int_equal(row[i].place, 64 * (i / THREADS));
        assert_int_equal(row[i].thread, 1000 + i % THREADS);
        assert_int_equal(row[i].value[0], 3 * (i % THREADS * PLACES + i / THREADS));
        assert_int_equal(row[i].value[1], 6);
        assert_int_equal(row[i].value[3], 3);
    }
    assert_false(ledger.has_failed);
    free(row);
    ledger_free(&ledger);
    assert_null(ledger.row);
}

static void an_empty_ledger_and_rows_of_zeros_have_nothing_to_show(void **state)
{
    struct ledger ledger = {0};
    struct ledger_row *row;
    size_t rows = 1;

    (void)state;
    row = ledger_sorted(&ledger, &rows);
    assert_non_null(row);
    assert_int_equal(rows, 0);
    free(row);
    ledger_add(&ledger, 7, 1, (const uint64_t[LEDGER_VALUES]){0});
    row = ledger_sorted(&ledger, &rows);
    assert_int_equal(rows, 0);
    free(row);
    ledger_free(&ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_place_and_thread_has_a_sum_of_its_own),
        cmocka_unit_test(an_empty_ledger_and_rows_of_zeros_have_nothing_to_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
