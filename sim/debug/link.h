/* The connection to gdb: a TCP port of this computer, a Unix-domain socket, or the standard
 * streams. A link accepts a single peer. */
#ifndef SIM_DEBUG_LINK_H
#define SIM_DEBUG_LINK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "sim/base/err.h"

struct link {
    int listener;               /* -1: closed, or not needed */
    int in, out;                /* -1: not connected */
    unsigned port;              /* TCP port; 0: none */
    const char *path;           /* of the socket, owned by the caller; NULL: none */
    volatile sig_atomic_t *stop_request;        /* ends waiting; may be NULL */
};

/* Listens at TCP port "1234" (0: any port) or at socket "./socket" (a name with a '/'), or takes
 * over the standard streams ("-"): from then on descriptor 0 is empty and descriptor 1 is standard
 * error. link_close is due afterwards, also after a failure. */
enum err link_open(struct link *link, const char *place, struct diag *diag);
/* Waits until gdb connects; ERR_OK without a connection if a signal asked to stop. */
enum err link_accept(struct link *link, struct diag *diag);
void link_close(struct link *link);

/* Reads up to `bytes`; with `waits` at least one. 0: nothing has arrived; -1: gdb is gone, or a
 * signal asked to stop. */
int link_read(struct link *link, void *buffer, size_t bytes, bool waits);
/* False: gdb is gone. */
bool link_write(struct link *link, const char *text, size_t bytes);

#endif
