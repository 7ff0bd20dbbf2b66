/* Scheduling from records: known ones, and drawn ones against each moment. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/sched/sched.h"

static struct diag diag;

static struct kernel_record at(uint64_t cycle, unsigned event, unsigned thread, unsigned other,
                               unsigned reason, unsigned hart)
{
    return (struct kernel_record){
        .cycle = cycle, .event = (uint8_t)event, .thread = thread, .other = other,
        .reason = (uint8_t)reason, .hart = (uint16_t)hart,
    };
}

static void each_part_of_a_known_time_line_is_told(void **state)
{
    struct kernel_record record[] = {
        at(100, KERNEL_CREATE, 2, 1, 0, 0), at(110, KERNEL_WAKE, 2, 1, 0, 0),
        at(150, KERNEL_SWITCH, 1, 2, 0, 0),                         /* 1 is preempted */
        at(200, KERNEL_BLOCK, 2, 0, KERNEL_REASON_LOCK, 0), at(210, KERNEL_SWITCH, 2, 0, 1, 0),
        at(220, KERNEL_MIGRATE, 1, 0, 0, 1), at(230, KERNEL_SWITCH, 0, 1, 0, 1),
        at(300, KERNEL_WAKE, 2, 1, 0, 1), at(320, KERNEL_SWITCH, 0, 2, 0, 0),
        at(400, KERNEL_EXIT, 2, 0, KERNEL_REASON_EXIT, 0), at(410, KERNEL_SWITCH, 2, 0, 6, 0),
    };
    struct sched sched;

    (void)state;
    assert_int_equal(sched_make(&sched, &(struct sched_run){
        record, sizeof record / sizeof record[0], 2, 0, 500, NULL}, NULL, &diag), ERR_OK);
    assert_int_equal(sched.threads, 2);
    assert_int_equal(sched.thread[0].running, 150 + 270);
    assert_int_equal(sched.thread[0].ready, 80);
    assert_int_equal(sched.thread[0].left[KERNEL_REASON_NONE], 1);
    assert_int_equal(sched.thread[0].on_hart[0], 150);
    assert_int_equal(sched.thread[0].on_hart[1], 270);
    assert_int_equal(sched.thread[0].migrations, 1);
    assert_int_equal(sched.thread[1].running, 60 + 90);
    assert_int_equal(sched.thread[1].ready, 40 + 20);   /* from its wake on */
    assert_int_equal(sched.thread[1].wait.max, 40);
    assert_int_equal(sched.thread[1].wait.min, 20);
    assert_int_equal(sched.thread[1].waits, 2);
    assert_int_equal(sched.thread[1].waited, 60);
    assert_int_equal(sched.thread[1].left[KERNEL_REASON_LOCK], 1);
    assert_int_equal(sched.thread[1].left[KERNEL_REASON_EXIT], 1);
    assert_int_equal(sched.thread[1].blocked[KERNEL_REASON_LOCK], 90);
    assert_int_equal(sched.hart[0].running, 210 + 90);
    assert_int_equal(sched.hart[0].away, 110 + 90);
    assert_int_equal(sched.hart[1].running, 270);
    assert_int_equal(sched.hart[1].away, 230);
    sched_free(&sched);
}

/* Hart 1 begins at cycle 20 and ends at 450. Each hart has its own time of the pause. Thread 3
 * waits meanwhile, but the records do not show it. */
