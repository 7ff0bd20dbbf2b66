/* The lowest level of gdb's remote protocol: converts bytes to packets and back, and does
 * not interpret the packets. Any bytes may come in.
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
    PACKET_NOTHING,     /* the packet is incomplete, or the byte was noise between packets */
    PACKET_COMPLETE,    /* the packet is in text and length, until the next byte is given */
    PACKET_DAMAGED,     /* its checksum is wrong, or it is longer than PACKET_BYTES */
    PACKET_INTERRUPT,   /* Ctrl-C, between packets */
    PACKET_ACCEPTED,    /* '+': the other side has the last packet */
    PACKET_REFUSED,     /* '-': the other side wants it again */
};

enum packet_place { PACKET_BETWEEN, PACKET_INSIDE, PACKET_ESCAPED, PACKET_SUM_1, PACKET_SUM_2 };

struct packet_reader {          /* zero at the start */
    enum packet_place place;
    uint8_t sum, told;          /* checksum of the contents; checksum received */
    size_t length;              /* of the contents; more than PACKET_BYTES: too long */
    char text[PACKET_BYTES + 1];    /* unescaped, with a zero after it */
};

/* Takes the next byte. */
enum packet_event packet_read(struct packet_reader *reader, uint8_t byte);

/* Frames `length` bytes (at most PACKET_BYTES) and returns the number of bytes in `framed`. */
size_t packet_frame(char framed[PACKET_FRAMED], const char *text, size_t length);

/* The value of a hexadecimal digit; -1: it is none. */
int packet_digit(char digit);

#endif
