/* A debugging session: gdb (its remote serial protocol) decides how far the machine runs.
 *
 * Harts are threads, numbered from 1. A stop is in front of an instruction, with all before it
 * committed; it takes no simulated time, and only what gdb writes changes the run: the pipeline is
 * emptied before. Memory is what the hart that is looked from has at virtual addresses, whatever
 * its privilege may access.
 * A breakpoint is an address that is compared, in every address space: memory is not changed. */
#ifndef SIM_DEBUG_SESSION_H
#define SIM_DEBUG_SESSION_H

#include "sim/run/machine.h"

struct session;

enum session_end {
    SESSION_RAN,        /* the machine ran to an end, as machine->result says */
    SESSION_KILLED,     /* gdb ended it */
    SESSION_LOST,       /* gdb is gone without a word, or the machine's stop_request ended it */
};

/* Listens; link.h says where. NULL: diag says why. */
struct session *session_open(const char *place, struct diag *diag);
void session_close(struct session *session);        /* NULL is allowed */
/* The TCP port; 0: there is none. */
unsigned session_port(const struct session *session);

/* Waits for gdb, then runs the loaded machine as gdb wants, within the limits. The machine's
 * progress and stops are the session's until it returns. */
enum err session_run(struct session *session, struct machine *machine, const struct limits *limits,
                     enum session_end *end, struct diag *diag);

/* While the machine runs, in a call of its monitor: the hart stops in front of its next
 * instruction, because a limit has expired (SIGXCPU). */
void session_stop(struct session *session, unsigned hart);

#endif
