/* Processes: state shared by their threads. */
#ifndef GUEST_KERNEL_PROCESS_PROCESS_H
#define GUEST_KERNEL_PROCESS_PROCESS_H

#include "file/file.h"
#include "memory/space.h"
#include "process/thread.h"

/* INIT_PID: the first process's parent, somebody else's, of whom there is only the number. */
enum { INIT_PID = 1, FIRST_PID = 1000, TIMERS_MAX = 32, LIMITS = 16, LIMIT_CORE = 4,
       LIMIT_PENDING = 11, DUMPED_CORE = 0x80 };

/* setitimer, timer_create */
struct process_timer {
    struct timer timer;
    struct process *process;
    struct thread *target;              /* SIGEV_THREAD_ID, else NULL */
    bool is_used;
    int32_t id, signo, clock;
    uint32_t overruns, overruns_told;   /* while its signal is pending; of the last one taken */
    uint64_t value, interval, due;      /* sigev_value; ticks, of the processor for its clocks */
    uint32_t maker;                     /* the thread whose time it is, of a thread's clock */
};

struct process {
    struct list link;                   /* all processes */
    uint32_t pid, group, session;
    struct process *parent;
    struct list children, sibling, threads;
    unsigned thread_count, parked;
    bool is_exiting, is_zombie, is_parking;     /* is_parking: threads stay that are to end */
    bool is_stopped, stop_told, continue_told;
    bool has_executed;                  /* execve, since the fork */
    int32_t status;                     /* as wait4 has it; DUMPED_CORE: a bit of it */
    uint32_t program;                   /* the host's number of its program; 0: the first one */
    struct space *space;
    uint64_t context;                   /* the host's */
    struct files *files;
    struct signal_action action[SIGNALS + 1];
    struct signal_queue signals;
    struct list waiters;                /* threads that wait in wait4 for its children */
    struct list watchers;               /* files of it: process_file.c */
    struct process_timer itimer[4];     /* ITIMER_REAL, _VIRTUAL, _PROF; RLIMIT_CPU */
    struct process_timer *timer[TIMERS_MAX];
    uint64_t busy_ticks, user_ticks;    /* of threads that ended */
    uint64_t child_ticks, child_user_ticks;         /* of children that were waited for */
    int exit_signal;
    uint32_t barriers;                  /* membarrier: registered commands */
    struct limit { uint64_t soft, hard; } limit[LIMITS];    /* by resource */
};

extern struct list processes;

/* The thread that runs goes to user code. */
static inline void thread_leaves(struct thread *thread)
{
    thread->kernel_ticks += now() - thread->entered;
    thread->entered = 0;
}

struct process *process_find(uint32_t pid);
struct thread *thread_find(uint32_t tid);
/* Of a thread that does not run yet; NULL: no memory. */
struct thread *thread_new(struct process *process, const struct frame *frame);
struct process *process_new(void);
void process_free(struct process *process);     /* a process that was waited for, or never ran */
/* The thread that runs ends; with it, if it is the last, the process. */
_Noreturn void thread_exit(int32_t status);
/* Ends every other thread of the process; the one that runs goes on, and gettid is getpid for it
 * (execve(2)). */
void process_kill_others(struct process *process);
_Noreturn void process_exit(int32_t status);
/* The process ends with this status, but its other threads keep their registers until the second.
 * Those inside a call come to its end. */
void process_park_others(struct process *process, int32_t status);
void process_unpark_others(struct process *process);
void process_timers_free(struct process *process);
/* RLIMIT_CPU: seconds, or NEVER. */
void process_time_limit(struct process *process, uint64_t soft, uint64_t hard);
/* The signal of a timer is taken: its overruns go with it. */
void process_timer_taken(struct process *process, struct siginfo *info);
void process_timers_forget(struct process *process, const struct thread *target);
uint64_t process_busy_ticks(const struct process *process);
uint64_t process_user_ticks(const struct process *process);
void process_stop(struct process *process, int signo);
void process_continue(struct process *process);

/* pidfd: where the descriptor goes, of CLONE_PIDFD */
struct clone_request {
    uint64_t flags, stack, parent_tid, child_tid, tls, pidfd;
    int exit_signal;
};
void wake_waiters(struct process *process);
int64_t process_clone(const struct clone_request *request);

/* ---- core.c ---------------------------------------------------------------------------------- */
/* Of the thread that runs, which a signal ends: a core file in its directory. False: none is
 * allowed, or none could be made. Where one is allowed, the others are parked once. */
bool core_write(struct thread *thread, const struct siginfo *info);

/* ---- exec.c ---------------------------------------------------------------------------------- */
void exec_first(struct thread *thread);
int64_t exec_program(uint64_t path_va, uint64_t argv_va, uint64_t env_va);

#endif
