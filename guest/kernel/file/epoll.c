/* epoll: a file that was reported is reported again when it has changed. */
#include "file/poll.h"
#include "process/process.h"
#include "socket/socket.h"
#include "syscall/syscall.h"

enum { NESTED_MAX = 4, EPOLL_ADD = 1, EPOLL_DEL = 2, EPOLL_MOD = 3, EPOLL_WORDS = 2,
       CHANGES_SHIFT = 16 };
#define EPOLLET (UINT32_C(1) << 31)
#define EPOLLONESHOT (UINT32_C(1) << 30)
#define EPOLLEXCLUSIVE (UINT32_C(1) << 28)

struct item {
    struct list link;
    uint64_t fd, data;
    uint64_t seen;                      /* changes of the file when it was told last; of the host's,
                                           also in bits 15:0 the events told since */
    uint64_t changes;                   /* of a host's file, as looked at last */
    struct file *file;                  /* NULL: the host's; it does not stay for the item */
    struct list of_file;                /* in its `items_of` */
    uint32_t events;
    bool is_off;
};

static uint64_t host_items;             /* of all epolls, for files of the host */

static struct item *item_at(struct list *link)
{
    return container_of(link, struct item, link);
}

/* A socket that is the host's as yet has a file nevertheless. */
static bool is_of_host(const struct item *item)
{
    const struct file *file = item->file;

    return file == NULL || (file->kind == FILE_SOCKET && !file->socket->is_local);
}

static void item_free(struct item *item)
{
    list_remove(&item->link);
    list_remove(&item->of_file);
    host_items -= item->file == NULL;
    memory_free(item, sizeof *item);
}

void epoll_close(struct file *file)
{
    while (!list_is_empty(&file->items))
        item_free(item_at(file->items.next));
}

void epoll_leave(struct file *file)
{
    while (!list_is_empty(&file->items_of))
        item_free(container_of(file->items_of.next, struct item, of_file));
}

/* Removes the items of one epoll for these files of the host. */
static void forget_items(const struct file *epoll, uint64_t first, uint64_t last)
{
    struct list *at, *next;

    for (at = epoll->items.next; at != &epoll->items; at = next) {
        next = at->next;
        if (item_at(at)->fd >= first && item_at(at)->fd <= last && item_at(at)->file == NULL)
            item_free(item_at(at));
    }
}

void epoll_forget(const struct files *files, uint64_t first, uint64_t last)
{
    uint64_t at;

    for (at = 0; at < files->end && host_items > 0; at++) {
        const struct file *file = files_get(files, at);

        if (files->part[at / FILES_PART] == NULL)
            at |= FILES_PART - 1;
        else if (file != NULL && file->kind == FILE_EPOLL)
            forget_items(file, first, last);
    }
}

/* Edges of a file of the host are seen only when its program has used it since. */
static unsigned host_item_ready(struct item *item, struct outside *host)
{
    int64_t ready = watch_host(host, item->fd, item->events & POLL_EVENTS);

    if (ready < 0)
        return 0;
    item->changes = (uint64_t)ready >> CHANGES_SHIFT;
    if ((item->events & EPOLLET) && item->seen >> CHANGES_SHIFT == item->changes)
        ready &= ~(int64_t)item->seen;
    return (unsigned)ready & POLL_EVENTS;
}

