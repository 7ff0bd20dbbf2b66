/* The threads of the program at one moment of a run, as a debugger sees them: those of the guest
 * kernel (pmu/abi_directory.h), the one thread of a program that the host serves, or the harts of a
 * bare-metal program.
 *
 * They are read from outside, from the committed state of memory and registers, and the run does
 * not change. Registers are those of user code; for a thread in the kernel, those with which it
 * entered the kernel. */
#ifndef SIM_HOST_TASKS_H
#define SIM_HOST_TASKS_H

#include "pmu/abi_directory.h"
#include "pmu/abi_kernel.h"
#include "sim/host/target.h"
#include "sim/run/frames/frames.h"
#include "sim/run/machine.h"

enum { TASKS_NO_HART = -1, TASKS_PC = 0, TASKS_FCSR = 32, TASKS_FP = 32 };

struct task_view {
    uint32_t tid;
    char name[KERNEL_NAME_BYTES + 1];
    unsigned process;               /* its place in tasks.process */
    uint32_t state, reason;         /* enum kernel_thread_state, kernel_reason */
    int hart;                       /* where it runs, or TASKS_NO_HART */
    uint64_t reg[32], fp[33];       /* pc, x1..x31; f0..f31, fcsr */
    uint64_t reg_pa, fp_pa, fp_hart_pa;     /* of a thread that no hart runs: where the kernel keeps
                                       reg, fp, and the number of the hart that holds fp; else 0 */
    uint64_t futex, futex_object;   /* of a thread that waits for a lock: its address; for a futex
                                       in shared memory without one, the kernel's number of it */
    uint64_t clear_tid;             /* the word that is cleared when the thread ends; 0: none */
    uint64_t busy_ticks;            /* of `time`, run before it was last scheduled */
    struct pmu_limit limit[PROF_LIMITS];    /* on functions that it is executing, up to now */
    unsigned limits;
};

/* A mapped part of a file. */
struct mapped_view { uint64_t start, end, offset; char *path; };

/* Memory with one protection (VM_READ, ...). */
struct piece_view { uint64_t start, end; unsigned prot; };

struct process_view {
    uint32_t pid, parent, group, session;
    uint64_t root_pa;               /* of its page tables; 0: addresses are physical */
    uint64_t vector;                /* address of its auxiliary vector; 0: none */
    uint64_t program;               /* its number, as in a key (pmu/key.h) */
    struct mapped_view *mapped;
    size_t mappings;
    struct piece_view *zero;        /* readable memory that is zero where it has no page yet */
    size_t zeros;
};

struct tasks {
    struct task_view *thread;
    size_t count;
    struct process_view *process;
    size_t processes;
};

/* Reads all threads. TASKS_LIMITS: only their numbers, states, harts and limits on functions;
 * TASKS_THREADS: all their fields; TASKS_MEMORY: also the memory of their processes (mapped files,
 * zeros). tasks_free is due afterwards, also after an error. */
enum tasks_part { TASKS_LIMITS, TASKS_THREADS, TASKS_MEMORY };
enum err tasks_take(struct tasks *threads, const struct machine *machine, enum tasks_part part,
                    struct diag *diag);
void tasks_free(struct tasks *threads);
/* The address of the guest kernel's structure for the thread that this hart runs, while the hart is
 * in the kernel; 0: the hart runs no thread of the program. */
uint64_t tasks_place(const struct machine *machine, unsigned hart);
/* The number and the present name of the thread at a place of tasks_place; 0: none. */
uint32_t tasks_name(const struct machine *machine, uint64_t place,
                    char name[KERNEL_NAME_BYTES + 1]);
/* The host's context number of the process of the hart's thread; 0 also without a thread. */
uint64_t tasks_context(const struct machine *machine, unsigned hart);
/* Reads the one thread at a place of tasks_place, and of its process only the page tables. If the
 * thread has ended, `threads` is empty. tasks_free is due. */
enum err tasks_take_thread(struct tasks *threads, const struct machine *machine, uint64_t place,
                           struct diag *diag);
/* The thread of this number, or the one that the hart runs; NULL: there is none. */
const struct task_view *tasks_find(const struct tasks *threads, uint32_t tid);
const struct task_view *tasks_on(const struct tasks *threads, unsigned hart);

/* Sets a register of a thread that no hart runs. number: index in reg, or TASKS_FP plus index in
 * fp. False: a hart runs the thread, or the kernel keeps no such register. machine_changed is
 * due. */
bool tasks_set_register(struct machine *machine, const struct task_view *thread, unsigned number,
                        uint64_t value);

/* What a thread waits for. LOCK: a lock held by the thread `holder` (0: unknown). END: the end of
 * the thread `holder`. The holder is read from the lock: from its word (priority inheritance,
 * robust locks, many spin locks), or from the owner field of a glibc mutex. */
enum tasks_wait { TASKS_WAITS_NOT, TASKS_WAITS_LOCK, TASKS_WAITS_END };
struct tasks_lock { enum tasks_wait wait; uint64_t address; uint32_t holder; };
struct tasks_lock tasks_lock(const struct tasks *threads, const struct machine *machine,
                                 const struct task_view *thread);

/* Translates a virtual address of a process to a physical one. False: not mapped. */
bool tasks_translate(const struct machine *machine, const struct process_view *process,
                     uint64_t va, uint64_t *pa);
/* Reads bytes at a virtual address of a process. False: some of them are not present. */
bool tasks_read(const struct machine *machine, const struct process_view *process, uint64_t va,
                  void *bytes, size_t count);
/* The call stack of a thread, leaf first, as frames_walk returns it; addresses are keys. */
void tasks_walk(const struct tasks *threads, const struct machine *machine,
                const struct frames *frames, const struct task_view *thread,
                struct monitor_stack *stack);
/* Adds the frames of libraries loaded since the last call, so that walks pass through them. Walks
 * read the code of libraries for which memory does not suffice. */
void tasks_follow_modules(struct frames *frames, const struct target *target);
/* The next piece of the process's memory, from va on, whose pages are all present. False: there is
 * none. */
bool tasks_piece(const struct machine *machine, const struct process_view *process, uint64_t va,
                   struct piece_view *piece);

#endif
