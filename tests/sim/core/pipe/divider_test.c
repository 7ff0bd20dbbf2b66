/* Iterative units, on loops whose cycles can be counted by hand. */
#include "tests/sim/core/rig.h"

static uint32_t fp_type(uint32_t f7, uint32_t fs2, uint32_t fs1, uint32_t fd)
{
    return r_type(f7, fs2, fs1, 0, fd, 0x53);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t boxed(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return UINT64_C(0xffffffff00000000) | bits;
}

enum { DIV_S = 0x0c, DIV_D = 0x0d, SQRT_S = 0x2c, SQRT_D = 0x2d };

/* Cycles that a hundred rounds of a loop with the operation take. */
static uint64_t fp_cycles(const char *const *settings, uint32_t f7, uint64_t a, uint64_t b)
{
    uint32_t word = fp_type(f7, f7 < SQRT_S ? 2 : 0, 1, 3);
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        for (const char *const *setting = settings; *setting != NULL; setting++)
            rig_set(rig, *setting);
        rig_set(rig, "unit.fps=1");
        emit(rig, addi(5, 0, 100 + 100 * (int32_t)i));
        emit(rig, word);
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -8));
        rig_start(rig);
        rig->cpu.hart.mstatus |= MSTATUS_FS;
        rig->cpu.hart.reg[REG_F0 + 1] = a;
        rig->cpu.hart.reg[REG_F0 + 2] = b;
        core_run(rig->core, 4 + 3 * (100 + 100 * i), UINT64_MAX, true);
        cycles[i] = event(rig, EVENT_CYCLES);
        rig_free(rig);
    }
    return cycles[1] - cycles[0];
}

/* Cycles that a hundred rounds of a loop with div or divu x7, x6, x28 take; counts: the setting. */
static uint64_t division_of(uint32_t f3, const char *counts, uint64_t a, uint64_t b)
{
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        rig_set(rig, "latency.div=45");
        rig_set(rig, "latency.div_min=12");
        rig_set(rig, counts);
        emit(rig, addi(5, 0, 100 + 100 * (int32_t)i));
        emit(rig, 0x02000033 | 28 << 20 | 6 << 15 | f3 << 12 | 7 << 7);
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -8));
        rig_start(rig);
        rig->cpu.hart.reg[6] = a;
        rig->cpu.hart.reg[28] = b;
        core_run(rig->core, 4 + 3 * (100 + 100 * i), UINT64_MAX, true);
        cycles[i] = event(rig, EVENT_CYCLES);
        rig_free(rig);
    }
    return cycles[1] - cycles[0];
}

static uint64_t division_cycles(const char *counts, uint64_t a, uint64_t b)
{
    return division_of(5, counts, a, b);
}

/* In two's complement -1 is one bit, -4 three (100) and -5 four (1011). */
static void a_negative_dividend_has_the_bits_of_twos_complement(void **state)
{
    (void)state;
    const char *counts = "part.div_counts=1";
    assert_int_equal(division_of(4, counts, UINT64_MAX, 5), 1300);
    assert_int_equal(division_of(4, counts, (uint64_t)-4, 5), 1500);
    assert_int_equal(division_of(4, counts, (uint64_t)-5, 5), 1600);
    assert_int_equal(division_of(4, counts, 3, 5), 1500);
}

static void integer_division_counts_bits_of_the_quotient_or_the_dividend(void **state)
{
    (void)state;
    assert_int_equal(division_cycles("part.div_counts=0", 1000, 500), 1400);
    assert_int_equal(division_cycles("part.div_counts=1", 1000, 500), 2300);
    assert_int_equal(division_cycles("part.div_counts=1", 0, 500), 1300);
    assert_int_equal(division_cycles("part.div_counts=1", UINT64_MAX, 500), 4500);
}

