/* See profiler_threads.h. The hardware counts for all threads together. When the hart switches
 * threads, the difference since the last switch is charged to the thread that leaves. */
#include "sim/run/profiler/profiler_threads.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "shadowcache/shadow_look.h"
#include "sim/run/profiler/profiler_internal.h"

struct book_hart {
    struct profiler_threads *threads;
    struct cpu *cpu;
    struct pmu_listener listener;
    struct { uint64_t entries, executed; } range[2 * PROF_RANGES];     /* counts already charged */
    uint64_t counter[PMU_COUNTERS_MAX];
};

struct profiler_threads {
    const struct profiler *profiler;
    struct book_hart *hart;                  /* [profiler->harts] */
    struct ledger book[PROFILER_BOOKS];
    struct { struct ledger_row *row; size_t rows; } collected[PROFILER_BOOKS];
    uint64_t first;                     /* a thread that ran, possibly an idle thread */
    bool has_first, is_divided;         /* is_divided: other threads ran too */
};

/* ---- counts of a thread ---------------------------------------------------------------------- */

static void add(struct book_hart *hart, enum profiler_book book, uint64_t place, uint64_t thread,
                uint64_t first, uint64_t second)
{
    const uint64_t value[LEDGER_VALUES] = {first, second};

    if ((first | second) != 0)
        ledger_add(&hart->threads->book[book], place, (uint32_t)thread, value);
}

/* The difference to *before, which becomes now. A register that was set again starts from 0. */
static uint64_t since(uint64_t *before, uint64_t now)
{
    uint64_t counted = now >= *before ? now - *before : now;

    *before = now;
    return counted;
}

static void charge_ranges(struct book_hart *hart, uint64_t thread)
{
    const struct pmu *pmu = &hart->cpu->pmu;

    for (unsigned i = 0; i < 2 * PROF_RANGES; i++) {
        const struct pmu_range *range = i < PROF_RANGES ? &pmu->irange[i]
                                                        : &pmu->drange[i - PROF_RANGES];
        uint64_t entries = since(&hart->range[i].entries, range->entries);

        add(hart, PROFILER_RANGES, i, thread, entries,
            since(&hart->range[i].executed, range->executed));
    }
}

static void charge_counters(struct book_hart *hart, uint64_t thread)
{
    const struct profiler *profiler = hart->threads->profiler;
    unsigned index = (unsigned)(hart->cpu - profiler->cpu);

    for (unsigned i = profiler->counters.period != 0; i < profiler->counters.count; i++)
        add(hart, PROFILER_COUNTERS, i, thread,
            since(&hart->counter[i], profiler_hart_counter(profiler, index, i)), 0);
}

static void charge(struct book_hart *hart, uint64_t thread)
{
    charge_ranges(hart, thread);
    charge_counters(hart, thread);
}

static void see(struct profiler_threads *threads, uint64_t thread)
{
    threads->is_divided |= threads->has_first && thread != threads->first;
    threads->first = threads->has_first ? threads->first : thread;
    threads->has_first = true;
}

static void change_thread(void *arg, uint64_t before, uint64_t now)
{
    struct book_hart *hart = arg;

    charge(hart, before);
    see(hart->threads, now);
}

static void take_count(void *arg, uint64_t place, uint64_t count, uint64_t interrupts)
{
    struct book_hart *hart = arg;

    add(hart, PROFILER_MARKS, place, hart->cpu->pmu.thread.id, count, interrupts);
}

