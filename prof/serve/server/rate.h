/* A limit on the requests of a client: a number a second, with a saved-up allowance. Clients are
 * identified by address, which is not stored. */
#ifndef PROF_SERVE_SERVER_RATE_H
#define PROF_SERVE_SERVER_RATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { RATE_CLIENTS = 4096 };

struct rate_client { uint64_t at_ns; double left; };
struct rate {
    double a_second;                /* 0: no limit */
    pthread_mutex_t lock;
    struct rate_client client[RATE_CLIENTS];    /* by hash; clients with the same hash share a
                                                 * slot */
};

void rate_init(struct rate *rate, double a_second);
void rate_free(struct rate *rate);
/* True if this client may make another request. */
bool rate_take(struct rate *rate, const struct sockaddr *address, uint64_t now_ns);

#endif
