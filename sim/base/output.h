/* An output file that appears complete or not at all.
 *
 * Output goes to a temporary file beside the wanted one, which is renamed when it is complete: a
 * full disk or an end of the process leaves the old file unchanged. Where the file system allows
 * it, the temporary file has no name until then, so that a process that is killed leaves none. "-"
 * is standard output. A file that is not regular (a pipe, /dev/null), or whose folder takes no new
 * file, is written directly.
 */
#ifndef SIM_BASE_OUTPUT_H
#define SIM_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/base/err.h"

struct output {
    FILE *file;
    char *path;                     /* the file wanted, symbolic links resolved */
    char *temporary;                /* path of the temporary file; NULL: the wanted file is written
                                     * directly */
    bool is_unnamed;                /* the temporary file has no name until it is complete */
};

/* True if the reader of standard output has ended, as `| head -1` does after its line. Output that
 * could not be written is then no error. */
bool output_has_no_reader(void);
/* True for "-". NULL (no file at all) is not standard output. */
bool output_is_stdout(const char *path);
/* output_check reports whether output_open would succeed, and leaves no file. */
enum err output_check(const char *path, struct diag *diag);
enum err output_open(struct output *output, const char *path, struct diag *diag);
/* As output_open, which refuses to replace a program: for outputs that are programs. */
enum err output_replace(struct output *output, const char *path, struct diag *diag);
/* is_complete false: the new file is removed and the old one stays. An output that was never opened
 * (all zero) is allowed. ERR_IO if some data could not be written. */
enum err output_close(struct output *output, bool is_complete, struct diag *diag);

#endif
