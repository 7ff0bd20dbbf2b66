/* Threads that wait for sockets, which are the host's: the device interrupts when something came,
 * and each looks whether it was to its own. */
#include "file/file.h"
#include "process/process.h"

static struct list waiters = {&waiters, &waiters};

enum wake outside_wait(uint64_t fd, uint64_t deadline)
{
    return waiters_wait(&waiters, KERNEL_REASON_IO, fd, deadline);
}

void outside_interrupt(void)
{
    const volatile uint64_t *has_come = (const volatile uint64_t *)at_pa(KERNEL_HOST_PA);

    if (!list_is_empty(&waiters) && *has_come != 0)
        waiters_wake(&waiters);
}
