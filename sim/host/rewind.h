/* The way back: copies of the whole process, asleep at places that the run has passed. Going back
 * wakes one, which executes the same instructions again, up to where it was asked.
 *
 * The process that was started only waits (the keeper); a child of its runs the machine (the
 * worker). Copies share memory pages until they are written. When a copy wakes, it makes one of
 * itself, which becomes the worker; the old worker has ended. The session lies in memory that all
 * of them share, so that gdb's requests outlast the change. Output of the program to its terminal
 * or pipe is written once; files are at the offsets they had.
 *
 * There are at most REWIND_COPIES, and the fewer, the farther back: from the copy before a place to
 * the place it is about as far, at most, as from the place to the last copy. */
#ifndef SIM_HOST_REWIND_H
#define SIM_HOST_REWIND_H

#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { REWIND_COPIES = 24 };

struct rewind_copy {
    sem_t order;                    /* to wake */
    bool is_used;
    pid_t pid;
    uint64_t position;
};

struct rewind {                     /* in shared memory; zero at the start */
    struct rewind_copy copy[REWIND_COPIES];
    pid_t keeper;
    volatile pid_t worker;          /* 0: one is about to take over */
    volatile sig_atomic_t *stop_request;        /* of the worker; may be NULL */
    uint64_t shown;                 /* position up to which output has been written */
};

/* Makes the keeper, which never returns: it ends with the worker's status. Returns in the worker;
 * false: there is no way back (no process can be made), and the session goes on without. */
bool rewind_begin(struct rewind *rewind);
/* Every copy ends. */
void rewind_end(struct rewind *rewind);

/* Leaves a copy at this position; another may go for it. Returns false in the worker, and true in
 * the one that a copy becomes when it is woken. */
bool rewind_mark(struct rewind *rewind, uint64_t position);
/* The last copy before `position`; NULL: there is none. */
struct rewind_copy *rewind_before(struct rewind *rewind, uint64_t position);
/* The copy to give up when another one is left at `position`: the gap without it is smallest,
 * compared with how far away it is. Never the first of all. */
struct rewind_copy *rewind_least(struct rewind *rewind, uint64_t position);
/* The copies after `position` are of a future that will not come. */
void rewind_forget(struct rewind *rewind, uint64_t position);
/* Wakes the copy; this process ends. */
_Noreturn void rewind_wake(struct rewind *rewind, struct rewind_copy *copy);

/* The program's output goes nowhere, or where it went before. `kept` is the caller's, -1 at first.
 */
void rewind_mute(int kept[2]);
void rewind_unmute(int kept[2]);

#endif
