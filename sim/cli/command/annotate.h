/* rvsim annotate, and `rvsim report --annotate`, which does the same with fewer options. */
#ifndef SIM_CLI_COMMAND_ANNOTATE_H
#define SIM_CLI_COMMAND_ANNOTATE_H

#include "prof/report/report.h"

enum err annotate_report(const struct report *report, const char *routine, struct diag *diag);

#endif
