/* A hang report as a client submits it: alarms of one program.
 *
 * {"schema": 1, "id": "...", "program": "...", "version": "...", "hangs": [{"tag": "...",
 * "threshold": N, "executed": N, "unit": "ns" or "cycles", "stack": ["main", ..., leaf]}]}. Other
 * keys of a hang (elapsed time, other threads' stacks, locks, the name of a core) are kept as they
 * are. The other form is that of rvsim hang --json, with "build" for the version and "alarms" for
 * the hangs, whose stacks are those of their threads, leaf first. All content is validated. */
#ifndef PROF_SERVE_STORE_HANG_REPORT_H
#define PROF_SERVE_STORE_HANG_REPORT_H

#include "prof/serve/store/summary.h"

enum { HANG_FRAMES_MAX = 1024 };

struct hang_report {
    const char *tag, *unit;
    char *stack;                    /* "main;...;leaf"; a ';' in a name becomes ':' */
    char *text;                     /* the whole object */
    uint64_t executed;
};

struct hang_reports {
    cJSON *json;
    struct summary_head head;
    struct hang_report *hang;
    size_t hangs;
};

/* `text` is UTF-8 (body.h). hang_reports_free is due afterwards, also after an error. */
enum err hang_reports_read(struct hang_reports *reports, const char *text, struct diag *diag);
void hang_reports_free(struct hang_reports *reports);

#endif
