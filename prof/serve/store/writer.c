/* See writer.h. */
#include "prof/serve/store/writer.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FORGET_SECONDS = 3600 };

uint64_t writer_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Takes the waiting entries, at most a batch; waits if there are none. NULL: stop. */
static struct writing *take(struct writer *writer)
{
    struct writing *batch, *last;
    size_t bytes = 0;

    pthread_mutex_lock(&writer->lock);
    while (writer->first == NULL && !writer->stops)
        pthread_cond_wait(&writer->wake, &writer->lock);
    batch = last = writer->first;
    for (unsigned i = 1; last != NULL && last->next != NULL && i < WRITER_BATCH_MAX; i++) {
        bytes += last->bytes;
        if (bytes + last->next->bytes > WRITER_BATCH_BYTES)
            break;
        last = last->next;
    }
    for (struct writing *one = batch; one != NULL; one = one->next) {
        writer->waiting--;
        if (one == last)
            break;
    }
    writer->first = last != NULL ? last->next : NULL;
    if (last != NULL)
        last->next = NULL;
    if (writer->first == NULL)
        writer->last = &writer->first;
    pthread_mutex_unlock(&writer->lock);
    return batch;
}

static void fail_one(struct writer *writer, struct writing *one)
{
    snprintf(one->reason, sizeof one->reason, "%s",
             writer->store.db != NULL ? db_error(writer->store.db) : "it cannot be reached");
}

/* Reconnects to a database server that went away. */
static bool is_connected(struct writer *writer)
{
    struct store *store = &writer->store;
    unsigned reports_kept = store->reports_kept;

    if (store->db != NULL && !db_is_lost(store->db))
        return true;
    store_free(store);
    store->reports_kept = reports_kept;
    return db_open(&store->db, writer->where, NULL) == ERR_OK;
}

/* All from `first` to before `end` in one transaction. */
static enum err write_once(struct writer *writer, struct writing *first, struct writing *end)
{
    enum err err = is_connected(writer) ? store_begin(&writer->store) : ERR_IO;
    enum err applied = ERR_OK;

    if (err != ERR_OK)
        return err;
    for (struct writing *one = first; one != end && applied == ERR_OK; one = one->next)
        applied = one->apply(one, &writer->store);
    if (applied == ERR_OK)
        return store_commit(&writer->store, (int64_t)time(NULL));
    store_rollback(&writer->store);
    return applied;
}

/* Writes the batch in one transaction or, if that fails and the database is there, one entry at a
 * time. */
static void write_all(struct writer *writer, struct writing *batch)
{
    enum err err = write_once(writer, batch, NULL);
    bool is_single = err == ERR_OK || batch->next == NULL || writer->store.db == NULL ||
                     db_is_lost(writer->store.db);

    for (struct writing *one = batch; one != NULL; one = one->next) {
        one->err = is_single ? err : write_once(writer, one, one->next);
        if (one->err != ERR_OK)
            fail_one(writer, one);
    }
}

static void write_batch(struct writer *writer, struct writing *batch)
{
    uint64_t start = writer_now_ns(), written = 0, failed = 0;

    write_all(writer, batch);
    for (struct writing *one = batch; one != NULL; one = one->next) {
        written += one->err == ERR_OK;
        failed += one->err != ERR_OK;
    }
    pthread_mutex_lock(&writer->lock);
    writer->counts.transactions++;
    writer->counts.written += written;
    writer->counts.failed += failed;
    writer->counts.nanoseconds += writer_now_ns() - start;
    pthread_mutex_unlock(&writer->lock);
    while (batch != NULL) {
        struct writing *one = batch;

        batch = one->next;
        one->done(one);
    }
}

static void forget(struct writer *writer, time_t *due)
{
    time_t now = time(NULL);

    if (now < *due || !is_connected(writer))
        return;
    store_forget(&writer->store, (int64_t)now - writer->keep_seconds);
    *due = now + FORGET_SECONDS;
}

static void *run(void *arg)
{
    struct writer *writer = arg;
    struct writing *batch;
    time_t due = 0;

    while ((batch = take(writer)) != NULL) {
        write_batch(writer, batch);
        forget(writer, &due);
    }
    return NULL;
}

enum err writer_start(struct writer *writer, struct db *db, const char *where,
                      unsigned reports_kept, int64_t keep_seconds, struct diag *diag)
{
    *writer = (struct writer){
        .store = {.db = db, .reports_kept = reports_kept}, .where = where,
        .keep_seconds = keep_seconds,
    };
    writer->last = &writer->first;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->wake, NULL);
    if (pthread_create(&writer->thread, NULL, run, writer) != 0)
        return diag_set(diag, ERR_IO, "no thread to write with");
    return ERR_OK;
}

void writer_stop(struct writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    writer->stops = true;
    pthread_cond_signal(&writer->wake);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    store_free(&writer->store);
    pthread_cond_destroy(&writer->wake);
    pthread_mutex_destroy(&writer->lock);
}

bool writer_submit(struct writer *writer, struct writing *writing)
{
    bool is_taken;

    pthread_mutex_lock(&writer->lock);
    is_taken = !writer->stops && writer->waiting < WRITER_WAITING_MAX;
    if (is_taken) {
        writing->next = NULL;
        *writer->last = writing;
        writer->last = &writing->next;
        writer->waiting++;
        pthread_cond_signal(&writer->wake);
    }
    pthread_mutex_unlock(&writer->lock);
    return is_taken;
}

struct writer_counts writer_count(struct writer *writer)
{
    struct writer_counts counts;

    pthread_mutex_lock(&writer->lock);
    counts = writer->counts;
    pthread_mutex_unlock(&writer->lock);
    return counts;
}
