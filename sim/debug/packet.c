/* A packet is `$contents#xx`: xx is the sum of the bytes of the contents, modulo 256. A byte with a
 * special meaning is sent as '}' and the byte with bit 5 inverted. */
#include "sim/debug/packet.h"

#include <string.h>

enum { ESCAPE = '}', ESCAPED = 0x20, INTERRUPT = 3 };

int packet_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

static void begin(struct packet_reader *reader)
{
    reader->place = PACKET_INSIDE;
    reader->sum = 0;
    reader->length = 0;
}

static void add(struct packet_reader *reader, uint8_t byte)
{
    if (reader->length < PACKET_BYTES)
        reader->text[reader->length] = (char)byte;
    if (reader->length <= PACKET_BYTES)
        reader->length++;
}

static enum packet_event read_between(struct packet_reader *reader, uint8_t byte)
{
    switch (byte) {
    case '$': begin(reader); return PACKET_NOTHING;
    case '+': return PACKET_ACCEPTED;
    case '-': return PACKET_REFUSED;
    case INTERRUPT: return PACKET_INTERRUPT;
    default: return PACKET_NOTHING;
    }
}

/* A '$' here begins another packet: the end of the present one was lost. */
static void read_inside(struct packet_reader *reader, uint8_t byte)
{
    if (byte == '$') {
        begin(reader);
        return;
    }
    if (byte == '#') {
        reader->place = PACKET_SUM_1;
        return;
    }
    reader->sum = (uint8_t)(reader->sum + byte);
    if (byte == ESCAPE)
        reader->place = PACKET_ESCAPED;
    else
        add(reader, byte);
}

static void read_escaped(struct packet_reader *reader, uint8_t byte)
{
    reader->sum = (uint8_t)(reader->sum + byte);
    reader->place = PACKET_INSIDE;
    add(reader, byte ^ ESCAPED);
}

static enum packet_event read_sum(struct packet_reader *reader, uint8_t byte)
{
    int digit = packet_digit((char)byte);

    if (digit < 0) {
        reader->place = PACKET_BETWEEN;
        return PACKET_DAMAGED;
    }
    if (reader->place == PACKET_SUM_1) {
        reader->told = (uint8_t)(digit << 4);
        reader->place = PACKET_SUM_2;
        return PACKET_NOTHING;
    }
    reader->place = PACKET_BETWEEN;
    if ((reader->told | digit) != reader->sum || reader->length > PACKET_BYTES)
        return PACKET_DAMAGED;
    reader->text[reader->length] = '\0';
    return PACKET_COMPLETE;
}

enum packet_event packet_read(struct packet_reader *reader, uint8_t byte)
{
    switch (reader->place) {
    case PACKET_BETWEEN:
        return read_between(reader, byte);
    case PACKET_INSIDE:
        read_inside(reader, byte);
        return PACKET_NOTHING;
    case PACKET_ESCAPED:
        read_escaped(reader, byte);
        return PACKET_NOTHING;
    default:
        return read_sum(reader, byte);
    }
}

size_t packet_frame(char framed[PACKET_FRAMED], const char *text, size_t length)
{
    static const char digit[] = "0123456789abcdef";
    size_t at = 0;
    uint8_t sum = 0;

    framed[at++] = '$';
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];

        if (byte == '$' || byte == '#' || byte == ESCAPE || byte == '*') {
            framed[at++] = ESCAPE;
            sum = (uint8_t)(sum + ESCAPE);
            byte ^= ESCAPED;
        }
        framed[at++] = byte;
        sum = (uint8_t)(sum + (uint8_t)byte);
    }
    framed[at++] = '#';
    framed[at++] = digit[sum >> 4];
    framed[at++] = digit[sum & 15];
    return at;
}
