/* Pages of the processes under the guest kernel, which get the marks of their addresses. */
#ifndef SIM_RUN_PROFILER_FOLLOW_H
#define SIM_RUN_PROFILER_FOLLOW_H

#include "sim/run/profiler/profiler.h"

/* The memory of processes under the guest kernel, as it is between two instructions. take: finds
 * the processes. copies: the physical pages that the page at this key (pmu/key.h) has in the
 * processes of its program, those of earlier processes first; *pa is valid until the next call. */
struct profiler_memory {
    void *arg;
    enum err (*take)(void *arg, struct diag *diag);
    size_t (*copies)(void *arg, uint64_t key, const uint64_t **pa);
};
/* Before profiler_attach: there are several processes. */
void profiler_follow_memory(struct profiler *profiler, const struct profiler_memory *memory);
/* True if data of the program are marked, which need memory for their pages in other processes. */
bool profiler_may_follow(const struct profiler *profiler);
/* struct kernel_follower; arg: the profiler. A fault becomes a warning of the metadata. */
void profiler_page_came(void *arg, uint64_t key, uint64_t pa);
void profiler_page_freed(void *arg, uint64_t pa);

#endif
