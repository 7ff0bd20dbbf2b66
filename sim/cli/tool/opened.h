/* A profile read from its file, with its program. */
#ifndef SIM_CLI_TOOL_OPENED_H
#define SIM_CLI_TOOL_OPENED_H

#include "prof/profile/profile.h"
#include "sim/host/target.h"
#include "sim/run/frames/frames_store.h"

struct opened {
    struct profile profile;
    struct target target;
    struct frames_store store;      /* of the target's libraries */
};

/* program: its file if it has moved, or NULL. Another program under its name is refused. After an
 * error nothing is left to close. */
enum err opened_read(struct opened *opened, const char *path, const char *program,
                     struct diag *diag);
void opened_close(struct opened *opened);

#endif
