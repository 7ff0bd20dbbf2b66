/* Reads whole files. */
#ifndef SIM_BASE_INPUT_H
#define SIM_BASE_INPUT_H

#include <stddef.h>
#include <stdio.h>

#include "sim/base/err.h"

/* A file to read. most: a file of at least this size is refused (ERR_USAGE) as too large for `use`
 * ("metadata"). */
struct input { const char *path, *use; size_t most; };

/* Reads a file to its end. *text, which the caller frees, has a zero byte after *bytes; NULL after
 * an error. input_read_open reads an open file, which stays open. */
enum err input_read(const struct input *input, char **text, size_t *bytes, struct diag *diag);
enum err input_read_open(FILE *file, const struct input *input, char **text, size_t *bytes,
                         struct diag *diag);

#endif