static void time_without_records_belongs_to_no_thread(void **state)
{
    struct kernel_record record[] = {
        at(50, KERNEL_SWITCH, 3, 1, KERNEL_REASON_SLEEP, 0),
        at(100, KERNEL_PAUSE, 1, 0, 0, 0), at(104, KERNEL_PAUSE, 2, 0, 0, 1),
        at(300, KERNEL_RESUME, 1, 0, 0, 0), at(306, KERNEL_RESUME, 0, 0, 0, 1),
        at(350, KERNEL_WAKE, 3, 1, 0, 0), at(360, KERNEL_SWITCH, 0, 3, 0, 1),
    };
    const struct sched_limits limits[] = {{0, 500}, {20, 450}};
    struct sched sched;

    (void)state;
    record[2].thread = 2;
    assert_int_equal(sched_make(&sched, &(struct sched_run){
        record, sizeof record / sizeof record[0], 2, 0, 500, limits}, NULL, &diag), ERR_OK);
    assert_int_equal(sched.paused, 202);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sched.hart[i].cycles, limits[i].end - limits[i].begin);
        assert_int_equal(sched.hart[i].running + sched.hart[i].away + sched.hart[i].paused,
                         sched.hart[i].cycles);
    }
    assert_int_equal(sched.hart[0].paused, 200);
    assert_int_equal(sched.thread[0].running, 50 + 200);
    assert_int_equal(sched.thread[2].running, 50 + 90);
    assert_int_equal(sched.thread[2].ready, 50 + 10);   /* it was preempted at 50 */
    assert_int_equal(sched.hart[1].away, 54);
    assert_int_equal(sched.thread[1].running, 84);
    sched_free(&sched);
}

/* The clock of hart 1 is 400 cycles late. */
static void a_late_hart_does_not_turn_cause_and_effect_round(void **state)
{
    struct kernel_record record[] = {
        at(900, KERNEL_SWITCH, 0, 2, 0, 1), at(700, KERNEL_SWITCH, 0, 1, 0, 1),
        at(820, KERNEL_BLOCK, 1, 0, KERNEL_REASON_SLEEP, 1),
        at(830, KERNEL_SWITCH, 1, 0, KERNEL_REASON_SLEEP, 1),
        at(500, KERNEL_SWITCH, 0, 1, 0, 0), at(1000, KERNEL_BLOCK, 1, 0, KERNEL_REASON_LOCK, 0),
        at(1000, KERNEL_SWITCH, 1, 0, KERNEL_REASON_LOCK, 0), at(1050, KERNEL_WAKE, 1, 0, 0, 0),
        at(1250, KERNEL_WAKE, 1, 0, 0, 0),
    };
    const unsigned order[] = {9, 4, 5, 5, 1, 2, 2, 3, 6};
    struct sched sched;

    (void)state;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        record[i].order = order[i];
    assert_int_equal(sched_sort(record, sizeof record / sizeof record[0], &diag), ERR_OK);
    assert_int_equal(sched_make(&sched, &(struct sched_run){
        record, sizeof record / sizeof record[0], 2, 0, 2000, NULL}, NULL, &diag), ERR_OK);
    assert_int_equal(sched.thread[0].running, 500 + 130);
    assert_int_equal(sched.hart[0].running, 500);
    assert_int_equal(sched.hart[1].running, 130 + 1100);
    assert_int_equal(sched.thread[0].blocked[KERNEL_REASON_LOCK], 50);
    assert_int_equal(sched.thread[0].blocked[KERNEL_REASON_SLEEP], 420);
    assert_int_equal(sched.thread[0].waits, 1);         /* 1050 to 700: none is known */
    assert_int_equal(sched.thread[0].waited, 0);
    assert_int_equal(sched.thread[0].ready, 2000 - 1250);
    assert_int_equal(sched.thread[0].migrations, 1);
    sched_free(&sched);
}

static uint64_t seed;
static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(seed >> 33) % below;
}

enum { HARTS = 3, THREADS = 6, MOMENTS = 3000, ROUNDS = 100 };
enum { READY, RUNNING, BLOCKED };

/* A machine that is moved a moment at a time, and the counts of each moment. */
static unsigned state_of[THREADS + 1], on_hart[HARTS], reason_of[THREADS + 1];
static uint8_t moment[THREADS + 1][MOMENTS], runs_at[HARTS][MOMENTS];   /* thread_state.def; tid */
static uint64_t ran_on[THREADS + 1][HARTS], counted[THREADS + 1][2];
static uint64_t blocked[THREADS + 1][SCHED_REASONS], busy[HARTS];
static struct kernel_record made[MOMENTS * HARTS * 3];
static size_t count;

