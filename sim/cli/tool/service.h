/* rvsim as a client of a service (rvsim serve), by the program rvsim-service beside it. */
#ifndef SIM_CLI_TOOL_SERVICE_H
#define SIM_CLI_TOOL_SERVICE_H

#include "prof/api/api_summary.h"
#include "sim/cli/command/commands.h"

/* Replaces the process by rvsim-service with these words; returns only on failure: the exit
 * status. */
int service_exec(char **word);

/* ERR_USAGE: not the address of a service. */
enum err service_check_url(const char *url, struct diag *diag);

/* Puts the costs into the outbox of this service, and sends the outbox: in the background, or
 * waiting for it. Costs that cannot be sent stay there for the next time. */
enum err service_submit(const struct api *api, const char *url, const struct api_summary *summary,
                        bool waits, struct diag *diag);
/* As service_submit, for a report of rvsim hang with this identity. */
enum err service_submit_hangs(const char *url, const char *id, const char *text, bool waits,
                              struct diag *diag);
/* Fetches the service's costs of the functions of `api`. */
enum err service_fetch(struct api *published, const char *url, const struct api *api,
                       struct diag *diag);
/* Fetches the service's costs of functions whose names contain a text. */
enum err service_search(struct api *published, const char *url, const char *text,
                        struct diag *diag);
/* The control file of a program as JSON, which the caller frees. */
enum err service_fetch_control(char **text, const char *url, const char *program,
                               struct diag *diag);

#endif
