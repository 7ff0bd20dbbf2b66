/* timerfd: a timer as a file. Its expirations are computed when they are read, so a short period
 * costs nothing: the hart's timer only wakes threads that wait for the next one. */
#include "file/file.h"
#include "process/process.h"
#include "syscall/syscall.h"

enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 1, CLOCK_BOOTTIME = 7, CLOCK_BOOTTIME_ALARM = 9,
       ABSOLUTE = 1, CANCEL_ON_SET = 2 };

/* due: of the first expiration that has not been read; NEVER: it is off. In ticks. */
struct timer_file {
    struct timer timer;
    struct file *file;
    uint64_t clock, due, interval;
};

static void fire(struct timer *timer)
{
    file_changed(container_of(timer, struct timer_file, timer)->file);
}

/* Expirations that can be read. */
static uint64_t expirations(const struct timer_file *own)
{
    uint64_t at = now();

    if (own->due > at)
        return 0;
    return own->interval != 0 ? 1 + (at - own->due) / own->interval : 1;
}

int64_t sys_timerfd_create(struct thread *thread, const uint64_t arg[6])
{
    uint64_t clock = (uint32_t)arg[0];
    struct timer_file *own;
    struct file *file;

    if ((arg[1] & ~(uint64_t)(O_NONBLOCK | O_CLOEXEC)) != 0 || clock > CLOCK_BOOTTIME_ALARM ||
        (clock > CLOCK_MONOTONIC && clock < CLOCK_BOOTTIME))
        return -EINVAL;
    if (clock > CLOCK_BOOTTIME)
        return -EPERM;                  /* it may not wake a machine that is suspended */
    own = memory_new(sizeof *own);
    file = file_new(FILE_TIMER, (uint32_t)arg[1] & O_NONBLOCK);
    if (own == NULL || file == NULL) {
        if (own != NULL)
            memory_free(own, sizeof *own);
        file_drop(file);
        return -ENOMEM;
    }
    *own = (struct timer_file){.timer = {.fire = fire, .when = NEVER}, .file = file,
                               .clock = clock, .due = NEVER};
    file->timer = own;
    return file_open(thread, file, (arg[1] & O_CLOEXEC) != 0);
}

void timer_file_close(struct file *file)
{
    if (file->timer == NULL)
        return;
    timer_disarm(&file->timer->timer);
    memory_free(file->timer, sizeof *file->timer);
}

static struct timer_file *timer_of(const struct thread *thread, uint64_t fd, int64_t *err)
{
    const struct file *file = files_get(thread->process->files, fd);
    const uint64_t probe[6] = {fd, 1};  /* F_GETFD: tests whether the host has it */

    *err = 0;
    if (file != NULL && file->kind == FILE_TIMER)
        return file->timer;
    *err = file == NULL && syscall_forward(current(), 25, probe) < 0 ? -EBADF : -EINVAL;
    return NULL;
}

static bool write_setting(const struct timer_file *own, uint64_t va)
{
    uint64_t at = now(), left = 0;

    if (own->due > at)
        left = own->due == NEVER ? 0 : own->due - at;
    else if (own->interval != 0)
        left = own->interval - (at - own->due) % own->interval;
    return clock_write_time(va, ticks_to_ns(own->interval)) &&
           clock_write_time(va + 16, ticks_to_ns(left));
}

/* The tick of a time, on the timer's clock or from now on. */
static uint64_t due_at(const struct timer_file *own, uint64_t ns, bool is_absolute)
{
    uint64_t reading = 0;

    if (is_absolute)
        clock_read(own->clock, &reading);
    return now() + ns_to_ticks(ns > reading ? ns - reading : 0);
}

int64_t sys_timerfd_settime(struct thread *thread, const uint64_t arg[6])
{
    uint64_t interval, value;
    int64_t err;
    struct timer_file *own = timer_of(thread, arg[0], &err);

    if ((arg[1] & ~(uint64_t)(ABSOLUTE | CANCEL_ON_SET)) != 0)
        return -EINVAL;
    if (own == NULL)
        return err;
    err = clock_read_time(arg[2], &interval);
    err = err == 0 ? clock_read_time(arg[2] + 16, &value) : err;
    if (err != 0)
        return err;
    if (arg[3] != 0 && !write_setting(own, arg[3]))
        return -EFAULT;
    own->interval = ns_to_ticks(interval);
    own->due = value == 0 ? NEVER : due_at(own, value, (arg[1] & ABSOLUTE) != 0);
    timer_arm(&own->timer, own->due);
    return 0;
}

int64_t sys_timerfd_gettime(struct thread *thread, const uint64_t arg[6])
{
    int64_t err;
    const struct timer_file *own = timer_of(thread, arg[0], &err);

    if (own == NULL)
        return err;
    return write_setting(own, arg[1]) ? 0 : -EFAULT;
}

int64_t timer_file_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                        uint64_t bytes)
{
    struct timer_file *own = file->timer;
    uint64_t count;
    int64_t err;

    if (bytes < sizeof count)
        return -EINVAL;
    while ((count = expirations(own)) == 0) {
        err = file_wait(thread, file, fd, file_is_quick(file));
        if (err != 0)
            return err;
    }
    if (!user_write(va, &count, sizeof count))
        return -EFAULT;
    own->due = own->interval != 0 ? own->due + count * own->interval : NEVER;
    timer_arm(&own->timer, own->due);
    return sizeof count;
}

bool timer_file_ready(const struct file *file)
{
    return expirations(file->timer) != 0;
}