static void fp_division_takes_as_long_as_its_format_and_its_operands(void **state)
{
    (void)state;
    const char *const *fixed = SETTINGS("latency.fdiv=30", "latency.fsqrt=40");
    assert_int_equal(fp_cycles(fixed, DIV_D, bits_of(1), bits_of(3)), 3000);
    assert_int_equal(fp_cycles(fixed, SQRT_S, boxed(2), 0), 4000);
    /* two bits a cycle: 53 in 27 cycles, 24 in 12; one bit of a root: 53, of which latency.fsqrt
     * lets 40 pass */
#define ITERATIVE "latency.fdiv=30", "latency.fsqrt=40", "latency.fdiv_min=3",                     \
                  "latency.fdiv_bits=2"
    const char *const *never = SETTINGS(ITERATIVE);
    assert_int_equal(fp_cycles(never, DIV_D, bits_of(1), bits_of(3)), 3000);
    assert_int_equal(fp_cycles(never, DIV_S, boxed(1), boxed(3)), 1500);
    assert_int_equal(fp_cycles(never, DIV_S, boxed(0), boxed(3)), 1500);
    assert_int_equal(fp_cycles(never, SQRT_S, boxed(2), 0), 2700);
    assert_int_equal(fp_cycles(never, SQRT_D, bits_of(2), 0), 4000);
}

static void fp_division_stops_early_as_told(void **state)
{
    (void)state;
    const char *const *special = SETTINGS(ITERATIVE, "latency.fdiv_early=special");
    const char *const *powers = SETTINGS(ITERATIVE, "latency.fdiv_early=power_of_two");
    const char *const *exact = SETTINGS(ITERATIVE, "latency.fdiv_early=exact");
    assert_int_equal(fp_cycles(special, DIV_D, bits_of(0), bits_of(3)), 300);
    assert_int_equal(fp_cycles(special, DIV_D, bits_of(1), UINT64_C(0x7ff0000000000000)), 300);
    assert_int_equal(fp_cycles(special, DIV_S, boxed(1), 0), 300);      /* not boxed: a NaN */
    assert_int_equal(fp_cycles(special, SQRT_D, bits_of(-2), 0), 300);
    assert_int_equal(fp_cycles(special, DIV_D, bits_of(3), bits_of(4)), 3000);
    assert_int_equal(fp_cycles(powers, DIV_D, bits_of(3), bits_of(4)), 300);
    assert_int_equal(fp_cycles(powers, SQRT_D, bits_of(64), 0), 300);
    assert_int_equal(fp_cycles(powers, SQRT_S, boxed(32), 0), 2700);    /* 4 * sqrt(2) */
    assert_int_equal(fp_cycles(powers, DIV_S, boxed(15), boxed(3)), 1500);
    /* 101 binary: three bits, two cycles; the root of 49 is 111; of a subnormal 2^-1074: 2^-537 */
    assert_int_equal(fp_cycles(exact, DIV_S, boxed(15), boxed(3)), 500);
    assert_int_equal(fp_cycles(exact, DIV_D, bits_of(120), bits_of(-0.75)), 500);
    assert_int_equal(fp_cycles(exact, DIV_D, bits_of(1), bits_of(3)), 3000);
    assert_int_equal(fp_cycles(exact, SQRT_S, boxed(49), 0), 600);
    assert_int_equal(fp_cycles(exact, SQRT_D, 1, 0), 300);
    assert_int_equal(fp_cycles(exact, SQRT_D, bits_of(98), 0), 4000);
    const char *const *apart = SETTINGS(ITERATIVE, "latency.fdiv_early=special",
                                        "latency.fdiv_short=9");
    assert_int_equal(fp_cycles(apart, DIV_D, bits_of(0), bits_of(3)), 900);
    assert_int_equal(fp_cycles(apart, DIV_S, boxed(1), boxed(3)), 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_division_counts_bits_of_the_quotient_or_the_dividend),
        cmocka_unit_test(a_negative_dividend_has_the_bits_of_twos_complement),
        cmocka_unit_test(fp_division_takes_as_long_as_its_format_and_its_operands),
        cmocka_unit_test(fp_division_stops_early_as_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
