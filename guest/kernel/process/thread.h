/* Threads, harts and processes: the structures and the scheduler's interface. */
#ifndef GUEST_KERNEL_PROCESS_THREAD_H
#define GUEST_KERNEL_PROCESS_THREAD_H

#include "kernel.h"
#include "profile/record.h"
#include "signal/signal.h"

enum { PRIORITIES = 101, PRIORITY_MAX = 99, PRIORITY_SAMPLER = 100 };
enum { POLICY_OTHER = 0, POLICY_FIFO = 1, POLICY_RR = 2, POLICY_BATCH = 3, POLICY_IDLE = 5,
       POLICY_DEADLINE = 6 };

/* Registers of user code; number 0 is pc. entry.S. */
struct frame { uint64_t reg[32]; };
enum { REG_PC = 0, REG_RA = 1, REG_SP = 2, REG_TP = 4, REG_A0 = 10, REG_A7 = 17 };

struct context { uint64_t ra, sp, s[12]; };

/* Something that happens at a time; in the list of the hart that armed it. */
struct timer {
    struct list link;
    uint64_t when;                      /* in ticks; NEVER: not armed */
    void (*fire)(struct timer *timer);
};

enum thread_state { THREAD_RUNNING, THREAD_READY, THREAD_BLOCKED, THREAD_STOPPED, THREAD_DEAD };
enum wake { WAKE_EVENT, WAKE_TIMEOUT, WAKE_SIGNAL };
enum heard { HEARS_NONE, HEARS_FATAL, HEARS_ALL };  /* signals: which of them end a block */

struct thread {
    struct context context;
    struct frame *frame;
    uint8_t *stack;
    struct process *process;
    uint32_t tid;
    enum thread_state state;
    enum wake wake;                     /* why the last block ended */
    enum kernel_reason reason;          /* of a blocked thread */
    enum heard heard;                   /* of the last block; FATAL: only what ends it */
    bool must_end;                      /* it never sees user code again */
    /* scheduling */
    struct list queue;                  /* in a run queue */
    uint8_t policy, priority;           /* 1..PRIORITY_MAX real time, 0 other */
    int8_t nice;
    uint32_t hart;                      /* where it runs, or ran last */
    uint64_t affinity;                  /* bit: hart */
    uint64_t kept_affinity;             /* is_pinned, a sampler takes its stack: its own affinity */
    bool is_pinned;
    struct timer timeout;
    uint64_t busy_ticks, began;         /* processor time; since when it runs */
    uint64_t kernel_ticks, entered;     /* of that, in the kernel; since when, 0: in user code */
    uint64_t switches, preemptions;
    struct list wait;                   /* among those that wait for a child */
    /* futex: which word it waits on */
    uint64_t futex_key[2];
    struct thread_limits *limits;       /* these two: section.h, while it does not run, or NULL */
    struct thread_own *own;
    /* of its process */
    struct list sibling;
    uint64_t clear_tid, robust_list, robust_bytes;
    char name[16];
    struct thread_signals signals;
    uint64_t fault_pc, fault_va; bool lacks_memory;     /* there was no page for its access */
    int restart;                        /* ERESTART*: the call is made again, perhaps */
    bool is_restarted;                  /* ... and is being made again: until this time */
    uint64_t first_argument, kept_deadline;
    struct thread *vfork_waiter;        /* woken when this thread leaves the address space */
    uint64_t fp[33];
    uint32_t fp_hart;                   /* hart whose registers may still hold fp */
    struct kernel_call call;
    /* section.h: sections that have not returned; words while it does not run, NULL: it has none */
    struct probe_page *probe_page;
    uint32_t probe_depth; uint64_t probe_landing;       /* where an exception lands */
    uint64_t *word;
    /* sampler.h: its stack taken ahead, good until it has run again */
    uint32_t sample_leaf, sample_hart;
    uint64_t sample_switches;
    bool has_no_stack;                  /* it could not be walked */
};

struct hart {
    uint64_t user_sp;                   /* layout.h: HART_SP, HART_FRAME, HART_TRAPPED */
    struct frame *frame;
    uint64_t trapped;                   /* when user code trapped last */
    uint32_t id;
    struct thread *current;             /* &idle when nothing runs */
    struct thread idle;
    struct list ready[PRIORITIES];
    uint64_t ready_bits[2]; uint32_t ready_count;
    struct list timers;
    uint64_t alarm, sample_due;         /* of the first timer, or earlier; of the next sample */
    struct timer slice;
    bool resched, turn_is_over;         /* turn_is_over: to the end of its queue */
    struct space *space;                /* space whose tables satp has; NULL: the kernel's own */
    struct thread *fp_owner;
    struct thread *dead;                /* its memory goes after the switch */
    struct sampler *sampler;            /* NULL: idle harts are not sampled */
};

extern struct hart harts[HARTS_MAX];
static inline struct hart *this_hart(void)
{
    struct hart *hart;

    __asm__ volatile("mv %0, tp" : "=r"(hart));
    return hart;
}
static inline struct thread *current(void) { return this_hart()->current; }

/* ---- sched.c --------------------------------------------------------------------------------- */
void sched_init_hart(struct hart *hart, uint32_t id);
/* Gives the hart to the next thread; the caller's state decides whether it runs again by itself. */
void schedule(void);
/* Until thread_wake, a time (ticks, or NEVER), or a signal that it hears. */
enum wake thread_block(enum kernel_reason reason, uint64_t value, uint64_t until, enum heard heard);
void thread_wake(struct thread *thread, enum wake wake);
void thread_prepare(struct thread *thread);     /* its first switch leads to user code */
void thread_start(struct thread *thread);       /* a new or stopped thread becomes ready */
void thread_yield(void);
/* The thread's priority or affinity changed. requeue: the thread is ready, and changes now. */
void thread_replace(struct thread *thread);
void thread_requeue(struct thread *thread, uint8_t policy, uint8_t priority);
uint64_t thread_busy_ticks(const struct thread *thread);
uint64_t thread_user_ticks(const struct thread *thread);
_Noreturn void hart_idle(void);
void sched_exit(void);                  /* the thread that runs ends: never returns */
void thread_began(void);                /* the first thing that a new thread does */
void interrupt(uint64_t cause);

/* ---- timer.c --------------------------------------------------------------------------------- */
void timer_arm(struct timer *timer, uint64_t when);
void timer_disarm(struct timer *timer);
void timers_run(void);                  /* fires what is due on this hart, sets stimecmp */
void timer_set_sample(struct hart *hart, uint64_t when);    /* of this hart; needs no lock */

/* ---- ipi.c ----------------------------------------------------------------------------------- */
void ipi_send(uint32_t hart);
/* Every other hart that runs in this space (NULL: all) has dropped its translations and decoded
 * instructions, and performed a full barrier, when this returns. */
void ipi_flush(const struct space *space);

void context_switch(struct context *from, struct context *to);
void fp_save(uint64_t value[33]);
void fp_restore(const uint64_t value[33]);
void fp_keep(struct thread *thread);    /* thread->fp: what the registers have, of who runs */
void thread_entry(void);                /* entry.S: threads begin at THREAD_BEGIN in it; it calls */
_Noreturn void thread_first_steps(void);
_Noreturn void trap_return(struct frame *frame);

#endif
