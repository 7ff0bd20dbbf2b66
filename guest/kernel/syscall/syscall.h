/* System calls: the table is pmu/abi_syscall.def; each call of the kernel's own is sys_<name>. */
#ifndef GUEST_KERNEL_SYSCALL_SYSCALL_H
#define GUEST_KERNEL_SYSCALL_SYSCALL_H

#include "process/thread.h"

#define KERNEL(number, name) \
    int64_t sys_##name(struct thread *thread, const uint64_t arg[6]);
#define VALUE(number, name, value)
#include "pmu/abi_syscall.def"
#undef KERNEL
#undef VALUE

/* The call in the thread's registers. */
void syscall_serve(struct thread *thread);
/* Lets the host perform a call that touches user memory, making that present as needed. */
int64_t syscall_host(struct thread *thread, struct kernel_call *call);
/* Forwards a system call as it is. */
int64_t syscall_forward(struct thread *thread, uint64_t number, const uint64_t arg[6]);

struct process *process_or_self(struct thread *thread, uint64_t pid);  /* 0: its own; NULL: none */

/* ---- futex.c --------------------------------------------------------------------------------- */
void futex_wake_one(uint64_t va);
void futex_exit(struct thread *thread);     /* robust list */

/* ---- clock.c --------------------------------------------------------------------------------- */
/* A timespec of user memory in ns; 0, -EFAULT, -EINVAL. */
int64_t clock_read_time(uint64_t va, uint64_t *ns);
bool clock_write_time(uint64_t va, uint64_t ns);
/* A struct rusage: processor time and what of it was in user code, in ticks; switches. */
bool clock_write_usage(uint64_t va, uint64_t busy, uint64_t user, uint64_t switches);
/* The end of a wait in ticks: a relative timespec at va; 0: NEVER. */
int64_t clock_deadline(uint64_t va, uint64_t *deadline);
bool clock_read(uint64_t clock, uint64_t *ns);      /* false: there is no such clock */
/* Ticks at which an absolute time of this clock comes. */
int64_t clock_absolute(uint64_t clock, uint64_t ns, uint64_t *deadline);

#endif
