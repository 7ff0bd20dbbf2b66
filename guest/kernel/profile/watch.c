/* For those who watch from outside: limits on functions, which are a thread's as its registers are
 * (pmu/abi_register.h), and the way to the kernel's threads (pmu/abi_directory.h). */
#include "pmu/abi_directory.h"
#include "process/process.h"
#include "profile/section.h"

/* ---- limits ---------------------------------------------------------------------------------- */

/* Without memory its limits end. */
static void save(struct thread *thread, uint64_t depth)
{
    uint64_t i;

    if (depth != 0 && thread->limits == NULL)
        thread->limits = memory_new(sizeof *thread->limits);
    if (thread->limits == NULL)
        return;
    thread->limits->depth = depth;
    for (i = 0; i < depth * PROF_LIMIT_WORDS; i++) {
        csr_write(CSR_PROF_LIMIT, i);
        thread->limits->word[i] = csr_read(CSR_PROF_LIMIT_DATA);
    }
}

void limits_switch(struct thread *from, const struct thread *to)
{
    uint64_t i;

    save(from, csr_swap(CSR_PROF_LIMITS, 0));   /* from here on they do not count */
    if (to->limits == NULL || to->limits->depth == 0)
        return;
    for (i = 0; i < to->limits->depth * PROF_LIMIT_WORDS; i++) {
        csr_write(CSR_PROF_LIMIT, i);
        csr_write(CSR_PROF_LIMIT_DATA, to->limits->word[i]);
    }
    csr_write(CSR_PROF_LIMITS, to->limits->depth);
}

void limits_forget(struct thread *thread)
{
    if (!boot->has_limits)
        return;
    (void)csr_swap(CSR_PROF_LIMITS, 0);
    if (thread->limits != NULL)
        memory_free(thread->limits, sizeof *thread->limits);
    thread->limits = NULL;
}

/* ---- the directory --------------------------------------------------------------------------- */

_Static_assert((int)THREAD_DEAD == (int)KERNEL_THREAD_DEAD, "the states are the contract's");
_Static_assert(sizeof ((struct thread *)0)->name == KERNEL_NAME_BYTES, "so is the name");

/* entry.S */
extern const char trap_entry[], trap_saved[], trap_framed[];
extern const char machine_trap[], machine_held[], machine_left[];

extern const struct kernel_directory kernel_directory;
const struct kernel_directory kernel_directory = {
    .processes = (unsigned long long)&processes,
    .trap_entry = (unsigned long long)trap_entry,
    .trap_saved = (unsigned long long)trap_saved,
    .trap_framed = (unsigned long long)trap_framed,
    .machine_entry = (unsigned long long)machine_trap - KERNEL_MAP,
    .machine_held = (unsigned long long)machine_held - KERNEL_MAP,
    .machine_left = (unsigned long long)machine_left - KERNEL_MAP,
    .hart_sp = HART_SP,
    .hart_current = offsetof(struct hart, current),
    .process_link = offsetof(struct process, link),
    .process_threads = offsetof(struct process, threads),
    .process_pid = offsetof(struct process, pid),
    .process_group = offsetof(struct process, group),
    .process_session = offsetof(struct process, session),
    .process_parent = offsetof(struct process, parent),
    .process_space = offsetof(struct process, space),
    .process_context = offsetof(struct process, context),
    .thread_link = offsetof(struct thread, sibling),
    .thread_tid = offsetof(struct thread, tid),
    .thread_state = offsetof(struct thread, state),
    .thread_reason = offsetof(struct thread, reason),
    .thread_frame = offsetof(struct thread, frame),
    .thread_hart = offsetof(struct thread, hart),
    .thread_futex = offsetof(struct thread, futex_key),
    .thread_clear_tid = offsetof(struct thread, clear_tid),
    .thread_fp = offsetof(struct thread, fp),
    .thread_fp_hart = offsetof(struct thread, fp_hart),
    .thread_name = offsetof(struct thread, name),
    .thread_busy = offsetof(struct thread, busy_ticks),
    .thread_limits = offsetof(struct thread, limits),
    .thread_process = offsetof(struct thread, process),
    .space_root = offsetof(struct space, root),
    .space_regions = offsetof(struct space, regions),
    .space_vector = offsetof(struct space, vector),
    .region_link = offsetof(struct region, link),
    .region_start = offsetof(struct region, start),
    .region_end = offsetof(struct region, end),
    .region_offset = offsetof(struct region, offset),
    .region_prot = offsetof(struct region, prot),
    .region_object = offsetof(struct region, object),
    .object_handle = offsetof(struct object, handle),
};
