/* Where the machine that runs the guest kernel finds its threads, for debuggers: places in the
 * kernel's structures, in a section of its file that is not loaded. All addresses are the kernel's;
 * KERNEL_MAP + p is physical address p. */
#ifndef PMU_ABI_THREADS_H
#define PMU_ABI_THREADS_H

#include "pmu/abi_directory.h"              /* enum kernel_thread_state */

#define KERNEL_LAYOUT_SECTION ".rvsim.threads"
#define KERNEL_NAME_BYTES 16

/* A list is a circle of pairs (next, before) with its head among them. */
struct kernel_layout {
    unsigned long long processes;           /* address of the head of the list of processes */
    unsigned long long process_link, process_threads, process_space, space_root;
    unsigned long long thread_link;         /* in the list of its process */
    unsigned long long thread_tid, thread_state;    /* 4 bytes each */
    unsigned long long thread_frame;        /* address of registers: pc, x1 to x31 */
    unsigned long long thread_fp;           /* f0 to f31, while it does not run */
    unsigned long long thread_name;         /* KERNEL_NAME_BYTES bytes, with a zero */
    /* code in which a hart has user code's registers, of which the frame may lack some */
    unsigned long long entry, entered, leave, left;
};

#endif
