/* Part of pmu/abi_kernel.h: the guest kernel's sampling of idle harts. The machine places one area
 * for each hart, the kernel's sampler keeps its tree of call stacks there, and the tools read both
 * after the run.
 *
 * A sample of an idle hart asks for two stacks: that of the last monitored thread that ran on the
 * hart (to idle), and that of the first one that runs there afterwards, taken before it goes on
 * (from idle). */
#ifndef PMU_ABI_SAMPLER_H
#define PMU_ABI_SAMPLER_H

#define SAMPLER_TO_IDLE     1       /* struct kernel_sampler: modes */
#define SAMPLER_FROM_IDLE   2
#define SAMPLER_AHEAD       4       /* from idle: the stacks are taken while the hart idles */
#define SAMPLER_PAUSED      8       /* no samples until the program switches them on */
#define SAMPLER_NO_DAEMONS  16      /* ahead: no threads of processes outside the first one's
                                     * session */
#define SAMPLER_THREADS     16
#define SAMPLER_PROGRAMS    512     /* programs whose tables of frames are known */
#define SAMPLER_COUNTER     3       /* hpmcounter whose overflows are samples, with sampling by
                                     * events */
#define KERNEL_SAMPLER_TID  1       /* + hart: the sampler thread of a hart */
#define KERNEL_SAMPLER_MAX  64      /* threads of programs have larger numbers */

#ifndef __ASSEMBLER__

enum sampler_kind { SAMPLER_KIND_TO, SAMPLER_KIND_FROM, SAMPLER_KINDS };

/* A call: its children are the calls made from there. Node 0 is the root, its children the
 * outermost frames. 0 is also "none" in child and next. */
struct kernel_sampler_node {
    unsigned long long pc;              /* as in struct monitor_record: stack, as a key (pmu/key.h);
                                         * or SAMPLER_CUT_* */
    unsigned int child, next;           /* first child; next of the same parent */
    unsigned long long count[SAMPLER_KINDS];    /* number of stacks that end here */
};
#define SAMPLER_CUT_DEEP    2           /* the outermost frame of a stack deeper than a walk goes */
#define SAMPLER_CUT_BROKEN  4           /* the outermost frame of a stack that could not be walked
                                         * to its end */

struct kernel_sampler {
    /* set by the machine */
    unsigned long long modes;           /* SAMPLER_*; 0: no sampling */
    unsigned long long period;          /* in ticks of `time`, or in events */
    unsigned long long event;           /* as in mhpmevent; 0: by time */
    unsigned long long handler_most;    /* upper bound of a sample handler's cost, in the unit of
                                         * `period` */
    unsigned long long threads;         /* number of monitored threads in thread[]; 0: all */
    unsigned int thread[SAMPLER_THREADS];
    unsigned long long frames_pa;       /* struct monitor_frames of the program */
    unsigned long long programs_pa;     /* [SAMPLER_PROGRAMS], by program: address in the kernel's
                                         * map of its struct monitor_modules (tables of libraries
                                         * and of further programs), or 0 */
    unsigned long long rules_pa;        /* zeroed structs monitor_rule, MONITOR_RULES of them */
    unsigned long long nodes_pa, nodes; /* structs kernel_sampler_node; their number */
    /* counted by the kernel */
    unsigned long long used;            /* nodes, the root included */
    unsigned long long samples;         /* interrupts, by the state of the hart: busy, idle */
    unsigned long long busy, idle;
    unsigned long long no_thread;       /* to idle: there was no monitored thread */
    unsigned long long repeated;        /* to idle: the stack was known, as the thread has not run
                                         * since */
    unsigned long long walks;           /* stacks taken by the sampler thread */
    unsigned long long missed;          /* from idle, ahead: the stack had not been taken */
    unsigned long long full;            /* stacks that found no room in the tree */
    unsigned long long throttled;       /* samples left out, as the period is shorter than the
                                         * handler */
};

#endif
#endif
