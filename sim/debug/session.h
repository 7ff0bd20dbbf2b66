/* A debugging session: gdb (its remote serial protocol) decides how far the machine runs.
 *
 * Harts are threads, numbered from 1; under the guest kernel its threads are gdb's (threads.c). A
 * stop is in front of an instruction, and all instructions before it have committed. It takes no
 * simulated time and does not change the run, unless gdb writes, which empties the pipeline first.
 * Memory is accessed at virtual addresses of the selected hart, whatever its privilege.
 * A breakpoint is an address that pcs are compared with, in every address space; it does not change
 * memory. */
#ifndef SIM_DEBUG_SESSION_H
#define SIM_DEBUG_SESSION_H

#include "sim/run/machine.h"

struct session;

enum session_end {
    SESSION_RAN,        /* the machine ran to an end, as machine->result says */
    SESSION_KILLED,     /* gdb ended it */
    SESSION_LOST,       /* the connection is lost, or the machine's stop_request ended it */
};

/* Listens; link.h says where. NULL: diag says why. */
struct session *session_open(const char *place, struct diag *diag);
void session_close(struct session *session);        /* NULL is allowed */
/* The TCP port; 0: there is none. */
unsigned session_port(const struct session *session);

/* Waits for gdb, then runs the loaded machine as gdb asks, within the limits. Until it returns, the
 * session owns the machine's callbacks for progress and stops. */
enum err session_run(struct session *session, struct machine *machine, const struct limits *limits,
                     enum session_end *end, struct diag *diag);

/* To be called from machine->monitor when a limit has expired: the hart stops in front of its next
 * instruction, with SIGXCPU. */
void session_stop(struct session *session, unsigned hart);

#endif
