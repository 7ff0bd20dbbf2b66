/* Everything a thread waits for at once: poll.c, and epolls on it. */
#ifndef GUEST_KERNEL_FILE_POLL_H
#define GUEST_KERNEL_FILE_POLL_H

#include "file/file.h"

enum { POLL_MAX = 120, POLL_EVENTS = 0xffff };

/* Files of the host: there are some; the device is to say when something comes to a socket. */
struct outside { bool is_there, is_awaited; };

/* A crowd has no room: it looks again after a while. */
struct watch {
    struct file_waiter waiter[POLL_MAX];
    unsigned count;
    bool is_crowd;
    struct outside host;
};
_Static_assert(sizeof(struct watch) <= PAGE_BYTES, "it is one piece of memory");

struct watch *watch_new(void);          /* NULL: no memory */
/* Exclusive: of several such watches, one wakes. */
void watch_file(struct watch *watch, struct file *file, bool is_exclusive);
void watch_free(struct watch *watch);
/* 0: look again; else the wait is over. A second look finds data that came to a socket before the
 * device was asked for an interrupt. */
int64_t watch_wait(struct watch *watch, uint64_t deadline);
/* Of a file of the host, as KERNEL_OP_POLL has it. */
int64_t watch_host(struct outside *host, uint64_t fd, unsigned events);
/* A signal mask at va for the time of the call; 0: none. */
int64_t watch_set_mask(struct thread *thread, uint64_t va);

#endif
