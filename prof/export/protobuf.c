/* See protobuf.h. */
#include "prof/export/protobuf.h"

#include <stdlib.h>
#include <string.h>

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
