/* Active time: the examples of the literature, the rules one by one, and random time lines against
 * a count of every cycle. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/active/active.h"

static struct diag diag;

/* ---- time lines out of text ------------------------------------------------------------------ */

static enum err read_text(struct timeline *timeline, const char *text)
{
    char path[] = "/tmp/active_test.XXXXXX";
    int file = mkstemp(path);
    FILE *out = fdopen(file, "w");
    enum err err;

    fputs(text, out);
    fclose(out);
    err = timeline_read(timeline, path, &diag);
    remove(path);
    return err;
}

static struct timeline timeline;
static struct active active;

static void make(const char *text)
{
    timeline_init(&timeline);
    assert_int_equal(read_text(&timeline, text), ERR_OK);
    assert_int_equal(timeline_sort(&timeline, &diag), ERR_OK);
    assert_int_equal(active_make(&active, &timeline, &diag), ERR_OK);
}

static void drop(void)
{
    active_free(&active);
    timeline_free(&timeline);
}

static struct active_sum sum_of(const char *section)
{
    struct active_sum sum;

    active_sum(&active, (uint32_t)names_find(&timeline.name, section), NULL, &sum);
    return sum;
}

static void expect_parts(const struct active_sum *sum, uint64_t elapsed, uint64_t out,
                         uint64_t overhead, uint64_t busy)
{
    assert_int_equal(sum->total[ACTIVE_ELAPSED], elapsed);
    assert_int_equal(sum->total[ACTIVE_SWAPPED_OUT], out);
    assert_int_equal(sum->total[ACTIVE_OVERHEAD], overhead);
    assert_int_equal(sum->total[ACTIVE_ACTIVE], busy);
}

/* ---- examples -------------------------------------------------------------------------------- */

#define EXAMPLE "time,thread,event\n900,1,F-entry\n1010,2,S-entry\n1200,1,G-entry\n" \
    "1500,1,G-exit\n1550,1,F-exit\n"

/* E5 */
static void the_example_in_cycles_is_266(void **state)
{
    struct active_sum sum;

    (void)state;
    timeline_init(&timeline);
    assert_int_equal(read_text(&timeline, EXAMPLE), ERR_OK);
    assert_int_equal(read_text(&timeline, "time,old,new\n1000,1,2\n1028,2,3\n1190,3,1\n1225,1,2\n"
                                          "1411,2,1\n"), ERR_OK);
    assert_int_equal(read_text(&timeline, "event,overhead\nentry,3\nexit,2\n"), ERR_OK);
    assert_int_equal(timeline_sort(&timeline, &diag), ERR_OK);
    assert_int_equal(active_make(&active, &timeline, &diag), ERR_OK);
    sum = sum_of("F");
    expect_parts(&sum, 650, 376, 8, 266);
    assert_int_equal(sum.activations, 1);
    sum = sum_of("S");
    assert_int_equal(sum.activations, 0);
    assert_int_equal(sum.incomplete, 1);
    drop();
}

/* The thread comes to a hart whose clock is 400 cycles late, and goes back to one whose clock is
 * ahead. */
static void a_hart_with_a_late_clock_takes_no_time_away(void **state)
{
    static const struct timeline_event event[] = {
        {.time = 1100, .order = 4, .kind = TIMELINE_SWITCH_OUT, .name = TIMELINE_NO_NAME},
        {.time = 500, .order = 1, .kind = TIMELINE_ENTER, .overhead = 3, .has_overhead = true},
        {.time = 1000, .order = 2, .kind = TIMELINE_SWITCH_OUT, .name = TIMELINE_NO_NAME},
        {.time = 800, .order = 3, .kind = TIMELINE_SWITCH_IN, .name = TIMELINE_NO_NAME},
        {.time = 1600, .order = 5, .kind = TIMELINE_SWITCH_IN, .name = TIMELINE_NO_NAME},
        {.time = 1650, .order = 5, .kind = TIMELINE_LEAVE},
        {.time = 400, .order = 6, .kind = TIMELINE_ENTER},
        {.time = 450, .order = 6, .kind = TIMELINE_LEAVE},
    };
    struct active_sum sum;
    uint32_t number;

    (void)state;
    timeline_init(&timeline);
    assert_int_equal(names_add(&timeline.thread, "1", &number, &diag), ERR_OK);
    assert_int_equal(names_add(&timeline.name, "F", &number, &diag), ERR_OK);
    for (size_t i = 0; i < sizeof event / sizeof event[0]; i++)
        assert_int_equal(timeline_add(&timeline, &event[i], &diag), ERR_OK);
    assert_int_equal(timeline_sort(&timeline, &diag), ERR_OK);
    assert_int_equal(active_make(&active, &timeline, &diag), ERR_OK);
    sum = sum_of("F");
    expect_parts(&sum, 1150 + 50, 300, 3, 497 + 300 + 50 + 50);
    drop();
}

