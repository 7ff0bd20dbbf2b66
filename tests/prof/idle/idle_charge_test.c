/* Idle cycles by cause: a time line worked out by hand, and drawn ones whose sums are checked. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/idle/idle_charge.h"

static struct diag diag;

static struct kernel_record at(uint64_t cycle, unsigned event, unsigned thread, unsigned other,
                               unsigned reason, uint64_t value)
{
    return (struct kernel_record){
        .cycle = cycle, .event = (uint8_t)event, .thread = thread, .other = other,
        .reason = (uint8_t)reason, .value = value,
    };
}

/* Hart 0: 1001 runs 0..100, holds the lock, sleeps until 400, runs until 500, ends.
 * Hart 1: 1002 runs 0..200, waits for the lock until 450, runs from 460 on.
 * Hart 2: never has a thread: nothing is runnable until 500; then neither. Hart 0 after 500: a
 * third thread, 1003, waits for input since 90 and never gets it. Of each idle time all but 10
 * cycles are in WFI; those of the program are all cycles of its threads. */
static void each_idle_cycle_has_the_cause_worked_out_by_hand(void **state)
{
    const struct kernel_record record[] = {
        at(95, KERNEL_BLOCK, 1001, 0, KERNEL_REASON_SLEEP, 0),
        at(190, KERNEL_BLOCK, 1002, 0, KERNEL_REASON_LOCK, 0x88),
        at(390, KERNEL_WAKE, 1001, 0, KERNEL_REASON_SLEEP, 0),
        at(450, KERNEL_WAKE, 1002, 1001, KERNEL_REASON_NONE, 1),
        at(495, KERNEL_EXIT, 1001, 0, KERNEL_REASON_EXIT, 0),
    };
    const struct idle_switch change[] = {
        {0, 0, 0, 1001, 0}, {0, 0, 0, 1002, 1},
        {100, 100, 0, 0, 0}, {200, 200, 0, 0, 1}, {400, 100, 290, 1001, 0},
        {460, 200, 250, 1002, 1}, {500, 200, 290, 0, 0},
        {600, 200, 380, 0, 0}, {600, 340, 250, 1002, 1}, {600, 0, 590, 0, 2},
    };
    const struct idle_history history = {record, 5, change, 10, 3};
    struct idle_charge charge;

    (void)state;
    assert_int_equal(idle_charge_make(&charge, &history, &diag), ERR_OK);
    assert_int_equal(charge.hart[0].running, 200);
    assert_int_equal(charge.hart[0].kernel, 20);
    assert_int_equal(charge.hart[0].idle, 380);
    /* 1001 sleeps 290 of the 300 cycles; of the 290 in WFI that is 280, rounded down; the lock has
     * no other waiter, so that the rest and the time after its end are nobody's. */
    assert_int_equal(charge.hart[0].cause[KERNEL_REASON_SLEEP], 280);
    assert_int_equal(charge.hart[0].cause[KERNEL_REASON_NONE], 100);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_LOCK], 250 * 250 / 260);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_NONE], 250 - 250 * 250 / 260);
    assert_int_equal(charge.hart[2].cause[KERNEL_REASON_NONE], 590);
    assert_int_equal(charge.rows, 3);
    assert_int_equal(charge.row[2].reason, KERNEL_REASON_LOCK);
    assert_int_equal(charge.row[2].value, 0x88);
    assert_int_equal(charge.row[2].holder, 1001);
    /* The holder ran from 400 on: 50 of the 250 cycles. */
    assert_int_equal(charge.row[2].holder_ran, 240 * 50 / 250);
    idle_charge_free(&charge);
}

/* 1001 and 1002 leave hart 0, one after the other, and wait; hart 1 idles from the start: it is
 * charged to the earlier one as soon as that waits, and hart 0 to the later one. */
static void two_idle_harts_are_not_charged_to_one_wait(void **state)
{
    const struct kernel_record record[] = {
        at(100, KERNEL_BLOCK, 1001, 0, KERNEL_REASON_IO, 0),
        at(200, KERNEL_BLOCK, 1002, 0, KERNEL_REASON_SLEEP, 0),
    };
    const struct idle_switch change[] = {
        {0, 0, 0, 1001, 0}, {100, 100, 0, 1002, 0}, {200, 200, 0, 0, 0},
        {300, 200, 100, 0, 0}, {300, 0, 300, 0, 1},
    };
    const struct idle_history history = {record, 2, change, 5, 2};
    struct idle_charge charge;

    (void)state;
    assert_int_equal(idle_charge_make(&charge, &history, &diag), ERR_OK);
    assert_int_equal(charge.hart[0].cause[KERNEL_REASON_SLEEP], 100);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_NONE], 100);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_IO], 200);
    idle_charge_free(&charge);
}

