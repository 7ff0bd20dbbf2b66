/* gdb's remote protocol, the lowest level: packets out of bytes, and bytes out of packets. It does
 * not interpret packets. Any bytes may come in.
 * Source: "Debugging with GDB", appendix E.1. */
#ifndef SIM_DEBUG_PACKET_H
#define SIM_DEBUG_PACKET_H

#include <stddef.h>
#include <stdint.h>

enum {
    PACKET_BYTES = 1 << 14,         /* of a packet's contents, both ways */
    PACKET_FRAMED = 2 * PACKET_BYTES + 4,       /* when each byte has to be escaped */
};

enum packet_event {
    PACKET_NOTHING,     /* more has to come, or the byte was noise between packets */
    PACKET_COMPLETE,    /* text and length have it, until the next byte is given */
    PACKET_DAMAGED,     /* its checksum is wrong, or it is longer than PACKET_BYTES */
    PACKET_INTERRUPT,   /* Ctrl-C, between packets */
    PACKET_ACCEPTED,    /* '+': the other side has the last packet */
    PACKET_REFUSED,     /* '-': the other side wants it again */
};

enum packet_place { PACKET_BETWEEN, PACKET_INSIDE, PACKET_ESCAPED, PACKET_SUM_1, PACKET_SUM_2 };

struct packet_reader {          /* zero at the start */
    enum packet_place place;
    uint8_t sum, told;          /* of the contents, and as sent */
    size_t length;              /* of the contents, more than PACKET_BYTES when it is too long */
    char text[PACKET_BYTES + 1];    /* unescaped, with a zero after it */
};

/* The next byte. */
enum packet_event packet_read(struct packet_reader *reader, uint8_t byte);

/* Frames `length` bytes (at most PACKET_BYTES) and returns the number of bytes in `framed`. */
size_t packet_frame(char framed[PACKET_FRAMED], const char *text, size_t length);

/* The value of a hexadecimal digit; -1: it is none. */
int packet_digit(char digit);

#endif
