/* Pending indicators: the instructions that count among n, the state that traps keep, the encodings
 * without a meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/abi.h"
#include "pmu/hint.h"

#define SLTI(n, imm)  (0x2013u | (uint32_t)(n) << 15 | (uint32_t)(imm) << 20)
#define SLTIU(n, imm) (0x3013u | (uint32_t)(n) << 15 | (uint32_t)(imm) << 20)

static struct pmu pmu;

static int fresh(void **state)
{
    (void)state;
    pmu_init(&pmu, 4, 64, 64);
    pmu.mode = PROF_MODE_ENABLE;
    return 0;
}

/* MARK_* of the next instruction, 0 when it is unmarked. */
static unsigned next(void)
{
    struct mark mark;

    return hint_take(&pmu, 0, &mark) ? mark.flags & ~(unsigned)MARK_HINT : 0;
}

static void every_encoding_says_something_or_nothing(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 32; n++)
        for (unsigned imm = 0; imm < 0x1000; imm++) {
            bool flags = (imm & 0xf00) == 0, label = (imm & 0xc00) == 0 && (imm & 0xff) != 0;

            assert_int_equal(hint_is(SLTI(n, imm), 0x1000), flags);
            assert_int_equal(hint_is(SLTIU(n, imm), 0x1000), label);
            assert_int_equal(hint_is(SLTI(n, imm), 0x1004), flags && n != 0);
            assert_int_equal(hint_is_bundle(SLTI(n, imm)), flags && n == 0);
            assert_int_equal(hint_is_bundle(SLTIU(n, imm)), label && n == 0);
            assert_false(hint_is(SLTI(n, imm) | 1 << 7, 0x1000));   /* rd = x1 */
            assert_false(hint_is(SLTI(n, imm) ^ 0x2000, 0x1000));   /* addi */
        }
}

static void a_hint_marks_as_many_as_it_says(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 32; n++) {
        hint_commit(&pmu, SLTI(n, HINT_COUNT | HINT_STOP));
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(next(), MARK_COUNT | MARK_STOP);
        assert_int_equal(next(), 0);
        assert_false(hint_is_pending(&pmu));
    }
}

static void label_and_flags_combine_and_run_out_apart(void **state)
{
    struct mark mark;

    (void)state;
    hint_commit(&pmu, SLTI(2, HINT_LATENCY(5)));
    hint_commit(&pmu, SLTIU(3, 77 | HINT_LABEL_COUNT));
    assert_true(hint_take(&pmu, 0, &mark));
    assert_int_equal(mark.flags, MARK_THRESHOLD | MARK_LABEL | MARK_COUNT | MARK_HINT);
    assert_int_equal(mark.latency_bits, 5);
    assert_int_equal(mark.label, 77);
    assert_int_equal(mark.item_pa, 0);
    assert_int_equal(next(), MARK_THRESHOLD | MARK_LABEL | MARK_COUNT);
    assert_int_equal(next(), MARK_LABEL | MARK_COUNT);
    assert_int_equal(next(), 0);
}

static void a_bundle_adds_to_what_is_pending(void **state)
{
    struct mark mark;

    (void)state;
    hint_commit(&pmu, SLTIU(1, 8));
    assert_true(hint_take(&pmu, SLTI(0, HINT_TOGGLE), &mark));
    assert_int_equal(mark.flags, MARK_TOGGLE | MARK_LABEL | MARK_BUNDLE | MARK_HINT);
    assert_true(hint_take(&pmu, SLTIU(0, 9), &mark));
    assert_int_equal(mark.label, 9);
    assert_false(hint_take(&pmu, SLTI(0, 0), &mark) && (mark.flags & MARK_COUNT) != 0);
}

static void each_level_of_traps_keeps_its_own(void **state)
{
    (void)state;
    hint_commit(&pmu, SLTI(4, HINT_COUNT));
    for (unsigned place = HINT_AT_MACHINE; place <= HINT_AT_MONITOR; place++) {
        hint_trap(&pmu, place);
        assert_int_equal(next(), 0);
        hint_commit(&pmu, SLTI(4 + place, HINT_START));
    }
    for (unsigned place = HINT_AT_MONITOR; place >= HINT_AT_MACHINE; place--) {
        pmu.in_monitor = place == HINT_AT_MONITOR;
        hint_return(&pmu, place);
        if (!pmu.in_monitor)
            assert_int_equal(next(), MARK_START);       /* the return itself */
        pmu.in_monitor = false;
    }
    assert_int_equal(next(), MARK_COUNT);
    assert_int_equal(pmu.hint[HINT_AT_NOW].flags, 3 << HINT_LEFT_SHIFT | HINT_COUNT);
    hint_return(&pmu, HINT_AT_MACHINE);                 /* nothing is kept any more */
    assert_int_equal(next(), MARK_COUNT);
    assert_int_equal(next(), 0);
}

static void while_the_mechanism_is_off_nothing_is_pending(void **state)
{
    (void)state;
    hint_commit(&pmu, SLTI(4, HINT_COUNT));
    hint_trap(&pmu, HINT_AT_MACHINE);
    hint_commit(&pmu, SLTI(4, HINT_COUNT));
    pmu.mode = 0;
    hint_forget(&pmu);
    assert_false(hint_is_pending(&pmu));
    hint_return(&pmu, HINT_AT_MACHINE);
    assert_false(hint_is_pending(&pmu));
    hint_write(&pmu, 0, 4 << HINT_LEFT_SHIFT | HINT_COUNT);
    assert_false(hint_is_pending(&pmu));
}

static void registers_take_only_what_means_something(void **state)
{
    static const struct { unsigned offset; uint64_t value, kept; } rows[] = {
        {2, 0x1f0001, 0x1f0001}, {2, 0x3f0001, 0x1f0001}, {2, 0x000001, 0}, {2, 0x010000, 0},
        {2, 0x010100, 0},        {3, 0x010300, 0},        {3, 0x0103ff, 0x0103ff},
        {5, 0x010400, 0},        {6, 0x0200ff, 0x0200ff},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hint_write(&pmu, rows[i].offset, rows[i].value);
        assert_int_equal(*hint_register(&pmu, rows[i].offset), rows[i].kept);
    }
    assert_false(hint_is_pending(&pmu));
    hint_commit(&pmu, SLTI(2, HINT_COUNT));
    hint_write(&pmu, 0, 1 << HINT_LEFT_SHIFT | HINT_STOP);
    assert_int_equal(next(), MARK_COUNT);               /* the write itself */
    assert_int_equal(next(), MARK_STOP);
    assert_int_equal(next(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_encoding_says_something_or_nothing, fresh),
        cmocka_unit_test_setup(a_hint_marks_as_many_as_it_says, fresh),
        cmocka_unit_test_setup(label_and_flags_combine_and_run_out_apart, fresh),
        cmocka_unit_test_setup(a_bundle_adds_to_what_is_pending, fresh),
        cmocka_unit_test_setup(each_level_of_traps_keeps_its_own, fresh),
        cmocka_unit_test_setup(while_the_mechanism_is_off_nothing_is_pending, fresh),
        cmocka_unit_test_setup(registers_take_only_what_means_something, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
