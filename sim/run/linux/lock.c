/* See lock.h. Source: fcntl_locking(2), flock(2). */
#include "sim/run/linux/lock.h"

#include <errno.h>
#include <stdlib.h>

struct locks *locks_new(void)
{
    struct locks *locks = calloc(1, sizeof *locks);

    if (locks != NULL) {
        locks->users = 1;
    }
    return locks;
}

void locks_drop(struct locks *locks)
{
    if (locks == NULL || --locks->users > 0) {
        return;
    }
    free(locks->list);
    free(locks);
}

static bool is_over(const struct lock *one, const struct lock *other)
{
    return one->device == other->device && one->inode == other->inode &&
           one->is_flock == other->is_flock && one->start < other->end && other->start < one->end;
}

const struct lock *locks_find(const struct locks *locks, const struct lock *wanted)
{
    for (size_t i = 0; i < locks->count; i++) {
        const struct lock *lock = &locks->list[i];

        if (is_over(lock, wanted) && lock->owner != wanted->owner &&
            (lock->type == LOCK_WRITE || wanted->type == LOCK_WRITE)) {
            return lock;
        }
    }
    return NULL;
}

static bool has_room(struct locks *locks, size_t more)
{
    if (locks->count + more > locks->capacity) {
        size_t capacity = 2 * locks->capacity + more + 8;
        struct lock *grown = realloc(locks->list, capacity * sizeof *grown);

        if (grown == NULL) {
            return false;
        }
        locks->list = grown;
        locks->capacity = capacity;
    }
    return true;
}

static void add(struct locks *locks, struct lock lock)
{
    if (lock.start < lock.end) {
        locks->list[locks->count++] = lock;
    }
}

/* Takes the wanted range out of the owner's locks; what sticks out on either side stays. There is
 * room: a lock that is divided leaves its own place for one of the two parts. */
static void cut(struct locks *locks, const struct lock *wanted)
{
    size_t i = 0, known = locks->count;

    while (i < known) {
        struct lock lock = locks->list[i], low = lock, high = lock;

        if (!is_over(&lock, wanted) || lock.owner != wanted->owner) {
            i++;
            continue;
        }
        locks->list[i] = locks->list[--known];
        locks->list[known] = locks->list[--locks->count];
        low.end = wanted->start;
        high.start = wanted->end;
        add(locks, low);
        add(locks, high);
    }
}

int locks_set(struct locks *locks, const struct lock *wanted)
{
    if (wanted->type != LOCK_NONE && locks_find(locks, wanted) != NULL) {
        return -EAGAIN;
    }
    if (!has_room(locks, 2)) {
        return -ENOLCK;
    }
    cut(locks, wanted);
    if (wanted->type != LOCK_NONE) {
        add(locks, *wanted);
    }
    return 0;
}

void locks_forget(struct locks *locks, const void *owner, uint64_t device, uint64_t inode)
{
    size_t kept = 0;

    for (size_t i = 0; i < locks->count; i++) {
        const struct lock *lock = &locks->list[i];

        if (lock->owner != owner ||
            (inode != 0 && (lock->device != device || lock->inode != inode))) {
            locks->list[kept++] = *lock;
        }
    }
    locks->count = kept;
}
