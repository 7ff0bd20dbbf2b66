/* Long history: folds against their definition, lengths, repair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/bpred/history.h"

enum { PUSHES = 9000 };

static struct history *two_tables(void **saved)
{
    struct arena arena = {0};
    struct history *history = calloc(1, sizeof *history);
    assert_int_equal(history_add(history, 5, 3, 4), 0);
    assert_int_equal(history_add(history, 1000, 10, 11), 1);
    history_place(history, &arena);
    arena = (struct arena){.base = *saved = calloc(1, arena.used)};
    history_place(history, &arena);
    return history;
}

static uint16_t defined_fold(const struct history *history, unsigned length, unsigned width)
{
    unsigned value = 0;
    for (unsigned age = 0; age < length; age++)
        value ^= (unsigned)history_at(history, age) << (age % width);
    return (uint16_t)value;
}

static void assert_folds(const struct history *history)
{
    assert_int_equal(history_fold(history, 0, 0), defined_fold(history, 5, 3));
    assert_int_equal(history_fold(history, 1, 0), defined_fold(history, 5, 4));
    assert_int_equal(history_fold(history, 0, 1), defined_fold(history, 1000, 10));
    assert_int_equal(history_fold(history, 1, 1), defined_fold(history, 1000, 11));
    assert_int_equal(history_fold(history, 2, 1), defined_fold(history, 1000, 10));
}

static void folds_are_the_history_added_piece_by_piece(void **state)
{
    (void)state;
    void *saved;
    struct history *history = two_tables(&saved);
    uint32_t random = 1;
    for (unsigned i = 0; i < PUSHES; i++) {     /* twice round the ring */
        random = random * 1103515245 + 12345;
        history_push(history, random >> 16 & 1);
        if (i % 97 == 0 || i > PUSHES - 5)
            assert_folds(history);
    }
    free(saved);
    free(history);
}

static void a_restored_history_goes_on_as_if_nothing_had_been_pushed(void **state)
{
    (void)state;
    void *saved;
    struct history *history = two_tables(&saved);
    struct history_point point;
    for (unsigned i = 0; i < 1500; i++)
        history_push(history, i % 3 == 0);
    point = history->at;
    for (unsigned i = 0; i < 200; i++)
        history_push(history, i % 7 != 0);
    history_path(history, 0x1234);
    history_restore(history, &point);
    assert_true(history_at(history, 0) == (1499 % 3 == 0));
    assert_true(history_at(history, 999) == (500 % 3 == 0));
    history_push(history, true);
    assert_folds(history);
    assert_int_equal(history->at.path, 0);
    free(saved);
    free(history);
}

static void folds_are_the_same_when_positions_begin_anew(void **state)
{
    (void)state;
    void *saved;
    struct history *history = two_tables(&saved);
    struct history_point point = {.position = HISTORY_ROUND - 1500}, last = {0};
    history_restore(history, &point);
    for (unsigned i = 0; i < 3000; i++) {
        if (history->at.position == HISTORY_ROUND - 1)
            last = history->at;
        history_push(history, i % 5 < 2);
        if (i % 53 == 0 || (i > 1490 && i < 1520))
            assert_folds(history);
    }
    history_restore(history, &last);
    assert_folds(history);
    history_push(history, true);
    assert_folds(history);
    assert_int_equal(history->at.position, 0);
    free(saved);
    free(history);
}

static void lengths_form_a_geometric_series(void **state)
{
    (void)state;
    static const uint16_t doubling[] = {4, 8, 16, 32}, crowded[] = {2, 3, 4, 5};
    uint16_t length[4];
    history_lengths(4, 4, 32, length);
    assert_memory_equal(length, doubling, sizeof doubling);
    history_lengths(4, 2, 3, length);           /* no two alike */
    assert_memory_equal(length, crowded, sizeof crowded);
    history_lengths(1, 7, 7, length);
    assert_int_equal(length[0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_the_history_added_piece_by_piece),
        cmocka_unit_test(a_restored_history_goes_on_as_if_nothing_had_been_pushed),
        cmocka_unit_test(folds_are_the_same_when_positions_begin_anew),
        cmocka_unit_test(lengths_form_a_geometric_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
