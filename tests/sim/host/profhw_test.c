/* C4, S8: a program on the host marks a running program, reads its counters, takes its
 * interrupts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/host/profhw.h"

enum { SLICE = 100000 };

/* The input of wordindex, a third of its own source. */
#define TEXT "guest/examples/wordindex/wordindex.c"

/* The true number of calls in wordindex: the same in every run. */
static const char entry[] = "compare_words 2 counter\n";

static struct profhw *open_example(const char *name, bool is_fast)
{
    static const char *const set[] = {"machine.harts=2", NULL};
    bool has_threads = strcmp(name, "wordtally") == 0;
    char path[4096], error[PROFHW_ERROR];
    char *argv[] = {path, TEXT, NULL};
    const struct profhw_program program = {
        .path = path, .argc = has_threads ? 0 : 2, .argv = argv, .is_fast = is_fast,
        .set = has_threads ? set : NULL};
    struct profhw *profhw;

    snprintf(path, sizeof path, "%s/%s", getenv("GUEST"), name);
    profhw = profhw_open(&program, error);
    if (profhw == NULL)
        fail_msg("%s", error);
    return profhw;
}

static struct profhw *open_wordindex(bool is_fast)
{
    return open_example("wordindex", is_fast);
}

static uint64_t calls_of(struct profhw *profhw)
{
    uint64_t address, bytes;

    assert_true(profhw_symbol(profhw, "compare_words", &address, &bytes));
    return profhw_count(profhw, address, 2);
}

/* Marked from the start, to the end. */
static uint64_t true_calls(void)
{
    static uint64_t calls;
    struct profhw *profhw;
    int status;

    if (calls != 0)
        return calls;
    profhw = open_wordindex(true);
    assert_true(profhw_mark(profhw, entry));
    assert_true(profhw_run(profhw, 0));
    assert_true(profhw_has_ended(profhw, &status));
    assert_int_equal(status, 0);
    calls = calls_of(profhw);
    profhw_close(profhw);
    assert_true(calls > 1000);
    return calls;
}

static void marks_change_while_the_program_runs(void **state)
{
    struct profhw *profhw = open_wordindex(true);
    int status;

    (void)state;
    do {
        assert_true(profhw_mark(profhw, entry));
        assert_true(profhw_run(profhw, SLICE));
    } while (!profhw_has_ended(profhw, &status));
    assert_int_equal(calls_of(profhw), true_calls());
    profhw_close(profhw);
}

static void an_unmarked_routine_is_not_counted(void **state)
{
    struct profhw *profhw = open_wordindex(true);
    uint64_t counted;
    int status;

    (void)state;
    while (calls_of(profhw) == 0) {
        assert_true(profhw_mark(profhw, entry));
        assert_true(profhw_run(profhw, SLICE));
    }
    counted = calls_of(profhw);
    assert_true(profhw_mark(profhw, "main * counter\n"));
    assert_true(profhw_run(profhw, 0));
    assert_true(profhw_has_ended(profhw, &status));
    assert_int_equal(calls_of(profhw), counted);
    profhw_close(profhw);
}

struct heard { uint64_t interrupts, counted; };

static void hear(void *arg, const struct profhw_interrupt *interrupt)
{
    struct heard *heard = arg;

    heard->interrupts++;
    heard->counted += interrupt->count;
}

static void interrupts_are_told(void **state)
{
    struct profhw *profhw = open_wordindex(true);
    struct heard heard = {0};
    uint64_t calls = true_calls();

    (void)state;
    profhw_on_interrupt(profhw, hear, &heard);
    assert_true(profhw_mark(profhw, "compare_words 2 counter=99 interrupt\n"));
    assert_true(profhw_run(profhw, 0));
    assert_int_equal(heard.interrupts, calls / 100);
    assert_int_equal(heard.counted, calls / 100 * 100);
    assert_int_equal(calls_of(profhw), calls);
    profhw_close(profhw);
}

static void events_are_those_of_the_table(void **state)
{
    struct profhw *profhw = open_wordindex(false);
    uint64_t insns, cycles, none;

    (void)state;
    assert_true(profhw_run(profhw, SLICE));
    assert_true(profhw_event(profhw, "insns_retired", &insns));
    assert_true(profhw_event(profhw, "cycles", &cycles));
    assert_int_equal(insns, SLICE);
    assert_true(cycles > SLICE / 4);
    assert_false(profhw_event(profhw, "no_such_event", &none));
    profhw_close(profhw);
}

static void every_refusal_says_why(void **state)
{
    struct profhw *profhw = open_wordindex(true);
    uint64_t value, bytes;
    unsigned number;

    (void)state;
    assert_false(profhw_event(profhw, "no_such_event", &value));
    assert_non_null(strstr(profhw_error(profhw), "no_such_event"));
    assert_false(profhw_event(profhw, "dcache_miss", &value));
    assert_non_null(strstr(profhw_error(profhw), "dcache_miss: the fast engine does not"));
    assert_false(profhw_symbol(profhw, "no_such_symbol", &value, &bytes));
    assert_non_null(strstr(profhw_error(profhw), "no_such_symbol"));
    assert_false(profhw_counter_open(profhw, "loads:thread=1000", &number));
    assert_non_null(strstr(profhw_error(profhw), "guest kernel"));
    profhw_close(profhw);
}

static void wrong_metadata_is_refused(void **state)
{
    struct profhw *profhw = open_wordindex(true);

    (void)state;
    assert_true(profhw_mark(profhw, entry));
    assert_false(profhw_mark(profhw, "compare_word 2 counter\n"));
    assert_non_null(strstr(profhw_error(profhw), "did you mean"));
    assert_true(profhw_run(profhw, 0));
    assert_int_equal(calls_of(profhw), true_calls());
    profhw_close(profhw);
}

