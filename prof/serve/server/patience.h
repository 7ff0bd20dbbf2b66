/* A time limit for the heads of requests: libmicrohttpd closes silent connections, but not those of
 * clients that send a byte now and then. A separate thread closes connections that have not
 * received the head of their next request in time. Bodies have their own time limit (server.c). */
#ifndef PROF_SERVE_SERVER_PATIENCE_H
#define PROF_SERVE_SERVER_PATIENCE_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/base/err.h"

struct patient;                         /* a connection */

struct patience {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ends;
    struct patient *first;
    uint64_t ns;                        /* time limit for a head */
    bool is_started, is_ending;
};

enum err patience_start(struct patience *patience, unsigned seconds, struct diag *diag);
/* Requires that no connection is left. Allowed for one that was not started. */
void patience_stop(struct patience *patience);

/* MHD_OPTION_NOTIFY_CONNECTION, with the patience as its argument. */
void patience_on_connection(void *patience, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode code);
/* has_head: the head of a request has arrived; else the request has ended, and another may
 * follow. */
void patience_has_head(struct MHD_Connection *connection, bool has_head);

#endif
