/* Inside of the futexes: keys, waiters and their buckets, for futex.c and futex_lock.c. */
#ifndef GUEST_KERNEL_SCHED_FUTEX_H
#define GUEST_KERNEL_SCHED_FUTEX_H

#include "process/process.h"

/* Bits of a word that has its owner's number. */
enum { WAITERS = INT32_MIN, OWNER_DIED = 0x40000000, TID_MASK = 0x3fffffff, BUCKETS = 256 };

/* A page's identity and the place in it: of private memory the address space and the address, of
 * shared memory the object and the offset. */
struct key { uint64_t word[2]; };

/* A thread in the bucket of one of its words. lock_va: where the lock is that it waits for; such a
 * waiter has no bits, so that no wake-up or requeue meets it. 0: it waits for no lock. */
struct waiter {
    struct list link;
    struct thread *thread;
    struct key key;
    uint32_t bits;
    uint64_t lock_va;
};

/* op: as futex(2) has it; one that may be shared must be readable. 0 or -errno. */
int futex_key(uint64_t va, uint64_t op, struct key *key);
bool futex_is_same(const struct key *key, const struct key *other);
struct list *futex_bucket(unsigned index);
struct list *futex_bucket_of(const struct key *key);
/* The waiter goes to the end of the key's bucket. Observers see this word as the one that its
 * thread waits on: of several words the last. */
void futex_join(struct waiter *waiter, const struct key *key);

/* ---- futex_lock.c ---------------------------------------------------------------------------- */
#define FUTEX_TRY 0     /* as a deadline: -EAGAIN instead of waiting */
int64_t futex_lock(struct thread *thread, uint64_t va, const struct key *key, uint64_t deadline);
int64_t futex_unlock(const struct thread *thread, uint64_t va, const struct key *key);
/* The thread ends: locks that others wait for go to them, marked OWNER_DIED. */
void futex_locks_exit(const struct thread *thread);

#endif