static void act(unsigned hart, uint64_t time)
{
    unsigned from = on_hart[hart], to = draw(THREADS + 1), other = 1 + draw(THREADS);

    if (draw(3) == 0 && state_of[other] == BLOCKED) {
        made[count++] = at(time, KERNEL_WAKE, other, from, 0, hart);
        state_of[other] = READY;
        return;
    }
    if (to == from || (to != 0 && state_of[to] != READY))
        return;
    if (from != 0) {
        state_of[from] = draw(2) != 0 ? READY : BLOCKED;
        reason_of[from] = KERNEL_REASON_LOCK + draw(5);
        if (state_of[from] == BLOCKED)
            made[count++] = at(time, KERNEL_BLOCK, from, 0, reason_of[from], hart);
    }
    made[count++] = at(time, KERNEL_SWITCH, from, to, 0, hart);
    on_hart[hart] = to;
    if (to != 0)
        state_of[to] = RUNNING;
}

static void live(void)
{
    memset(state_of, 0, sizeof state_of);
    memset(on_hart, 0, sizeof on_hart);
    memset(counted, 0, sizeof counted);
    memset(ran_on, 0, sizeof ran_on);
    memset(blocked, 0, sizeof blocked);
    memset(busy, 0, sizeof busy);
    count = 0;
    for (unsigned i = 1; i <= THREADS; i++)     /* all exist from the start */
        made[count++] = at(0, KERNEL_WAKE, i, 0, 0, 0);
    for (uint64_t time = 0; time < MOMENTS; time++) {
        for (unsigned i = 0; i < HARTS; i++)
            if (draw(8) == 0)
                act(i, time);
        for (unsigned i = 0; i < HARTS; i++)
            busy[i] += on_hart[i] != 0;
        for (unsigned i = 0; i < HARTS; i++)
            ran_on[on_hart[i]][i]++;
        for (unsigned i = 0; i < HARTS; i++)
            runs_at[i][time] = (uint8_t)on_hart[i];
        for (unsigned i = 1; i <= THREADS; i++) {
            moment[i][time] = state_of[i] == READY     ? PROFILE_THREAD_READY
                              : state_of[i] == RUNNING ? PROFILE_THREAD_RUNNING
                                                       : (uint8_t)(reason_of[i] + 1);
            if (state_of[i] == BLOCKED)
                blocked[i][reason_of[i]]++;
            else
                counted[i][state_of[i]]++;
        }
    }
}

static void every_moment_counts_once(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct sched sched;

        seed = round;
        live();
        assert_int_equal(sched_sort(made, count, &diag), ERR_OK);
        assert_int_equal(sched_make(&sched, &(struct sched_run){
            made, count, HARTS, 0, MOMENTS, NULL}, NULL, &diag), ERR_OK);
        assert_int_equal(sched.threads, THREADS);
        for (unsigned i = 0; i < THREADS; i++) {
            assert_int_equal(sched.thread[i].running, counted[i + 1][RUNNING]);
            assert_int_equal(sched.thread[i].ready, counted[i + 1][READY]);
            for (unsigned k = 0; k < HARTS; k++)
                assert_int_equal(sched.thread[i].on_hart[k], ran_on[i + 1][k]);
            assert_memory_equal(sched.thread[i].blocked, blocked[i + 1], sizeof blocked[0]);
        }
        for (unsigned i = 0; i < HARTS; i++) {
            assert_int_equal(sched.hart[i].running, busy[i]);
            assert_int_equal(sched.hart[i].running + sched.hart[i].away, MOMENTS);
        }
        sched_free(&sched);
    }
}

static void keep(struct profile *profile, unsigned harts, uint64_t end)
{
    struct course course;
    struct sched sched;

    assert_int_equal(course_init(&course, harts, &diag), ERR_OK);
    assert_int_equal(sched_make(&sched, &(struct sched_run){made, count, harts, 0, end, NULL},
                                &course, &diag), ERR_OK);
    *profile = (struct profile){0};
    assert_int_equal(course_keep(&course, &sched, profile, &diag), ERR_OK);
    sched_free(&sched);
    course_free(&course);
}

static const struct profile_span *span_at(const struct profile_track *track, uint64_t time)
{
    size_t at = 0;

    while (track->span[at].end <= time)
        at++;
    return &track->span[at];
}

