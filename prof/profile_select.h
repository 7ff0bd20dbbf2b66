/* A profile as one thread of the program makes it. */
#ifndef PROF_PROFILE_SELECT_H
#define PROF_PROFILE_SELECT_H

#include "prof/profile.h"
#include "sim/base/err.h"

/* Work of each thread: cycles and instructions by the oracle, executions of marks with counters,
 * interrupts of samples and marks. */
struct profile_thread_row {
    uint32_t thread;                /* as gettid has it; 0: nobody's, of an idle hart */
    uint64_t units, instructions, executions, interrupts;
};

/* By thread; *rows: how many. ERR_USAGE: nothing is kept by thread. The caller frees *row, also
 * after an error. */
enum err profile_thread_rows(const struct profile *profile, struct profile_thread_row **row,
                             size_t *rows, struct diag *diag);

/* Keeps this thread's part of what is kept by thread; the exact call tree, which is not, goes: call
 * trees and graphs are those that interrupts measured. The rest stays. ERR_USAGE: no such
 * thread. */
enum err profile_select_thread(struct profile *profile, uint32_t thread, struct diag *diag);

#endif