static void switches_of_one_thread_say_the_same(void **state)
{
    struct active_sum sum;

    (void)state;
    make("900,1,F-entry,3\n1000,1,switch-out\n1190,1,switch-in\n1200,1,G-entry,3\n"
         "1225,1,switch-out\n1411,1,switch-in\n1500,1,G-exit,2\n1550,1,F-exit,2\n");
    sum = sum_of("F");
    expect_parts(&sum, 650, 376, 8, 266);
    drop();
}

/* E5, figure 1: in tenths of a millisecond. */
static void the_example_in_milliseconds_is_4_5(void **state)
{
    struct active_sum sum;
    char text[TIMELINE_TEXT];

    (void)state;
    make("0.5,1,F-entry,1\n3,1,switch-out\n6,1,switch-in\n9.0,1,F-exit,1.0\n");
    sum = sum_of("F");
    expect_parts(&sum, 85, 30, 10, 45);
    assert_string_equal(timeline_text(&timeline, sum.total[ACTIVE_ACTIVE], text), "4.5");
    drop();
    make("0.5,1,F-entry\n1.5,1,switch-in\n3,1,switch-out\n6,1,switch-in\n9.0,1,F-exit\n");
    sum = sum_of("F");
    expect_parts(&sum, 85, 40, 0, 45);
    drop();
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void intervals_that_are_open_are_clipped(void **state)
{
    struct active_sum sum;

    (void)state;
    make("10,1,F-entry\n15,1,switch-in\n90,1,switch-out\n100,1,F-exit\n");
    sum = sum_of("F");
    expect_parts(&sum, 90, 15, 0, 75);
    drop();
}

static void overhead_counts_once_and_not_after_the_end(void **state)
{
    struct active_sum sum;

    (void)state;
    make("0,1,F-entry,10\n4,1,switch-out\n50,1,switch-in\n95,1,G-entry,20\n100,1,F-exit,7\n");
    sum = sum_of("F");
    expect_parts(&sum, 100, 46, 4 + 5, 45);
    drop();
}

static void recursion_counts_no_cycle_twice(void **state)
{
    struct active_sum sum;

    (void)state;
    make("0,1,F-entry\n10,1,F-entry\n20,1,F-entry\n30,1,F-exit\n40,1,F-exit\n100,1,F-exit\n"
         "200,1,F-entry\n210,1,F-exit\n");
    sum = sum_of("F");
    assert_int_equal(sum.activations, 2);
    assert_int_equal(sum.inner, 2);
    assert_int_equal(sum.total[ACTIVE_ACTIVE], 110);
    drop();
}

/* longjmp, or an exception, past G. */
static void an_entry_whose_exit_is_missing_spoils_nothing_later(void **state)
{
    struct active_sum sum;

    (void)state;
    make("0,1,F-entry\n10,1,G-entry\n40,1,F-exit\n50,1,F-entry\n55,1,G-entry\n60,1,G-exit\n"
         "70,1,F-exit\n80,1,H-exit\n");
    sum = sum_of("G");
    assert_int_equal(sum.activations, 1);
    assert_int_equal(sum.inner, 0);
    assert_int_equal(sum.incomplete, 1);
    assert_int_equal(sum.total[ACTIVE_ACTIVE], 5);
    sum = sum_of("H");
    assert_int_equal(sum.incomplete, 1);
    drop();
}

static void sections_may_overlap(void **state)
{
    struct active_sum sum;

    (void)state;
    make("0,1,F-entry\n10,1,G-entry\n40,1,F-exit\n70,1,G-exit\n");
    sum = sum_of("G");
    expect_parts(&sum, 60, 0, 0, 60);
    drop();
}

static void the_spread_is_of_whole_activations(void **state)
{
    struct spread spread;
    char text[4096] = "";
    size_t length = 0;

    (void)state;
    for (unsigned i = 1; i <= 100; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%u,1,F-entry\n%u,1,F-exit\n", 1000 * i,
                                   1000 * i + 101 - i);
    make(text);
    assert_int_equal(active_spread(&active, 0, ACTIVE_ACTIVE, &spread, &diag), ERR_OK);
    assert_int_equal(spread.min, 1);
    assert_int_equal(spread.median, 50);
    assert_int_equal(spread.p90, 90);
    assert_int_equal(spread.p99, 99);
    assert_int_equal(spread.max, 100);
    drop();
}

/* ---- random time lines against each cycle ---------------------------------------------------- */

enum { CYCLES = 4000, THREADS = 5, SECTIONS = 4, DEEP = 12, TRUTHS = 4000, ROUNDS = 300 };

/* The state of a thread in a cycle, and the activations it went through. */
struct truth { uint64_t start, end; unsigned thread, section, depth; };
struct history {
    bool is_out[CYCLES], is_overhead[CYCLES];
    unsigned section[DEEP];
    uint64_t start[DEEP];
    unsigned deep;
};

static uint64_t seed;
static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(seed >> 33) % below;
}

