/* Costs as they are submitted to a service (rvsim serve): summaries of limited size, each with a
 * random id. A summary has the names of functions and the program's name as given, but no path,
 * host, user or stacks. */
#ifndef PROF_API_API_SUMMARY_H
#define PROF_API_API_SUMMARY_H

#include "prof/api/api.h"

enum { API_SUMMARY_BYTES = 128 << 10, API_SUMMARY_ID = 33 };
/* Functions with longer names are left out: a service would refuse the summary. */
enum { API_SUMMARY_NAME = 4096 };

struct api_summary {
    const char *program, *version;
    double share;                   /* of the functions, picked at random: 0 to 1 */
};

/* Receives a summary: its id and its text. */
typedef enum err api_summary_take(void *arg, const char *id, const char *text, struct diag *diag);
enum err api_summary_write(const struct api *api, const struct api_summary *summary,
                           api_summary_take *take, void *arg, struct diag *diag);

#endif
