/* poll, select, epoll: a thread waits on the waiters' lists of all the kernel's files it names, and
 * for an interrupt of the device that has the host's. */
#include "file.h"
#include "process.h"
#include "syscall.h"

enum { POLL_MAX = 128, EPOLL_IN_MAX = 64, EPOLL_ADD = 1, EPOLL_DEL = 2,
       EPOLL_MOD = 3, EPOLL_WORDS = 2, EVENTS = 0xffff, CHANGES_SHIFT = 16, AGAIN_NS = 1000000 };
#define EPOLLET (UINT32_C(1) << 31)
#define EPOLLONESHOT (UINT32_C(1) << 30)

struct pollfd { int32_t fd; int16_t events, revents; };
struct item {
    struct list link;
    uint64_t fd, data;
    uint64_t seen;                      /* changes of the file when it was told last; of the host's,
                                           also in bits 15:0 the events told since */
    uint64_t changes;                   /* of a host's file, as looked at last */
    struct file *file;                  /* NULL: the host's */
    uint32_t events;
    bool is_off;
};

static uint64_t host_items;             /* of all epolls, for files of the host */

/* Files of the host: there are some; the device is to say when something comes to a socket. */
struct outside { bool is_there, is_awaited; };

/* Everything a thread waits for at once. A crowd has no room: it looks again after a while. */
struct watch {
    struct file_waiter waiter[POLL_MAX];
    unsigned count;
    bool is_crowd;
    struct outside host;
};

static struct watch *watch_new(void)
{
    return memory_new(sizeof(struct watch));
}

static void watch_file(struct watch *watch, struct file *file)
{
    struct file_waiter *waiter;

    if (watch->count == POLL_MAX) {
        watch->is_crowd = true;
        return;
    }
    waiter = &watch->waiter[watch->count++];
    waiter->thread = current();
    list_add(&file->waiters, &waiter->link);
}

static void watch_free(struct watch *watch)
{
    while (watch->count > 0)
        list_remove(&watch->waiter[--watch->count].link);
    memory_free(watch, sizeof *watch);
}

/* 0: look again; else the wait is over. A second look finds data that came to a socket before the
 * device was asked for an interrupt. */
static int64_t watch_wait(struct watch *watch, uint64_t deadline)
{
    uint64_t again = watch->is_crowd ? now() + ns_to_ticks(AGAIN_NS) : NEVER;
    uint64_t until = again < deadline ? again : deadline;
    bool was_awaited = watch->host.is_awaited || !watch->host.is_there || deadline <= now();

    watch->host.is_awaited = watch->host.is_there;
    if (!was_awaited)
        return 0;
    switch (watch->host.is_there ? outside_wait(UINT64_MAX, until)
                                 : thread_block(KERNEL_REASON_IO, UINT64_MAX, until, true)) {
    case WAKE_SIGNAL: return -EINTR;
    case WAKE_TIMEOUT: return until == deadline ? 1 : 0;
    default: return 0;
    }
}

/* As KERNEL_OP_POLL has it. */
static int64_t host_ready(struct outside *host, uint64_t fd, unsigned events)
{
    host->is_there = true;
    return host_simple(KERNEL_OP_POLL, fd, events, host->is_awaited, 0);
}

static unsigned ready_events(struct thread *thread, uint64_t fd, unsigned events,
                             struct watch *watch)
{
    struct file *file = files_get(thread->process->files, fd);
    int64_t ready;

    if (file == NULL) {
        ready = host_ready(&watch->host, fd, events);
        return ready < 0 ? POLLNVAL : (unsigned)ready & EVENTS;
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
                                          : files_get(thread->process->files,
                                                      (uint64_t)fds[i].fd);

        if (file != NULL)
            watch_file(watch, file);
    }
    while ((ready = poll_once(thread, fds, count, watch)) == 0 && end == 0)
        end = watch_wait(watch, deadline);
    watch_free(watch);
    return ready > 0 ? ready : end < 0 ? end : 0;
}

/* A signal mask for the time of the call. */
static int64_t set_mask(struct thread *thread, uint64_t va)
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
    err = err == 0 ? set_mask(thread, arg[3]) : err;
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

