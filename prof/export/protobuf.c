/* See protobuf.h. */
#include "prof/export/protobuf.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2 };
enum { VARINT_BYTES = 10 };

static void put(struct protobuf *to, const void *data, size_t bytes)
{
    if (to->bytes + bytes > to->room) {
        size_t room = 2 * (to->bytes + bytes) + 256;
        uint8_t *grown = realloc(to->byte, room);

        to->has_failed |= grown == NULL;
        if (grown == NULL)
            return;
        to->byte = grown;
        to->room = room;
    }
    if (bytes != 0)
        /* cppcheck-suppress uninitvar ; encode has set as many bytes as it says */
        memcpy(to->byte + to->bytes, data, bytes);
    to->bytes += bytes;
}

static size_t encode(uint8_t byte[VARINT_BYTES], uint64_t value)
{
    size_t bytes = 0;

    for (; value >= 0x80; value >>= 7)
        byte[bytes++] = (uint8_t)(value | 0x80);
    byte[bytes++] = (uint8_t)value;
    return bytes;
}

static void put_varint(struct protobuf *to, uint64_t value)
{
    uint8_t byte[VARINT_BYTES];

    put(to, byte, encode(byte, value));
}

static void put_bytes(struct protobuf *to, unsigned field, const void *data, size_t bytes)
{
    put_varint(to, (uint64_t)field << 3 | WIRE_BYTES);
    put_varint(to, bytes);
    put(to, data, bytes);
}

void protobuf_number(struct protobuf *to, unsigned field, uint64_t value)
{
    put_varint(to, (uint64_t)field << 3 | WIRE_VARINT);
    put_varint(to, value);
}

void protobuf_text(struct protobuf *to, unsigned field, const char *text)
{
    put_bytes(to, field, text, strlen(text));
}

void protobuf_packed(struct protobuf *to, unsigned field, const uint64_t *value, size_t count)
{
    uint8_t byte[VARINT_BYTES];
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += encode(byte, value[i]);
    put_varint(to, (uint64_t)field << 3 | WIRE_BYTES);
    put_varint(to, bytes);
    for (size_t i = 0; i < count; i++)
        put_varint(to, value[i]);
}

void protobuf_message(struct protobuf *to, unsigned field, struct protobuf *message)
{
    to->has_failed |= message->has_failed;
    put_bytes(to, field, message->byte, message->bytes);
    message->bytes = 0;
}

void protobuf_free(struct protobuf *buffer)
{
    free(buffer->byte);
    *buffer = (struct protobuf){.bytes = 0};
}

/* ---- gzip ------------------------------------------------------------------------------------ */

enum { GZIP_WINDOW = 15 + 16, CHUNK = 1 << 16 };

enum err protobuf_gzip(const struct protobuf *buffer, FILE *out, struct diag *diag)
{
    z_stream stream = {.next_in = buffer->byte};
    size_t left = buffer->bytes;
    uint8_t *chunk = malloc(CHUNK);
    int status = Z_OK;

    if (chunk == NULL || deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                                      Z_DEFAULT_STRATEGY) != Z_OK) {
        free(chunk);
        return diag_no_memory(diag, "gzip");
    }
    while (status == Z_OK) {
        if (stream.avail_in == 0) {
            stream.avail_in = left < CHUNK ? (unsigned)left : CHUNK;
            left -= stream.avail_in;
        }
        stream.next_out = chunk;
        stream.avail_out = CHUNK;
        status = deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
        fwrite(chunk, 1, CHUNK - stream.avail_out, out);
    }
    deflateEnd(&stream);
    free(chunk);
    return ERR_OK;
}
