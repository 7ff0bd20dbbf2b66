/* Reads whole files. */
#ifndef SIM_BASE_INPUT_H
#define SIM_BASE_INPUT_H

#include <stddef.h>
#include <stdio.h>

#include "sim/base/err.h"

/* What is read: of `most` bytes or more it is too large for `use` ("metadata"), ERR_USAGE. */
struct input { const char *path, *use; size_t most; };

/* Reads a file to its end. *text, to be freed, has a zero byte after *bytes; NULL after an error.
 * The second reads an open file, which stays open. */
enum err input_read(const struct input *input, char **text, size_t *bytes, struct diag *diag);
enum err input_read_open(FILE *file, const struct input *input, char **text, size_t *bytes,
                         struct diag *diag);

#endif