static uint64_t fill_polls(uint64_t sets[3][16], uint64_t count, struct pollfd *fds)
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

static int64_t take_polls(uint64_t sets[3][16], const struct pollfd *fds, uint64_t used)
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
    uint64_t sets[3][16] = {{0}}, bytes = (arg[0] + 63) / 64 * 8, deadline, used, mask[2] = {0};
    struct pollfd *fds;
    int64_t err = clock_deadline(arg[4], &deadline);
    unsigned set;

    if (arg[0] > FILES_MAX)
        return -EINVAL;
    for (set = 0; set < 3 && err == 0; set++)
        if (arg[1 + set] != 0 && !user_read(arg[1 + set], sets[set], bytes))
            err = -EFAULT;
    if (err == 0 && arg[5] != 0 && !user_read(arg[5], mask, sizeof mask))
        err = -EFAULT;
    fds = memory_new(PAGE_BYTES);
    if (fds == NULL)
        return -ENOMEM;
    err = err == 0 ? set_mask(thread, mask[0]) : err;
    used = fill_polls(sets, arg[0], fds);
    err = err == 0 ? poll_until(thread, fds, used, deadline) : err;
    err = err >= 0 ? take_polls(sets, fds, used) : err;
    memory_free(fds, PAGE_BYTES);
    for (set = 0; set < 3 && err >= 0; set++)
        if (arg[1 + set] != 0 && !user_write(arg[1 + set], sets[set], bytes))
            err = -EFAULT;
    return err;
}

/* ---- epoll ----------------------------------------------------------------------------------- */

static struct item *item_at(struct list *link)
{
    return container_of(link, struct item, link);
}

static void item_free(struct item *item)
{
    list_remove(&item->link);
    if (item->file != NULL)
        file_drop(item->file);
    else
        host_items--;
    memory_free(item, sizeof *item);
}

void epoll_close(struct file *file)
{
    while (!list_is_empty(&file->items))
        item_free(item_at(file->items.next));
}

/* The items of one epoll that are for this file of the host. */
static void forget_items(const struct file *epoll, uint64_t fd)
{
    struct list *at, *next;

    for (at = epoll->items.next; at != &epoll->items; at = next) {
        next = at->next;
        if (item_at(at)->fd == fd && item_at(at)->file == NULL)
            item_free(item_at(at));
    }
}

void epoll_forget(const struct files *files, uint64_t fd)
{
    uint64_t at;

    for (at = 0; at < FILES_MAX && host_items > 0; at++) {
        const struct file *file = files_get(files, at);

        if (files->part[at / FILES_PART] == NULL)
            at |= FILES_PART - 1;
        else if (file != NULL && file->kind == FILE_EPOLL)
            forget_items(file, fd);
    }
}

/* Edges of a file of the host are seen only when its program has used it since. */
static unsigned host_item_ready(struct item *item, struct outside *host)
{
    int64_t ready = host_ready(host, item->fd, item->events & EVENTS);

    if (ready < 0)
        return 0;
    item->changes = (uint64_t)ready >> CHANGES_SHIFT;
    if ((item->events & EPOLLET) && item->seen >> CHANGES_SHIFT == item->changes)
        ready &= ~(int64_t)item->seen;
    return (unsigned)ready & EVENTS;
}

static unsigned item_ready(struct item *item, struct outside *host)
{
    if (item->is_off)
        return 0;
    if (item->file == NULL)
        return host_item_ready(item, host);
    if (item->file->users == 1)         /* closed everywhere else */
        return 0;
    if ((item->events & EPOLLET) && item->seen == item->file->changes)
        return 0;
    return file_ready(item->file) & (item->events | POLLERR | POLLHUP);
}

bool epoll_ready(const struct file *file)
{
    struct outside host = {false, false};
    struct list *at;

    for (at = file->items.next; at != &file->items; at = at->next)
        if (item_ready(item_at(at), &host) != 0)
            return true;
    return false;
}

int64_t sys_epoll_create1(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = file_new(FILE_EPOLL, 0);

    return file == NULL ? -ENOMEM : file_open(thread, file, (arg[0] & O_CLOEXEC) != 0);
}

static struct item *find_item(struct file *epoll, uint64_t fd, const struct file *file)
{
    struct list *at;

