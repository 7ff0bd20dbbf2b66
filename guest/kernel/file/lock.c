/* Locks on files: the host keeps them, a thread that waits for one sleeps here and asks again when
 * some lock was given back. Source: fcntl_locking(2), flock(2). */
#include "file/file.h"
#include "process/process.h"
#include "syscall/syscall.h"

enum { CALL_FCNTL = 25, CALL_FLOCK = 32, SETLK = 6, SETLKW = 7, OFD_SETLK = 37, OFD_SETLKW = 38,
       DONTWAIT = 4 };

static struct list waiters = {&waiters, &waiters};

void locks_changed(void)
{
    waiters_wake(&waiters);
}

/* Asks for it in a way that does not wait; 0 or the error. */
static int64_t lock(struct thread *thread, uint64_t number, const uint64_t arg[6], bool waits)
{
    int64_t result;

    while ((result = syscall_forward(thread, number, arg)) == -EAGAIN && waits)
        if (waiters_wait(&waiters, KERNEL_REASON_LOCK, 0, NEVER) == WAKE_SIGNAL)
            return -ERESTART;
    if (result == 0)
        locks_changed();
    return result;
}

bool lock_is_command(uint64_t command)
{
    return command == SETLK || command == SETLKW || command == OFD_SETLK || command == OFD_SETLKW;
}

int64_t lock_fcntl(struct thread *thread, const uint64_t arg[6])
{
    bool waits = arg[1] == SETLKW || arg[1] == OFD_SETLKW;
    const uint64_t asked[6] = {arg[0], waits ? arg[1] - 1 : arg[1], arg[2]};

    return lock(thread, CALL_FCNTL, asked, waits);
}

int64_t sys_flock(struct thread *thread, const uint64_t arg[6])
{
    const uint64_t asked[6] = {arg[0], arg[1] | DONTWAIT};

    return lock(thread, CALL_FLOCK, asked, (arg[1] & DONTWAIT) == 0);
}
