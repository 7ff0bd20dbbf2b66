/* poll, select: a thread waits on the waiters' lists of all the kernel's files it names, and
 * for an interrupt of the device that has the host's. */
#include "file/poll.h"
#include "process/process.h"
#include "syscall/syscall.h"

enum { AGAIN_NS = 1000000, SELECT_MAX = 1024 };

struct pollfd { int32_t fd; int16_t events, revents; };

struct watch *watch_new(void)
{
    return memory_new(sizeof(struct watch));
}

void watch_file(struct watch *watch, struct file *file, bool is_exclusive)
{
    struct file_waiter *waiter;

    if (watch->count == POLL_MAX) {
        watch->is_crowd = true;
        return;
    }
    waiter = &watch->waiter[watch->count++];
    waiter->thread = current();
    waiter->is_exclusive = is_exclusive;
    waiter->thread->signals.watched |= file->signals;
    list_add(&file->waiters, &waiter->link);
}

void watch_free(struct watch *watch)
{
    while (watch->count > 0)
        list_remove(&watch->waiter[--watch->count].link);
    current()->signals.watched = 0;
    memory_free(watch, sizeof *watch);
}

int64_t watch_wait(struct watch *watch, uint64_t deadline)
{
    uint64_t again = watch->is_crowd ? now() + ns_to_ticks(AGAIN_NS) : NEVER;
    uint64_t until = again < deadline ? again : deadline;
    bool was_awaited = watch->host.is_awaited || !watch->host.is_there || deadline <= now();

    watch->host.is_awaited = watch->host.is_there;
    if (!was_awaited)
        return 0;
    switch (watch->host.is_there ? outside_wait(UINT64_MAX, until)
                                 : thread_block(KERNEL_REASON_IO, UINT64_MAX, until, HEARS_ALL)) {
    case WAKE_SIGNAL: return -EINTR;
    case WAKE_TIMEOUT: return until == deadline ? 1 : 0;
    default: return 0;
    }
}

int64_t watch_host(struct outside *host, uint64_t fd, unsigned events)
{
    host->is_there = true;
    return host_simple(KERNEL_OP_POLL, fd, events, host->is_awaited, 0);
}

static unsigned ready_events(struct thread *thread, uint64_t fd, unsigned events,
                             struct watch *watch)
{
    struct file *file = files_own(thread->process->files, fd);
    int64_t ready;

    if (file == NULL) {
        ready = watch_host(&watch->host, fd, events);
        return ready < 0 ? POLLNVAL : (unsigned)ready & POLL_EVENTS;
    }
    return file_ready(file) & (events | POLLERR | POLLHUP);
}

/* ---- poll ------------------------------------------------------------------------------------ */

static int64_t poll_once(struct thread *thread, struct pollfd *fds, uint64_t count,
                         struct watch *watch)
{
    int64_t ready = 0;
    uint64_t i;

    watch->host.is_there = false;
    for (i = 0; i < count; i++) {
        fds[i].revents = 0;
        if (fds[i].fd >= 0)
            fds[i].revents = (int16_t)ready_events(thread, (uint64_t)fds[i].fd,
                                                   (uint16_t)fds[i].events, watch);
        ready += fds[i].revents != 0;
    }
    return ready;
}

static int64_t poll_until(struct thread *thread, struct pollfd *fds, uint64_t count,
                          uint64_t deadline)
{
    struct watch *watch = watch_new();
    int64_t ready, end = 0;
    uint64_t i;

    if (watch == NULL)
        return -ENOMEM;
    for (i = 0; i < count; i++) {
        struct file *file = fds[i].fd < 0 ? NULL
                                          : files_own(thread->process->files,
                                                      (uint64_t)fds[i].fd);

        if (file != NULL)
            watch_file(watch, file, false);
    }
    while ((ready = poll_once(thread, fds, count, watch)) == 0 && end == 0)
        end = watch_wait(watch, deadline);
    watch_free(watch);
    return ready > 0 ? ready : end < 0 ? end : 0;
}

