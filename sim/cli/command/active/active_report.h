/* Three measurements of the active time of sections, side by side, as text and as JSON. */
#ifndef SIM_CLI_COMMAND_ACTIVE_ACTIVE_REPORT_H
#define SIM_CLI_COMMAND_ACTIVE_ACTIVE_REPORT_H

#include "sim/cli/command/active/active_run.h"

void active_report_print(const struct active_run_all *all, FILE *out);
enum err active_report_json(const struct active_run_all *all, FILE *out, struct diag *diag);

#endif
