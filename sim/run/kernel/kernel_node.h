/* Names in the file system of pipes and sockets, which the guest kernel keeps. Each has a number,
 * the same in every run, as long as the file is there. */
#ifndef SIM_RUN_KERNEL_NODE_H
#define SIM_RUN_KERNEL_NODE_H

#include "sim/run/kernel/kernel_host.h"

/* 0: no memory. */
uint64_t kernel_node_number(struct kernel_host *host, uint64_t device, uint64_t inode);
/* The socket's name at a path in physical memory, made or looked up: its number or a negative error
 * number. */
int64_t kernel_node_of_socket(struct kernel_host *host, struct process *process, uint64_t path_pa,
                              bool is_new);

#endif
