/* Writing protocol buffers: fields of the wire format, one after the other, into memory. A lack of
 * memory shows in has_failed. */
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
/* Adds `message`, and empties it for the next one. */
void protobuf_message(struct protobuf *to, unsigned field, struct protobuf *message);
/* Writes all, compressed with gzip, whose header has no time: the same bytes are the same file. */
enum err protobuf_gzip(const struct protobuf *buffer, FILE *out, struct diag *diag);
void protobuf_free(struct protobuf *buffer);

#endif
