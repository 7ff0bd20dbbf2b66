/* How many requests a client may make: a number a second, with some saved up. Clients are told
 * apart by address; nothing of it is stored. */
#ifndef PROF_SERVE_RATE_H
#define PROF_SERVE_RATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { RATE_CLIENTS = 4096 };

struct rate_client { uint64_t at_ns; double left; };
struct rate {
    double a_second;                /* 0: no limit */
    pthread_mutex_t lock;
    struct rate_client client[RATE_CLIENTS];    /* by hash; those of one hash share */
};

void rate_init(struct rate *rate, double a_second);
void rate_free(struct rate *rate);
/* May this client make one more? */
bool rate_take(struct rate *rate, const struct sockaddr *address, uint64_t now_ns);

#endif