static struct history history[THREADS];
static struct truth truth[TRUTHS];
static size_t truths;

static void record(uint64_t time, unsigned thread, unsigned kind, unsigned name)
{
    struct timeline_event event = {
        .time = time, .thread = thread, .name = name, .kind = (uint8_t)kind,
        .hart = TIMELINE_NO_HART, .has_overhead = draw(2) != 0, .overhead = draw(12),
    };
    uint64_t overhead = event.has_overhead ? event.overhead : timeline.overhead[kind];

    for (uint64_t i = time; i < time + overhead && i < CYCLES; i++)
        history[thread].is_overhead[i] = true;
    assert_int_equal(timeline_add(&timeline, &event, &diag), ERR_OK);
}

static unsigned depth_of(const struct history *now, unsigned section)
{
    unsigned depth = 0;

    for (unsigned i = 0; i < now->deep; i++)
        depth += now->section[i] == section;
    return depth;
}

static void enter_or_leave(struct history *now, unsigned thread, uint64_t time)
{
    unsigned section = draw(SECTIONS);

    if (now->deep < DEEP && (now->deep == 0 || draw(2) != 0)) {
        now->section[now->deep] = section;
        now->start[now->deep++] = time;
        record(time, thread, TIMELINE_ENTER, section);
        return;
    }
    section = now->section[--now->deep];
    truth[truths++] = (struct truth){now->start[now->deep], time, thread, section,
                                     depth_of(now, section)};
    record(time, thread, TIMELINE_LEAVE, section);
}

static void live(unsigned thread)
{
    struct history *now = &history[thread];
    bool is_out = draw(2) != 0, has_switched = false;

    memset(now, 0, sizeof *now);
    for (uint64_t time = 0, next = draw(30); time < CYCLES; time++) {
        for (; time == next && time < CYCLES - 1; next += draw(40)) {
            if (draw(4) == 0 || (time > CYCLES / 2 && !has_switched)) {
                record(time, thread, is_out ? TIMELINE_SWITCH_IN : TIMELINE_SWITCH_OUT,
                       TIMELINE_NO_NAME);
                is_out = !is_out;
                has_switched = true;
            } else {
                enter_or_leave(now, thread, time);
            }
        }
        now->is_out[time] = is_out;
    }
    assert_true(has_switched);
}

static void check_run(const struct truth *t, const struct active_run *run)
{
    const struct history *h = &history[t->thread];
    uint64_t out = 0, overhead = 0;

    for (uint64_t i = t->start; i < t->end; i++) {
        out += h->is_out[i];
        overhead += !h->is_out[i] && h->is_overhead[i];
    }
    assert_int_equal(run->part[ACTIVE_ELAPSED], t->end - t->start);
    assert_int_equal(run->part[ACTIVE_SWAPPED_OUT], out);
    assert_int_equal(run->part[ACTIVE_OVERHEAD], overhead);
    assert_int_equal(run->part[ACTIVE_ACTIVE], t->end - t->start - out - overhead);
    assert_int_equal(run->depth, t->depth);
}

/* The runs of a thread and section are in the order the thread left them. */
static void check_section(unsigned thread, unsigned section)
{
    size_t at = active.first[section];

    for (size_t i = 0; i < truths; i++) {
        if (truth[i].thread != thread || truth[i].section != section)
            continue;
        while (active.run[at].thread != thread)
            at++;
        assert_true(at < active.first[section + 1]);
        check_run(&truth[i], &active.run[at++]);
    }
}

