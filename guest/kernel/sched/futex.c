/* Futexes: threads wait in buckets by key, on one word or on several at a time. Those that wait for
 * a lock to be given to them (futex_lock.c) are in the same buckets.
 * Source: futex(2); futex2 in the user-space API guide of Linux. */
#include "sched/futex.h"
#include "syscall/syscall.h"

enum {
    WAIT = 0, WAKE = 1, REQUEUE = 3, CMP_REQUEUE = 4, WAKE_OP = 5, WAIT_BITSET = 9,
    WAKE_BITSET = 10, LOCK_PI = 6, UNLOCK_PI = 7, TRYLOCK_PI = 8, LOCK_PI2 = 13, COMMAND = 127,
    PRIVATE = 128, CLOCK_REALTIME_FLAG = 256, ROBUST_MAX = 2048, SIZE_32 = 2, WAITV_MAX = 128,
};

static struct list buckets[BUCKETS];

struct list *futex_bucket(unsigned index)
{
    if (buckets[index].next == NULL)
        list_init(&buckets[index]);
    return &buckets[index];
}

struct list *futex_bucket_of(const struct key *key)
{
    uint64_t hash = (key->word[0] >> 5 ^ key->word[1] >> 2) * UINT64_C(0x9e3779b97f4a7c15);

    return futex_bucket((unsigned)(hash >> 56));
}

int futex_key(uint64_t va, uint64_t op, struct key *key)
{
    struct space *space = current()->process->space;
    const struct region *region;

    if (va % 4 != 0)
        return -EINVAL;
    region = va < USER_END ? space_region(space, va) : NULL;
    if (region == NULL || ((op & PRIVATE) == 0 && (region->prot & PROT_READ) == 0))
        return -EFAULT;
    if (region->flags & REGION_SHARED && (op & PRIVATE) == 0 &&
        user_page(space, va, PROT_READ) == NULL)
        return -EFAULT;                 /* beyond the end of its file */
    if (region->flags & REGION_SHARED)
        *key = (struct key){{(uint64_t)region->object, region->offset + (va - region->start)}};
    else
        *key = (struct key){{(uint64_t)space, va}};
    return 0;
}

bool futex_is_same(const struct key *key, const struct key *other)
{
    return key->word[0] == other->word[0] && key->word[1] == other->word[1];
}

void futex_join(struct waiter *waiter, const struct key *key)
{
    waiter->key = *key;
    waiter->thread->futex_key[0] = key->word[0];
    waiter->thread->futex_key[1] = key->word[1];
    list_add(futex_bucket_of(key), &waiter->link);
}

/* The next that waits for the key, after `at`; NULL: none. */
static struct waiter *next_waiter(const struct list *bucket, const struct list *at,
                                  const struct key *key, uint32_t bits)
{
    for (at = at->next; at != bucket; at = at->next) {
        struct waiter *waiter = container_of(at, struct waiter, link);

        if (futex_is_same(&waiter->key, key) && (waiter->bits & bits) != 0)
            return waiter;
    }
    return NULL;
}

static int64_t wake(const struct key *key, uint32_t count, uint32_t bits)
{
    struct list *bucket = futex_bucket_of(key);
    int64_t woken = 0;

    while (woken < count) {
        struct waiter *waiter = next_waiter(bucket, bucket, key, bits);

        if (waiter == NULL)
            break;
        list_remove(&waiter->link);
        thread_wake(waiter->thread, WAKE_EVENT);
        woken++;
    }
    return woken;
}

static int64_t requeue(const struct key *from, const struct key *to, uint32_t count)
{
    struct list *bucket = futex_bucket_of(from);
    int64_t moved = 0;

    while (moved < count) {
        struct waiter *waiter = next_waiter(bucket, bucket, from, UINT32_MAX);

        if (waiter == NULL)
            break;
        list_remove(&waiter->link);
        futex_join(waiter, to);
        moved++;
        if (futex_is_same(from, to))
            break;
    }
    return moved;
}

