/* Signals: their state in threads and processes, and how they are sent and taken. */
#ifndef GUEST_KERNEL_SIGNAL_SIGNAL_H
#define GUEST_KERNEL_SIGNAL_SIGNAL_H

#include "kernel.h"

enum {
    SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGILL = 4, SIGTRAP = 5, SIGABRT = 6, SIGBUS = 7,
    SIGFPE = 8, SIGKILL = 9, SIGSEGV = 11, SIGPIPE = 13, SIGALRM = 14, SIGCHLD = 17, SIGCONT = 18,
    SIGSTOP = 19, SIGTSTP = 20, SIGTTIN = 21, SIGTTOU = 22, SIGURG = 23, SIGXCPU = 24,
    SIGXFSZ = 25, SIGVTALRM = 26, SIGPROF = 27, SIGWINCH = 28, SIGIO = 29,
    SIGSYS = 31, SIGNALS = 64, SI_USER = 0, SI_KERNEL = 0x80, SI_TIMER = -2, SI_TKILL = -6,
    SA_NOCLDSTOP = 1, SA_NOCLDWAIT = 2, SA_SIGINFO = 4, SA_ONSTACK = 0x08000000,
    SA_RESTART = 0x10000000, SA_NODEFER = 0x40000000,
};
#define SA_RESETHAND UINT64_C(0x80000000)

struct siginfo { int32_t signo, err, code, zero; uint64_t word[14]; };
struct signal_action { uint64_t handler, flags, mask; };

/* Real-time signals queue up; of the others one is pending at a time. */
struct pending { struct list link; struct siginfo info; };
struct signal_queue { uint64_t bits; struct list items; unsigned count; };

struct thread_signals {
    struct signal_queue queue;
    bool is_told;                       /* one was sent its way since it last looked */
    uint64_t blocked, saved;
    bool has_saved;                     /* sigsuspend, ppoll: restored when no handler runs */
    uint64_t waited;                    /* sigtimedwait: these wake it though they are blocked */
    uint64_t watched;                   /* signalfd: the same, while it waits for files */
    uint64_t stack, stack_bytes;
    int32_t stack_flags;
};

struct process;
struct thread;

static inline uint64_t signal_bit(int signo) { return UINT64_C(1) << (signo - 1); }

void signal_queue_init(struct signal_queue *queue);
void signal_queue_free(struct signal_queue *queue, uint64_t bits);
/* One with its number, code and first word (the timer) is pending. */
bool signal_is_queued(const struct signal_queue *queue, const struct siginfo *info);
/* thread NULL: to the process, whichever of its threads takes it. -EAGAIN: no room in the queue. */
int signal_send(struct process *process, struct thread *thread, const struct siginfo *info);
/* A thread does not take these of its process any more: others do. */
void signal_pass_on(struct process *process, uint64_t bits);
void signal_simple(struct process *process, struct thread *thread, int signo, int code);
/* Takes one of these signals; false: none is pending. */
bool signal_take(struct thread *thread, uint64_t bits, struct siginfo *info);
/* The thread did it itself: it cannot be blocked or ignored. */
void signal_fault(struct thread *thread, int signo, int code, uint64_t address);
/* The action has changed: where it is to ignore the signal, none stays pending. */
void signal_drop_ignored(struct process *process, int signo);
bool signal_is_due(const struct thread *thread);
/* The thread ends as soon as it takes its signals. */
bool signal_is_fatal(const struct thread *thread);
/* On the way to user code: handlers, default actions, restarted calls. */
void signal_deliver(struct thread *thread);
int64_t signal_return(struct thread *thread);       /* rt_sigreturn */
void signal_set_mask(struct thread *thread, uint64_t mask);

#endif
