/* rvsim as a client of a service (rvsim serve), by the program rvsim-service beside it. */
#ifndef SIM_CLI_SERVICE_H
#define SIM_CLI_SERVICE_H

#include "prof/api/api_summary.h"
#include "sim/cli/commands.h"

/* Becomes rvsim-service with these words; returns only if it cannot: the exit status. */
int service_exec(char **word);

/* Puts the costs into the outbox of this service, and sends what is there: in the background, or
 * waiting for it. What cannot be sent stays there for the next time. */
enum err service_submit(const struct api *api, const char *url, const struct api_summary *summary,
                        bool waits, struct diag *diag);
/* What the service has of the functions of `api`. */
enum err service_fetch(struct api *published, const char *url, const struct api *api,
                       struct diag *diag);

#endif
