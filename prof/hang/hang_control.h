/* The control file of a program, which rvsim hang reads from a service (U6): see
 * prof/serve/store/control.h. */
#ifndef PROF_HANG_HANG_CONTROL_H
#define PROF_HANG_HANG_CONTROL_H

#include <cjson/cJSON.h>

#include "prof/hang/hang.h"

struct hang_control {
    const char *tag, *threshold;        /* of a function, or "*"; "2ms", "5M", or "" */
    enum hang_report report;
    uint64_t times;                     /* 0 only with HANG_NO_REPORT */
};

struct hang_controls { cJSON *json; struct hang_control *tag; size_t tags; };

/* hang_controls_free is due afterwards, also after an error. */
enum err hang_controls_read(struct hang_controls *controls, const char *text, struct diag *diag);
void hang_controls_free(struct hang_controls *controls);

#endif
