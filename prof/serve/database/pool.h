/* Connections for reading: up to a given number, each lent to one thread. */
#ifndef PROF_SERVE_DATABASE_POOL_H
#define PROF_SERVE_DATABASE_POOL_H

#include <pthread.h>

#include "prof/serve/database/db.h"

enum { POOL_MAX = 64 };

struct pool {
    const char *where;
    struct db *idle[POOL_MAX];
    unsigned idles, most;
    pthread_mutex_t lock;
};

void pool_init(struct pool *pool, const char *where, unsigned most);
void pool_free(struct pool *pool);
/* NULL: the database cannot be opened at present. */
struct db *pool_take(struct pool *pool);
void pool_give(struct pool *pool, struct db *db);

#endif
