/* Gates of counters (pmu/gate.h): sections that recur, nest, and are left by longjmp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmu/abi_metadata.h"
#include "pmu/gate.h"

static struct pmu pmu;

static void mark(unsigned flags, unsigned label, uint64_t sp)
{
    pmu_gate_mark(&pmu, flags | MARK_LABEL, label, sp);
}

static int setup(void **state)
{
    (void)state;
    pmu_init(&pmu, 4, 64, 64);
    return 0;
}

static void a_gate_is_open_from_its_start_to_its_stop(void **state)
{
    (void)state;
    mark(MARK_START, 3, 0x1000);
    assert_true(pmu_gate_is_open(&pmu, 3));
    assert_false(pmu_gate_is_open(&pmu, 2));
    assert_false(pmu_gate_is_open(&pmu, 0));
    mark(MARK_STOP, 3, 0x1000);
    assert_false(pmu_gate_is_open(&pmu, 3));
    mark(MARK_TOGGLE, 3, 0x1000);
    assert_true(pmu_gate_is_open(&pmu, 3));
    mark(MARK_TOGGLE, 3, 0x1000);
    assert_false(pmu_gate_is_open(&pmu, 3));
    assert_int_equal(pmu.gate[3].starts, 2);
}

static void the_stop_of_a_recursion_leaves_it_open(void **state)
{
    (void)state;
    mark(MARK_START, 1, 0x1000);
    mark(MARK_START, 1, 0xf00);
    mark(MARK_STOP, 1, 0xf00);
    assert_true(pmu_gate_is_open(&pmu, 1));
    mark(MARK_STOP, 1, 0x1000);
    assert_false(pmu_gate_is_open(&pmu, 1));
    assert_int_equal(pmu.gate[1].starts, 2);
}

static void a_section_that_longjmp_left_begins_anew(void **state)
{
    (void)state;
    mark(MARK_START, 1, 0x1000);
    mark(MARK_START, 1, 0x2000);
    mark(MARK_STOP, 1, 0x1000);
    assert_true(pmu_gate_is_open(&pmu, 1));
    mark(MARK_STOP, 1, 0x2000);
    assert_false(pmu_gate_is_open(&pmu, 1));
}

static void labels_without_a_gate_change_none(void **state)
{
    (void)state;
    mark(MARK_START, 0, 0x1000);
    mark(MARK_START, PROF_GATES, 0x1000);
    mark(MARK_START, 255, 0x1000);
    pmu_gate_mark(&pmu, MARK_START, 1, 0x1000);
    for (unsigned i = 0; i < 256; i++)
        assert_false(pmu_gate_is_open(&pmu, i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_gate_is_open_from_its_start_to_its_stop, setup),
        cmocka_unit_test_setup(the_stop_of_a_recursion_leaves_it_open, setup),
        cmocka_unit_test_setup(a_section_that_longjmp_left_begins_anew, setup),
        cmocka_unit_test_setup(labels_without_a_gate_change_none, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
