/* The table of packets, and the handlers of packets about the session itself. */
#include <string.h>

#include "sim/debug/session_internal.h"

struct row {
    const char *name;
    bool is_alone;
    enum outcome (*handle)(struct session *session, const char *arguments, size_t length);
};

static const struct row rows[] = {
#define PACKET(name, id) {name, false, handle_##id},
#define PACKET_ALONE(name, id) {name, true, handle_##id},
#include "sim/debug/packet.def"
#undef PACKET
#undef PACKET_ALONE
};

enum outcome packets_handle(struct session *session)
{
    const struct packet_reader *packet = &session->reader;

    session->reply.length = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t length = strlen(rows[i].name);

        if (packet->length >= length && memcmp(packet->text, rows[i].name, length) == 0 &&
            (!rows[i].is_alone || packet->length == length))
            return rows[i].handle(session, packet->text + length, packet->length - length);
    }
    return OUTCOME_ANSWERED;
}

enum outcome handle_supported(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    reply_text(session, "PacketSize=%x;qXfer:features:read+;qXfer:threads:read+;"
               "QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+%s", PACKET_BYTES,
               travel_is_possible(session) ? ";ReverseStep+;ReverseContinue+" : "");
    return OUTCOME_ANSWERED;
}

/* "0": gdb ends the program when it leaves. */
enum outcome handle_attached(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    reply_text(session, "0");
    return OUTCOME_ANSWERED;
}

/* For a static PIE: the distance between its load address and its link address. */
enum outcome handle_offsets(struct session *session, const char *arguments, size_t length)
{
    unsigned long long bias = session->machine->image->bias;

    (void)arguments, (void)length;
    reply_text(session, "Text=%llx;Data=%llx;Bss=%llx", bias, bias, bias);
    return OUTCOME_ANSWERED;
}

enum outcome handle_no_ack(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    session->is_quiet = true;
    return reply_ok(session);
}

enum outcome handle_reason(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    reply_text(session, "%s", session->stop);
    return OUTCOME_ANSWERED;
}

enum outcome handle_kill(struct session *session, const char *arguments, size_t length)
{
    (void)session, (void)arguments, (void)length;
    return OUTCOME_KILL;
}

enum outcome handle_kill_answered(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    reply_ok(session);
    return OUTCOME_KILL;
}

enum outcome handle_detach(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    reply_ok(session);
    return OUTCOME_DETACH;
}

enum outcome handle_features(struct session *session, const char *arguments, size_t length)
{
    return reply_part(session, "target.xml:", session->description, session->description_bytes,
                      arguments, length);
}
