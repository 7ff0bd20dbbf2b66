/* Names in /proc, and a few in /sys, that the kernel serves itself. */
#ifndef GUEST_KERNEL_PROC_H
#define GUEST_KERNEL_PROC_H

#include "pipe.h"
#include "process.h"

struct proc_subject proc_subject_of(const struct thread *thread, const char *path);

/* ---- proc_text.c ----------------------------------------------------------------------------- */
/* A file with the text; NULL: no memory. thread NULL: a zombie. */
struct file *proc_text(const struct proc_subject *subject, const struct process *process,
                       const struct thread *thread);
/* The decimal digits of the value, put in front of `end`; returns the first. */
char *proc_digits(uint64_t value, char *end);

/* ---- proc_entries.c -------------------------------------------------------------------------- */
/* process NULL: of INIT_PID, which shows nothing. */
struct file *proc_directory(const struct proc_subject *subject, struct process *process);

#endif
