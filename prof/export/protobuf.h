/* Writes protocol buffers: fields of the wire format, one after the other, into memory. has_failed
 * is set without memory. */
#ifndef PROF_EXPORT_PROTOBUF_H
#define PROF_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/base/err.h"

struct protobuf { uint8_t *byte; size_t bytes, room; bool has_failed; };

void protobuf_number(struct protobuf *to, unsigned field, uint64_t value);
void protobuf_text(struct protobuf *to, unsigned field, const char *text);
/* Repeated numbers, packed. */
void protobuf_packed(struct protobuf *to, unsigned field, const uint64_t *value, size_t count);
/* Adds `message`, and empties it for further use. */
void protobuf_message(struct protobuf *to, unsigned field, struct protobuf *message);
/* Writes the buffer compressed with gzip, without a time in the header, so that equal content gives
 * equal files. */
enum err protobuf_gzip(const struct protobuf *buffer, FILE *out, struct diag *diag);
void protobuf_free(struct protobuf *buffer);

#endif
