/* A profile reduced to one thread of the program, or to one hart. */
#ifndef PROF_PROFILE_PROFILE_SELECT_H
#define PROF_PROFILE_PROFILE_SELECT_H

#include "prof/profile/profile.h"
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

/* The name of a thread, of names by number; NULL: unknown. */
const char *profile_thread_name(const struct profile_thread_name *name, size_t names,
                                uint32_t thread);
/* "12 worker", "0 (idle)", "(others)"; returns text. */
enum { PROFILE_THREAD_TEXT = 64 };
const char *profile_thread_text(const struct profile *profile, uint32_t thread,
                                char text[PROFILE_THREAD_TEXT]);

/* Keeps this thread's part of all data that are divided by thread. The exact call tree, which is
 * not, is removed: call trees and graphs then come from interrupts. Other data stay. ERR_USAGE: no
 * such thread. */
enum err profile_select_thread(struct profile *profile, uint32_t thread, struct diag *diag);

/* A thread, a hart, or a thread on a hart. */
struct profile_place { bool has_thread, has_hart; uint32_t thread, hart; };

/* All places with measurements, by thread, then hart; *places: their number. With by_hart they are
 * those of single samples, the only measurement that knows its hart. ERR_USAGE: the profile is not
 * divided so. The caller frees *place, also after an error. */
enum err profile_places(const struct profile *profile, bool by_thread, bool by_hart,
                        struct profile_place **place, size_t *places, struct diag *diag);
/* The place's part as a profile of its own, which refers to the whole. The caller frees it with
 * profile_free before the whole, also after an error. */
enum err profile_part(struct profile *part, const struct profile *profile,
                      const struct profile_place *place, struct diag *diag);

#endif