static void every_cycle_counts_for_random_time_lines(void **state)
{
    static const char *const name[] = {"F", "G", "H", "I", "J"};
    uint32_t number;

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        seed = round;
        truths = 0;
        timeline_init(&timeline);
        timeline.overhead[TIMELINE_ENTER] = 3;
        timeline.overhead[TIMELINE_LEAVE] = 2;
        for (unsigned i = 0; i < THREADS; i++)
            assert_int_equal(names_add(&timeline.thread, name[i], &number, &diag), ERR_OK);
        for (unsigned i = 0; i < SECTIONS; i++)
            assert_int_equal(names_add(&timeline.name, name[i], &number, &diag), ERR_OK);
        for (unsigned i = 0; i < THREADS; i++)
            live(i);
        assert_int_equal(timeline_sort(&timeline, &diag), ERR_OK);
        assert_int_equal(active_make(&active, &timeline, &diag), ERR_OK);
        for (unsigned i = 0; i < THREADS; i++)
            for (unsigned j = 0; j < SECTIONS; j++)
                check_section(i, j);
        drop();
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void expect_refused(const char *text, const char *message)
{
    timeline_init(&timeline);
    assert_int_equal(read_text(&timeline, text), ERR_USAGE);
    assert_string_equal(strchr(diag.text, ':') + 1, message);
    timeline_free(&timeline);
}

static void wrong_records_are_told_with_their_line(void **state)
{
    (void)state;
    expect_refused("1,1,F-entry\nx,1,F-exit\n", "2: expected a time such as 900 or 0.5, found 'x'");
    expect_refused("-1,1,F-entry\n",
                   "1: expected a column time, thread, event, overhead, hart, old, new or order, "
                   "found '-1'");
    expect_refused("1,1,F-enter\n",
                   "1: expected an event F-entry, F-exit, switch-out or switch-in, "
                   "found 'F-enter'");
    expect_refused("1,1,-entry\n",
                   "1: expected an event F-entry, F-exit, switch-out or switch-in, "
                   "found '-entry'");
    expect_refused("1,,F-entry\n", "1: expected a thread, found ''");
    expect_refused("# late\n\n1,1,F-entry,-3\n", "3: expected an overhead such as 3, found '-3'");
    expect_refused("1,1,F-entry,3,4\n", "1: expected 4 fields, found 5");
    expect_refused("18446744073709551616,1,F-entry\n",
                   "1: expected a time such as 900 or 0.5, found '18446744073709551616'");
    expect_refused("18446744073709551615,1,F-entry\n0.5,1,F-exit\n",
                   "2: expected a time such as 900 or 0.5, found '0.5'");
    expect_refused("time,event\n",
                   "1: expected the columns time,thread,event or time,old,new or event,overhead");
    expect_refused("event,overhead\nF-entry,3\n",
                   "2: expected entry, exit, switch-out or switch-in, found 'F-entry'");
    expect_refused("1,1,\"F-entry\n", "1: expected a quote at the end of a field");
}

static void names_may_hold_what_csv_quotes(void **state)
{
    struct active_sum sum;

    (void)state;
    make("hart , thread,event,time\r\n1,worker 1,\"f<int, \"\"x\"\">(a-b)-entry\",5\r\n"
         "0,worker 1,\"f<int, \"\"x\"\">(a-b)-exit\",7\r\n");
    sum = sum_of("f<int, \"x\">(a-b)");
    assert_int_equal(sum.total[ACTIVE_ACTIVE], 2);
    assert_int_equal(timeline.event[0].hart, 1);
    assert_string_equal(timeline.thread.text[0], "worker 1");
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_in_cycles_is_266),
        cmocka_unit_test(a_hart_with_a_late_clock_takes_no_time_away),
        cmocka_unit_test(switches_of_one_thread_say_the_same),
        cmocka_unit_test(the_example_in_milliseconds_is_4_5),
        cmocka_unit_test(intervals_that_are_open_are_clipped),
        cmocka_unit_test(overhead_counts_once_and_not_after_the_end),
        cmocka_unit_test(recursion_counts_no_cycle_twice),
        cmocka_unit_test(an_entry_whose_exit_is_missing_spoils_nothing_later),
        cmocka_unit_test(sections_may_overlap),
        cmocka_unit_test(the_spread_is_of_whole_activations),
        cmocka_unit_test(every_cycle_counts_for_random_time_lines),
        cmocka_unit_test(wrong_records_are_told_with_their_line),
        cmocka_unit_test(names_may_hold_what_csv_quotes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
