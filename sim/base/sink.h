/* A text output whose name selects the compression: FILE, FILE.gz (zlib) or FILE.zst (zstd); - is
 * standard output. Errors are kept and reported by sink_close. Only a successful sink_close puts
 * the new file in the place of an old one (output.h). */
#ifndef SIM_BASE_SINK_H
#define SIM_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

struct sink;

enum err sink_open(struct sink **out, const char *path, struct diag *diag);
void sink_write(struct sink *sink, const char *text, size_t length);
void sink_printf(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For long traces, in a tenth of the time of sink_printf: a text; a hexadecimal number of at least
 * `digits` (1 to 16) digits; a decimal number, right-aligned in `width` (at most 20) places. */
void sink_text(struct sink *sink, const char *text);
void sink_hex(struct sink *sink, uint64_t value, unsigned digits);
void sink_decimal(struct sink *sink, uint64_t value, unsigned width);
/* Flushes and frees. ERR_IO if some data could not be written. is_complete false: as if the sink
 * had never been opened. NULL is allowed. */
enum err sink_close(struct sink *sink, bool is_complete, struct diag *diag);

#endif