int64_t watch_set_mask(struct thread *thread, uint64_t va)
{
    uint64_t mask;

    if (va == 0)
        return 0;
    if (!user_read(va, &mask, sizeof mask))
        return -EFAULT;
    thread->signals.saved = thread->signals.blocked;
    thread->signals.has_saved = true;
    signal_set_mask(thread, mask);
    return 0;
}

int64_t sys_ppoll(struct thread *thread, const uint64_t arg[6])
{
    enum { PAGE_FDS = PAGE_BYTES / sizeof(struct pollfd) };
    struct pollfd *fds;
    uint64_t deadline, bytes = arg[1] * sizeof *fds;
    int64_t err = clock_deadline(arg[2], &deadline);

    if (arg[1] > PAGE_FDS)
        return -EINVAL;
    fds = memory_new(PAGE_BYTES);
    if (fds == NULL)
        return -ENOMEM;
    err = err == 0 && !user_read(arg[0], fds, bytes) ? -EFAULT : err;
    err = err == 0 ? watch_set_mask(thread, arg[3]) : err;
    err = err == 0 ? poll_until(thread, fds, arg[1], deadline) : err;
    if (err >= 0 && !user_write(arg[0], fds, bytes))
        err = -EFAULT;
    memory_free(fds, PAGE_BYTES);
    return err;
}

/* ---- select ---------------------------------------------------------------------------------- */

static const uint16_t select_events[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};

static bool is_set(const uint64_t *bits, uint64_t fd)
{
    return (bits[fd / 64] >> fd % 64 & 1) != 0;
}

static uint64_t fill_polls(uint64_t sets[3][SELECT_MAX / 64], uint64_t count, struct pollfd *fds)
{
    uint64_t fd, used = 0;
    unsigned set;

    for (fd = 0; fd < count; fd++) {
        uint16_t events = 0;

        for (set = 0; set < 3; set++)
            events |= is_set(sets[set], fd) ? select_events[set] : 0;
        if (events != 0 && used < PAGE_BYTES / sizeof *fds)
            fds[used++] = (struct pollfd){.fd = (int32_t)fd, .events = (int16_t)events};
    }
    return used;
}

static int64_t take_polls(uint64_t sets[3][SELECT_MAX / 64], const struct pollfd *fds,
                          uint64_t used)
{
    uint64_t i;
    int64_t count = 0;
    unsigned set;

    for (i = 0; i < used; i++) {
        uint64_t bit = UINT64_C(1) << fds[i].fd % 64;

        if (fds[i].revents & POLLNVAL)
            return -EBADF;
        for (set = 0; set < 3; set++) {
            uint64_t *word = &sets[set][fds[i].fd / 64];

            if (!(*word & bit))
                continue;
            if ((uint16_t)fds[i].revents & select_events[set])
                count++;
            else
                *word &= ~bit;
        }
    }
    return count;
}

int64_t sys_pselect6(struct thread *thread, const uint64_t arg[6])
{
    uint64_t sets[3][SELECT_MAX / 64] = {{0}}, bytes = (arg[0] + 63) / 64 * 8;
    uint64_t deadline, used, mask[2] = {0};
    struct pollfd *fds;
    int64_t err = clock_deadline(arg[4], &deadline);
    unsigned set;

    if (arg[0] > SELECT_MAX)
        return -EINVAL;
    for (set = 0; set < 3 && err == 0; set++)
        if (arg[1 + set] != 0 && !user_read(arg[1 + set], sets[set], bytes))
            err = -EFAULT;
    if (err == 0 && arg[5] != 0 && !user_read(arg[5], mask, sizeof mask))
        err = -EFAULT;
    fds = memory_new(PAGE_BYTES);
    if (fds == NULL)
        return -ENOMEM;
    err = err == 0 ? watch_set_mask(thread, mask[0]) : err;
    used = fill_polls(sets, arg[0], fds);
    err = err == 0 ? poll_until(thread, fds, used, deadline) : err;
    err = err >= 0 ? take_polls(sets, fds, used) : err;
    memory_free(fds, PAGE_BYTES);
    for (set = 0; set < 3 && err >= 0; set++)
        if (arg[1 + set] != 0 && !user_write(arg[1 + set], sets[set], bytes))
            err = -EFAULT;
    return err;
}
