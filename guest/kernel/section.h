/* Measurements of code sections (pmu/abi_probe.h): software probes, counters and limits of a
 * thread. */
#ifndef GUEST_KERNEL_SECTION_H
#define GUEST_KERNEL_SECTION_H

#include "thread.h"

/* A section that has not returned; in an array of PROBE_DEPTH of its thread. */
struct probe_frame { uint64_t ret, sp, section; };
enum { PROBE_DEPTH = 4096 / sizeof(struct probe_frame) };

struct thread_limits { uint64_t depth, word[PROF_LIMITS * PROF_LIMIT_WORDS]; };

/* At boot: puts breakpoints into the program. */
void probes_init(void);
/* The page of the signal trampoline: adds the slots. */
void probes_fill_page(uint64_t pa);
/* The thread ran into a breakpoint. True: of a probe, and it goes on. The lock is not held: all
 * that a probe touches is its thread's or its hart's. */
bool probe_hit(struct thread *thread);
/* The child has a copy of the parent's stack, and with it the same open sections. */
void probes_inherit(struct thread *child, const struct thread *parent);
void probes_free(struct thread *thread);

/* The hart goes from one thread to another: flag and counters are saved and restored, or what of
 * them is wanted, and limits. */
void thread_counters_switch(struct hart *hart, struct thread *from, const struct thread *to);
/* The thread that runs ends: its counts become records. */
void thread_counters_end(struct thread *thread);

/* watch.c: the limits on functions (pmu/abi_register.h) at a switch. The thread that runs ends, or
 * becomes another program: its functions are gone. */
void limits_switch(struct thread *from, const struct thread *to);
void limits_forget(struct thread *thread);

#endif