struct taken { uint64_t records, threads, locks, disordered, first, last[2]; };

static void take_record(void *arg, const struct profhw_record *record)
{
    struct taken *taken = arg;

    assert_in_range(record->hart, 0, 1);
    taken->disordered += record->cycle < taken->last[record->hart];
    taken->last[record->hart] = record->cycle;
    if (taken->records++ == 0 || record->cycle < taken->first)
        taken->first = record->cycle;
    taken->threads += strcmp(record->event, "create") == 0;
    taken->locks += strcmp(record->event, "block") == 0 && strcmp(record->reason, "lock") == 0;
}

static uint64_t cycles_of(struct profhw *profhw)
{
    uint64_t cycles;

    assert_true(profhw_register(profhw, 0, "mcycle", &cycles));
    return cycles;
}

static void the_schedulers_records_come_while_they_are_on(void **state)
{
    struct profhw *profhw = open_example("wordtally", true);
    struct taken all = {.records = 0}, part = all;
    uint64_t on, off;

    (void)state;
    assert_true(profhw_records(profhw, take_record, &all));
    assert_true(profhw_run(profhw, 0));
    profhw_close(profhw);
    assert_true(all.threads > 0 && all.locks > 0);
    assert_int_equal(all.disordered, 0);
    profhw = open_example("wordtally", true);
    assert_true(profhw_run(profhw, 20 * SLICE));
    on = cycles_of(profhw);
    assert_true(profhw_records(profhw, take_record, &part));
    assert_true(profhw_run(profhw, 10 * SLICE));
    off = cycles_of(profhw);
    assert_true(profhw_records(profhw, NULL, NULL));
    assert_in_range(part.records, 1, all.records - 1);
    assert_in_range(part.first, on - 1000, off);
    assert_in_range(part.last[0], on, off + 1000);
    on = part.records;
    assert_true(profhw_run(profhw, 0));
    assert_int_equal(part.records, on);
    profhw_close(profhw);
}

static void without_the_guest_kernel_there_are_no_records(void **state)
{
    struct profhw *profhw = open_wordindex(true);

    (void)state;
    assert_false(profhw_records(profhw, take_record, NULL));
    assert_non_null(strstr(profhw_error(profhw), "without the guest kernel"));
    profhw_close(profhw);
}

/* The program needs no kernel, and executes the same instructions of its own with one. */
static void the_guest_kernel_serves_a_program_that_asks_for_it(void **state)
{
    char path[4096], error[PROFHW_ERROR];
    char *argv[] = {path, TEXT, NULL};
    const struct profhw_program program = {
        .path = path, .argc = 2, .argv = argv, .is_fast = true, .has_kernel = true};
    struct taken taken = {.records = 0};
    struct profhw *profhw;
    int ended;

    (void)state;
    snprintf(path, sizeof path, "%s/wordindex", getenv("GUEST"));
    profhw = profhw_open(&program, error);
    assert_non_null(profhw);
    assert_true(profhw_records(profhw, take_record, &taken));
    assert_true(profhw_mark(profhw, entry));
    assert_true(profhw_run(profhw, 0));
    assert_true(profhw_has_ended(profhw, &ended));
    assert_int_equal(ended, 0);
    assert_int_equal(calls_of(profhw), true_calls());
    assert_int_not_equal(taken.records, 0);
    profhw_close(profhw);
}

/* The events of a program with threads on two harts, run in slices; 0: in one. Slices that the
 * program takes more than a hundred times are too many: it does not advance. */
static void run_in_slices(uint64_t slice, uint64_t event[3])
{
    static const char *const name[3] = {"insns_retired", "cycles", "cycles_idle"};
    struct profhw *profhw = open_example("wordtally", true);
    uint64_t slices = 0;
    int ended;

    while (!profhw_has_ended(profhw, &ended)) {
        assert_true(slices == 0 || slices * slice < UINT64_C(100) << 20);
        assert_true(profhw_run(profhw, slice));
        slices++;
    }
    for (unsigned i = 0; i < 3; i++)
        assert_true(profhw_event(profhw, name[i], &event[i]));
    profhw_close(profhw);
}

static void slices_change_nothing_on_several_harts(void **state)
{
    static const uint64_t slice[] = {200, 777, 20011};
    uint64_t whole[3], event[3];

    (void)state;
    run_in_slices(0, whole);
    for (size_t i = 0; i < sizeof slice / sizeof slice[0]; i++) {
        run_in_slices(slice[i], event);
        assert_memory_equal(event, whole, sizeof whole);
    }
}

static void a_missing_program_is_an_error(void **state)
{
    char error[PROFHW_ERROR];
    const struct profhw_program program = {.path = "/nonexistent"};

    (void)state;
    assert_null(profhw_open(&program, error));
    assert_non_null(strstr(error, "/nonexistent"));
}

/* Presets lie beside the guest programs. */
static void find_presets(void)
{
    char share[4096];

    snprintf(share, sizeof share, "%s/..", getenv("GUEST"));
    setenv("RVSIM_SHARE", share, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_change_while_the_program_runs),
        cmocka_unit_test(an_unmarked_routine_is_not_counted),
        cmocka_unit_test(interrupts_are_told),
        cmocka_unit_test(events_are_those_of_the_table),
        cmocka_unit_test(every_refusal_says_why),
        cmocka_unit_test(wrong_metadata_is_refused),
        cmocka_unit_test(the_schedulers_records_come_while_they_are_on),
        cmocka_unit_test(without_the_guest_kernel_there_are_no_records),
        cmocka_unit_test(the_guest_kernel_serves_a_program_that_asks_for_it),
        cmocka_unit_test(slices_change_nothing_on_several_harts),
        cmocka_unit_test(a_missing_program_is_an_error),
    };

    find_presets();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
