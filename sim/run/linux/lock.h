/* Locks on files between the processes of a guest: those of fcntl, on ranges, owned by a process or
 * an open file; and those of flock, on whole files, owned by an open file. Processes of the host do
 * not see them. */
#ifndef SIM_RUN_LOCK_H
#define SIM_RUN_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lock_type { LOCK_READ, LOCK_WRITE, LOCK_NONE };    /* F_RDLCK, F_WRLCK, F_UNLCK of the guest */

struct lock {
    uint64_t device, inode;
    uint64_t start, end;                /* bytes of the file; end is exclusive */
    enum lock_type type;
    bool is_flock;                      /* locks of flock and of fcntl do not conflict */
    const void *owner;
    uint32_t pid;                       /* reported by F_GETLK */
};

/* The locks of all processes of a guest. users: tables of files that share the structure. */
struct locks { struct lock *list; size_t count, capacity; unsigned users; };

struct locks *locks_new(void);              /* with one user; NULL: no memory */
void locks_drop(struct locks *locks);       /* one user less; NULL: nothing */
/* The lock of another owner that conflicts with the wanted one; NULL: none. */
const struct lock *locks_find(const struct locks *locks, const struct lock *wanted);
/* Gives the owner's range the wanted type. 0; -EAGAIN: another lock conflicts; -ENOLCK: no
 * memory. */
int locks_set(struct locks *locks, const struct lock *wanted);
/* Removes all locks of the owner on this file; inode 0: on all files. */
void locks_forget(struct locks *locks, const void *owner, uint64_t device, uint64_t inode);

#endif
