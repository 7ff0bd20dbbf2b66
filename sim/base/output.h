/* A file that is there complete or not at all.
 *
 * Output goes to a file of its own beside the wanted one, and takes its name when all of it
 * is there: a full disk, or an end of the process, leaves the old file as it was. "-" is standard
 * output. A file that is not regular (a pipe, /dev/null) is written directly, and so is a file in a
 * folder that takes no other one. */
#ifndef SIM_BASE_OUTPUT_H
#define SIM_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/base/err.h"

struct output {
    FILE *file;
    char *path;                     /* the file wanted, symbolic links resolved */
    char *temporary;                /* the one beside it; NULL: written directly */
};

/* True for "-". NULL, no file at all, is not standard output. */
bool output_is_stdout(const char *path);
/* Whether output_open would succeed; leaves no file. */
enum err output_check(const char *path, struct diag *diag);
enum err output_open(struct output *output, const char *path, struct diag *diag);
/* Incomplete: the new file is removed, and the old file stays. An output that was never opened
 * (all zero) is allowed. ERR_IO when not everything could be written. */
enum err output_close(struct output *output, bool is_complete, struct diag *diag);

#endif
