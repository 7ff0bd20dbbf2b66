/* Names in /proc, and a few in /sys, that the kernel serves itself. */
#ifndef GUEST_KERNEL_FILE_PROC_H
#define GUEST_KERNEL_FILE_PROC_H

#include "file/pipe.h"
#include "process/process.h"

struct proc_subject proc_subject_of(const struct thread *thread, const char *path);
/* The kernel's own file of the path of a call, by its descriptor's name or by a name here, with one
 * user more. NULL: *err says why; 0: the name is the host's. */
struct file *proc_file_at(struct thread *thread, uint64_t fd, uint64_t path_va, uint64_t *inode,
                          int64_t *err);

/* ---- proc_text.c ----------------------------------------------------------------------------- */
/* A file with the text; NULL: no memory. thread NULL: a zombie. process NULL: stat of INIT_PID. */
struct file *proc_text(const struct proc_subject *subject, const struct process *process,
                       const struct thread *thread);
/* The decimal digits of the value, put in front of `end`; returns the first. */
char *proc_digits(uint64_t value, char *end);

/* ---- proc_entries.c -------------------------------------------------------------------------- */
/* process NULL: of INIT_PID, which shows nothing. */
struct file *proc_directory(const struct proc_subject *subject, struct process *process);

#endif
