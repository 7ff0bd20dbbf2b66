/* Loads that memory delays beyond their first answer. See late_loads.c. */
#ifndef SIM_CORE_LSU_LATE_LOADS_H
#define SIM_CORE_LSU_LATE_LOADS_H

#include <stdbool.h>

struct config;
struct core;
struct late_loads;
struct mem_response;
struct uop;

bool late_loads_are_followed(const struct config *config);
/* NULL: no memory. */
struct late_loads *late_loads_new(void);
void late_loads_free(struct late_loads *late);
/* The load was answered with a line on its way. */
void late_loads_note(struct core *core, const struct uop *uop, const struct mem_response *response);
/* A miss may have moved the lines of others. */
void late_loads_follow(struct core *core);

#endif
