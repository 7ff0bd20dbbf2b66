/* Builds answers, and parses the arguments of packets. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/debug/session_internal.h"

/* ---- replies --------------------------------------------------------------------------------- */

void reply_text(struct session *session, const char *format, ...)
{
    struct reply *reply = &session->reply;
    size_t room = sizeof reply->text - reply->length;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(reply->text + reply->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        reply->length += (size_t)length < room ? (size_t)length : room - 1;
}

void reply_hex(struct session *session, const void *bytes, size_t count)
{
    const uint8_t *byte = bytes;

    for (size_t i = 0; i < count; i++)
        reply_text(session, "%02x", byte[i]);
}

void reply_value(struct session *session, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        reply_text(session, "%02x", (unsigned)(value >> 8 * i & 0xff));
}

enum outcome reply_ok(struct session *session)
{
    reply_text(session, "OK");
    return OUTCOME_ANSWERED;
}

enum outcome reply_error(struct session *session, unsigned error)
{
    session->reply.length = 0;
    reply_text(session, "E%02x", error);
    return OUTCOME_ANSWERED;
}

/* ---- arguments ------------------------------------------------------------------------------- */

bool take_hex(const char **at, uint64_t *value)
{
    const char *from = *at;
    int digit;

    for (*value = 0; (digit = packet_digit(**at)) >= 0; ++*at) {
        if (*value >> 60 != 0)
            return false;
        *value = *value << 4 | (uint64_t)digit;
    }
    return *at != from;
}

bool take_char(const char **at, char wanted)
{
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

bool take_bytes(const char **at, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, *at += 2) {
        int high = packet_digit((*at)[0]), low = high >= 0 ? packet_digit((*at)[1]) : -1;

        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* arguments: offset,length in the text, in hexadecimal. */
enum outcome reply_part(struct session *session, const char *name, const char *text, size_t bytes,
                        const char *arguments, size_t length)
{
    size_t named = strlen(name), left;
    uint64_t offset, count;

    if (length < named || memcmp(arguments, name, named) != 0)
        return reply_error(session, FAULT_ARGUMENT);
    arguments += named;
    if (!take_hex(&arguments, &offset) || !take_char(&arguments, ',') ||
        !take_hex(&arguments, &count) || *arguments != '\0' || text == NULL || offset > bytes)
        return reply_error(session, FAULT_ARGUMENT);
    left = bytes - offset;
    count = count < PACKET_BYTES / 2 ? count : PACKET_BYTES / 2;
    reply_text(session, "%c%.*s", left > count ? 'm' : 'l', (int)count, text + offset);
    return OUTCOME_ANSWERED;
}
