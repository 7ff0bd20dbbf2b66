/* Guest paths for system calls; syscall_path.c. */
#ifndef SIM_RUN_SYSCALL_PATH_H
#define SIM_RUN_SYSCALL_PATH_H

#include "sim/run/linux/process_internal.h"

/* 0 or a negative error number. */
int64_t syscall_read_path(struct process *process, uint64_t va, char path[PATH_MAX]);
/* Reads and resolves; the caller frees the place on success. */
int64_t syscall_resolve(struct process *process, uint64_t dir_fd, uint64_t va, bool is_followed,
                        struct place *place);

#endif
