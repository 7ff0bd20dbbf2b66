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

/* Cycles up to a change, in the program, in WFI; the thread from then on, the hart. */
#define AT(cycles, user, idle, thread, hart) {cycles, user, idle, thread, hart, false}

static struct kernel_record leaves(uint64_t cycle, unsigned hart, unsigned from, unsigned to)
{
    struct kernel_record record = at(cycle, KERNEL_SWITCH, from, to, 0, 0);

    record.hart = (uint16_t)hart;
    return record;
}

/* Hart 0: 1001 runs 0..100, holds the lock, sleeps until 400, runs until 500, ends.
 * Hart 1: 1002 runs 0..200, waits for the lock until 450, runs from 460 on.
 * Hart 2: never has a thread: nothing is runnable until 500; then neither. Hart 0 after 500: a
 * third thread, 1003, waits for input since 90 and never gets it. Of each idle time all but 10
 * cycles are in WFI; those of the program are all cycles of its threads. */
static void each_idle_cycle_has_the_cause_worked_out_by_hand(void **state)
{
    const struct kernel_record record[] = {
        at(95, KERNEL_BLOCK, 1001, 0, KERNEL_REASON_SLEEP, 0), leaves(100, 0, 1001, 0),
        at(190, KERNEL_BLOCK, 1002, 0, KERNEL_REASON_LOCK, 0x88), leaves(200, 1, 1002, 0),
        at(390, KERNEL_WAKE, 1001, 0, KERNEL_REASON_SLEEP, 0), leaves(400, 0, 0, 1001),
        at(450, KERNEL_WAKE, 1002, 1001, KERNEL_REASON_NONE, 1), leaves(460, 1, 0, 1002),
        at(495, KERNEL_EXIT, 1001, 0, KERNEL_REASON_EXIT, 0), leaves(500, 0, 1001, 0),
    };
    const struct sched_change change[] = {
        AT(0, 0, 0, 1001, 0), AT(0, 0, 0, 1002, 1), AT(0, 0, 0, 0, 2),
        AT(103, 100, 0, 0, 0), AT(203, 200, 0, 0, 1), AT(403, 100, 290, 1001, 0),
        AT(463, 200, 250, 1002, 1), AT(503, 200, 290, 0, 0),
        AT(600, 200, 380, 0, 0), AT(600, 340, 250, 1002, 1), AT(600, 0, 590, 0, 2),
    };
    const struct sched_log log = {record, 10, change, 11, 3};
    struct idle_charge charge;

    (void)state;
    assert_int_equal(idle_charge_make(&charge, &log, &diag), ERR_OK);
    assert_int_equal(charge.hart[0].running, 200);
    assert_int_equal(charge.hart[0].kernel, 0);
    assert_int_equal(charge.hart[0].path, 20);
    assert_int_equal(charge.hart[0].idle, 380);
    assert_int_equal(charge.hart[0].away[KERNEL_REASON_SLEEP], 290);
    assert_int_equal(charge.hart[0].away[KERNEL_REASON_NONE], 110);
    /* 1001 sleeps 290 of the 300 cycles; of the 290 in WFI that is 280, rounded down; the lock has
     * no other waiter, so that no thread is charged with the rest and the time after its end. */
    assert_int_equal(charge.hart[0].cause[KERNEL_REASON_SLEEP], 280);
    assert_int_equal(charge.hart[0].cause[KERNEL_REASON_NONE], 100);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_LOCK], 250 * 250 / 260);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_NONE], 250 - 250 * 250 / 260);
    assert_int_equal(charge.hart[1].away[KERNEL_REASON_LOCK], 250);
    assert_int_equal(charge.hart[1].away[KERNEL_REASON_NONE], 10);
    assert_int_equal(charge.hart[2].cause[KERNEL_REASON_NONE], 590);
    assert_int_equal(charge.hart[2].away[KERNEL_REASON_NONE], 600);
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
        at(100, KERNEL_BLOCK, 1001, 0, KERNEL_REASON_IO, 0), leaves(100, 0, 1001, 1002),
        at(200, KERNEL_BLOCK, 1002, 0, KERNEL_REASON_SLEEP, 0), leaves(200, 0, 1002, 0),
    };
    const struct sched_change change[] = {
        AT(0, 0, 0, 1001, 0), AT(0, 0, 0, 0, 1), AT(100, 100, 0, 1002, 0), AT(200, 200, 0, 0, 0),
        AT(300, 200, 100, 0, 0), AT(300, 0, 300, 0, 1),
    };
    const struct sched_log log = {record, 4, change, 6, 2};
    struct idle_charge charge;

    (void)state;
    assert_int_equal(idle_charge_make(&charge, &log, &diag), ERR_OK);
    assert_int_equal(charge.hart[0].cause[KERNEL_REASON_SLEEP], 100);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_NONE], 100);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_IO], 200);
    idle_charge_free(&charge);
}

