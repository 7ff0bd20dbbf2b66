/* Data accesses by instruction, object and level: levels are those of the events, rows add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pmu/event.h"
#include "pmu/exact/accesses.h"
#include "pmu/key.h"

#define MISS EVENT_BIT(DCACHE_MISS)

static enum access_level level_of(enum access_kind kind, uint64_t events)
{
    const struct access access = {.events = events, .kind = kind, .store_level = ACCESS_L3};

    return accesses_level(&access);
}

static void levels_are_those_of_the_events(void **state)
{
    (void)state;
    assert_int_equal(level_of(ACCESS_LOAD, EVENT_BIT(STORE_FORWARDED)), ACCESS_FORWARDED);
    assert_int_equal(level_of(ACCESS_LOAD, EVENT_BIT(DCACHE_HIT)), ACCESS_L1);
    assert_int_equal(level_of(ACCESS_LOAD, MISS | EVENT_BIT(L2_HIT)), ACCESS_L2);
    assert_int_equal(level_of(ACCESS_ATOMIC, MISS | EVENT_BIT(L2_MISS) | EVENT_BIT(L3_HIT)),
                     ACCESS_L3);
    assert_int_equal(level_of(ACCESS_LOAD, MISS | EVENT_BIT(L2_MISS) | EVENT_BIT(L3_MISS)),
                     ACCESS_DRAM);
    assert_int_equal(level_of(ACCESS_LOAD, MISS | EVENT_BIT(L2_MISS)), ACCESS_DRAM);
    assert_int_equal(level_of(ACCESS_STORE, MISS), ACCESS_L3);
    assert_int_equal(level_of(ACCESS_STORE, EVENT_BIT(DCACHE_HIT)), ACCESS_L1);
    assert_int_equal(level_of(ACCESS_STORE, 0), ACCESS_NONE);
}

static void of_two_lines_the_farther_one_counts(void **state)
{
    (void)state;
    assert_int_equal(level_of(ACCESS_LOAD, EVENT_BIT(DCACHE_HIT) | MISS | EVENT_BIT(L2_HIT)),
                     ACCESS_L2);
    assert_int_equal(level_of(ACCESS_LOAD, MISS | EVENT_BIT(L2_HIT) | EVENT_BIT(L2_MISS)),
                     ACCESS_DRAM);
}

static uint64_t sum_of(const struct accesses *accesses, uint32_t object)
{
    const struct accesses_row *row;
    size_t rows;
    uint64_t sum = 0;

    assert_true(accesses_rows(accesses, &row, &rows));
    for (size_t i = 0; i < rows; i++)
        sum += row[i].count != 0 && row[i].object == object ? row[i].cycles : 0;
    return sum;
}

/* More instructions than the table has room for at first. */
/* arg: the map of program 0; other programs have an object at 0x200 of their own. */
static bool give_map(void *arg, uint64_t program, struct accesses_map *map)
{
    static const struct accesses_object second = {
        (UINT64_C(2) << KEY_SHIFT) + 0x200, (UINT64_C(2) << KEY_SHIFT) + 0x208, 0};

    if (program == 0)
        *map = *(const struct accesses_map *)arg;
    else if (program == UINT64_C(2) << KEY_SHIFT)
        *map = (struct accesses_map){&second, 1, NULL};
    return true;
}

static void objects_have_the_accesses_to_their_bytes(void **state)
{
    const struct accesses_object object[] = {{0x100, 0x108, 0}, {0x108, 0x110, 0},
                                            {0x200, 0x300, 0}};
    const struct accesses_map map = {object, 3, NULL};
    struct accesses *accesses = accesses_new(give_map, (void *)(uintptr_t)&map);

    (void)state;
    assert_non_null(accesses);
    for (uint64_t pc = 0; pc < 5000; pc++) {
        accesses_add(accesses, &(struct access){.pc = pc, .va = 0x107, .cycles = 1});
        accesses_add(accesses, &(struct access){.pc = pc, .va = 0x108, .cycles = 10});
        accesses_add(accesses, &(struct access){.pc = pc % 7, .va = 0x1ff, .cycles = 100});
    }
    assert_int_equal(sum_of(accesses, 0), 5000);
    assert_int_equal(sum_of(accesses, 1), 50000);
    assert_int_equal(sum_of(accesses, 2), 0);
    assert_int_equal(sum_of(accesses, ACCESSES_NO_OBJECT), 500000);
    accesses_free(accesses);
}

/* An array of two elements of 16 bytes: a member of four bytes, and an array of two elements of
 * four, whose first two bytes are a member. */
static void the_innermost_part_has_an_access(void **state)
{
    static const struct accesses_part part[] = {
        {.start = 0}, {0, 32, 16, 2, 2}, {0, 4, 0, 0, 0}, {8, 16, 4, 4, 1}, {0, 2, 0, 0, 0},
    };
    static const uint32_t expected[16] = {2, 2, 2, 2, 1, 1, 1, 1, 4, 4, 3, 3, 4, 4, 3, 3};
    const struct accesses_object object[] = {{0x100, 0x121, 1}};
    const struct accesses_map map = {object, 1, part};
    const struct accesses_row *row;
    size_t rows;

    (void)state;
    for (uint64_t at = 0; at <= 32; at++) {
        struct accesses *accesses = accesses_new(give_map, (void *)(uintptr_t)&map);
        uint32_t found = UINT32_MAX;

        accesses_add(accesses, &(struct access){.va = 0x100 + at});
        assert_true(accesses_rows(accesses, &row, &rows));
        for (size_t i = 0; i < rows; i++)
            found = row[i].count != 0 ? row[i].part : found;
        assert_int_equal(found, at < 32 ? expected[at % 16] : 0);
        accesses_free(accesses);
    }
}

/* Objects of another program follow those of the first, and user mode is a row of its own. */
static void each_program_has_its_objects_and_each_mode_its_rows(void **state)
{
    const struct accesses_object object[] = {{0x100, 0x108, 0}, {0x200, 0x208, 0}};
    const struct accesses_map map = {object, 2, NULL};
    struct accesses *accesses = accesses_new(give_map, (void *)(uintptr_t)&map);
    const struct accesses_row *row;
    size_t rows, used = 0;

    (void)state;
    for (uint64_t program = 0; program < 4; program++)
        for (unsigned i = 0; i < 2; i++)
            accesses_add(accesses, &(struct access){
                .va = (program << KEY_SHIFT) + 0x204, .cycles = (uint32_t)program + 1,
                .is_user = i == 0});
    assert_int_equal(sum_of(accesses, 1), 2 * 1);
    assert_int_equal(sum_of(accesses, 2), 2 * 3);
    assert_int_equal(sum_of(accesses, ACCESSES_NO_OBJECT), 2 * (2 + 4));
    assert_true(accesses_rows(accesses, &row, &rows));
    for (size_t i = 0; i < rows; i++)
        used += row[i].count != 0;
    assert_int_equal(used, 6);
    accesses_free(accesses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_those_of_the_events),
        cmocka_unit_test(of_two_lines_the_farther_one_counts),
        cmocka_unit_test(objects_have_the_accesses_to_their_bytes),
        cmocka_unit_test(the_innermost_part_has_an_access),
        cmocka_unit_test(each_program_has_its_objects_and_each_mode_its_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
