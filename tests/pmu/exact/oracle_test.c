/* The memory of the oracle's profile, and its sums of causes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "pmu/exact/oracle.h"

#define BASE UINT64_C(0x80000000)
enum { BYTES = 1 << 20 };

/* The pages of the host's memory that the object has. */
static size_t resident_pages(const void *object, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)object & -page;
    size_t pages = ((uintptr_t)object + bytes - start + page - 1) / page, resident = 0;
    unsigned char *state = malloc(pages);

    assert_non_null(state);
    assert_int_equal(mincore((void *)start, pages * page, state), 0);
    for (size_t i = 0; i < pages; i++)
        resident += (state[i] & 1) != 0;
    free(state);
    return resident;
}

/* An instruction takes its counts of each kind, and the page its head. */
static void a_page_of_code_is_resident_only_where_it_is_used_in_a_later_run_too(void **state)
{
    (void)state;
    for (int run = 0; run < 3; run++) {
        struct oracle *oracle = oracle_new(BASE, BYTES);
        struct oracle_place place = oracle_at(oracle, 0x1000, BASE + 0x1000, false);

        oracle_commit(place, ORACLE_UNITS);
        oracle_happened(place, 1);
        assert_true(resident_pages(place.page, sizeof *place.page) < 16);
        assert_int_equal(oracle_causes(oracle).cycles[1], 0);
        assert_int_equal(oracle_total(oracle), ORACLE_UNITS);
        assert_true(resident_pages(place.page, sizeof *place.page) < 32);
        oracle_free(oracle);
    }
}

static void causes_are_those_of_all_instructions_of_the_culprit_and_outside(void **state)
{
    struct oracle *oracle = oracle_new(BASE, BYTES);
    struct oracle_causes empty = {.cycles = {[1] = 5}}, stalled = {.cycles = {[2] = 7}};
    struct oracle_place here = oracle_at(oracle, 0x1000, BASE + 0x1000, false);
    struct oracle_place there = oracle_at(oracle, 0x2ffe, BASE + 0x3ffe, false);
    struct oracle_place outside = oracle_at(oracle, 0x3000, BASE + BYTES, false);

    (void)state;
    oracle_wait(oracle, here, &empty, &stalled);
    oracle_wait(oracle, outside, &empty, &stalled);
    oracle_blame(oracle, &there, true);
    oracle_wait(oracle, here, &empty, &stalled);
    oracle_blame(oracle, NULL, false);
    oracle_drain(oracle, &empty);
    assert_int_equal(oracle_causes(oracle).cycles[1], 20);
    assert_int_equal(oracle_causes(oracle).cycles[2], 21);
    assert_int_equal(oracle_total(oracle), 41 * ORACLE_UNITS);
    assert_int_equal(oracle_outside(oracle), 17 * ORACLE_UNITS);
    assert_int_equal(there.page->branch[there.slot].lost, 5 * ORACLE_UNITS);
    oracle_free(oracle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_of_code_is_resident_only_where_it_is_used_in_a_later_run_too),
        cmocka_unit_test(causes_are_those_of_all_instructions_of_the_culprit_and_outside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
