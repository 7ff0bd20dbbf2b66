/* A profile in a file: JSON, with its members described in the user guide. A written file is read
 * back to the same bytes; derived data (symbols, lines, callers, ipc) are not read but
 * recomputed. */
#ifndef PROF_PROFILE_PROFILE_FILE_H
#define PROF_PROFILE_PROFILE_FILE_H

#include <stdio.h>

#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

/* JSON, as described in the user guide. `everything`: includes data for reports (program, stacks),
 * and excludes host data. */
enum err profile_write(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       bool everything, struct diag *diag);
/* Strict: members missing, of another type or unknown are refused with file and key. After an error
 * nothing is left to free. */
enum err profile_read(struct profile *profile, const char *path, struct diag *diag);
enum err profile_read_memory(struct profile *profile, const char *name, const char *text,
                             size_t bytes, struct diag *diag);

#endif
