/* Part of pmu/abi_kernel.h: what the guest kernel does for measurements of code sections. The
 * machine asks for it at boot.
 *
 * A probe replaces the first instruction of a section by a breakpoint. The kernel takes it, records
 * the entry, and lets the thread go on in the probe's slot of a page of user code, which has what
 * was replaced and a jump back. The section's return address leads to another breakpoint there, of
 * which the kernel records the exit.
 *
 * The host adds probes of the unwinder when a library that has it is mapped.
 *
 * The unwinder of an exception needs the return addresses themselves: probes of the
 * unwinder put them back, and take the place where the exception lands, whose stack pointer tells
 * which sections have ended. A probe of longjmp sees the stack pointer that is to come.
 *
 * Words of a thread: registers of the profiling hardware (PROF_REG_* that CSR_PROF_SINDEX reaches)
 * that are a thread's, as its other registers are. The machine lists them, in this order:
 *   states    gates, pending hints: 0 at a thread's birth; cleared before and restored after all
 *             others, so that what they gate does not count the switch
 *   counts    0 at its birth; a record (KERNEL_COUNT) at its end tells each
 *   settings  thresholds, bounds: of the thread that makes it */
#ifndef PMU_ABI_PROBE_H
#define PMU_ABI_PROBE_H

#define KERNEL_SECTIONS     16
#define KERNEL_PROBES       (KERNEL_SECTIONS + 8)       /* sections first, then the unwinder's */
#define PROBE_SLOT_BYTES    64
/* In the page of the signal trampoline: the breakpoint of returns, then a slot for each probe. */
#define PROBE_RETURN        32
#define PROBE_LANDING       40
#define PROBE_SLOTS         64
#define PROBE_BREAKPOINT    0x9002      /* c.ebreak */

#define THREAD_WORDS        128

#ifndef __ASSEMBLER__
enum kernel_probe_kind {
    KERNEL_PROBE_SECTION,
    KERNEL_PROBE_UNWIND,                /* a routine that begins to unwind */
    KERNEL_PROBE_LANDING,               /* _Unwind_SetIP: a1 is where an exception lands */
    KERNEL_PROBE_LONGJMP,               /* glibc's __longjmp: a0 points to the registers to come */
};

struct kernel_words {
    unsigned long long words, states, counts;       /* all; of these */
    unsigned short reg[THREAD_WORDS];
};

struct kernel_probe {
    unsigned long long kind;
    unsigned long long address, pa;     /* of the routine's first instruction */
    unsigned long long slot[PROBE_SLOT_BYTES / 8];  /* code that stands for it, at its slot */
};
#endif

#endif
