/* Part of pmu/abi_kernel.h: measurements of code sections by the guest kernel, requested by the
 * machine at boot.
 *
 * A probe replaces the first instruction of a section by a breakpoint. The kernel handles the
 * breakpoint, records the entry, and continues the thread in the probe's slot of a page of user
 * code, which has the replaced instruction and a jump back. The section's return address leads to
 * another breakpoint there, at which the kernel records the exit.
 *
 * The host adds probes of the unwinder when a library that has it is mapped.
 *
 * The unwinder of an exception needs the return addresses themselves: probes of the unwinder
 * restore them, and read the stack pointer of the landing place, below which all sections have
 * ended. A probe of longjmp reads the future stack pointer.
 *
 * Words of a thread: registers of the profiling hardware (PROF_REG_* that CSR_PROF_SINDEX reaches)
 * that belong to a thread, like its other registers. The machine lists them, in this order:
 *   states    gates, pending hints: 0 at a thread's birth; cleared before and restored after all
 *             others, so that gated counters do not count the switch
 *   counts    0 at its birth; at its end each is in a record (KERNEL_COUNT)
 *   settings  thresholds, bounds: copied from the thread that creates it */
#ifndef PMU_ABI_PROBE_H
#define PMU_ABI_PROBE_H

#define KERNEL_SECTIONS     16
#define KERNEL_PROBES       (KERNEL_SECTIONS + 8)       /* sections first, then the unwinder's */
#define PROBE_SLOT_BYTES    64
/* In the page of the signal trampoline, which every process has at PROBE_PAGE: the breakpoint of
 * returns, then a slot for each probe. */
#define PROBE_PAGE          0x3fffff1000
#define PROBE_RETURN        32
#define PROBE_LANDING       40
#define PROBE_SLOTS         64
#define PROBE_BREAKPOINT    0x9002      /* c.ebreak */

#define THREAD_WORDS        128

#ifndef __ASSEMBLER__
enum kernel_probe_kind {
    KERNEL_PROBE_SECTION,
    KERNEL_PROBE_UNWIND,                /* a routine that begins to unwind */
    KERNEL_PROBE_LANDING,               /* _Unwind_SetIP: a1 is the address where an exception
                                         * lands */
    KERNEL_PROBE_LONGJMP,               /* glibc's __longjmp: a0 points to the future registers */
};

struct kernel_words {
    unsigned long long words, states, counts;       /* number of all words; of states; of counts,
                                                     * as many for each state, in their order */
    unsigned short reg[THREAD_WORDS];
};

struct kernel_probe {
    unsigned long long kind;
    unsigned long long address, pa;     /* of the routine's first instruction */
    unsigned long long slot[PROBE_SLOT_BYTES / 8];  /* code that replaces it, for its slot */
};
#endif

#endif