static unsigned item_ready(struct item *item, struct outside *host)
{
    if (item->is_off)
        return 0;
    if (is_of_host(item))
        return host_item_ready(item, host);
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
    struct file *file;

    if ((arg[0] & ~(uint64_t)O_CLOEXEC) != 0)
        return -EINVAL;
    file = file_new(FILE_EPOLL, 0);
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

/* The number of epolls in a chain from this file down; the file is at `depth` of them. */
static unsigned nested(struct file *file, unsigned depth)
{
    unsigned most = depth;
    struct list *at;

    if (file == NULL || file->kind != FILE_EPOLL)
        return depth;
    if (++most > NESTED_MAX)
        return most;
    for (at = file->items.next; at != &file->items; at = at->next) {
        unsigned deep = nested(item_at(at)->file, depth + 1);

        most = deep > most ? deep : most;
    }
    return most;
}

static bool contains(struct file *outer, const struct file *file)
{
    struct list *at;

    if (outer == NULL || outer->kind != FILE_EPOLL)
        return false;
    for (at = outer->items.next; at != &outer->items; at = at->next)
        if (item_at(at)->file == file || contains(item_at(at)->file, file))
            return true;
    return false;
}

/* Tests whether this epoll can have the file of this descriptor: 0 or -errno. */
static int64_t may_add(struct file *epoll, uint64_t fd, struct file *file)
{
    if (file == NULL)
        return host_simple(KERNEL_OP_POLL, fd, 0, 0, 1) < 0 ? -EPERM : 0;
    if (file->kind == FILE_TEXT || file->kind == FILE_DIRECTORY)
        return -EPERM;
    return file->kind == FILE_EPOLL && (contains(file, epoll) || nested(file, 0) > NESTED_MAX)
               ? -ELOOP : 0;
}

/* struct epoll_event is {u32 events, u64 data}, aligned to 8. */
int64_t sys_epoll_ctl(struct thread *thread, const uint64_t arg[6])
{
    struct file *epoll = files_get(thread->process->files, arg[0]);
    struct file *file = files_get(thread->process->files, arg[2]);
    struct item *item;
    uint64_t event[EPOLL_WORDS] = {0};
    int64_t err;

    if (epoll == NULL || (file == NULL && host_simple(KERNEL_OP_POLL, arg[2], 0, 0, 0) < 0))
        return -EBADF;
    if (epoll->kind != FILE_EPOLL || file == epoll || arg[1] < EPOLL_ADD || arg[1] > EPOLL_MOD)
        return -EINVAL;
    if (arg[1] != EPOLL_DEL && !user_read(arg[3], event, sizeof event))
        return -EFAULT;
    item = find_item(epoll, arg[2], file);
    if (arg[1] != EPOLL_ADD)
        return item == NULL ? -ENOENT : change_item(epoll, item, arg[1], event);
    if (item != NULL)
        return -EEXIST;
    err = may_add(epoll, arg[2], file);
    if (err != 0)
        return err;
    item = memory_new(sizeof *item);
    if (item == NULL)
        return -ENOMEM;
    *item = (struct item){.fd = arg[2], .file = file};
    list_init(&item->of_file);
    if (file != NULL)
        list_add(&file->items_of, &item->of_file);
    host_items += file == NULL;
    list_add(&epoll->items, &item->link);
    return change_item(epoll, item, EPOLL_MOD, event);
}

/* Notes that the item was reported: an edge is reported once. */
static void mark_told(struct item *item, unsigned ready)
{
    if (!is_of_host(item))
        item->seen = item->file->changes;
    else if (item->seen >> CHANGES_SHIFT != item->changes)
        item->seen = item->changes << CHANGES_SHIFT | ready;
    else
        item->seen |= ready;
    item->is_off = (item->events & EPOLLONESHOT) != 0;
}

/* Items looked at go to the end of the list, so that none is left out. */
static int64_t collect(struct file *epoll, uint64_t va, int64_t most, struct outside *host)
{
    struct list *at, *last = epoll->items.before;
    int64_t count = 0;
    bool is_last = last == &epoll->items;

    while (!is_last && count < most) {
        struct item *item = item_at(epoll->items.next);
        unsigned ready = item_ready(item, host);
        uint64_t event[EPOLL_WORDS] = {ready, item->data};

        at = &item->link;
        is_last = at == last;
        list_remove(at);
        list_add(&epoll->items, at);
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
        return host_simple(KERNEL_OP_POLL, arg[0], 0, 0, 0) < 0 ? -EBADF : -EINVAL;
    if (epoll->kind != FILE_EPOLL || (int32_t)arg[2] <= 0)
        return -EINVAL;
    if (watch_set_mask(thread, arg[4]) != 0)
        return -EFAULT;
    watch = watch_new();
    if (watch == NULL)
        return -ENOMEM;
    epoll->users++;
    watch_file(watch, epoll, false);
    for (at = epoll->items.next; at != &epoll->items; at = at->next)
        if (item_at(at)->file != NULL)
            watch_file(watch, item_at(at)->file, (item_at(at)->events & EPOLLEXCLUSIVE) != 0);
    while ((count = collect(epoll, arg[1], (int32_t)arg[2], &watch->host)) == 0 && end == 0)
        end = watch_wait(watch, deadline);
    watch_free(watch);
    file_drop(epoll);
    return count != 0 ? count : end < 0 ? end : 0;
}
