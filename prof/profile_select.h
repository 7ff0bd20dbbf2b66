/* A profile reduced to one thread of the program. */
#ifndef PROF_PROFILE_SELECT_H
#define PROF_PROFILE_SELECT_H

#include "prof/profile.h"
#include "sim/base/err.h"

/* Work of each thread: cycles and instructions by the oracle, executions of marks with counters,
 * interrupts of samples and marks. */
struct profile_thread_row {
    uint32_t thread;                /* as gettid returns it; 0: none, of an idle hart */
    uint64_t units, instructions, executions, interrupts;
};

/* Rows by thread; *rows: their number. ERR_USAGE: the profile is not divided by thread. The caller
 * frees *row, also after an error. */
enum err profile_thread_rows(const struct profile *profile, struct profile_thread_row **row,
                             size_t *rows, struct diag *diag);

/* Keeps this thread's part of all data that are divided by thread. The exact call tree, which is
 * not, is removed: call trees and graphs then come from interrupts. Other data stay. ERR_USAGE: no
 * such thread. */
enum err profile_select_thread(struct profile *profile, uint32_t thread, struct diag *diag);

#endif
