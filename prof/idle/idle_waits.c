/* See idle_waits.h. */
#include "pmu/sorted.h"
#include "prof/idle/idle_waits.h"

#include <stdlib.h>


/* A holder of the lock wakes a waiter. */
struct idle_wake { uint64_t address, cycle; uint32_t holder; };
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
                                    : compare_numbers(x->cycle, y->cycle);
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
                                     uint64_t cycle)
{
    const struct idle_wait wanted = {.thread = thread, .start = cycle};
    size_t place = sorted_place(waits->wait, waits->waits, sizeof waits->wait[0],
                                is_wait_up_to, &wanted);

    return place > 0 && waits->wait[place - 1].thread == thread ? &waits->wait[place - 1] : NULL;
}

static bool is_wake_up_to(const void *row, const void *wanted)
{
    return compare_wakes(row, wanted) <= 0;
}

uint32_t idle_holder_at(const struct idle_waits *waits, uint64_t address, uint64_t cycle,
                        uint64_t *end)
{
    const struct idle_wake wanted = {.address = address, .cycle = cycle};
    size_t place = sorted_place(waits->wake, waits->wakes, sizeof waits->wake[0],
                                is_wake_up_to, &wanted);

    if (place == waits->wakes || waits->wake[place].address != address) {
        *end = UINT64_MAX;
        return 0;
    }
    *end = waits->wake[place].cycle;
    return waits->wake[place].holder;
}

static void find_waits(struct idle_waits *waits, const struct idle_history *history)
{
    for (size_t i = 0; i < history->records; i++) {
        const struct kernel_record *record = &history->record[i];

        if (record->event == KERNEL_BLOCK && record->reason < IDLE_CAUSES &&
            !idle_is_sampler(record->thread))
            waits->wait[waits->waits++] = (struct idle_wait){
                .start = record->cycle, .end = UINT64_MAX, .thread = record->thread,
                .value = record->reason == KERNEL_REASON_LOCK ? record->value : 0,
                .reason = record->reason,
            };
    }
    qsort(waits->wait, waits->waits, sizeof *waits->wait, compare_waits);
}

/* A wake ends the last wait of its thread, if that is still open. */
static void find_wakes(struct idle_waits *waits, const struct idle_history *history)
{
    for (size_t i = 0; i < history->records; i++) {
        const struct kernel_record *record = &history->record[i];
        const struct idle_wait *wait = NULL;

        if (record->event == KERNEL_WAKE)
            wait = idle_wait_at(waits, record->thread, record->cycle);
        if (wait == NULL || wait->end != UINT64_MAX)
            continue;
        waits->wait[wait - waits->wait].end = record->cycle;
        if (wait->reason == KERNEL_REASON_LOCK && record->reason == KERNEL_REASON_NONE)
            waits->wake[waits->wakes++] =
                (struct idle_wake){wait->value, record->cycle, record->other};
    }
    qsort(waits->wake, waits->wakes, sizeof *waits->wake, compare_wakes);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void find_runs(struct idle_waits *waits, const struct idle_history *history, unsigned hart)
{
    struct idle_switch from = {.hart = hart};

    for (size_t i = 0; i < history->changes; i++) {
        const struct idle_switch *to = &history->change[i];

        if (to->hart != hart)
            continue;
        if (from.thread != 0 && !idle_is_sampler(from.thread))
            waits->run[waits->runs++] =
                (struct idle_run){from.thread, from.cycles, to->cycles, 0};
        from = *to;
    }
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

bool idle_waits_make(struct idle_waits *waits, const struct idle_history *history)
{
    *waits = (struct idle_waits){
        .wait = malloc((history->records + 1) * sizeof *waits->wait),
        .wake = malloc((history->records + 1) * sizeof *waits->wake),
        .run = malloc((history->changes + 1) * sizeof *waits->run),
    };
    if (waits->wait == NULL || waits->wake == NULL || waits->run == NULL)
        return false;
    find_waits(waits, history);
    find_wakes(waits, history);
    for (unsigned i = 0; i < history->harts; i++)
        find_runs(waits, history, i);
    sum_runs(waits);
    return true;
}

void idle_waits_free(struct idle_waits *waits)
{
    free(waits->wait);
    free(waits->wake);
    free(waits->run);
}
