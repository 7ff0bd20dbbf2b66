/* Clients that send the head of a request byte by byte: libmicrohttpd closes a connection that is
 * silent, and a byte now and then is no silence. A thread of its own closes connections whose next
 * request has no head after a while. Bodies have a time of their own (server.c). */
#ifndef PROF_SERVE_PATIENCE_H
#define PROF_SERVE_PATIENCE_H

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
    uint64_t ns;                        /* for a head */
    bool is_started, is_ending;
};

enum err patience_start(struct patience *patience, unsigned seconds, struct diag *diag);
/* No connection is left. Also of one that was not started. */
void patience_stop(struct patience *patience);

/* MHD_OPTION_NOTIFY_CONNECTION, with the patience as its argument. */
void patience_on_connection(void *patience, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode code);
/* The head of a request is there, or the request has ended and another one may come. */
void patience_has_head(struct MHD_Connection *connection, bool has_head);

#endif
