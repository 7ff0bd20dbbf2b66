/* Threads of the guest kernel, in memory: those that no hart runs, too. The kernel says where it
 * keeps them (pmu/abi_threads.h); nothing is called or changed. */
#ifndef SIM_DEBUG_GUESTS_H
#define SIM_DEBUG_GUESTS_H

#include "pmu/abi_threads.h"
#include "sim/run/machine.h"

struct guest {
    uint64_t at, root;              /* kernel's address; physical address of its page tables */
    uint32_t tid, state;            /* enum kernel_thread_state */
    char name[KERNEL_NAME_BYTES + 1];
};

enum { GUESTS_MAX = 4096 };

/* The threads of all processes, as many as there is room for; 0: there is no guest kernel, or it
 * has not begun. */
unsigned guests_list(const struct machine *machine, struct guest *guest, unsigned room);
/* False: there is no such thread. */
bool guests_find(const struct machine *machine, uint32_t tid, struct guest *guest);
/* The thread that a hart runs; 0: none, or there is no guest kernel. */
uint32_t guests_on(const struct machine *machine, unsigned hart);
/* The hart executes the kernel's code, and the thread's registers of user code are in memory. */
bool guests_is_inside(const struct machine *machine, const struct hart *view);
/* Of a thread in the kernel: what it will have when it goes on in user code, unless the kernel
 * changes it. f0 to f31 are those in memory; what a hart runs has its own there. */
bool guests_registers(const struct machine *machine, const struct guest *guest, struct hart *view);
uint64_t guests_satp(const struct guest *guest);

#endif
