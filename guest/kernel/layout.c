/* The places of threads, for debuggers (pmu/abi_threads.h). */
#include <stddef.h>

#include "pmu/abi_threads.h"
#include "process.h"
#include "space.h"

extern char trap_entry[], trap_entered[], trap_left[];

_Static_assert((int)THREAD_DEAD == (int)KERNEL_THREAD_DEAD, "the states are the contract's");
_Static_assert(sizeof ((struct thread *)0)->name == KERNEL_NAME_BYTES, "so is the name");

/* Not loaded: the assembler sees the flags of the section, and a comment in place of gcc's own. */
__attribute__((section(KERNEL_LAYOUT_SECTION ",\"\",@progbits#"), used))
const struct kernel_layout kernel_layout = {
    .processes = (unsigned long long)&processes,
    .process_link = offsetof(struct process, link),
    .process_threads = offsetof(struct process, threads),
    .process_space = offsetof(struct process, space),
    .space_root = offsetof(struct space, root),
    .thread_link = offsetof(struct thread, sibling),
    .thread_tid = offsetof(struct thread, tid),
    .thread_state = offsetof(struct thread, state),
    .thread_frame = offsetof(struct thread, frame),
    .thread_fp = offsetof(struct thread, fp),
    .thread_name = offsetof(struct thread, name),
    .entry = (unsigned long long)trap_entry,
    .entered = (unsigned long long)trap_entered,
    .leave = (unsigned long long)trap_return,
    .left = (unsigned long long)trap_left,
};