void profiler_threads_record(struct profiler *profiler, const struct cpu *cpu, uint64_t slot,
                             const struct monitor_sample *sample)
{
    const uint64_t value[LEDGER_VALUES] = {1, sample->count, sample->cycles, sample->insns};

    if (profiler->threads != NULL)
        ledger_add(&profiler->threads->book[PROFILER_RECORDS], slot,
                   (uint32_t)cpu->pmu.thread.id, value);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void follow(struct book_hart *hart)
{
    struct cpu *cpu = hart->cpu;

    charge(hart, 0);
    see(hart->threads, cpu->pmu.thread.id);
    hart->listener = (struct pmu_listener){.changed = change_thread, .arg = hart};
    pmu_listen(&cpu->pmu.thread, &hart->listener);
    if (cpu->ishadow != NULL)
        shadow_on_count(cpu->ishadow, take_count, hart);
    if (cpu->dshadow != NULL)
        shadow_on_count(cpu->dshadow, take_count, hart);
}

enum err profiler_follow_threads(struct profiler *profiler, struct diag *diag)
{
    struct profiler_threads *threads = calloc(1, sizeof *threads);

    if (threads != NULL)
        threads->hart = calloc(profiler->harts, sizeof *threads->hart);
    if (threads == NULL || threads->hart == NULL) {
        free(threads);
        return diag_no_memory(diag, "threads");
    }
    threads->profiler = profiler;
    profiler->threads = threads;
    for (unsigned i = 0; i < profiler->harts; i++) {
        threads->hart[i].threads = threads;
        threads->hart[i].cpu = &profiler->cpu[i];
        follow(&threads->hart[i]);
    }
    for (unsigned i = 0; i < PROFILER_BOOKS; i++)
        ledger_free(&threads->book[i]);     /* earlier counts belong to no thread */
    return ERR_OK;
}

void profiler_threads_free(struct profiler *profiler)
{
    struct profiler_threads *threads = profiler->threads;

    if (threads == NULL)
        return;
    for (unsigned i = 0; i < PROFILER_BOOKS; i++) {
        ledger_free(&threads->book[i]);
        free(threads->collected[i].row);
    }
    free(threads->hart);
    free(threads);
    profiler->threads = NULL;
}

enum err profiler_threads_collect(struct profiler *profiler, struct diag *diag)
{
    struct profiler_threads *threads = profiler->threads;
    bool is_good = true;

    if (threads == NULL)
        return ERR_OK;
    for (unsigned i = 0; i < profiler->harts; i++)
        charge(&threads->hart[i], threads->hart[i].cpu->pmu.thread.id);
    for (unsigned i = 0; i < PROFILER_BOOKS; i++) {
        free(threads->collected[i].row);
        threads->collected[i].row = ledger_sorted(&threads->book[i], &threads->collected[i].rows);
        is_good &= threads->collected[i].row != NULL && !threads->book[i].has_failed;
    }
    return is_good ? ERR_OK : diag_no_memory(diag, "threads");
}

void profiler_threads_forget(struct profiler *profiler, enum profiler_book book)
{
    struct profiler_threads *threads = profiler->threads;

    if (threads == NULL)
        return;
    ledger_free(&threads->book[book]);
    for (unsigned i = 0; i < profiler->harts && book == PROFILER_RANGES; i++)
        memset(threads->hart[i].range, 0, sizeof threads->hart[i].range);
}

bool profiler_only_thread(const struct profiler *profiler, uint32_t *thread)
{
    const struct profiler_threads *threads = profiler->threads;

    *thread = threads != NULL ? (uint32_t)threads->first : 0;
    return threads != NULL && !threads->is_divided;
}

static bool is_before(const void *row, const void *place)
{
    return ((const struct ledger_row *)row)->place < *(const uint64_t *)place;
}

const struct ledger_row *profiler_thread_rows(const struct profiler *profiler,
                                              enum profiler_book book, uint64_t place,
                                              size_t *rows)
{
    const struct profiler_threads *threads = profiler->threads;
    const struct ledger_row *row;
    size_t all, first;

    *rows = 0;
    if (threads == NULL || !threads->is_divided)
        return NULL;
    row = threads->collected[book].row;
    all = threads->collected[book].rows;
    first = sorted_place(row, all, sizeof *row, is_before, &place);
    while (first + *rows < all && row[first + *rows].place == place)
        ++*rows;
    return row + first;
}