static int64_t wait(struct thread *thread, const uint64_t arg[6], uint64_t deadline, uint32_t bits)
{
    struct waiter waiter = {.thread = thread, .bits = bits};
    struct key key;
    enum wake wake;
    uint32_t value;
    int err = futex_key(arg[0], arg[1], &key);

    if (err != 0)
        return err;
    if (bits == 0)
        return -EINVAL;
    if (!user_read(arg[0], &value, sizeof value))
        return -EFAULT;
    if (value != (uint32_t)arg[2])
        return -EAGAIN;
    futex_join(&waiter, &key);
    wake = thread_block(KERNEL_REASON_LOCK, arg[0], deadline, HEARS_ALL);
    if (list_is_empty(&waiter.link))    /* taken out by who counts on it, whatever else woke it */
        return 0;
    list_remove(&waiter.link);
    if (wake == WAKE_TIMEOUT)
        return -ETIMEDOUT;
    thread->kept_deadline = deadline;
    return deadline == NEVER ? -ERESTART : -ERESTART_NOHAND;
}

/* Until when the call waits: 0 and *deadline, or -errno. Only WAIT has a time from now on. */
static int64_t find_deadline(const struct thread *thread, const uint64_t arg[6], uint64_t *deadline)
{
    uint64_t command = arg[1] & COMMAND, ns;
    bool is_real = (arg[1] & CLOCK_REALTIME_FLAG) != 0 || command == LOCK_PI;
    int64_t err = 0;

    *deadline = NEVER;
    if (thread->kept_deadline != 0)
        *deadline = thread->kept_deadline;
    else if (arg[3] != 0 && command == WAIT)
        err = clock_deadline(arg[3], deadline);
    else if (arg[3] != 0 && (err = clock_read_time(arg[3], &ns)) == 0)
        err = clock_absolute(is_real ? 0 : 1, ns, deadline);
    return err;
}

static int64_t wait_until(struct thread *thread, const uint64_t arg[6])
{
    uint64_t deadline;
    int64_t err = find_deadline(thread, arg, &deadline);

    if (err != 0)
        return err;
    return wait(thread, arg, deadline,
                (arg[1] & COMMAND) == WAIT ? UINT32_MAX : (uint32_t)arg[5]);
}

static int64_t lock_until(struct thread *thread, const uint64_t arg[6], const struct key *key)
{
    uint64_t deadline;
    int64_t err = find_deadline(thread, arg, &deadline);

    return err != 0 ? err : futex_lock(thread, arg[0], key, deadline);
}

static uint32_t operate(unsigned op, uint32_t old, uint32_t operand)
{
    switch (op) {
    case 0: return operand;
    case 1: return old + operand;
    case 2: return old | operand;
    case 3: return old & ~operand;
    default: return old ^ operand;
    }
}

static bool compares(unsigned comparison, int32_t old, int32_t with)
{
    switch (comparison) {
    case 0: return old == with;
    case 1: return old != with;
    case 2: return old < with;
    case 3: return old <= with;
    case 4: return old > with;
    default: return old >= with;
    }
}

static int64_t wake_op(const uint64_t arg[6], const struct key *first, const struct key *second)
{
    uint32_t code = (uint32_t)arg[5], operand = code >> 12 & 0xfff, with = code & 0xfff, old;
    uint32_t *word = user_page(current()->process->space, arg[4], PROT_WRITE);
    int64_t woken;

    if (word == NULL)
        return -EFAULT;
    if (code >> 31)
        operand = UINT32_C(1) << (operand & 31);
    do
        old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, operate(code >> 28 & 7, old, operand), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    woken = wake(first, (uint32_t)arg[2], UINT32_MAX);
    if (compares(code >> 24 & 15, (int32_t)old, (int32_t)(with << 20) >> 20))
        woken += wake(second, (uint32_t)arg[3], UINT32_MAX);
    return woken;
}

