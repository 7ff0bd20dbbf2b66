/* Sampling of idle harts: the causes for which a hart is idle while there is work.
 *
 * Each hart samples by itself, by time or by the n-th event. A sample that finds its hart idle asks
 * for the stack of the monitored thread that ran there last (to idle), and for that of the next
 * one, before it goes on (from idle). The hart's sampler thread, bound to it and above all other
 * threads, takes the stack. Until then the target may run on this hart only, and so does not run;
 * all other harts go on with their work. */
#ifndef GUEST_KERNEL_PROFILE_SAMPLER_H
#define GUEST_KERNEL_PROFILE_SAMPLER_H

#include "process/thread.h"

enum { AHEAD_MAX = 8 };                 /* stacks taken ahead in one go */

/* Of a hart; changed with the lock held. Other harts change `last` only. */
struct sampler {
    struct kernel_sampler *area;        /* pmu/abi_sampler.h */
    struct kernel_sampler_node *node;   /* the tree */
    uint64_t due;                       /* by time: the next sample, or the last one */
    struct thread *thread;              /* takes stacks; not ended before the kernel */
    bool is_started, is_armed;          /* is_armed: the next sample will come by itself */
    bool is_deferred;                   /* the next monitored thread is to be looked at */
    bool is_outstanding;                /* a stack is being taken: no other sample until then */
    struct thread *last;                /* the monitored thread that ran here last; NULL */
    uint32_t last_leaf;                 /* of its stack in the tree; 0: not taken since it ran */
    /* The notification: target NULL: none; takes_ahead: stacks of threads that may come next. */
    struct thread *target;
    uint64_t target_switches;           /* it has not run since */
    enum sampler_kind kind;
    bool takes_ahead;
    void (*backend)(struct hart *hart); /* the second-level handler, queued; NULL */
    struct thread *ahead[AHEAD_MAX];    /* threads whose stacks are taken ahead */
    unsigned ahead_count;
    /* Ahead: who came first after the last sample. */
    bool has_first;
    uint32_t first_leaf;                /* 0: its stack had not been taken */
};

/* At boot, where the machine asks for sampling. False: no memory. */
bool sampler_init(void);
/* The program begins: every hart starts to sample, each at another time in the period. */
void sampler_begin(void);
/* Something interrupted this hart, which has a sampler. */
void sampler_interrupt(struct hart *hart);
bool sampler_take_alone(struct hart *hart);
/* Before the lock is taken for an interrupt of this hart: true if there was only a sample due, by
 * time, and it has been taken, with the hart's own data alone. */
static inline bool sampler_alone(struct hart *hart)
{
    return hart->sampler != NULL && sampler_take_alone(hart);
}
/* `from` leaves the hart for `to`. True: the sampler thread comes first, once `to` is back in its
 * queue and the backend has run. */
bool sampler_switch(struct hart *hart, struct thread *from, struct thread *to);
/* Runs the queued backend. */
void sampler_backend(struct hart *hart);
/* The thread ends. */
void sampler_forget(const struct thread *thread);

/* sample_tree.c: the stack of a thread that does not run, into the tree of the hart. Its leaf; 0:
 * no room. *is_whole: the walk reached the end of the stack. Needs no lock. */
uint32_t sample_tree_add(struct sampler *sampler, const struct thread *thread, bool *is_whole);

/* While the program has switched them off (record.h), no sample is taken. */
extern bool samples_are_off;

#endif
