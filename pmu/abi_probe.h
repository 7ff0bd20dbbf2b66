/* Part of pmu/abi_kernel.h: what the guest kernel does for measurements of code sections. The
 * machine asks for it at boot.
 *
 * A probe replaces the first instruction of a section by a breakpoint. The kernel takes it, records
 * the entry, and lets the thread go on in the probe's slot of a page of user code, which has what
 * was replaced and a jump back. The section's return address leads to another breakpoint there, of
 * which the kernel records the exit.
 *
 * Counters of a thread: the toggle flag and two counters of the hart are a thread's, as its
 * registers are. */
#ifndef PMU_ABI_PROBE_H
#define PMU_ABI_PROBE_H

#define KERNEL_PROBES       16
#define PROBE_SLOT_BYTES    64
/* In the page of the signal trampoline: the breakpoint of returns, then a slot for each probe. */
#define PROBE_RETURN        32
#define PROBE_SLOTS         64
#define PROBE_BREAKPOINT    0x9002      /* c.ebreak */

#define THREAD_COUNTERS     2           /* hpmcounter3 and 4 */

#ifndef __ASSEMBLER__
struct kernel_probe {
    unsigned long long address, pa;     /* of the section's first instruction */
    unsigned long long slot[PROBE_SLOT_BYTES / 8];  /* code that stands for it, at its slot */
};
#endif

#endif