static int64_t two_futexes(const uint64_t arg[6], const struct key *first)
{
    uint64_t command = arg[1] & COMMAND;
    struct key second;
    uint32_t value;
    int64_t woken;
    int err = futex_key(arg[4], arg[1], &second);

    if (err != 0)
        return err;
    if (command == WAKE_OP)
        return wake_op(arg, first, &second);
    if ((int32_t)arg[2] < 0 || (int32_t)arg[3] < 0)
        return -EINVAL;
    if (command == CMP_REQUEUE) {
        if (!user_read(arg[0], &value, sizeof value))
            return -EFAULT;
        if (value != (uint32_t)arg[5])
            return -EAGAIN;
    }
    woken = wake(first, (uint32_t)arg[2], UINT32_MAX);
    return woken + requeue(first, &second, (uint32_t)arg[3]);
}

int64_t sys_futex(struct thread *thread, const uint64_t arg[6])
{
    uint64_t command = arg[1] & COMMAND;
    struct key key;
    int err;

    if (command == WAIT || command == WAIT_BITSET)
        return wait_until(thread, arg);
    err = futex_key(arg[0], arg[1], &key);
    if (err != 0)
        return err;
    switch (command) {
    case WAKE: return wake(&key, (uint32_t)arg[2], UINT32_MAX);
    case WAKE_BITSET:
        return (uint32_t)arg[5] == 0 ? -EINVAL : wake(&key, (uint32_t)arg[2], (uint32_t)arg[5]);
    case REQUEUE:
    case CMP_REQUEUE:
    case WAKE_OP: return two_futexes(arg, &key);
    case LOCK_PI:
    case LOCK_PI2: return lock_until(thread, arg, &key);
    case TRYLOCK_PI: return futex_lock(thread, arg[0], &key, FUTEX_TRY);
    case UNLOCK_PI: return futex_unlock(thread, arg[0], &key);
    default: return -ENOSYS;
    }
}

void futex_wake_one(uint64_t va)
{
    struct key key;

    if (futex_key(va, 0, &key) == 0)
        wake(&key, 1, UINT32_MAX);
}

/* ---- several words --------------------------------------------------------------------------- */

/* As user memory has it. */
struct waitv { uint64_t value, va; uint32_t flags, zero; };

/* The thread waits on this word, too; -EAGAIN: it has changed already. */
static int64_t join_word(struct waiter *waiter, const struct waitv *word)
{
    struct key key;
    uint32_t value;
    int err;

    if ((word->flags & ~(uint32_t)PRIVATE) != SIZE_32 || word->zero != 0)
        return -EINVAL;
    err = futex_key(word->va, word->flags & PRIVATE, &key);
    if (err != 0)
        return err;
    if (!user_read(word->va, &value, sizeof value))
        return -EFAULT;
    if (value != word->value)
        return -EAGAIN;
    *waiter = (struct waiter){.thread = current(), .bits = UINT32_MAX};
    futex_join(waiter, &key);
    return 0;
}

/* As many pages of waiters as there may be words. */
enum { WAITERS_OF_PAGE = 64 };
struct waiters { struct waiter *page[WAITV_MAX / WAITERS_OF_PAGE]; };

static struct waiter *waiter_at(const struct waiters *waiters, uint32_t i)
{
    return &waiters->page[i / WAITERS_OF_PAGE][i % WAITERS_OF_PAGE];
}

static void waiters_free(struct waiters *waiters)
{
    unsigned i;

    for (i = 0; i < WAITV_MAX / WAITERS_OF_PAGE; i++)
        if (waiters->page[i] != NULL)
            memory_free(waiters->page[i], WAITERS_OF_PAGE * sizeof *waiters->page[i]);
}

/* False: no memory. */
static bool waiters_new(struct waiters *waiters, uint32_t count)
{
    uint32_t i;

    *waiters = (struct waiters){.page = {NULL}};
    for (i = 0; i * WAITERS_OF_PAGE < count; i++) {
        waiters->page[i] = memory_new(WAITERS_OF_PAGE * sizeof *waiters->page[i]);
        if (waiters->page[i] == NULL)
            return false;
    }
    return true;
}

/* Takes the waiters out again. Returns the number of one that was woken, or -1. */
static int64_t leave(const struct waiters *waiters, uint32_t count)
{
    int64_t woken = -1;
    uint32_t i;

    for (i = 0; i < count; i++) {
        struct list *link = &waiter_at(waiters, i)->link;

        if (list_is_empty(link))
            woken = (int64_t)i;
        list_remove(link);
    }
    return woken;
}

