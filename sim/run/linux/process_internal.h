/* The inside of a process, for process*.c and syscall*.c. */
#ifndef SIM_RUN_PROCESS_INTERNAL_H
#define SIM_RUN_PROCESS_INTERNAL_H

#include "sim/run/linux/files.h"
#include "sim/run/linux/outside.h"
#include "sim/run/linux/process.h"
#include "sim/run/linux/vm.h"

#define STACK_GAP_BYTES (UINT64_C(1) << 20)     /* unmapped below the stack */

/* Identity of the guest, the same on every host. */
enum { GUEST_PID = 1000, GUEST_PARENT = 1, GUEST_USER = 1000, GUEST_GROUP = 1000 };

enum { SIGNAL_COUNT = 65, SYSCALL_NUMBERS = 512, TRANSFER_BYTES = 1 << 16 };

/* struct sigaction as the kernel's RISC-V interface has it. */
struct signal_action { uint64_t handler, flags, mask; };

struct process {
    struct vm vm;
    struct files files;
    struct cpu *cpu;
    const struct image *image;
    struct process_segment *segments;   /* one per image segment */
    uint64_t brk_start, brk;            /* page-aligned start; current end, any byte */
    uint64_t random;                    /* state of the generator */
    uint32_t pid;
    uint64_t vector;                    /* address of the auxiliary vector */

    uint64_t (*time_ns)(void *arg);
    void *time_arg;
    uint64_t epoch_seconds;             /* wall-clock time at time 0 */
    uint64_t slept_ns;                  /* total */
    uint64_t sleep_ns;                  /* of it in this call, not taken yet */

    struct signal_action actions[SIGNAL_COUNT];
    uint64_t blocked, pending;          /* bit n - 1: signal n */
    uint64_t stack_info[3];             /* sigaltstack */
    char name[16];                      /* prctl PR_SET_NAME */

    const struct outside *outside;      /* address that sockets reach; NULL: none */
    FILE *log;
    bool trace;
    bool noted[SYSCALL_NUMBERS];        /* unsupported calls already reported */
    bool noted_handler;

    bool may_hand_over, is_seen;        /* somebody outside can notice that the program ran */
    enum process_action action;
    int exit_code, signal;
    /* A call of a guest kernel's has opened this named pipe; inode 0: none. */
    uint64_t pipe_device, pipe_inode;
    char text[256];
    unsigned effects;
    uint8_t buffer[TRANSFER_BYTES];     /* between host files and guest memory */
};

/* Result of a system call handler if the call must be repeated, with pc unchanged. */
#define SYSCALL_RESTART INT64_MIN

/* Performs the call in a7, a0..a5. */
void syscall_perform(struct process *process, struct cpu *cpu);

#define SYSCALL(number, name, kinds) \
    int64_t sys_##name(struct process *process, const uint64_t arg[6]);
#define SYSCALL_VALUE(number, name, value)
#define SYSCALL_ABSENT(number, name)
#include "sim/run/linux/syscall.def"
#undef SYSCALL
#undef SYSCALL_VALUE
#undef SYSCALL_ABSENT

/* Ends the run, so that the program begins again under the guest kernel, which serves what it needs
 * ("the system call NAME"). False, and nothing happens, if the caller does not want that or if
 * somebody could notice the first beginning. */
bool process_hand_over(struct process *process, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the program as this signal does by default. */
void process_kill(struct process *process, int signal, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The program sends itself a signal: blocked, ignored, or its default action. */
void process_raise(struct process *process, int signal);
const char *process_signal_name(int signal);    /* "SIGSEGV" */
void process_note(struct process *process, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void process_set_clock(struct process *process, const struct process_options *options);
uint64_t process_now_ns(const struct process *process);
void process_sleep(struct process *process, uint64_t ns);
void process_random(struct process *process, void *bytes, size_t count);

/* Builds arguments, environment and auxiliary vector on the stack; *sp is the result. */
enum err process_build_stack(struct process *process, const struct process_options *options,
                             uint64_t *sp, struct diag *diag);

/* Performs the call, with its trace; SYSCALL_RESTART: nothing was done. */
int64_t syscall_call(struct process *process, uint64_t number, const uint64_t arg[6]);
/* Gives `region` the file of a descriptor, with a reference of its own; the caller drops it if
 * mapping fails. /dev/zero: no file. 0 or a negative error number. */
int syscall_attach_file(struct process *process, uint64_t fd, bool is_shared,
                        struct vm_region *region);

/* fcntl's commands on locks; -EINVAL: another command. */
int64_t syscall_lock(struct process *process, const struct open_file *file, uint64_t command,
                     uint64_t va);

/* ---- syscall_socket.c ------------------------------------------------------------------------ */
/* Sets whether the calls of a socket block. Under a guest kernel the kernel does the waiting, and
 * the descriptor itself never blocks. 0 or a negative error number. */
int64_t syscall_set_waits(struct process *process, struct open_file *file, bool waits);
/* Under a guest kernel: true if the call must be repeated, after the `result` bytes it has moved,
 * when one of *events (POLL*) has occurred. */
bool syscall_waits(const struct process *process, uint64_t number, const uint64_t arg[6],
                   int64_t result, unsigned long long *events);

/* Shared by the handlers of files. */
struct stat;
int64_t syscall_host_error(void);       /* from errno; SYSCALL_RESTART for EINTR */
/* True if the guest sees a pipe: an inherited stream that is not a plain input file. */
bool syscall_is_pipe(const struct open_file *file);
int syscall_stat_file(const struct open_file *file, struct stat *st);
int syscall_host_flags(uint64_t guest_flags);   /* O_* */
uint64_t syscall_guest_flags(int host_flags);
/* Seconds and nanoseconds in guest memory (NULL pointer: false in *given). 0, -EFAULT, -EINVAL. */
int syscall_read_time(struct process *process, uint64_t va, uint64_t *ns);
int64_t syscall_write_time(struct process *process, uint64_t va, uint64_t ns);

#endif
