/* Alarms of functions that ran longer than their limits: what was seen at each, and who writes it
 * as text and as JSON (U7, U8).
 *
 * Times are cycles. Executed is what the thread ran in the function, elapsed what passed since it
 * was entered; the rest it waited, or was switched out. Alarms of one function whose stacks have
 * the same functions are a group. */
#ifndef PROF_HANG_H
#define PROF_HANG_H

#include <stdio.h>

#include "pmu/monitor_record.h"
#include "prof/symbols.h"
#include "sim/base/err.h"

/* How a control file may ask to report a function (U6). */
enum hang_report { HANG_FULL, HANG_LIGHT, HANG_NO_REPORT };

struct hang_limit {
    const char *function;
    uint64_t address, cycles;
    bool is_elapsed;                    /* of elapsed time, not of executed */
    enum hang_report report;            /* light: the thread that hangs alone, and no dump */
    uint64_t times, alarms;             /* reported at most, 0: always; alarms so far */
};

enum hang_wait { HANG_RUNS, HANG_IS_READY, HANG_WAITS, HANG_WAITS_LOCK, HANG_WAITS_END };

struct hang_thread {
    uint32_t tid;
    char name[17];
    int hart;                           /* where it runs; -1: nowhere */
    enum hang_wait wait;
    const char *reason;                 /* HANG_WAITS: "sleep" */
    uint64_t lock;                      /* HANG_WAITS_LOCK: its address */
    uint32_t holder;                    /* of the lock, or the thread whose end it waits for; 0:
                                           unknown */
    struct monitor_stack stack;
};

struct hang_alarm {
    unsigned limit;                     /* its place in hang.limit */
    uint64_t executed, elapsed;
    uint64_t cycle, time_ns;            /* of the run */
    uint32_t tid;
    int hart;                           /* where it runs; -1: nowhere */
    struct hang_thread *thread;         /* all, the one that hangs first; of an alarm that is not
                                           the first of its group that one alone */
    size_t threads;
    char *group;                        /* "main;step;crunch" */
    char *dump;                         /* file; NULL: none */
};

struct hang {
    const struct symbols *symbols;
    const char *program, *build, *engine;   /* without directories; an identity */
    uint64_t clock_mhz;
    struct hang_limit *limit;
    size_t limits;
    struct hang_alarm *alarm;
    size_t alarms;
    uint64_t unreported;                /* more alarms of a limit than it may have */
    uint64_t begun, refused;            /* calls that were watched, and not: too many at once */
    uint64_t cycles, cycles_without;    /* of the run; of one that nobody watched, 0: not made */
    char end[320];                      /* why the run ended, when it was no exit */
    struct hang_thread *left;           /* then: the threads that were left */
    size_t lefts;
};

/* Takes over what the alarm points to, also after an error. */
enum err hang_add(struct hang *hang, const struct hang_alarm *alarm, struct diag *diag);
/* The group of a stack, to be freed; NULL: no memory. */
char *hang_group(const struct symbols *symbols, const struct monitor_stack *stack);
/* The limit on the function at this address. */
bool hang_find_limit(const struct hang *hang, uint64_t function, unsigned *limit);
/* The first alarm of this function and group; NULL: there is none yet. */
const struct hang_alarm *hang_first(const struct hang *hang, unsigned limit, const char *group);
void hang_free(struct hang *hang);

/* hang_print.c: each group, by its first alarm. hang_json.c: all. */
void hang_print(const struct hang *hang, FILE *out);
enum err hang_print_json(const struct hang *hang, FILE *out, struct diag *diag);
/* The same JSON; *id is its identity. */
enum { HANG_ID = 17 };
enum err hang_write_report(const struct hang *hang, FILE *out, char id[HANG_ID],
                           struct diag *diag);

#endif
