/* The only thread that writes. Requests queue their data; the thread takes all waiting entries,
 * writes them in one transaction, and tells each request when the transaction is on the disk. So
 * many clients share one wait for the disk. If the transaction fails, each entry is written again
 * in a transaction of its own, so that an entry that cannot be written harms no other. */
#ifndef PROF_SERVE_STORE_WRITER_H
#define PROF_SERVE_STORE_WRITER_H

#include <pthread.h>

#include "prof/serve/store/store.h"

enum { WRITER_WAITING_MAX = 4096, WRITER_BATCH_MAX = 256, WRITER_BATCH_BYTES = 4 << 20 };

struct writing {
    /* Within a transaction; store_commit does the rest. */
    enum err (*apply)(struct writing *writing, struct store *store);
    /* After the transaction, on the writer's thread; `err` is known. */
    void (*done)(struct writing *writing);
    enum err err;
    enum store_result result;
    size_t bytes;                   /* about its size */
    char reason[160];               /* why it failed */
    struct writing *next;
};

struct writer_counts { uint64_t transactions, written, failed, nanoseconds; };

struct writer {
    struct store store;
    const char *where;              /* the database, to reconnect */
    int64_t keep_seconds;           /* for which ids of submissions are stored */
    pthread_t thread;
    pthread_mutex_t lock;           /* protects the following fields */
    pthread_cond_t wake;
    struct writing *first, **last;
    unsigned waiting;
    bool stops;
    struct writer_counts counts;
};

/* The writer owns `db` from now on, and closes it. */
enum err writer_start(struct writer *writer, struct db *db, const char *where,
                      unsigned reports_kept, int64_t keep_seconds, struct diag *diag);
/* Writes the waiting entries, then ends. */
void writer_stop(struct writer *writer);
/* False: too many entries wait, or the writer stops; `done` is not called. */
bool writer_submit(struct writer *writer, struct writing *writing);
struct writer_counts writer_count(struct writer *writer);
/* A monotonic clock. */
uint64_t writer_now_ns(void);

#endif
