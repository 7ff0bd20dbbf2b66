/* Measurements of code sections (pmu/abi_probe.h): software probes; words and limits of a
 * thread. */
#ifndef GUEST_KERNEL_PROFILE_SECTION_H
#define GUEST_KERNEL_PROFILE_SECTION_H

#include "process/thread.h"

/* A section that has not returned, and a page of them (a power of two). A thread's pages are a
 * chain: the one with the innermost section, those below it, which are full, and those above it,
 * which were used. */
struct probe_frame {
    uint64_t ret, sp, section;
    uint64_t saved;                     /* while the stack unwinds: where its return address is */
};
enum { PROBE_FRAMES = 64 };
struct probe_page {
    struct probe_page *below, *above;
    struct probe_frame frame[PROBE_FRAMES];
};

/* A thread's registers by their bit in CSR_PROF_OWN, two for those above the gates. */
enum { OWN_BITS = 64 };
struct thread_own { uint64_t in_use, word[2 * OWN_BITS]; };
struct thread_limits { uint64_t depth, word[PROF_LIMITS * PROF_LIMIT_WORDS]; };

/* At boot: puts breakpoints into the program. */
void probes_init(void);
/* The space has mapped code of a file: puts breakpoints into it where the host has added probes. */
void probes_follow(struct space *space);
/* The page of the signal trampoline: adds the slots. */
void probes_fill_page(uint64_t pa);
/* The thread ran into a breakpoint. True: of a probe, and it goes on. The lock is not held: all
 * that a probe touches is its thread's or its hart's. `since`: the cycle of the trap, read at the
 * same distance from it for breakpoints and interrupts, so that both end a section alike. */
bool probe_hit(struct thread *thread, uint64_t since);
/* An interrupt has come: it is not to fall into a section because a probe was on its way. A section
 * that has been entered, but of which nothing has executed, is entered again afterwards; one that
 * has returned to its breakpoint ends now. */
void probe_interrupted(struct thread *thread, uint64_t since);
/* The child has a copy of the parent's stack, and with it the same open sections. */
void probes_inherit(struct thread *child, const struct thread *parent);
void probes_free(struct thread *thread);

/* A new thread gets its words, its settings from the one that runs. False: no memory. */
bool words_new(struct thread *thread);
/* The child continues at the place of its parent, and so is in the same sections. */
void words_inherit(struct thread *child);
/* The hart goes from one thread to another: words and limits are saved and restored. */
void words_switch(struct thread *from, const struct thread *to);
/* The running thread becomes another program: its open sections are dropped. */
void words_forget(struct thread *thread);
/* The thread that runs ends: its counts become records. */
void words_end(struct thread *thread);
void words_free(struct thread *thread);
static inline bool words_are_wanted(void)
{
    return boot->words.words != 0 || boot->has_limits;
}

/* own.c: gates, pending hints and counters that the thread uses, whoever asked for them. `in_use`:
 * CSR_PROF_OWN, without gates where these are words. */
static inline uint64_t own_in_use(void)
{
    return csr_read(CSR_PROF_OWN) & ~(boot->words.states != 0 ? UINT64_C(0xffffffff) : 0);
}
void own_switch(struct thread *from, const struct thread *to, uint64_t in_use);
void own_inherit(struct thread *child);         /* its gates */
void own_forget(struct thread *thread);

/* watch.c: the limits on functions (pmu/abi_register.h) at a switch, and when the functions are
 * gone. */
void limits_switch(struct thread *from, const struct thread *to);
void limits_forget(struct thread *thread);

#endif
