/* Locks on files between the processes of a guest: fcntl's on ranges, of a process or of an open
 * file, and flock's on whole files, of an open file. Nobody outside sees them. */
#ifndef SIM_RUN_LOCK_H
#define SIM_RUN_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lock_type { LOCK_READ, LOCK_WRITE, LOCK_NONE };    /* F_RDLCK, F_WRLCK, F_UNLCK of the guest */

struct lock {
    uint64_t device, inode;
    uint64_t start, end;                /* end: not in it */
    enum lock_type type;
    bool is_flock;                      /* flock's and fcntl's do not see each other */
    const void *owner;
    uint32_t pid;                       /* as F_GETLK tells it */
};

/* Those of all processes that share them. */
struct locks { struct lock *list; size_t count, capacity; unsigned users; };

struct locks *locks_new(void);              /* with one user; NULL: no memory */
void locks_drop(struct locks *locks);       /* one user less; NULL: nothing */
/* Who is in the way of this one; NULL: nobody. */
const struct lock *locks_find(const struct locks *locks, const struct lock *wanted);
/* The owner's range gets this type; 0, -EAGAIN: somebody is in the way, -ENOLCK: no memory. */
int locks_set(struct locks *locks, const struct lock *wanted);
/* The owner has none any more: of this file, or, inode 0, of any. */
void locks_forget(struct locks *locks, const void *owner, uint64_t device, uint64_t inode);

#endif