/* A sampler thread neither is the last one of a hart nor takes its wait from it. */
static void a_sampler_thread_changes_no_cause(void **state)
{
    const struct kernel_record record[] = {
        at(100, KERNEL_BLOCK, 1001, 0, KERNEL_REASON_SLEEP, 0), leaves(100, 0, 1001, 0),
        leaves(200, 0, 0, KERNEL_SAMPLER_TID), leaves(250, 0, KERNEL_SAMPLER_TID, 0),
    };
    const struct sched_change change[] = {
        AT(0, 0, 0, 1001, 0), AT(100, 100, 0, 0, 0), AT(200, 100, 100, KERNEL_SAMPLER_TID, 0),
        AT(250, 100, 100, 0, 0), AT(400, 100, 250, 0, 0),
    };
    const struct sched_log log = {record, 4, change, 5, 1};
    struct idle_charge charge;

    (void)state;
    assert_int_equal(idle_charge_make(&charge, &log, &diag), ERR_OK);
    assert_int_equal(charge.hart[0].sampling, 50);
    assert_int_equal(charge.hart[0].kernel, 0);
    assert_int_equal(charge.hart[0].idle, 250);
    assert_int_equal(charge.hart[0].cause[KERNEL_REASON_SLEEP], 250);
    assert_int_equal(charge.hart[0].away[KERNEL_REASON_SLEEP], 250);
    idle_charge_free(&charge);
}

/* The clock of hart 1 is 300 cycles late: an event at its cycle 210, after another hart's record of
 * cycle 500, is not earlier than that record. Its own times are by its own cycles. */
static void a_late_hart_divides_its_own_cycles(void **state)
{
    const struct kernel_record record[] = {
        at(90, KERNEL_BLOCK, 1002, 0, KERNEL_REASON_LOCK, 0x88), leaves(100, 1, 1002, 0),
        at(500, KERNEL_WAKE, 1002, 1001, KERNEL_REASON_NONE, 1), leaves(210, 1, 0, 1002),
    };
    const struct sched_change change[] = {
        AT(0, 0, 0, 1001, 0), AT(0, 0, 0, 1002, 1), AT(101, 100, 0, 0, 1),
        AT(212, 100, 80, 1002, 1),
        AT(600, 600, 0, 1001, 0), AT(300, 190, 80, 1002, 1),
    };
    const struct sched_log log = {record, 4, change, 6, 2};
    struct idle_charge charge;

    (void)state;
    assert_int_equal(idle_charge_make(&charge, &log, &diag), ERR_OK);
    assert_int_equal(charge.hart[1].away[KERNEL_REASON_LOCK], 110);
    assert_int_equal(charge.hart[1].cause[KERNEL_REASON_LOCK], 80);
    assert_int_equal(charge.hart[1].path, 30);
    assert_int_equal(charge.rows, 1);
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
    struct sched_change change[STEPS + 2 * HARTS], now[HARTS];
    size_t records, changes;
    int on[THREADS], waits[THREADS];    /* hart, or -1 */
};

