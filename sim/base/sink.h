/* A text output that compresses by its name: FILE, FILE.gz (zlib) or FILE.zst (zstd); - is standard
 * output. Errors are sticky and come out at sink_close; the file is there when that has succeeded,
 * and one that was there before stays until then (output.h). */
#ifndef SIM_BASE_SINK_H
#define SIM_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/err.h"

struct sink;

enum err sink_open(struct sink **out, const char *path, struct diag *diag);
void sink_write(struct sink *sink, const char *text, size_t length);
void sink_printf(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flushes and frees. ERR_IO when anything could not be written. Incomplete: as if it had never been
 * opened. NULL is allowed. */
enum err sink_close(struct sink *sink, bool is_complete, struct diag *diag);

#endif
