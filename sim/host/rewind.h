/* Reverse execution: copies of the whole process sleep at positions that the run has passed. To go
 * back, one of them is woken, and executes the same instructions again up to the wanted position.
 *
 * The process that was started, the keeper, only waits; its child, the worker, runs the machine.
 * Copies share memory pages until they are written. A woken copy makes a copy of itself, which
 * becomes the new worker; the old worker has ended. The session lies in memory that all these
 * processes share, so that gdb's requests outlast the change of worker. Output of the program to a
 * terminal or pipe is written once; open files return to the offsets that they had.
 *
 * There are at most REWIND_COPIES copies, denser near the present: the distance from a position
 * back to its copy is at most about its distance to the latest copy. */
#ifndef SIM_HOST_REWIND_H
#define SIM_HOST_REWIND_H

#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { REWIND_COPIES = 24 };

struct rewind_copy {
    sem_t order;                    /* posted to wake the copy */
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

/* Makes the calling process the keeper, which never returns and ends with the worker's exit status.
 * Returns in the worker. False: no process can be made; the session goes on without reverse
 * execution. */
bool rewind_begin(struct rewind *rewind);
/* Every copy ends. */
void rewind_end(struct rewind *rewind);

/* Leaves a copy at this position; if there are too many, another copy is dropped. Returns false in
 * the worker, and true in the new worker each time that the copy is woken. */
bool rewind_mark(struct rewind *rewind, uint64_t position);
/* The last copy before `position`; NULL: there is none. */
struct rewind_copy *rewind_before(struct rewind *rewind, uint64_t position);
/* The copy to drop when a new one is left at `position`: the one whose removal leaves the smallest
 * gap in proportion to its distance from `position`. Never the very first copy. */
struct rewind_copy *rewind_least(struct rewind *rewind, uint64_t position);
/* Drops the copies after `position`, because a change there makes their future void. */
void rewind_forget(struct rewind *rewind, uint64_t position);
/* Wakes the copy; this process ends. */
_Noreturn void rewind_wake(struct rewind *rewind, struct rewind_copy *copy);

/* Discards the program's output, or restores its destination. kept: descriptors of the original
 * destination, kept by the caller; initially -1. */
void rewind_mute(int kept[2]);
void rewind_unmute(int kept[2]);

#endif
