/* Resource limits of a process. */
#ifndef GUEST_KERNEL_LIMIT_H
#define GUEST_KERNEL_LIMIT_H

#include "process.h"

void process_set_limits(struct process *process);       /* to those of a first program */
void limits_inherit(struct process *child, const struct process *parent);
uint64_t limit_of_stack(const struct process *process);     /* bytes, at most STACK_SPACE */
/* The address space may grow by so many bytes. */
bool limit_allows(const struct process *process, uint64_t bytes);

#endif
