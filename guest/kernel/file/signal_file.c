/* signalfd: blocked signals read as a file. A reader takes those of its process and its own.
 * Source: signalfd(2). */
#include "file/file.h"
#include "process/process.h"
#include "syscall/syscall.h"

uint32_t signal_files;

void signal_file_close(const struct file *file)
{
    signal_files -= file->kind == FILE_SIGNAL;
}

/* struct signalfd_siginfo */
struct record {
    uint32_t signo;
    int32_t err, code;
    uint32_t pid, uid;
    int32_t fd;
    uint32_t tid, band, overrun, trapno;
    int32_t status, value;
    uint64_t pointer, user_time, system_time, address;
    uint8_t zero[48];
};
_Static_assert(sizeof(struct record) == 128, "as the manual page has it");

static struct record record_of(const struct siginfo *info)
{
    uint32_t low = (uint32_t)info->word[0], high = (uint32_t)(info->word[0] >> 32);
    struct record record = {.signo = (uint32_t)info->signo, .err = info->err, .code = info->code};

    if (info->code == SI_TIMER) {
        record.tid = low;
        record.overrun = high;
    } else if (info->code > 0 && info->code != SI_KERNEL && info->signo != SIGCHLD) {
        record.address = info->word[0];
    } else {
        record.pid = low;
        record.uid = high;
    }
    if (info->signo == SIGCHLD) {
        record.status = (int32_t)info->word[1];
    } else {
        record.value = (int32_t)info->word[1];
        record.pointer = info->word[1];
    }
    return record;
}

int64_t sys_signalfd4(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);
    const uint64_t probe[6] = {arg[0], 1};      /* F_GETFD: tests whether the host has it */
    uint64_t signals;

    if ((arg[3] & ~(uint64_t)(O_NONBLOCK | O_CLOEXEC)) != 0 || arg[2] != sizeof signals)
        return -EINVAL;
    if (!user_read(arg[1], &signals, sizeof signals))
        return -EFAULT;
    signals &= ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
    if ((int32_t)arg[0] == -1) {
        file = file_new(FILE_SIGNAL, (uint32_t)arg[3] & O_NONBLOCK);
        if (file == NULL)
            return -ENOMEM;
        file->signals = signals;
        signal_files++;
        return file_open(thread, file, (arg[3] & O_CLOEXEC) != 0);
    }
    if (file == NULL && syscall_forward(thread, 25, probe) < 0)
        return -EBADF;
    if (file == NULL || file->kind != FILE_SIGNAL)
        return -EINVAL;
    file->signals = signals;
    return (int64_t)arg[0];
}

bool signal_file_ready(const struct thread *thread, const struct file *file)
{
    return ((thread->signals.queue.bits | thread->process->signals.bits) & file->signals) != 0;
}

/* As many as fit; waits for the first alone. */
int64_t signal_file_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                         uint64_t bytes)
{
    struct siginfo info;
    uint64_t done = 0;

    if (bytes < sizeof(struct record))
        return -EINVAL;
    while (bytes - done >= sizeof(struct record)) {
        struct record record;

        if (!signal_take(thread, file->signals, &info)) {
            int64_t err = done != 0 ? 1 : file_wait(thread, file, fd, file_is_quick(file));

            if (err != 0)
                return done != 0 ? (int64_t)done : err;
            continue;
        }
        record = record_of(&info);
        if (!user_write(va + done, &record, sizeof record))
            return done != 0 ? (int64_t)done : -EFAULT;
        done += sizeof record;
    }
    file_changed(file);
    return (int64_t)done;
}
