/* Limits on functions (U10): the cycles that count, expiry to the cycle, limits inside limits (U5),
 * and the registers that a scheduler saves. Cycles are made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/abi.h"
#include "pmu/limit.h"

enum { F = 0x1000, G = 0x2000, H = 0x3000, USER = 0, KERNEL = 1, TOP = 0x8000 };

static struct pmu pmu;

static int fresh(void **state)
{
    (void)state;
    pmu_init(&pmu, 8, 64, 64);
    return 0;
}

static void begin_in(uint64_t function, uint64_t sp, uint64_t cycles, uint8_t priv)
{
    const struct pmu_limit limit = {.function = function, .sp = sp, .cycles = cycles, .priv = priv};

    pmu_limit_begin(&pmu, &limit);
}

static void begin(uint64_t function, uint64_t sp, uint64_t cycles)
{
    begin_in(function, sp, cycles, USER);
}

static void end(uint64_t sp)
{
    pmu_limit_return(&pmu, sp, USER);
}

/* Cycles pass one by one, as an engine lets them. */
static void run(unsigned cycles)
{
    while (cycles-- > 0) {
        pmu.events[EVENT_CYCLES]++;
        pmu_overflow(&pmu);
    }
}

static void expect_quiet(void)
{
    assert_int_equal(pmu.queue_length, 0);
}

/* The oldest alarm is this one, of this length. */
static void expect_alarm(uint64_t function, uint64_t counted)
{
    const struct indicator *indicator = &pmu.queue[pmu.queue_head];

    assert_int_not_equal(pmu.queue_length, 0);
    assert_int_equal(IND_KIND(indicator->flags), IND_KIND_LIMIT);
    assert_int_equal(indicator->iaddr, function);
    assert_int_equal(indicator->count, counted);
    pmu.queue_head = (pmu.queue_head + 1) % PMU_QUEUE;
    pmu.queue_length--;
}

static void a_limit_expires_in_the_cycle_that_reaches_it(void **state)
{
    (void)state;
    begin(F, TOP, 100);
    run(99);
    expect_quiet();
    assert_int_equal(pmu_limits_left(&pmu), 1);
    run(1);
    expect_alarm(F, 100);
    run(1000);
    expect_quiet();
}

static void a_function_that_returns_in_time_does_not_expire(void **state)
{
    (void)state;
    begin(F, TOP, 100);
    run(99);
    end(TOP);
    run(1000);
    expect_quiet();
    assert_int_equal(pmu.armed, 0);
    assert_int_equal(pmu_limits_left(&pmu), UINT64_MAX);
}

static void callees_and_recursion_count_for_the_outermost_call(void **state)
{
    (void)state;
    begin(F, TOP, 100);
    run(40);
    end(TOP - 64);                      /* a callee without a limit returns */
    begin(F, TOP - 128, 100);
    run(40);
    end(TOP - 128);
    assert_int_equal(pmu.limits.depth, 1);
    run(19);
    expect_quiet();
    run(1);
    expect_alarm(F, 100);
}

static void waiting_and_the_monitor_do_not_count(void **state)
{
    (void)state;
    begin(F, TOP, 100);
    run(50);
    pmu.events[EVENT_CYCLES] += 5000;
    pmu.events[EVENT_CYCLES_IDLE] += 3000;
    pmu.events[EVENT_CYCLES_MONITOR] += 2000;
    run(49);
    expect_quiet();
    run(1);
    expect_alarm(F, 100);
}

static void an_exception_past_functions_ends_them(void **state)
{
    (void)state;
    begin(F, TOP, 100);
    begin(G, TOP - 64, 100);
    begin(H, TOP - 128, 100);
    end(TOP - 64);
    assert_int_equal(pmu.limits.depth, 1);
    end(TOP + 256);
    assert_int_equal(pmu.limits.depth, 0);
}

static void returns_of_another_privilege_end_nothing(void **state)
{
    (void)state;
    begin(F, TOP, 100);
    pmu_limit_return(&pmu, UINT64_MAX - 8, KERNEL);
    assert_int_equal(pmu.limits.depth, 1);
}

/* The child runs 5000 of its 1000, the parent goes on for `rest` after it. */
static void run_nested(unsigned rest)
{
    begin(F, TOP, 1000);
    begin(G, TOP - 64, 1000);
    run(5000);
    end(TOP - 64);
    run(rest);
    end(TOP);
}

