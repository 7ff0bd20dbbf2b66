/* A text output that compresses by its name: FILE, FILE.gz (zlib) or FILE.zst (zstd).
 * Errors are sticky and come out at sink_close. */
#ifndef SIM_BASE_SINK_H
#define SIM_BASE_SINK_H

#include <stddef.h>

#include "sim/base/err.h"

struct sink;

enum err sink_open(struct sink **out, const char *path, struct diag *diag);
void sink_write(struct sink *sink, const char *text, size_t length);
void sink_printf(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flushes and frees. ERR_IO when anything could not be written. NULL is allowed. */
enum err sink_close(struct sink *sink, struct diag *diag);

#endif
