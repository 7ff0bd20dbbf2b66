/* See idle_waits.h. */
#include "prof/idle/idle_waits.h"

#include <stdlib.h>

#include "pmu/sorted.h"

/* A holder of the lock wakes a waiter. */
struct idle_wake { uint64_t address; size_t place; uint32_t holder; };
/* A thread runs on a hart; before: cycles that it had run before. */
struct idle_run { uint32_t thread; uint64_t start, end, before; };

/* ---- order ----------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_waits(const void *a, const void *b)
{
    const struct idle_wait *x = a, *y = b;

    return x->thread != y->thread ? compare_numbers(x->thread, y->thread)
                                  : compare_numbers(x->start, y->start);
}

static int compare_wakes(const void *a, const void *b)
{
    const struct idle_wake *x = a, *y = b;

    return x->address != y->address ? compare_numbers(x->address, y->address)
                                    : compare_numbers(x->place, y->place);
}

static int compare_runs(const void *a, const void *b)
{
    const struct idle_run *x = a, *y = b;

    return x->thread != y->thread ? compare_numbers(x->thread, y->thread)
                                  : compare_numbers(x->start, y->start);
}

/* ---- waits and wakes ------------------------------------------------------------------------- */

static bool is_wait_up_to(const void *row, const void *wanted)
{
    return compare_waits(row, wanted) <= 0;
}

const struct idle_wait *idle_wait_at(const struct idle_waits *waits, uint32_t thread,
                                     size_t place)
{
    const struct idle_wait wanted = {.thread = thread, .start = place};
    size_t after = sorted_place(waits->wait, waits->waits, sizeof waits->wait[0],
                                is_wait_up_to, &wanted);

    return after > 0 && waits->wait[after - 1].thread == thread ? &waits->wait[after - 1] : NULL;
}

static bool is_wake_up_to(const void *row, const void *wanted)
{
    return compare_wakes(row, wanted) <= 0;
}

uint32_t idle_holder_at(const struct idle_waits *waits, uint64_t address, size_t place,
                        size_t *end)
{
    const struct idle_wake wanted = {.address = address, .place = place};
    size_t next = sorted_place(waits->wake, waits->wakes, sizeof waits->wake[0],
                               is_wake_up_to, &wanted);

    if (next == waits->wakes || waits->wake[next].address != address) {
        *end = SIZE_MAX;
        return 0;
    }
    *end = waits->wake[next].place;
    return waits->wake[next].holder;
}

static void find_waits(struct idle_waits *waits, const struct sched_log *log)
{
    for (size_t i = 0; i < log->records; i++) {
        const struct kernel_record *record = &log->record[i];

        if (record->event == KERNEL_BLOCK && record->reason < IDLE_CAUSES &&
            !idle_is_sampler(record->thread))
            waits->wait[waits->waits++] = (struct idle_wait){
                .start = i, .end = SIZE_MAX, .thread = record->thread,
                .value = record->reason == KERNEL_REASON_LOCK ? record->value : 0,
                .reason = record->reason,
            };
    }
    qsort(waits->wait, waits->waits, sizeof *waits->wait, compare_waits);
}

/* A wake ends the last wait of its thread, if that is still open. */
static void find_wakes(struct idle_waits *waits, const struct sched_log *log)
{
    for (size_t i = 0; i < log->records; i++) {
        const struct kernel_record *record = &log->record[i];
        const struct idle_wait *wait = NULL;

        if (record->event == KERNEL_WAKE)
            wait = idle_wait_at(waits, record->thread, i);
        if (wait == NULL || wait->end != SIZE_MAX)
            continue;
        waits->wait[wait - waits->wait].end = i;
        if (wait->reason == KERNEL_REASON_LOCK && record->reason == KERNEL_REASON_NONE)
            waits->wake[waits->wakes++] =
                (struct idle_wake){wait->value, i, record->other};
    }
    qsort(waits->wake, waits->wakes, sizeof *waits->wake, compare_wakes);
}

/* ---- runs ------------------------------------------------------------------------------------ */

struct hart_runs { uint32_t thread; uint64_t since; };

static void end_run(struct idle_waits *waits, const struct hart_runs *hart, uint64_t cycle)
{
    if (hart->thread != 0 && !idle_is_sampler(hart->thread))
        waits->run[waits->runs++] = (struct idle_run){hart->thread, hart->since, cycle, 0};
}

/* The first change of a hart begins its first run, the last one ends its last. */
static bool find_runs(struct idle_waits *waits, const struct sched_log *log,
                      const struct sched_places *places)
{
    struct hart_runs *hart = calloc(log->harts, sizeof *hart);

    if (hart == NULL)
        return false;
    for (unsigned i = 0; i < log->harts; i++) {
        const struct sched_change *first = places->change[places->first[i]];

        hart[i] = (struct hart_runs){first->thread, first->cycles};
    }
    for (size_t i = 0; i < log->records; i++) {
        const struct kernel_record *record = &log->record[i];

        if (record->event != KERNEL_SWITCH)
            continue;
        end_run(waits, &hart[record->hart], record->cycle);
        hart[record->hart] = (struct hart_runs){record->other, record->cycle};
    }
    for (unsigned i = 0; i < log->harts; i++)
        end_run(waits, &hart[i], places->change[places->last[i]]->cycles);
    free(hart);
    return true;
}

static void sum_runs(struct idle_waits *waits)
{
    qsort(waits->run, waits->runs, sizeof *waits->run, compare_runs);
    for (size_t i = 1; i < waits->runs; i++) {
        const struct idle_run *last = &waits->run[i - 1];

        if (last->thread == waits->run[i].thread)
            waits->run[i].before = last->before + last->end - last->start;
    }
}

static bool is_run_up_to(const void *row, const void *wanted)
{
    return compare_runs(row, wanted) <= 0;
}

uint64_t idle_run_until(const struct idle_waits *waits, uint32_t thread, uint64_t cycle)
{
    const struct idle_run wanted = {.thread = thread, .start = cycle}, *run;
    size_t place = sorted_place(waits->run, waits->runs, sizeof waits->run[0], is_run_up_to,
                                &wanted);

    run = place > 0 && waits->run[place - 1].thread == thread ? &waits->run[place - 1] : NULL;
    if (run == NULL)
        return 0;
    return run->before + (cycle < run->end ? cycle : run->end) - run->start;
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool idle_waits_make(struct idle_waits *waits, const struct sched_log *log,
                     const struct sched_places *places)
{
    *waits = (struct idle_waits){
        .wait = malloc((log->records + 1) * sizeof *waits->wait),
        .wake = malloc((log->records + 1) * sizeof *waits->wake),
        .run = malloc((log->records + log->harts + 1) * sizeof *waits->run),
    };
    if (waits->wait == NULL || waits->wake == NULL || waits->run == NULL)
        return false;
    find_waits(waits, log);
    find_wakes(waits, log);
    if (!find_runs(waits, log, places))
        return false;
    sum_runs(waits);
    return true;
}

void idle_waits_free(struct idle_waits *waits)
{
    free(waits->wait);
    free(waits->wake);
    free(waits->run);
}
