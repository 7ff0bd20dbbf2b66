/* The way to gdb: a TCP port of this machine, a socket in a directory, or the standard streams.
 * One peer at a time, and one in all. */
#ifndef SIM_DEBUG_LINK_H
#define SIM_DEBUG_LINK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "sim/base/err.h"

struct link {
    int listener;               /* -1: none is needed any more */
    int in, out;                /* -1: not connected */
    unsigned port;              /* 0: it is no TCP port */
    const char *path;           /* of the socket; NULL: it is none. The caller's */
    volatile sig_atomic_t *stop_request;        /* ends waiting; may be NULL */
};

/* Listens at "1234" (0: any port), at "./socket" (a name with a '/'), or takes over the standard
 * streams ("-"): from then on descriptor 0 has nothing to read and descriptor 1 is standard error.
 * link_close is due afterwards, also after a failure. */
enum err link_open(struct link *link, const char *place, struct diag *diag);
/* Waits until gdb connects; ERR_OK without a connection if a signal asked to stop. */
enum err link_accept(struct link *link, struct diag *diag);
void link_close(struct link *link);

/* Up to `bytes`, at least one if `waits`. 0: nothing is there; -1: gdb is gone, or a signal asked
 * to stop. */
int link_read(struct link *link, void *buffer, size_t bytes, bool waits);
/* False: gdb is gone. */
bool link_write(struct link *link, const char *text, size_t bytes);

#endif
