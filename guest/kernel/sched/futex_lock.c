/* Locks that the kernel gives from one thread to the next (FUTEX_LOCK_PI): the word has the number
 * of the owner, and the unlocking thread gives it to the waiter with the highest priority, the
 * first of several.
 *
 * Left out: the owner does not run with the priority of those that wait, and no condition variable
 * moves its threads to such a lock (FUTEX_WAIT_REQUEUE_PI, FUTEX_CMP_REQUEUE_PI).
 * Source: futex(2). */
#include "sched/futex.h"
#include "syscall/syscall.h"

static uint32_t waiting;                /* threads in futex_lock, on all words */

/* 0: the lock is the thread's now; 1: another has it, and the word says that somebody waits. */
static int64_t take(const struct thread *thread, uint32_t *word, bool waits)
{
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    bool is_free;

    do {
        is_free = (old & TID_MASK) == 0;
        if ((old & TID_MASK) == thread->tid)
            return -EDEADLK;
        if (!is_free && !waits)
            return -EAGAIN;
        if (!is_free && thread_find(old & TID_MASK) == NULL)
            return -ESRCH;
    } while (!__atomic_compare_exchange_n(word, &old,
                                          old | (is_free ? thread->tid : (uint32_t)WAITERS), false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return !is_free;
}

/* The next owner; *count: how many wait. */
static struct waiter *choose(const struct key *key, unsigned *count)
{
    const struct list *bucket = futex_bucket_of(key), *at;
    struct waiter *best = NULL;

    *count = 0;
    for (at = bucket->next; at != bucket; at = at->next) {
        struct waiter *waiter = container_of(at, struct waiter, link);

        if (waiter->lock_va == 0 || !futex_is_same(&waiter->key, key))
            continue;
        ++*count;
        if (best == NULL || waiter->thread->priority > best->thread->priority)
            best = waiter;
    }
    return best;
}

/* From its owner, who runs here, so that nobody else changes the word; `died`: 0 or OWNER_DIED. */
static void give(uint32_t *word, const struct key *key, uint32_t died)
{
    unsigned count;
    struct waiter *next = choose(key, &count);
    uint32_t value = next == NULL ? 0 : next->thread->tid | (count > 1 ? (uint32_t)WAITERS : 0);

    __atomic_store_n(word, value | died, __ATOMIC_SEQ_CST);
    if (next == NULL)
        return;
    list_remove(&next->link);
    thread_wake(next->thread, WAKE_EVENT);
}

int64_t futex_lock(struct thread *thread, uint64_t va, const struct key *key, uint64_t deadline)
{
    struct waiter waiter = {.thread = thread, .lock_va = va};
    uint32_t *word = user_page(thread->process->space, va, PROT_WRITE);
    enum wake wake;
    int64_t result;

    if (word == NULL)
        return -EFAULT;
    result = take(thread, word, deadline != FUTEX_TRY);
    if (result <= 0)
        return result;
    futex_join(&waiter, key);
    waiting++;
    wake = thread_block(KERNEL_REASON_LOCK, va, deadline, HEARS_ALL);
    waiting--;
    if (list_is_empty(&waiter.link))    /* given, whatever else woke it */
        return 0;
    list_remove(&waiter.link);
    thread->kept_deadline = deadline;
    return wake == WAKE_TIMEOUT ? -ETIMEDOUT : -ERESTART_ALWAYS;
}

int64_t futex_unlock(const struct thread *thread, uint64_t va, const struct key *key)
{
    uint32_t *word = user_page(thread->process->space, va, PROT_WRITE);

    if (word == NULL)
        return -EFAULT;
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & TID_MASK) != thread->tid)
        return -EPERM;
    give(word, key, 0);
    return 0;
}

/* The word of a waiter's lock, if this thread has the lock; else NULL. */
static uint32_t *word_owned(const struct waiter *waiter, const struct thread *owner)
{
    uint32_t *word = waiter->lock_va == 0 ? NULL : user_page(waiter->thread->process->space,
                                                             waiter->lock_va, PROT_WRITE);

    return word != NULL && (__atomic_load_n(word, __ATOMIC_RELAXED) & TID_MASK) == owner->tid
               ? word : NULL;
}

void futex_locks_exit(const struct thread *thread)
{
    unsigned i;

    for (i = 0; i < BUCKETS && waiting != 0; i++) {
        const struct list *bucket = futex_bucket(i), *at = bucket->next;

        while (at != bucket) {
            const struct waiter *waiter = container_of(at, struct waiter, link);
            uint32_t *word = word_owned(waiter, thread);

            at = at->next;
            if (word != NULL) {
                const struct key key = waiter->key;

                give(word, &key, OWNER_DIED);
                at = bucket->next;      /* the waiter may be gone */
            }
        }
    }
}
