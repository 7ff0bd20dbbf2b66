/* eventfd: a number as a file. Source: eventfd(2). */
#include "file/file.h"
#include "process/process.h"
#include "syscall/syscall.h"

enum { SEMAPHORE = 1 };

int64_t sys_eventfd2(struct thread *thread, const uint64_t arg[6])
{
    struct file *file;

    if ((arg[1] & ~(uint64_t)(O_NONBLOCK | O_CLOEXEC | SEMAPHORE)) != 0)
        return -EINVAL;
    file = file_new(FILE_EVENT, (uint32_t)arg[1] & O_NONBLOCK);
    if (file == NULL)
        return -ENOMEM;
    file->event = (struct event){(uint32_t)arg[0], (arg[1] & SEMAPHORE) != 0};
    return file_open(thread, file, (arg[1] & O_CLOEXEC) != 0);
}

/* Until there is something to read, or room to add a number. 0 or -errno. */
static int64_t wait_until_ready(struct thread *thread, struct file *file, uint64_t fd,
                                bool is_write, uint64_t added)
{
    const struct event *event = &file->event;
    int64_t err = 0;

    while (err == 0 && (is_write ? UINT64_MAX - 1 - event->value < added : event->value == 0))
        err = file_wait(thread, file, fd, file_is_quick(file));
    return err;
}

static int64_t set(struct file *file, uint64_t value)
{
    file->event.value = value;
    file_changed(file);
    return sizeof value;
}

int64_t event_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                   uint64_t bytes)
{
    uint64_t value;
    int64_t err = bytes < sizeof value ? -EINVAL : wait_until_ready(thread, file, fd, false, 0);

    if (err != 0)
        return err;
    value = file->event.is_semaphore ? 1 : file->event.value;
    return user_write(va, &value, sizeof value) ? set(file, file->event.value - value) : -EFAULT;
}

int64_t event_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                    uint64_t bytes)
{
    uint64_t value;
    int64_t err;

    if (bytes < sizeof value)
        return -EINVAL;
    if (!user_read(va, &value, sizeof value))
        return -EFAULT;
    err = value == UINT64_MAX ? -EINVAL : wait_until_ready(thread, file, fd, true, value);
    return err != 0 ? err : set(file, file->event.value + value);
}