static void every_moment_is_in_its_span(void **state)
{
    struct profile profile;

    (void)state;
    for (unsigned round = 0; round < 10; round++) {
        seed = round;
        live();
        assert_int_equal(sched_sort(made, count, &diag), ERR_OK);
        keep(&profile, HARTS, MOMENTS);
        assert_int_equal(profile.threads->grain, 0);
        for (uint64_t time = 0; time < MOMENTS; time++) {
            for (unsigned i = 0; i < THREADS; i++)
                assert_true(span_at(&profile.threads->thread[i], time)
                                ->cycles[moment[i + 1][time]] != 0);
            for (unsigned i = 0; i < HARTS; i++) {
                const struct profile_span *span = span_at(&profile.threads->hart[i], time);

                assert_int_equal(span->who, runs_at[i][time]);
                assert_true(span->cycles[span->who != 0 ? PROFILE_THREAD_RUNNING
                                                        : PROFILE_THREAD_IDLE] != 0);
            }
        }
        profile_free(&profile);
    }
}

/* Threads that follow each other every `period` cycles. */
static struct kernel_record *relay(unsigned threads, uint64_t rounds, uint64_t period)
{
    struct kernel_record *record = calloc(rounds, sizeof *record);

    assert_non_null(record);
    for (uint64_t i = 0; i < rounds; i++)
        record[i] = at((i + 1) * period, KERNEL_SWITCH, 1 + (unsigned)(i % threads),
                       1 + (unsigned)((i + 1) % threads), 0, 0);
    return record;
}

static void keep_relay(struct profile *profile, unsigned threads, uint64_t rounds)
{
    struct kernel_record *record = relay(threads, rounds, 7);
    struct course course;
    struct sched sched;

    assert_int_equal(course_init(&course, 1, &diag), ERR_OK);
    assert_int_equal(sched_make(&sched, &(struct sched_run){
        record, rounds, 1, 0, 7 * rounds, NULL}, &course, &diag), ERR_OK);
    *profile = (struct profile){0};
    assert_int_equal(course_keep(&course, &sched, profile, &diag), ERR_OK);
    for (size_t i = 0; i < profile->threads->threads; i++)
        assert_int_equal(profile->threads->thread[i].cycles[PROFILE_THREAD_RUNNING],
                         sched.thread[profile->threads->thread[i].number - 1].running);
    assert_int_equal(profile->threads->hart[0].cycles[PROFILE_THREAD_RUNNING], 7 * rounds);
    sched_free(&sched);
    course_free(&course);
    free(record);
}

static void many_spans_become_few_with_the_same_sums(void **state)
{
    struct profile profile;
    size_t spans;

    (void)state;
    keep_relay(&profile, 3, 1000000);
    spans = profile.threads->hart[0].spans;
    for (size_t i = 0; i < 3; i++)
        spans += profile.threads->thread[i].spans;
    assert_true(spans <= COURSE_SPANS && spans > COURSE_SPANS / 4);
    assert_true(profile.threads->grain != 0);
    assert_int_equal(profile.threads->left_out, 0);
    assert_true(profile.threads->hart[0].span[0].changes > 1);
    profile_free(&profile);
}

static void of_many_threads_those_that_ran_longest_stay(void **state)
{
    enum { THREADS_ALL = 3 * COURSE_THREADS, SOME = 10 };
    struct profile profile;

    (void)state;
    keep_relay(&profile, THREADS_ALL, 5 * THREADS_ALL + SOME);
    assert_int_equal(profile.threads->threads, COURSE_THREADS);
    assert_int_equal(profile.threads->left_out, THREADS_ALL - COURSE_THREADS);
    for (unsigned i = 0; i < SOME; i++)
        assert_int_equal(profile.threads->thread[i].number, i + 1);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_of_a_known_time_line_is_told),
        cmocka_unit_test(time_without_records_belongs_to_no_thread),
        cmocka_unit_test(a_late_hart_does_not_turn_cause_and_effect_round),
        cmocka_unit_test(every_moment_counts_once),
        cmocka_unit_test(every_moment_is_in_its_span),
        cmocka_unit_test(many_spans_become_few_with_the_same_sums),
        cmocka_unit_test(of_many_threads_those_that_ran_longest_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
