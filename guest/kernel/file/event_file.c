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

int64_t event_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                   uint64_t bytes)
{
    uint64_t value;
    int64_t err;

    if (bytes < sizeof value)
        return -EINVAL;
    while (file->event.value == 0) {
        err = file_wait(thread, file, fd, file_is_quick(file));
        if (err != 0)
            return err;
    }
    value = file->event.is_semaphore ? 1 : file->event.value;
    if (!user_write(va, &value, sizeof value))
        return -EFAULT;
    file->event.value -= value;
    file_changed(file);
    return sizeof value;
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
    if (value == UINT64_MAX)
        return -EINVAL;
    while (UINT64_MAX - 1 - file->event.value < value) {
        err = file_wait(thread, file, fd, file_is_quick(file));
        if (err != 0)
            return err;
    }
    file->event.value += value;
    file_changed(file);
    return sizeof value;
}