static void change(struct drawn *drawn, unsigned hart, unsigned thread, uint64_t cycle)
{
    struct sched_change *now = &drawn->now[hart];
    uint64_t cycles = cycle - now->cycles, user = now->thread != 0 ? draw((unsigned)cycles + 1) : 0;

    now->cycles = cycle;
    now->user += user;
    now->idle += now->thread == 0 ? draw((unsigned)cycles + 1) : 0;
    now->thread = thread;
    now->hart = hart;
    drawn->change[drawn->changes++] = *now;
}

static void switch_to(struct drawn *drawn, unsigned hart, unsigned thread, uint64_t cycle)
{
    drawn->record[drawn->records++] = leaves(cycle, hart, drawn->now[hart].thread, thread);
    change(drawn, hart, thread, cycle);
}

static void step(struct drawn *drawn, uint64_t cycle)
{
    unsigned thread = draw(THREADS), hart = draw(HARTS), tid = 1000 + thread;

    if (drawn->on[thread] >= 0) {
        drawn->waits[thread] = draw(4) != 0;
        if (drawn->waits[thread])
            drawn->record[drawn->records++] = at(cycle, KERNEL_BLOCK, tid, 0, 1 + draw(3),
                                                 draw(2));
        switch_to(drawn, (unsigned)drawn->on[thread], 0, cycle);
        drawn->on[thread] = -1;
    } else if (drawn->waits[thread]) {
        drawn->waits[thread] = 0;
        drawn->record[drawn->records++] = at(cycle, KERNEL_WAKE, tid, 1000 + draw(THREADS), 0, 0);
    } else if (drawn->now[hart].thread == 0) {
        drawn->on[thread] = (int)hart;
        switch_to(drawn, hart, tid, cycle);
    }
}

static void check_sums(const struct idle_charge *charge, const struct drawn *drawn)
{
    uint64_t rows = 0, idle = 0, rows_away = 0, all_away = 0;

    for (unsigned i = 0; i < HARTS; i++) {
        const struct idle_hart *hart = &charge->hart[i];
        uint64_t causes = 0, away = 0;

        for (unsigned cause = 0; cause < IDLE_CAUSES; cause++) {
            assert_true(hart->cause[cause] <= hart->away[cause]);
            causes += hart->cause[cause];
            away += hart->away[cause];
        }
        assert_int_equal(hart->idle + hart->path, away);
        assert_int_equal(hart->idle, causes);
        assert_int_equal(hart->idle, drawn->now[i].idle);
        assert_int_equal(hart->running, drawn->now[i].user);
        assert_int_equal(hart->cycles, drawn->now[i].cycles);
        assert_int_equal(hart->running + hart->kernel + hart->sampling + hart->path + hart->idle,
                         hart->cycles);
        idle += hart->idle;
        all_away += away;
    }
    for (size_t i = 0; i < charge->rows; i++) {
        assert_true(charge->row[i].holder_ran <= charge->row[i].cycles);
        rows += charge->row[i].cycles;
        rows_away += charge->row[i].away;
    }
    assert_int_equal(rows, idle);
    assert_int_equal(rows_away, all_away);
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
        for (unsigned i = 0; i < HARTS; i++)
            change(drawn, i, 0, 0);
        for (unsigned i = 0; i < STEPS; i++)
            step(drawn, cycle += 1 + draw(50));
        for (unsigned i = 0; i < HARTS; i++)
            change(drawn, i, drawn->now[i].thread, cycle + 10);
        assert_int_equal(idle_charge_make(&charge, &(struct sched_log){
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
        cmocka_unit_test(a_late_hart_divides_its_own_cycles),
        cmocka_unit_test(all_sums_are_exact_whatever_happens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