/* A sampler thread neither is the last one of a hart nor takes its wait from it. */
static void a_sampler_thread_changes_no_cause(void **state)
{
    const struct kernel_record record[] = {
        at(100, KERNEL_BLOCK, 1001, 0, KERNEL_REASON_SLEEP, 0),
    };
    const struct idle_switch change[] = {
        {0, 0, 0, 1001, 0}, {100, 100, 0, 0, 0}, {200, 100, 100, KERNEL_SAMPLER_TID, 0},
        {250, 100, 100, 0, 0}, {400, 100, 250, 0, 0},
    };
    const struct idle_history history = {record, 1, change, 5, 1};
    struct idle_charge charge;

    (void)state;
    assert_int_equal(idle_charge_make(&charge, &history, &diag), ERR_OK);
    assert_int_equal(charge.hart[0].sampling, 50);
    assert_int_equal(charge.hart[0].kernel, 0);
    assert_int_equal(charge.hart[0].idle, 250);
    assert_int_equal(charge.hart[0].cause[KERNEL_REASON_SLEEP], 250);
    idle_charge_free(&charge);
}

/* ---- drawn histories ------------------------------------------------------------------------- */

enum { HARTS = 3, THREADS = 5, STEPS = 400 };

static uint64_t seed;
static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(seed >> 33) % below;
}

struct drawn {
    struct kernel_record record[2 * STEPS];
    struct idle_switch change[STEPS + HARTS], now[HARTS];
    size_t records, changes;
    int on[THREADS], waits[THREADS];    /* hart, or -1 */
};

static void change(struct drawn *drawn, unsigned hart, unsigned thread, uint64_t cycle)
{
    struct idle_switch *now = &drawn->now[hart];
    uint64_t cycles = cycle - now->cycles, user = now->thread != 0 ? draw((unsigned)cycles + 1) : 0;

    now->cycles = cycle;
    now->user += user;
    now->idle += now->thread == 0 ? draw((unsigned)cycles + 1) : 0;
    now->thread = thread;
    now->hart = hart;
    drawn->change[drawn->changes++] = *now;
}

static void step(struct drawn *drawn, uint64_t cycle)
{
    unsigned thread = draw(THREADS), hart = draw(HARTS), tid = 1000 + thread;

    if (drawn->on[thread] >= 0) {
        drawn->waits[thread] = draw(4) != 0;
        if (drawn->waits[thread])
            drawn->record[drawn->records++] = at(cycle, KERNEL_BLOCK, tid, 0, 1 + draw(3),
                                                 draw(2));
        change(drawn, (unsigned)drawn->on[thread], 0, cycle);
        drawn->on[thread] = -1;
    } else if (drawn->waits[thread]) {
        drawn->waits[thread] = 0;
        drawn->record[drawn->records++] = at(cycle, KERNEL_WAKE, tid, 1000 + draw(THREADS), 0, 0);
    } else if (drawn->now[hart].thread == 0) {
        drawn->on[thread] = (int)hart;
        change(drawn, hart, tid, cycle);
    }
}

static void check_sums(const struct idle_charge *charge, const struct drawn *drawn)
{
    uint64_t rows = 0, idle = 0;

    for (unsigned i = 0; i < HARTS; i++) {
        const struct idle_hart *hart = &charge->hart[i];
        uint64_t causes = 0;

        for (unsigned cause = 0; cause < IDLE_CAUSES; cause++)
            causes += hart->cause[cause];
        assert_int_equal(hart->idle, causes);
        assert_int_equal(hart->idle, drawn->now[i].idle);
        assert_int_equal(hart->running, drawn->now[i].user);
        assert_int_equal(hart->cycles, drawn->now[i].cycles);
        assert_int_equal(hart->running + hart->kernel + hart->sampling + hart->idle, hart->cycles);
        idle += hart->idle;
    }
    for (size_t i = 0; i < charge->rows; i++) {
        assert_true(charge->row[i].holder_ran <= charge->row[i].cycles);
        rows += charge->row[i].cycles;
    }
    assert_int_equal(rows, idle);
}

static void all_sums_are_exact_whatever_happens(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct drawn *drawn = calloc(1, sizeof *drawn);
        struct idle_charge charge;
        uint64_t cycle = 0;

        assert_non_null(drawn);
        seed = round;
        memset(drawn->on, -1, sizeof drawn->on);
        for (unsigned i = 0; i < STEPS; i++)
            step(drawn, cycle += 1 + draw(50));
        for (unsigned i = 0; i < HARTS; i++)
            change(drawn, i, drawn->now[i].thread, cycle + 10);
        assert_int_equal(idle_charge_make(&charge, &(struct idle_history){
            drawn->record, drawn->records, drawn->change, drawn->changes, HARTS}, &diag), ERR_OK);
        check_sums(&charge, drawn);
        idle_charge_free(&charge);
        free(drawn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_idle_cycle_has_the_cause_worked_out_by_hand),
        cmocka_unit_test(two_idle_harts_are_not_charged_to_one_wait),
        cmocka_unit_test(a_sampler_thread_changes_no_cause),
        cmocka_unit_test(all_sums_are_exact_whatever_happens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
