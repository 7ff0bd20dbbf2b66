/* Shared by the references of a lock-step check and its frame. */
#ifndef SIM_RUN_CHECK_INTERNAL_H
#define SIM_RUN_CHECK_INTERNAL_H

#include <stdio.h>

#include "isa/bits.h"
#include "isa/csr.h"
#include "sim/run/check/check.h"

enum { CHECK_WINDOW = 32, CHECK_TEXT = 160 };

/* The effects of one instruction, here or in the reference. Fields that do not apply are zero. */
struct check_effect {
    uint64_t pc;
    struct insn insn;
    uint8_t priv;               /* privilege mode in which it executed */
    uint8_t fflags;             /* exception flags raised */
    uint8_t store_bytes;        /* 0: no store */
    bool has_va;
    bool is_input;              /* the value of rd comes from outside the program */
    bool is_device;             /* the access was to a device */
    uint64_t rd_value;          /* value of insn.rd */
    uint64_t va, pa, store_value;
    int csr;                    /* register written, -1 = none */
    uint64_t csr_value;
};

struct check_trap { enum cpu_trap_kind kind; uint64_t cause, pc, tval; };

struct check_reference;

/* One kind of reference. Functions that can fail return false after check_give_up. */
struct check_ops {
    /* Executes or reads one instruction of the hart and fills in its effects. *theirs begins as a
     * copy of `ours`, so that effects unknown to a reference stay equal. */
    bool (*step)(struct check_reference *reference, unsigned hart, const struct check_effect *ours,
                 struct check_effect *theirs);
    /* A trap was taken here, and the cpu is already in its handler. *theirs begins as a copy of
     * `ours`. */
    bool (*trap)(struct check_reference *reference, unsigned hart, const struct check_trap *ours,
                 struct check_trap *theirs);
    /* The host changed registers, privilege or translation of the cpu. */
    bool (*follow)(struct check_reference *reference, unsigned hart);
    /* The host wrote these bytes: copy them. */
    bool (*copy)(struct check_reference *reference, uint64_t pa, uint64_t bytes);
    /* At the end; NULL = nothing to do. */
    bool (*finish)(struct check_reference *reference);
    void (*free)(struct check_reference *reference);
};

/* The first member of each reference's structure. */
struct check_reference {
    const struct check_ops *ops;
    struct check *check;
    struct machine *machine;
    bool has_skipped;           /* set by step: the instruction was not compared */
};

/* After a failure nothing is left to free. */
enum err check_self_new(struct check_reference **out, struct machine *machine, struct diag *diag);
enum err check_spike_new(struct check_reference **out, struct machine *machine, const char *path,
                         const char *program, struct diag *diag);
enum err check_qemu_new(struct check_reference **out, struct machine *machine, const char *path,
                        struct diag *diag);

/* Ends the run: the reference differs in a way that no effect shows, or is gone. */
void check_give_up(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* For a reference that says no more: true if a signal interrupted the wait for it. The check then
 * has ended, and the signal ends the run. */
bool check_is_interrupted(struct check *check);
/* Ends the check, but not the run: for the reason given, no further instruction can be compared. */
void check_end(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Interrupts follow the machine's own lines again. */
void check_lead_none(struct machine *machine);

/* Another program as a reference: started with a pipe, and ended by its process number. */
struct check_child { int pid; int fd; };
enum check_pipe { CHECK_READS_ERRORS, CHECK_TALKS };    /* READS_ERRORS: a pipe from its stderr;
                                                         * TALKS: to its stdin and from its
                                                         * stdout */
/* argv[0] is looked for in PATH. */
enum err check_child_start(struct check_child *child, char *const *argv, enum check_pipe pipe,
                           struct diag *diag);
void check_child_stop(struct check_child *child);

/* True for registers whose value is an input: counters, clock, interrupt lines, profiling. */
static inline bool check_is_input_csr(unsigned number)
{
    return csr_owner(number) != CSR_HART || number == CSR_mip || number == CSR_sip;
}

#endif
