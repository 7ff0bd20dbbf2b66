/* The records of the guest kernel's scheduler, and the rings that hold them. Codes are ABI: append,
 * never renumber. */
#ifndef PMU_ABI_RECORD_H
#define PMU_ABI_RECORD_H

#ifndef __ASSEMBLER__

enum kernel_event {
    KERNEL_SWITCH = 1,      /* thread leaves the hart, `other` is scheduled; 0: the idle thread */
    KERNEL_WAKE,            /* thread becomes ready on hart `value`; reason NONE: woken by other,
                               SLEEP: its time is up, SIGNAL */
    KERNEL_MIGRATE,         /* thread goes from this hart to hart `value` */
    KERNEL_BLOCK,           /* thread blocks: reason, value */
    KERNEL_CREATE,          /* thread exists, made by other; value: its process */
    KERNEL_EXIT,            /* thread ends */
    KERNEL_SAMPLE,          /* the stack of thread was taken by sampler other: enum sampler_kind */
    KERNEL_ENTER,           /* thread enters the section of probe `value`; cycle is that of the
                             * trap, other: cycles from there to the record; 0: there was no trap */
    KERNEL_LEAVE,           /* thread returns from the section; fields as for KERNEL_ENTER */
    KERNEL_COUNT,           /* thread ends; its count number `other` is value */
    KERNEL_UNWIND,          /* a probe other than an entry has done its work; cycle, other: as for
                             * KERNEL_ENTER */
    KERNEL_PAUSE,           /* records were switched off; thread runs on `hart`, 0: the idle thread;
                             * one for each hart, whose ring the host is then asked to empty */
    KERNEL_RESUME,          /* they were switched on, as for KERNEL_PAUSE */
    KERNEL_UNDO,            /* an interrupt has come before the first instruction of section
                             * `value`, which thread entered last: that entry is void */
    KERNEL_ASKED,           /* thread asked to switch the records off or on, which this run does not
                             * allow: they go on */
};
enum kernel_reason {
    KERNEL_REASON_NONE,     /* scheduled out while ready: preempted, or it yielded */
    KERNEL_REASON_LOCK,     /* futex; value: its user address */
    KERNEL_REASON_SLEEP,    /* value: end of the sleep, in `time` */
    KERNEL_REASON_IO,       /* pipe, eventfd, poll, host call; value: descriptor, or -1 */
    KERNEL_REASON_CHILD,    /* waits for a process, vfork; value: its number, or -1 */
    KERNEL_REASON_SIGNAL,   /* sigsuspend, sigtimedwait, stopped */
    KERNEL_REASON_EXIT,     /* the thread ended */
};

struct kernel_record {
    unsigned long long cycle;               /* of this hart: mcycle */
    unsigned int thread, other;             /* numbers as gettid has them */
    unsigned char event, reason;            /* enum kernel_event, enum kernel_reason */
    unsigned short hart;                    /* on which it happened */
    unsigned int order;                     /* of the kernel's lock: what is larger happened later,
                                             * whatever the harts' cycles say */
    unsigned long long value;
    unsigned long long pc;                  /* of `thread` in user code, if known */
};

#define KERNEL_RING_ALL     1
#define KERNEL_RING_COUNTS  2           /* KERNEL_COUNT alone */
#define KERNEL_RING_OPEN    3           /* all, and the program may switch them off and on */
#define KERNEL_RING_PAUSED  4           /* none: KERNEL_RING_OPEN, switched off */

/* One ring a hart. The kernel appends while `is_on`; when `capacity` is reached it asks for the
 * ring to be emptied (OP_RING). */
struct kernel_ring {
    unsigned long long is_on;               /* may be changed at any time: 0, KERNEL_RING_* */
    unsigned long long written, capacity;   /* records since the ring was emptied; largest number */
    unsigned long long records_pa;
};

#endif
#endif
