/* Resource limits of a process. */
#ifndef GUEST_KERNEL_PROCESS_LIMIT_H
#define GUEST_KERNEL_PROCESS_LIMIT_H

#include "process/process.h"

void process_set_limits(struct process *process);       /* to those of a first program */
void limits_inherit(struct process *child, const struct process *parent);
uint64_t limit_of_stack(const struct process *process);     /* bytes, at most STACK_SPACE */
/* The address space may grow by these bytes, of a region like this one. */
bool limit_allows(const struct process *process, const struct region *region, uint64_t bytes);
bool limit_allows_thread(const struct process *process);    /* one more */
bool limit_is_of_files(const struct process *process);      /* a file may be too large for it */

#endif
