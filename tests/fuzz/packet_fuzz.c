/* Any bytes in place of gdb's: each complete packet, framed again, reads as the same packet. */
#include <stdlib.h>
#include <string.h>

#include "sim/debug/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void require_reads_back(const struct packet_reader *packet)
{
    static char framed[PACKET_FRAMED];
    static struct packet_reader again;
    size_t length = packet_frame(framed, packet->text, packet->length);
    enum packet_event event = PACKET_NOTHING;

    require(length <= sizeof framed);
    for (size_t i = 0; i < length; i++) {
        require(event == PACKET_NOTHING);
        event = packet_read(&again, (uint8_t)framed[i]);
    }
    require(event == PACKET_COMPLETE && again.length == packet->length);
    require(memcmp(again.text, packet->text, packet->length + 1) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct packet_reader *reader = calloc(1, sizeof *reader);

    for (size_t i = 0; reader != NULL && i < count; i++)
        if (packet_read(reader, bytes[i]) == PACKET_COMPLETE)
            require_reads_back(reader);
    free(reader);
    return 0;
}