    for (at = epoll->items.next; at != &epoll->items; at = at->next)
        if (item_at(at)->fd == fd && item_at(at)->file == file)
            return item_at(at);
    return NULL;
}

static int64_t change_item(struct file *epoll, struct item *item, uint64_t op,
                           const uint64_t event[2])
{
    if (op == EPOLL_DEL) {
        item_free(item);
        return 0;
    }
    item->events = (uint32_t)event[0];
    item->data = event[1];
    item->seen = UINT64_MAX;
    item->is_off = false;
    file_changed(epoll);
    return 0;
}

/* struct epoll_event is {u32 events, u64 data}, aligned to 8. */
int64_t sys_epoll_ctl(struct thread *thread, const uint64_t arg[6])
{
    struct file *epoll = files_get(thread->process->files, arg[0]);
    struct file *file = files_get(thread->process->files, arg[2]);
    struct item *item;
    uint64_t event[EPOLL_WORDS] = {0};

    if (epoll == NULL || (file == NULL && host_simple(KERNEL_OP_POLL, arg[2], 0, 0, 0) < 0))
        return -EBADF;
    if (epoll->kind != FILE_EPOLL || file == epoll)
        return -EINVAL;
    if (arg[1] != EPOLL_DEL && !user_read(arg[3], event, sizeof event))
        return -EFAULT;
    item = find_item(epoll, arg[2], file);
    if (arg[1] != EPOLL_ADD)
        return item == NULL ? -ENOENT : change_item(epoll, item, arg[1], event);
    if (item != NULL)
        return -EEXIST;
    item = memory_new(sizeof *item);
    if (item == NULL)
        return -ENOMEM;
    *item = (struct item){.fd = arg[2], .file = file};
    if (file != NULL)
        file->users++;
    else
        host_items++;
    list_add(&epoll->items, &item->link);
    return change_item(epoll, item, EPOLL_MOD, event);
}

/* This was told: what an edge is, is told once. */
static void mark_told(struct item *item, unsigned ready)
{
    if (item->file != NULL)
        item->seen = item->file->changes;
    else if (item->seen >> CHANGES_SHIFT != item->changes)
        item->seen = item->changes << CHANGES_SHIFT | ready;
    else
        item->seen |= ready;
    item->is_off = (item->events & EPOLLONESHOT) != 0;
}

static int64_t collect(struct file *epoll, uint64_t va, int64_t most, struct outside *host)
{
    struct list *at;
    int64_t count = 0;

    for (at = epoll->items.next; at != &epoll->items && count < most; at = at->next) {
        struct item *item = item_at(at);
        unsigned ready = item_ready(item, host);
        uint64_t event[EPOLL_WORDS] = {ready, item->data};

        if (ready == 0)
            continue;
        if (!user_write(va + (uint64_t)count * sizeof event, event, sizeof event))
            return count > 0 ? count : -EFAULT;
        mark_told(item, ready);
        count++;
    }
    return count;
}

int64_t sys_epoll_pwait(struct thread *thread, const uint64_t arg[6])
{
    struct file *epoll = files_get(thread->process->files, arg[0]);
    int64_t timeout = (int32_t)arg[3], count, end = 0;
    uint64_t deadline = timeout < 0 ? NEVER : now() + ns_to_ticks((uint64_t)timeout * 1000000);
    struct watch *watch;
    struct list *at;

    if (epoll == NULL)
        return -EBADF;
    if (epoll->kind != FILE_EPOLL || (int32_t)arg[2] <= 0)
        return -EINVAL;
    if (set_mask(thread, arg[4]) != 0)
        return -EFAULT;
    watch = watch_new();
    if (watch == NULL)
        return -ENOMEM;
    epoll->users++;
    watch_file(watch, epoll);
    for (at = epoll->items.next; at != &epoll->items; at = at->next)
        if (item_at(at)->file != NULL)
            watch_file(watch, item_at(at)->file);
    while ((count = collect(epoll, arg[1], (int32_t)arg[2], &watch->host)) == 0 && end == 0)
        end = watch_wait(watch, deadline);
    watch_free(watch);
    file_drop(epoll);
    return count != 0 ? count : end < 0 ? end : 0;
}
