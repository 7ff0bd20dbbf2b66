/* Files that a guest kernel maps or executes, as handles 1 and up. Results are those of system
 * calls. */
#ifndef SIM_RUN_KERNEL_HANDLE_H
#define SIM_RUN_KERNEL_HANDLE_H

#include "sim/run/kernel/kernel_host.h"

int64_t kernel_handle_open_user(struct kernel_host *host, struct process *process, uint64_t va);
int64_t kernel_handle_open(struct kernel_host *host, struct process *process, uint64_t path_pa);
/* An empty file of that size at the path, opened to be written. */
int64_t kernel_handle_create(struct kernel_host *host, const struct process *process,
                             uint64_t path_pa, uint64_t bytes);
/* argument: descriptor, prot, is shared, address, offset. Reports code of an ELF file to
 * host->placed. */
int64_t kernel_handle_map(struct kernel_host *host, struct process *process,
                          const unsigned long long argument[6]);
/* Reports to host->placed that the handle's ELF file is mapped in the process. */
int64_t kernel_handle_placed(struct kernel_host *host, uint64_t handle, uint64_t bias);
/* The process has become the program of this handle. */
int64_t kernel_handle_exec(struct kernel_host *host, struct process *process, uint64_t handle);
int64_t kernel_handle_size(const struct kernel_host *host, uint64_t handle);
/* argument: handle, offset, physical address, bytes. Returns the number of bytes moved. */
int64_t kernel_handle_move(const struct kernel_host *host, const unsigned long long argument[6],
                           bool is_write);
/* argument: handle, physical address, bytes. Its path as the guest has it: the length. */
/* Bytes without the 0; -ERANGE, -EFAULT. */
int64_t kernel_path_out(const struct kernel_host *host, const char *path, uint64_t pa,
                        uint64_t bytes);
int64_t kernel_handle_path(const struct kernel_host *host, const unsigned long long argument[6]);
int64_t kernel_handle_close(struct kernel_host *host, uint64_t handle);
void kernel_handle_free(struct kernel_host *host);

#endif