static void u5_a_child_of_5_in_a_parent_of_10_makes_two_alarms(void **state)
{
    (void)state;
    run_nested(5000);
    expect_alarm(G, 1000);
    expect_alarm(F, 1000);
    expect_quiet();
}

static void u5_a_child_of_5_in_a_parent_of_5_5_makes_one_alarm(void **state)
{
    (void)state;
    run_nested(500);
    expect_alarm(G, 1000);
    expect_quiet();
}

static void a_reached_limit_waits_for_a_smaller_one_inside_it(void **state)
{
    (void)state;
    begin(F, TOP, 1000);
    run(900);
    begin(G, TOP - 64, 500);
    run(499);
    expect_quiet();                     /* F is over by 399, and G may still explain it */
    run(1);
    expect_alarm(G, 500);
    end(TOP - 64);
    run(99);
    expect_quiet();
    run(1);
    expect_alarm(F, 1000);
}

static void a_smaller_limit_that_ends_in_time_explains_nothing(void **state)
{
    (void)state;
    begin(F, TOP, 1000);
    run(900);
    begin(G, TOP - 64, 500);
    run(400);
    end(TOP - 64);
    run(1);
    expect_alarm(F, 1301);
    expect_quiet();
}

static void a_larger_limit_inside_does_not_hold_one_back(void **state)
{
    (void)state;
    begin(F, TOP, 1000);
    begin(G, TOP - 64, 2000);
    run(1000);
    expect_alarm(F, 1000);
    run(1999);                          /* G begins anew with the alarm around it */
    expect_quiet();
    run(1);
    expect_alarm(G, 2000);
    expect_quiet();
}

static void a_limit_that_stands_still_goes_on_when_the_inner_one_ends(void **state)
{
    (void)state;
    begin(F, TOP, 1000);
    run(300);
    begin(G, TOP - 64, 100);
    run(4000);
    expect_alarm(G, 100);
    assert_int_equal(pmu.limits.limit[0].state, PROF_LIMIT_IS_STILL);
    end(TOP - 64);
    run(699);
    expect_quiet();
    run(1);
    expect_alarm(F, 1000);
}

static void more_limits_than_there_are_are_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PROF_LIMITS + 3; i++)
        begin(F + 16 * i, TOP - 64 * i, 1000);
    assert_int_equal(pmu.limits.begun, PROF_LIMITS);
    assert_int_equal(pmu.limits.refused, 3);
    end(TOP - 64 * PROF_LIMITS);        /* of one that was refused */
    assert_int_equal(pmu.limits.depth, PROF_LIMITS);
    end(TOP - 64 * (PROF_LIMITS - 1));
    assert_int_equal(pmu.limits.depth, PROF_LIMITS - 1);
}

/* ---- a scheduler ----------------------------------------------------------------------------- */

struct saved { uint64_t depth, word[PROF_LIMITS * PROF_LIMIT_WORDS]; };

static void save(struct saved *saved)
{
    saved->depth = pmu_limits_read(&pmu, CSR_PROF_LIMITS);
    pmu_limits_write(&pmu, CSR_PROF_LIMITS, 0);
    run(17);                            /* the work of the scheduler counts for no function */
    for (uint64_t i = 0; i < saved->depth * PROF_LIMIT_WORDS; i++) {
        pmu_limits_write(&pmu, CSR_PROF_LIMIT, i);
        saved->word[i] = pmu_limits_read(&pmu, CSR_PROF_LIMIT_DATA);
    }
}

static void restore(const struct saved *saved)
{
    for (uint64_t i = 0; i < saved->depth * PROF_LIMIT_WORDS; i++) {
        pmu_limits_write(&pmu, CSR_PROF_LIMIT, i);
        pmu_limits_write(&pmu, CSR_PROF_LIMIT_DATA, saved->word[i]);
    }
    run(23);
    pmu_limits_write(&pmu, CSR_PROF_LIMITS, saved->depth);
}

static void limits_are_a_threads_when_a_scheduler_saves_them(void **state)
{
    struct saved first, second = {0};

    (void)state;
    begin(F, TOP, 1000);
    run(100);
    begin(G, TOP - 64, 300);
    run(350);                           /* G expires, F stands still */
    expect_alarm(G, 300);
    save(&first);
    restore(&second);
    begin(H, TOP - 4096, 200);
    run(150);
    save(&second);
    restore(&first);
    assert_int_equal(pmu.limits.depth, 2);
    assert_int_equal(pmu.limits.limit[0].state, PROF_LIMIT_IS_STILL);
    end(TOP - 64);
    run(600);
    save(&first);
    restore(&second);
    run(49);
    expect_quiet();
    run(1);
    expect_alarm(H, 200);
    save(&second);
    restore(&first);
    run(299);
    expect_quiet();
    run(1);
    expect_alarm(F, 1000);
}

