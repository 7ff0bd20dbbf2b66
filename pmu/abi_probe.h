/* Part of pmu/abi_kernel.h: what the guest kernel does for measurements of code sections. The
 * machine asks for it at boot.
 *
 * A probe replaces the first instruction of a section by a breakpoint. The kernel takes it, records
 * the entry, and lets the thread go on in the probe's slot of a page of user code, which has what
 * was replaced and a jump back. The section's return address leads to another breakpoint there, of
 * which the kernel records the exit.
 *
 * Words of a thread: registers of the profiling hardware (PROF_REG_* that CSR_PROF_SINDEX reaches)
 * that are a thread's, as its other registers are. The machine lists them, in this order:
 *   states    gates, pending hints: 0 at a thread's birth; cleared before and restored after all
 *             others, so that what they gate does not count the switch
 *   counts    0 at its birth; a record (KERNEL_COUNT) at its end tells each
 *   settings  thresholds, bounds: of the thread that makes it */
#ifndef PMU_ABI_PROBE_H
#define PMU_ABI_PROBE_H

#define KERNEL_PROBES       16
#define PROBE_SLOT_BYTES    64
/* In the page of the signal trampoline: the breakpoint of returns, then a slot for each probe. */
#define PROBE_RETURN        32
#define PROBE_SLOTS         64
#define PROBE_BREAKPOINT    0x9002      /* c.ebreak */

#define THREAD_WORDS        128

#ifndef __ASSEMBLER__
struct kernel_words {
    unsigned long long words, states, counts;       /* all; of these */
    unsigned short reg[THREAD_WORDS];
};

struct kernel_probe {
    unsigned long long address, pa;     /* of the section's first instruction */
    unsigned long long slot[PROBE_SLOT_BYTES / 8];  /* code that stands for it, at its slot */
};
#endif

#endif
