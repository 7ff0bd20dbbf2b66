/* A user-mode Linux program on one hart: its address space, its files, its system calls.
 *
 * The machine owns the hart and the engines. The engines stop with STOP_HOST_CALL at every
 * exception from U-mode (cpu->host_serves_traps); the machine hands each to process_trap, which
 * is the kernel: system calls, demand paging, and the end of the program.
 *
 * Physical memory, from PHYS_RAM_BASE up: the loadable segments in address order, each on
 * contiguous pages and complete (zero-filled part included); then page tables and pages given out
 * on demand. The topmost reserve_top_bytes are never touched.
 * Virtual memory: Sv39; the program at its link address (a static PIE at IMAGE_PIE_BASE), the break
 * above it, mappings downwards from below the stack, the stack at PROCESS_STACK_TOP.
 *
 * Left out: threads, fork, execve; delivery of signals to handlers (default actions only). Guest
 * time, identity and random numbers are deterministic; terminals are presented as pipes, so that a
 * run is the same whether a person watches it or not. */
#ifndef SIM_RUN_PROCESS_H
#define SIM_RUN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/base/err.h"
#include "sim/core/cpu.h"
#include "sim/mem/phys.h"
#include "sim/run/load/image.h"

/* Of the stack: the address after it, its size, its first address. */
#define PROCESS_STACK_TOP UINT64_C(0x3fffff0000)
#define PROCESS_STACK_BYTES (UINT64_C(8) << 20)
#define PROCESS_STACK_START (PROCESS_STACK_TOP - PROCESS_STACK_BYTES)
/* Wall-clock time at the start, unless another is given: 2027-01-01 00:00:00 UTC. */
#define PROCESS_EPOCH_SECONDS UINT64_C(1798761600)

struct process;
struct outside;

struct process_options {
    int argc;
    char **argv;                    /* argv[0] included */
    char **env;                     /* NULL-terminated "K=V"; NULL = empty */
    const char *root;               /* host directory of the guest's "/"; NULL: the current */
    int fds[3];                     /* host descriptors of the guest's 0, 1, 2; never closed */
    uint64_t seed;                  /* of getrandom, /dev/urandom and AT_RANDOM */
    uint64_t reserve_top_bytes;     /* at the top of RAM, left to others; whole pages */
    uint64_t (*time_ns)(void *arg); /* guest nanoseconds since the start, sleep included */
    void *time_arg;
    uint64_t epoch_seconds;         /* wall-clock time at the start; 0: PROCESS_EPOCH_SECONDS */
    const struct outside *outside;  /* address that sockets reach; NULL: none */
    FILE *log;                      /* a line per unsupported request, once each; NULL = none */
    bool trace;                     /* one line per system call in `log` */
    bool may_hand_over;             /* PROCESS_HAND_OVER may come, instead of a note */
};

/* Maps the program and sets the hart: U-mode, pc, sp, satp, FS on, host_serves_traps. cpu is
 * fresh from cpu_init. The caller should ignore SIGPIPE: a broken pipe then ends the guest as
 * Linux would. */
enum err process_new(struct process **out, struct cpu *cpu, struct phys *phys,
                     const struct image *image, const struct process_options *options,
                     struct diag *diag);
/* process_new_guest: the host's part of a process under a guest kernel: its files, without memory
 * or hart; process_free is due. process_clone: a copy as fork makes it; NULL: no memory or
 * descriptors. */
enum err process_new_guest(struct process **out, struct phys *phys, const struct image *image,
                           const struct process_options *options, struct diag *diag);
struct process *process_clone_guest(const struct process *from, uint64_t id);
/* ERR_USAGE: a segment lies outside user addresses. */
enum err process_check_addresses(const struct image *image, struct diag *diag);
/* Chooses physical places of the image's segments, from `pa` on; returns the end. */
uint64_t process_place_segments(struct process *process, uint64_t pa);
/* Writes shared file mappings back and closes the guest's files. NULL is allowed. */
void process_free(struct process *process);

enum process_action {
    PROCESS_CONTINUE,               /* hart->pc is the next instruction */
    PROCESS_EXIT,                   /* the program ended: process_exit_code */
    PROCESS_HAND_OVER,              /* the program needs the guest kernel, and can begin again
                                     * under it unnoticed: process_text says what for */
    PROCESS_KILLED,                 /* by a signal n: process_signal, _text; exit code 128 + n */
};

/* Changes engines must follow after process_trap; flags accumulate until process_take_effects. */
enum {
    PROCESS_EFFECT_TRANSLATION = 1, /* a valid translation changed or went away */
    PROCESS_EFFECT_CODE = 2,        /* fence.i semantics, on the program's request */
};

/* Handles the exception in cpu->stop_cause, stop_tval, stop_pc, for example a system call (a0 is
 * the result, hart->pc the next instruction) or a page fault (hart->pc is stop_pc: retry). The
 * mmu's own cache is flushed here when needed. A host call interrupted by a signal (EINTR) before
 * any byte moved is retried: PROCESS_CONTINUE with hart->pc at the ecall. */
enum process_action process_trap(struct process *process, struct cpu *cpu);
unsigned process_take_effects(struct process *process);

/* "write"; NULL: a number that is in no table. */
const char *process_syscall_name(uint64_t number);
/* True if the guest kernel serves the call itself (pmu/abi_syscall.def). */
bool process_kernel_serves(uint64_t number);

int process_exit_code(const struct process *process);       /* 0..255 */
int process_signal(const struct process *process);          /* 0: not killed */
const char *process_text(const struct process *process);    /* one line: why it was killed, or
                                                             * what it needs the kernel for */

/* Physical address of a mapped user address. False: not mapped (yet). */
bool process_translate(const struct process *process, uint64_t va, uint64_t *pa);

/* Makes the page of a mapped user address present, as an access of the program would. False: it is
 * not mapped. */
bool process_touch(struct process *process, uint64_t va);

/* Gives the page at pa the contents that the user's page at va has in the program's file; zeros
 * beyond the file's part. */
void process_reload(const struct process *process, uint64_t va, uint64_t pa);

/* Placement of loadable segment `index`, in the order of image->segments. False: no such segment.
 * vaddr is as in the image; bytes is its size in memory. */
struct process_segment { uint64_t vaddr, paddr, bytes; };
bool process_segment(const struct process *process, unsigned index,
                     struct process_segment *segment);

/* Nanoseconds that the system call just served sleeps, reported once; 0: none. The caller lets them
 * pass in time_ns() before the program continues. */
uint64_t process_take_sleep_ns(struct process *process);

#endif