static void a_hart_that_a_limit_comes_to_looks_at_returns(void **state)
{
    (void)state;
    assert_false(pmu_limits_write(&pmu, CSR_PROF_LIMIT_DATA, 5));
    assert_false(pmu_limits_write(&pmu, CSR_PROF_LIMITS, 0));
    assert_true(pmu_limits_write(&pmu, CSR_PROF_LIMITS, 1));
    assert_false(pmu_limits_write(&pmu, CSR_PROF_LIMITS, 1000));
    assert_int_equal(pmu_limits_read(&pmu, CSR_PROF_LIMITS), PROF_LIMITS);
}

/* 2^33 cycles, but for one, pass at once. */
static void a_limit_may_be_wider_than_32_bits(void **state)
{
    (void)state;
    begin(F, TOP, (UINT64_C(1) << 33) + 5);
    assert_int_equal(pmu_limits_left(&pmu), (UINT64_C(1) << 33) + 5);
    pmu.events[EVENT_CYCLES] += (UINT64_C(1) << 33) + 4;
    pmu_overflow(&pmu);
    expect_quiet();
    run(1);
    expect_alarm(F, (UINT64_C(1) << 33) + 5);
}

static void a_limit_of_elapsed_time_counts_and_never_expires(void **state)
{
    const struct pmu_limit elapsed = {
        .function = F, .sp = TOP, .cycles = 100, .state = PROF_LIMIT_IS_ELAPSED,
    };
    struct saved saved;

    (void)state;
    pmu_limit_begin(&pmu, &elapsed);
    assert_int_equal(pmu.armed, 0);
    begin(G, TOP - 64, 300);
    run(299);
    expect_quiet();
    run(1);
    expect_alarm(G, 300);               /* which takes nothing from F */
    assert_int_equal(pmu_limit_counted(&pmu, 0), 300);
    save(&saved);
    restore(&saved);
    assert_int_equal(pmu.limits.limit[0].state, PROF_LIMIT_IS_ELAPSED);
    assert_int_equal(pmu_limit_counted(&pmu, 0), 300);
    end(TOP);
    assert_int_equal(pmu.limits.depth, 0);
}

static void idle_harts_have_no_limit_armed(void **state)
{
    (void)state;
    assert_int_equal(pmu.armed, 0);
    begin(F, TOP, 10);
    assert_int_equal(pmu.armed, PMU_LIMITED);
    run(10);
    expect_alarm(F, 10);
    assert_int_equal(pmu.armed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_limit_expires_in_the_cycle_that_reaches_it, fresh),
        cmocka_unit_test_setup(a_function_that_returns_in_time_does_not_expire, fresh),
        cmocka_unit_test_setup(callees_and_recursion_count_for_the_outermost_call, fresh),
        cmocka_unit_test_setup(waiting_and_the_monitor_do_not_count, fresh),
        cmocka_unit_test_setup(an_exception_past_functions_ends_them, fresh),
        cmocka_unit_test_setup(returns_of_another_privilege_end_nothing, fresh),
        cmocka_unit_test_setup(u5_a_child_of_5_in_a_parent_of_10_makes_two_alarms, fresh),
        cmocka_unit_test_setup(u5_a_child_of_5_in_a_parent_of_5_5_makes_one_alarm, fresh),
        cmocka_unit_test_setup(a_reached_limit_waits_for_a_smaller_one_inside_it, fresh),
        cmocka_unit_test_setup(a_smaller_limit_that_ends_in_time_explains_nothing, fresh),
        cmocka_unit_test_setup(a_larger_limit_inside_does_not_hold_one_back, fresh),
        cmocka_unit_test_setup(a_limit_that_stands_still_goes_on_when_the_inner_one_ends, fresh),
        cmocka_unit_test_setup(more_limits_than_there_are_are_refused, fresh),
        cmocka_unit_test_setup(limits_are_a_threads_when_a_scheduler_saves_them, fresh),
        cmocka_unit_test_setup(a_hart_that_a_limit_comes_to_looks_at_returns, fresh),
        cmocka_unit_test_setup(a_limit_may_be_wider_than_32_bits, fresh),
        cmocka_unit_test_setup(a_limit_of_elapsed_time_counts_and_never_expires, fresh),
        cmocka_unit_test_setup(idle_harts_have_no_limit_armed, fresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
