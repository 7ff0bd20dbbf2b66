/* For the marks of a profiler (struct profiler_memory): the physical pages of an address of a
 * program, one for each process of the guest kernel that executes the program. */
#ifndef SIM_HOST_COPIES_H
#define SIM_HOST_COPIES_H

#include "sim/run/machine.h"
#include "sim/run/profiler/profiler_follow.h"

struct copies;

/* Before profiler_attach: the profiler follows the pages of the processes that the guest kernel
 * serves. *copies is freed after the profiler; NULL without the kernel. */
enum err copies_follow(struct copies **copies, struct profiler *profiler, struct machine *machine,
                       struct diag *diag);
void copies_free(struct copies *copies);

#endif
