/* See pool.h. */
#include "prof/serve/database/pool.h"

void pool_init(struct pool *pool, const char *where, unsigned most)
{
    *pool = (struct pool){.where = where, .most = most < POOL_MAX ? most : POOL_MAX};
    pthread_mutex_init(&pool->lock, NULL);
}

void pool_free(struct pool *pool)
{
    while (pool->idles > 0)
        db_close(pool->idle[--pool->idles]);
    pthread_mutex_destroy(&pool->lock);
}

struct db *pool_take(struct pool *pool)
{
    struct db *db = NULL;

    pthread_mutex_lock(&pool->lock);
    if (pool->idles > 0)
        db = pool->idle[--pool->idles];
    pthread_mutex_unlock(&pool->lock);
    if (db == NULL && db_open(&db, pool->where, NULL) != ERR_OK)
        return NULL;
    return db;
}

void pool_give(struct pool *pool, struct db *db)
{
    bool is_kept = false;

    if (db == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    if (!db_is_lost(db) && pool->idles < pool->most) {
        pool->idle[pool->idles++] = db;
        is_kept = true;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!is_kept)
        db_close(db);
}