static int64_t wait_many(uint64_t va, uint32_t count, const struct waiters *waiters,
                         uint64_t deadline)
{
    struct waitv word = {.va = 0};
    enum wake wake = WAKE_EVENT;
    int64_t err = 0, woken;
    uint32_t i;

    for (i = 0; i < count && err == 0; i++)
        err = user_read(va + i * sizeof word, &word, sizeof word)
                  ? join_word(waiter_at(waiters, i), &word) : -EFAULT;
    if (err == 0)
        wake = thread_block(KERNEL_REASON_LOCK, word.va, deadline, HEARS_ALL);
    woken = leave(waiters, err == 0 ? i : i - 1);
    if (err != 0 || woken >= 0)
        return err != 0 ? err : woken;
    return wake == WAKE_TIMEOUT ? -ETIMEDOUT : -ERESTART;
}

/* futex_waitv(words, their number, flags, until when, on which clock) */
int64_t sys_futex_waitv(struct thread *thread, const uint64_t arg[6])
{
    struct waiters waiters;
    uint64_t deadline = NEVER, ns;
    int64_t err = 0;

    (void)thread;
    if ((uint32_t)arg[2] != 0 || arg[0] == 0 || (uint32_t)arg[1] - 1 >= WAITV_MAX)
        return -EINVAL;
    if (arg[3] != 0 && (uint32_t)arg[4] > 1)
        return -EINVAL;
    if (arg[3] != 0 && (err = clock_read_time(arg[3], &ns)) == 0)
        err = clock_absolute((uint32_t)arg[4], ns, &deadline);
    if (err != 0)
        return err;
    err = -ENOMEM;
    if (waiters_new(&waiters, (uint32_t)arg[1]))
        err = wait_many(arg[0], (uint32_t)arg[1], &waiters, deadline);
    waiters_free(&waiters);
    return err;
}

/* ---- robust lists ---------------------------------------------------------------------------- */

/* is_pending: it was about to unlock, and may have given the lock back (0) but woken nobody. */
static void owner_died(const struct thread *thread, uint64_t va, bool is_pending)
{
    uint32_t *word = va % 4 == 0 ? user_page(thread->process->space, va, PROT_WRITE) : NULL, old;

    if (word == NULL)
        return;
    old = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (is_pending && old == 0)
        futex_wake_one(va);
    while ((old & TID_MASK) == thread->tid) {
        if (!__atomic_compare_exchange_n(word, &old, (old & (uint32_t)WAITERS) | OWNER_DIED, false,
                                         __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            continue;
        if (old & (uint32_t)WAITERS)
            futex_wake_one(va);
        return;
    }
}

void futex_exit(struct thread *thread)
{
    uint64_t head[3], at, next;
    unsigned i;

    futex_locks_exit(thread);
    if (thread->robust_list == 0 || !user_read(thread->robust_list, head, sizeof head))
        return;
    thread->robust_list = thread->robust_list & ~UINT64_C(1);
    for (at = head[0], i = 0; at != thread->robust_list && i < ROBUST_MAX; at = next, i++) {
        if (!user_read(at & ~UINT64_C(1), &next, sizeof next))
            return;
        if (at != head[2])
            owner_died(thread, (at & ~UINT64_C(1)) + head[1], false);
    }
    if (head[2] != 0)
        owner_died(thread, (head[2] & ~UINT64_C(1)) + head[1], (head[2] & 1) == 0);
}

int64_t sys_set_robust_list(struct thread *thread, const uint64_t arg[6])
{
    if (arg[1] != 24)
        return -EINVAL;
    thread->robust_list = arg[0];
    return 0;
}

int64_t sys_get_robust_list(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *other = (uint32_t)arg[0] == 0 ? thread : thread_find((uint32_t)arg[0]);
    uint64_t bytes = 24;

    if (other == NULL)
        return -ESRCH;
    return user_write(arg[1], &other->robust_list, 8) && user_write(arg[2], &bytes, 8) ? 0
                                                                                      : -EFAULT;
}
