/* The bytes that one system call moves between guest memory and a file; syscall_io.c. */
#ifndef SIM_RUN_SYSCALL_TRANSFER_H
#define SIM_RUN_SYSCALL_TRANSFER_H

#include "sim/run/linux/process_internal.h"

enum { TRANSFER_AT_POSITION = -1, TRANSFER_PARTS = 1024 };

/* One transfer: its offset in the file (TRANSFER_AT_POSITION: the file's position), and its
 * direction. */
struct transfer {
    struct open_file *file;
    int64_t offset;
    bool is_write;
    int flags;                          /* MSG_*, of a socket */
};

/* Descriptor and offset of a call; 0 or an error. */
int64_t transfer_begin(struct process *process, uint64_t fd, int64_t offset, bool is_write,
                       struct transfer *transfer);
/* Bytes moved: at most Linux's limit for a call, fewer if the file gives or takes fewer. An error
 * only if none were moved. */
int64_t transfer_bytes(struct process *process, struct transfer transfer, uint64_t va,
                       uint64_t bytes);
/* The same with `parts` structs iovec {base, bytes} at parts_va, at most TRANSFER_PARTS. */
int64_t transfer_parts(struct process *process, struct transfer transfer, uint64_t parts_va,
                       uint64_t parts);

#endif
