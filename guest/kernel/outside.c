/* Threads that wait for sockets, which are the host's: the device interrupts when something came,
 * and each looks whether it was to its own. */
#include "file.h"
#include "process.h"

static struct list waiters = {&waiters, &waiters};

enum wake outside_wait(uint64_t fd, uint64_t deadline)
{
    struct file_waiter waiter = {.thread = current()};
    enum wake wake;

    list_add(&waiters, &waiter.link);
    wake = thread_block(KERNEL_REASON_IO, fd, deadline, true);
    list_remove(&waiter.link);
    return wake;
}

void outside_interrupt(void)
{
    const volatile uint64_t *has_come = (const volatile uint64_t *)at_pa(KERNEL_HOST_PA);
    struct list *at;

    if (list_is_empty(&waiters) || *has_come == 0)
        return;
    for (at = waiters.next; at != &waiters; at = at->next)
        thread_wake(container_of(at, struct file_waiter, link)->thread, WAKE_EVENT);
}
