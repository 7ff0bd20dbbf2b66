/* Alarms of functions that ran longer than their limits: the state at each alarm, and its output as
 * text and as JSON (U7, U8).
 *
 * Times are cycles. Executed: cycles that the thread ran in the function. Elapsed: cycles since it
 * was entered; in the difference it waited, or was switched out. Alarms of one function whose
 * stacks have the same functions are a group. */
#ifndef PROF_HANG_H
#define PROF_HANG_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "pmu/monitor/monitor_record.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

/* The report that a control file requests for a function (U6). */
enum hang_report { HANG_FULL, HANG_LIGHT, HANG_NO_REPORT };

struct hang_limit {
    const char *function;
    char *awaited;                      /* the function's name, of a library that is loaded later;
                                           NULL: it is the program's */
    uint64_t address, cycles;           /* awaited: 0 before its first alarm */
    bool is_elapsed;                    /* of elapsed time, not of executed */
    enum hang_report report;            /* light: only the hanging thread, and no dump */
    uint64_t times, alarms;             /* most alarms reported, 0: all; alarms up to now */
};

enum hang_wait { HANG_RUNS, HANG_IS_READY, HANG_WAITS, HANG_WAITS_LOCK, HANG_WAITS_END };

struct hang_thread {
    uint32_t tid;
    char name[17];
    int hart;                           /* where it runs; -1: nowhere */
    enum hang_wait wait;
    const char *reason;                 /* HANG_WAITS: "sleep" */
    uint64_t lock;                      /* HANG_WAITS_LOCK: its address */
    uint32_t holder;                    /* holder of the lock, or thread whose end it waits for; 0:
                                         * unknown */
    struct monitor_stack stack;
};

struct hang_alarm {
    unsigned limit;                     /* index in hang.limit */
    uint64_t executed, elapsed;
    uint64_t cycle, time_ns;            /* of the run */
    uint32_t tid;
    int hart;                           /* where it runs; -1: nowhere */
    struct hang_thread *thread;         /* all, the hanging thread first; after the first alarm of a
                                         * group only the hanging thread */
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
    uint64_t unreported;                /* alarms beyond a limit's largest number */
    uint64_t begun, refused;            /* calls that were watched; not watched, for lack of
                                         * limits */
    uint64_t cycles, cycles_without;    /* of the run; of a run without limits, 0: not made */
    char end[320];                      /* how the run ended, unless by an exit */
    struct hang_thread *left;           /* threads left at that time */
    size_t lefts;
};

/* Takes over the memory that the alarm points to, even after an error. */
enum err hang_add(struct hang *hang, const struct hang_alarm *alarm, struct diag *diag);
/* The group of a stack, to be freed; NULL: no memory. */
char *hang_group(const struct symbols *symbols, const struct monitor_stack *stack);
/* The limit on the function at this address, also by the name of an awaited function, whose limit
 * gets the address. False: none. */
bool hang_find_limit(struct hang *hang, uint64_t function, unsigned *limit);
/* The first alarm of this function and group; NULL: none yet. */
const struct hang_alarm *hang_first(const struct hang *hang, unsigned limit, const char *group);
void hang_free(struct hang *hang);

/* In hang_print.c: each group, by its first alarm. In hang_json.c: all alarms. */
void hang_print(const struct hang *hang, FILE *out);
/* The report as a document, to be freed; *id is its identity. */
enum { HANG_ID = 17 };
cJSON *hang_make_report(const struct hang *hang, char id[HANG_ID]);

#endif
