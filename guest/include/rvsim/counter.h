/* Programmable counters for programs in user mode: Linux programs count their own events.
 *
 * Inline functions over the user registers of pmu/abi.h, nothing to link. They use the hart's
 * programmable counters. A counter without an event is free, so several users in a program, and
 * `rvsim --count`, share them without conflict. Under the guest kernel a counter belongs to the
 * thread that opened it, on any hart that runs the thread; elsewhere it belongs to the hart.
 * On a processor without this hardware the accesses are illegal instructions. */
#ifndef RVSIM_COUNTER_H
#define RVSIM_COUNTER_H

#include "rvsim/profiling.h"

/* PROF_EVENT_LOADS and so on: the events of `rvsim events`. */
#define EVENT(id, code, name, scope, place, meaning) PROF_EVENT_##id = code,
enum prof_event {
    PROF_EVENT_NONE = 0,
#include "pmu/event.def"
};
#undef EVENT

/* Filters, or'ed to the event: at most one of the first two, and at most one of the others. */
#define PROF_ONLY_USER      (3ull << 61)    /* in user mode */
#define PROF_ONLY_KERNEL    (1ull << 60)    /* in supervisor and machine mode */
#define PROF_ONLY_MARKED    ((unsigned long long)PMU_FILTER_MARKED << PMU_FILTER_SHIFT)
#define PROF_ONLY_LABEL(k)  ((unsigned long long)PMU_FILTER_LABEL << PMU_FILTER_SHIFT | \
                             (unsigned long long)(k) << PMU_ARGUMENT_SHIFT)
#define PROF_ONLY_STARTED   ((unsigned long long)PMU_FILTER_TOGGLE << PMU_FILTER_SHIFT)
#define PROF_ONLY_RANGE(i)  ((unsigned long long)PMU_FILTER_RANGE << PMU_FILTER_SHIFT | \
                             (unsigned long long)(i) << PMU_ARGUMENT_SHIFT)

#define PROF_ONLY_THREAD(t) ((unsigned long long)PMU_FILTER_THREAD << PMU_FILTER_SHIFT | \
                             (unsigned long long)(t) << PMU_ARGUMENT_SHIFT)

enum { PROF_COUNTER_FIRST = 3, PROF_COUNTERS = 32 };

/* An open counter: hpmcounter `number`, and its value when the count began. */
struct prof_counter { unsigned number; unsigned long long begun; };

/* ---- registers by number: a CSR's number is part of its instruction -------------------------- */

#define PROF_EACH_COUNTER_(do) \
    do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15) do(16) \
    do(17) do(18) do(19) do(20) do(21) do(22) do(23) do(24) do(25) do(26) do(27) do(28) do(29) \
    do(30) do(31)

static inline unsigned long long prof_event_read(unsigned number)
{
    switch (number) {
#if __riscv_xlen == 32
#define PROF_CASE_(i) case i: return prof_csr_read(CSR_PROF_EVENT + i) | \
        (unsigned long long)prof_csr_read(CSR_PROF_EVENT + 0x80 + i) << 32;
#else
#define PROF_CASE_(i) case i: return prof_csr_read(CSR_PROF_EVENT + i);
#endif
    PROF_EACH_COUNTER_(PROF_CASE_)
#undef PROF_CASE_
    default:
        return 0;
    }
}

static inline void prof_event_write(unsigned number, unsigned long long select)
{
    switch (number) {
#if __riscv_xlen == 32
#define PROF_CASE_(i) case i: \
        prof_csr_write(CSR_PROF_EVENT + 0x80 + i, select >> 32); \
        prof_csr_write(CSR_PROF_EVENT + i, select); \
        break;
#else
#define PROF_CASE_(i) case i: prof_csr_write(CSR_PROF_EVENT + i, select); break;
#endif
    PROF_EACH_COUNTER_(PROF_CASE_)
#undef PROF_CASE_
    default: break;
    }
}

/* The value of hpmcounter `number`. */
static inline unsigned long long prof_hpmcounter(unsigned number)
{
    switch (number) {
#if __riscv_xlen == 32
#define PROF_CASE_(i) case i: { \
        unsigned long high, low; \
        do { \
            high = prof_csr_read(0xc80 + i); \
            low = prof_csr_read(0xc00 + i); \
        } while (high != prof_csr_read(0xc80 + i)); \
        return (unsigned long long)high << 32 | low; }
#else
#define PROF_CASE_(i) case i: return prof_csr_read(0xc00 + i);
#endif
    PROF_EACH_COUNTER_(PROF_CASE_)
#undef PROF_CASE_
    default:
        return 0;
    }
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Takes a free counter and begins to count from the next instruction on. select: an event with
 * filters, such as PROF_EVENT_LOADS | PROF_ONLY_USER. -1: all counters are taken. */
static inline int prof_counter_open(struct prof_counter *counter, unsigned long long select)
{
    for (unsigned i = PROF_COUNTER_FIRST; i < PROF_COUNTERS; i++) {
        if ((prof_event_read(i) & 0xff) != PROF_EVENT_NONE)
            continue;
        counter->number = i;
        counter->begun = prof_hpmcounter(i);
        prof_event_write(i, select);
        if (prof_event_read(i) == select)   /* else the machine has no counter of this number */
            return 0;
    }
    return -1;
}

/* The count since the counter was opened or restarted. */
static inline unsigned long long prof_counter_read(const struct prof_counter *counter)
{
    return prof_hpmcounter(counter->number) - counter->begun;
}

static inline void prof_counter_begin(struct prof_counter *counter)
{
    counter->begun = prof_hpmcounter(counter->number);
}

/* Stops counting; the count can still be read. The next prof_counter_open may take it. */
static inline void prof_counter_close(const struct prof_counter *counter)
{
    prof_event_write(counter->number, PROF_EVENT_NONE);
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* Switches marks and the indicators in the instruction stream (rvsim/indicator.h) on or off. */
static inline void prof_marks_enable(int is_enabled)
{
    prof_csr_write(CSR_PROF_UMODE, is_enabled ? PROF_MODE_ENABLE : 0);
}

/* Writes the counts that the hardware holds to memory, where loads from a work area find them. */
static inline void prof_counts_sync(void)
{
    prof_csr_write(CSR_PROF_USYNC, 0);
}

#endif
