/* Lock-step: every instruction that commits is compared with a reference that executes the same
 * program; the first difference ends the run, and is shown with the instructions before it.
 *
 * References
 *   self   the fast engine, one instruction at a time, on a second machine with its own memory
 *   spike  Spike's commit log, through a pipe; bare metal, from the first instruction
 *   qemu   qemu-system-riscv64 through gdb's remote protocol, registers read after each
 *          instruction. It begins with a copy of the machine, so that Linux programs run in it
 *          under the page tables of this machine, and their system calls are served here
 * Compared: pc, encoding, privilege, destination register, exception flags raised, address of loads
 * and stores, values stored, control and status registers written, traps with cause, pc and value.
 *
 * A value from outside the program is an input, not a result: it is not compared, and self and qemu
 * receive the value of this machine. Inputs are values of counters, clock, interrupts, profiling
 * registers and devices, times of interrupts, failures of store conditionals, results of
 * host-served system calls, and with several harts values that loads and atomics read otherwise
 * than in commit order. Spike's log cannot take inputs: there a register or a doubleword that
 * depends on an input is not compared until it is written with equal values again; see
 * check_spike.c. There interrupts come when Spike takes them. */
#ifndef SIM_RUN_CHECK_H
#define SIM_RUN_CHECK_H

#include "sim/run/machine.h"

enum check_kind { CHECK_SELF, CHECK_SPIKE, CHECK_QEMU };

struct check;

/* "self", "spike", "qemu", the last two with ":PATH" of the program. *path: NULL = look in PATH. */
enum err check_parse(const char *spec, enum check_kind *kind, const char **path, struct diag *diag);

/* The machine is loaded and about to run, or stands between two instructions; the reference starts
 * from there. program: the ELF file. machine->served and every cpu's and phys's watch are the
 * check's until check_close. */
enum err check_open(struct check **out, struct machine *machine, const char *spec,
                    const char *program, struct diag *diag);
/* An instruction of this hart left the pipeline, or was executed by the fast engine. */
void check_record(struct check *check, unsigned hart, const struct core_trace_record *record);
void check_step(struct check *check, unsigned hart, const struct fast_record *record);
/* At the end of the run: the last comparison (self: memory). */
void check_finish(struct check *check);

/* True after a difference, or when the reference gave up: machine->halt is set. */
bool check_has_failed(const struct check *check);
/* Prints one line; for a difference also both sides and the instructions before it. */
void check_report(struct check *check, FILE *out);
/* NULL is allowed. */
void check_close(struct check *check);

#endif
