/* The table by which an external debugger finds the threads of the guest kernel in its memory. The
 * kernel has one such table, with the symbol KERNEL_DIRECTORY. Guest code never reads the table.
 *
 * Lists are rings of two pointers, next and before, through a head that is no element. A pointer is
 * an address in the kernel's map: KERNEL_MAP + the physical one; 0: none. */
#ifndef PMU_ABI_DIRECTORY_H
#define PMU_ABI_DIRECTORY_H

#define KERNEL_DIRECTORY "kernel_directory"
#define KERNEL_NAME_BYTES 16            /* of a thread, with a zero */

#ifndef __ASSEMBLER__
struct kernel_directory {
    unsigned long long processes;       /* head of the list of processes */
    /* The entry of traps: its first instruction; the instruction from which on all registers but
     * pc, sp and tp are in the thread's frame; the instruction from which on these are too. Before
     * that, sepc and sscratch hold pc and tp, and the word hart_sp of the hart (tp points to the
     * hart) holds sp. */
    unsigned long long trap_entry, trap_saved, trap_framed;
    /* Physical addresses of code in machine mode that may interrupt other code: its first
     * instruction; the instruction from which on t1 is in the word that t0 points to; the
     * instruction from which on all registers are again those of the interrupted code. mepc is pc;
     * in between mscratch is t0. */
    unsigned long long machine_entry, machine_held, machine_left;
    unsigned short hart_sp;
    unsigned short hart_current;        /* byte offset in a hart: pointer to its thread */
    /* Byte offsets in a process: its link in that list, the head of its threads, numbers (32 bits),
     * pointers to its parent and its space, and the host's context number. */
    unsigned short process_link, process_threads, process_pid, process_group, process_session,
        process_parent, process_space, process_context;
    /* Byte offsets in a thread: its link among its siblings, its number, enum kernel_thread_state
     * and enum kernel_reason (32 bits), pointer to its user registers (pc, x1..x31), the hart where
     * it runs or ran last, the futex it waits on (two words: space and address, or for a shared
     * futex object and offset), the word cleared at its end, floating point (f0..f31, fcsr), its
     * name (KERNEL_NAME_BYTES), ticks of `time` that it had run before it was last scheduled,
     * pointer to its limits on functions while it does not run (their number, then their words,
     * CSR_PROF_LIMIT), the hart whose registers may still hold its floating point (32 bits; an
     * invalid hart number: none), pointer to its process (0: a thread of the kernel). */
    unsigned short thread_link, thread_tid, thread_state, thread_reason, thread_frame, thread_hart,
        thread_futex, thread_clear_tid, thread_fp, thread_name, thread_busy,
        thread_limits, thread_fp_hart, thread_process;
    /* Byte offsets in a space: its page table, the head of its regions, the auxiliary vector. */
    unsigned short space_root, space_regions, space_vector;
    /* Byte offsets in a region: its link in the list, bounds, offset in its file, protection (32
     * bits), pointer to its object; in the object: the host's handle (64 bits; 0 or less: no
     * file). */
    unsigned short region_link, region_start, region_end, region_offset, region_prot,
        region_object, object_handle;
};

enum kernel_thread_state {
    KERNEL_THREAD_RUNNING, KERNEL_THREAD_READY, KERNEL_THREAD_BLOCKED, KERNEL_THREAD_STOPPED,
    KERNEL_THREAD_DEAD,
};
#endif

#endif
