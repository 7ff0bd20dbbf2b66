/* The threads of the program at one moment of a run, as a debugger sees them: those of the guest
 * kernel (pmu/abi_directory.h), the one thread of a program that the host serves, or the harts of a
 * bare-metal program.
 *
 * Taken from outside, from memory and registers as the instructions that have committed leave them:
 * nothing of the run changes. Registers are those of user code; of a thread in the kernel those
 * that it came with. */
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
    uint64_t reg_pa, fp_pa, fp_hart_pa;     /* where the kernel keeps these of one that no hart
                                       runs, and the hart that holds fp; 0: it runs */
    uint64_t futex, futex_object;   /* of one that waits for a lock: address, and of a futex in
                                       shared memory that has none what the kernel calls it */
    uint64_t clear_tid;             /* the word that is cleared when it ends; 0: none */
    uint64_t busy_ticks;            /* of `time`, before it came last */
    struct pmu_limit limit[PROF_LIMITS];    /* on functions that it is in, counted up to now */
    unsigned limits;
};

/* A part of a file that is mapped. */
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

/* Of all threads: their numbers, states, harts and limits on functions alone; all of them; or also
 * the memory of their processes: mapped files, and zeros. tasks_free is due afterwards, also after
 * an error. */
enum tasks_part { TASKS_LIMITS, TASKS_THREADS, TASKS_MEMORY };
enum err tasks_take(struct tasks *threads, const struct machine *machine, enum tasks_part part,
                    struct diag *diag);
void tasks_free(struct tasks *threads);
/* Where the guest kernel keeps the thread that this hart runs, while the hart is in the kernel; 0:
 * it has none of the program. */
uint64_t tasks_place(const struct machine *machine, unsigned hart);
/* The number and the name of the thread at such a place, as they are now; 0: none. */
uint32_t tasks_name(const struct machine *machine, uint64_t place,
                    char name[KERNEL_NAME_BYTES + 1]);
/* The host's context number of that thread's process; 0 also without such a thread. */
uint64_t tasks_context(const struct machine *machine, unsigned hart);
/* The one thread at such a place, with its process, but of this only the page tables. There is none
 * in `threads` if it has ended. tasks_free is due. */
enum err tasks_take_thread(struct tasks *threads, const struct machine *machine, uint64_t place,
                           struct diag *diag);
/* The thread of this number, or the one that the hart runs; NULL: there is none. */
const struct task_view *tasks_find(const struct tasks *threads, uint32_t tid);
const struct task_view *tasks_on(const struct tasks *threads, unsigned hart);

/* Sets a register of a thread that no hart runs: it goes on with this value. Registers are counted
 * as in reg, fp after it (TASKS_FP). False: a hart runs it, or the kernel keeps no such register.
 * machine_changed is due. */
bool tasks_set_register(struct machine *machine, const struct task_view *thread, unsigned number,
                        uint64_t value);

/* Why a thread waits: LOCK is held by `holder` (0: unknown), END is that of `holder`. The
 * holder is what the lock says: the word itself (priority inheritance, robust locks, many spin
 * locks), or the owner beside it of a mutex of glibc. */
enum tasks_wait { TASKS_WAITS_NOT, TASKS_WAITS_LOCK, TASKS_WAITS_END };
struct tasks_lock { enum tasks_wait wait; uint64_t address; uint32_t holder; };
struct tasks_lock tasks_lock(const struct tasks *threads, const struct machine *machine,
                                 const struct task_view *thread);

/* The physical address that a virtual one of a process has; false: none. */
bool tasks_translate(const struct machine *machine, const struct process_view *process,
                     uint64_t va, uint64_t *pa);
/* Bytes at a virtual address of a process, within its memory. False: not all are there. */
bool tasks_read(const struct machine *machine, const struct process_view *process, uint64_t va,
                  void *bytes, size_t count);
/* The call stack of a thread: leaf first, as frames_walk has it, by keys. */
void tasks_walk(const struct tasks *threads, const struct machine *machine,
                const struct frames *frames, const struct task_view *thread,
                struct monitor_stack *stack);
/* Lets walks pass through the libraries of the run that have been loaded since the last call. Those
 * for which there is no memory are walked by their code alone. */
void tasks_follow_modules(struct frames *frames, const struct target *target);
/* The next piece of its memory from va on with all its pages present; false: there is none. */
bool tasks_piece(const struct machine *machine, const struct process_view *process, uint64_t va,
                   struct piece_view *piece);

#endif
