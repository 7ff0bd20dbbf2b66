/* System calls that lock files; see lock.h. A guest kernel waits for locks itself: it asks for a
 * lock that does not wait, again and again as locks are given back. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/run/linux/lock.h"
#include "sim/run/linux/process_internal.h"

/* Values of the asm-generic interface. */
enum { GUEST_F_GETLK = 5, GUEST_F_SETLK = 6, GUEST_F_SETLKW = 7, GUEST_F_OFD_GETLK = 36,
       GUEST_F_OFD_SETLK = 37, GUEST_F_OFD_SETLKW = 38, GUEST_LOCK_SH = 1, GUEST_LOCK_EX = 2,
       GUEST_LOCK_NB = 4, GUEST_LOCK_UN = 8 };

struct guest_flock { int16_t type, whence; int32_t pad; int64_t start, bytes; int32_t pid, pad2; };
_Static_assert(sizeof(struct guest_flock) == 32, "struct flock of riscv64");

/* 0 or a negative error number. */
static int describe(const struct open_file *file, const struct guest_flock *flock,
                    struct lock *lock)
{
    int64_t base = 0, start;
    struct stat st;

    if (fstat(file->fd, &st) != 0) {
        return -EBADF;
    }
    if (flock->type < LOCK_READ || flock->type > LOCK_NONE || flock->whence < SEEK_SET ||
        flock->whence > SEEK_END) {
        return -EINVAL;
    }
    if (flock->whence != SEEK_SET) {
        base = flock->whence == SEEK_END ? st.st_size : lseek(file->fd, 0, SEEK_CUR);
    }
    if (__builtin_add_overflow(base, flock->start, &start) || start < 0) {
        return start < 0 ? -EINVAL : -EOVERFLOW;
    }
    if (flock->bytes < 0 && start + flock->bytes < 0) {
        return -EINVAL;
    }
    *lock = (struct lock){.device = st.st_dev, .inode = st.st_ino,
                          .type = (enum lock_type)flock->type};
    lock->start = (uint64_t)(flock->bytes < 0 ? start + flock->bytes : start);
    lock->end = flock->bytes == 0 ? UINT64_MAX
                                  : (uint64_t)(flock->bytes < 0 ? start : start + flock->bytes);
    return 0;
}

static int64_t tell_lock(struct process *process, const struct lock *wanted,
                         struct guest_flock flock, uint64_t va)
{
    const struct lock *found = locks_find(process->files.locks, wanted);

    flock.type = LOCK_NONE;
    if (found != NULL) {
        flock = (struct guest_flock){.type = (int16_t)found->type, .whence = SEEK_SET,
                                     .start = (int64_t)found->start, .pid = (int32_t)found->pid};
        flock.bytes = found->end == UINT64_MAX ? 0 : (int64_t)(found->end - found->start);
    }
    return vm_write(&process->vm, va, &flock, sizeof flock) ? 0 : -EFAULT;
}

/* Without a guest kernel a wait would never end, as no other process runs that could release the
 * lock. */
static int64_t set_lock(struct process *process, const struct lock *lock, bool waits)
{
    int err = locks_set(process->files.locks, lock);

    if (err == -EAGAIN && waits) {
        process_kill(process, SIGKILL, "the program waits for ever for a lock of its own");
    }
    return err;
}

int64_t syscall_lock(struct process *process, const struct open_file *file, uint64_t command,
                     uint64_t va)
{
    bool is_ofd = command >= GUEST_F_OFD_GETLK && command <= GUEST_F_OFD_SETLKW;
    struct guest_flock flock;
    struct lock lock;
    int err;

    if (!is_ofd && (command < GUEST_F_GETLK || command > GUEST_F_SETLKW)) {
        return -EINVAL;
    }
    if (!vm_read(&process->vm, va, &flock, sizeof flock)) {
        return -EFAULT;
    }
    err = describe(file, &flock, &lock);
    if (err != 0) {
        return err;
    }
    lock.owner = is_ofd ? (const void *)file : &process->files;
    lock.pid = is_ofd ? UINT32_MAX : process->pid;
    return command == GUEST_F_GETLK || command == GUEST_F_OFD_GETLK
               ? tell_lock(process, &lock, flock, va)
               : set_lock(process, &lock,
                          command == GUEST_F_SETLKW || command == GUEST_F_OFD_SETLKW);
}

int64_t sys_flock(struct process *process, const uint64_t arg[6])
{
    const struct open_file *file = files_get(&process->files, arg[0]);
    uint64_t kind = arg[1] & ~(uint64_t)GUEST_LOCK_NB;
    struct stat st;
    struct lock lock;

    if (file == NULL || fstat(file->fd, &st) != 0) {
        return -EBADF;
    }
    if (kind != GUEST_LOCK_SH && kind != GUEST_LOCK_EX && kind != GUEST_LOCK_UN) {
        return -EINVAL;
    }
    lock = (struct lock){.device = st.st_dev, .inode = st.st_ino, .end = UINT64_MAX,
                         .is_flock = true, .owner = file,
                         .type = kind == GUEST_LOCK_SH ? LOCK_READ
                                 : kind == GUEST_LOCK_EX ? LOCK_WRITE : LOCK_NONE};
    return set_lock(process, &lock, (arg[1] & GUEST_LOCK_NB) == 0);
}
