/* The exchange of packets with gdb, during a stop of an engine or between two runs of the
 * machine. */
#include "sim/debug/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/debug/session_internal.h"

/* ---- life ------------------------------------------------------------------------------------ */

struct session *session_open(const char *place, struct diag *diag)
{
    struct session *session = mmap(NULL, sizeof *session, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (session == MAP_FAILED) {
        diag_no_memory(diag, "the debugger");
        return NULL;
    }
    if (link_open(&session->link, place, diag) != ERR_OK) {
        session_close(session);
        return NULL;
    }
    return session;
}

void session_close(struct session *session)
{
    if (session == NULL)
        return;
    link_close(&session->link);
    free(session->description);
    munmap(session, sizeof *session);
}

unsigned session_port(const struct session *session)
{
    return session->link.port;
}

/* ---- packets --------------------------------------------------------------------------------- */

/* The next event from gdb; with `waits`, waits for it. False: there is none, or gdb is gone
 * (*is_lost). */
static bool next_event(struct session *session, bool waits, enum packet_event *event,
                       bool *is_lost)
{
    *is_lost = false;
    do {
        if (session->input_at == session->input_end) {
            int got = link_read(&session->link, session->input, sizeof session->input, waits);

            *is_lost = got < 0;
            if (got <= 0)
                return false;
            session->input_at = 0;
            session->input_end = (size_t)got;
        }
        *event = packet_read(&session->reader, session->input[session->input_at++]);
    } while (*event == PACKET_NOTHING);
    return true;
}

static bool send(struct session *session, const char *text, size_t length)
{
    char framed[PACKET_FRAMED];

    return link_write(&session->link, framed, packet_frame(framed, text, length));
}

bool session_send(struct session *session)
{
    return send(session, session->reply.text, session->reply.length);
}

static bool send_stop(struct session *session)
{
    session->reply.length = 0;
    reply_text(session, "%s", session->stop);
    return session_send(session);
}

static bool acknowledge(struct session *session, char sign)
{
    return session->is_quiet || link_write(&session->link, &sign, 1);
}

/* True if the packet was one that writes, and succeeded. */
static bool has_written(const struct session *session)
{
    return !session->is_inside && session->reader.length != 0 &&
           strchr("PGMX", session->reader.text[0]) != NULL && session->reply.length == 2 &&
           memcmp(session->reply.text, "OK", 2) == 0;
}

/* Handles the packet in the reader. */
static enum outcome handle(struct session *session)
{
    enum outcome outcome = packets_handle(session);
    bool is_answer = outcome == OUTCOME_ANSWERED || outcome == OUTCOME_DETACH ||
                     (outcome == OUTCOME_KILL && session->reply.length != 0);

    session->is_pending = outcome == OUTCOME_OUTSIDE;
    if (outcome == OUTCOME_ANSWERED && has_written(session))
        travel_note_packet(session);
    return is_answer && !session_send(session) && outcome == OUTCOME_ANSWERED ? OUTCOME_LOST
                                                                            : outcome;
}

static enum outcome take_event(struct session *session, enum packet_event event)
{
    switch (event) {
    case PACKET_COMPLETE:
        return acknowledge(session, '+') ? handle(session) : OUTCOME_LOST;
    case PACKET_DAMAGED:
        session->reply.length = 0;
        if (session->is_quiet && (reply_error(session, FAULT_ARGUMENT), !session_send(session)))
            return OUTCOME_LOST;
        return acknowledge(session, '-') ? OUTCOME_SILENT : OUTCOME_LOST;
    case PACKET_REFUSED:
        return session_send(session) ? OUTCOME_SILENT : OUTCOME_LOST;
    default:
        return OUTCOME_SILENT;
    }
}

/* Exchanges packets until gdb resumes the machine, or ends the session. */
static enum outcome converse(struct session *session)
{
    enum outcome outcome = session->is_pending ? handle(session) : OUTCOME_SILENT;
    enum packet_event event;
    bool is_lost;

    while (outcome == OUTCOME_ANSWERED || outcome == OUTCOME_SILENT) {
        if (!next_event(session, true, &event, &is_lost))
            return OUTCOME_LOST;
        outcome = take_event(session, event);
    }
    return outcome;
}

/* ---- in the run ------------------------------------------------------------------------------ */

/* Removes all breakpoints and stops, after a detach. */
static void let_go(struct session *session)
{
    session->pauses = (struct pauses){.at = UINT64_MAX, .reached = session->pauses.reached,
                                      .arg = session};
    session->machine->progress = NULL;
    breaks_drop(&session->breaks);
    travel_let_go(session);
}

static bool reached(void *arg, struct cpu *cpu, uint64_t pc)
{
    struct session *session = arg;

    switch (travel_reached(session, cpu, pc)) {
    case TRAVEL_ON:
        return true;
    case TRAVEL_WRITE:
        session->outcome = OUTCOME_OUTSIDE;
        return false;
    case TRAVEL_ASK:
        if (!resume_stops(session, cpu, pc))
            return true;
        break;
    case TRAVEL_HERE:
        break;
    }
    session->is_inside = true;
    session->outcome = send_stop(session) ? converse(session) : OUTCOME_LOST;
    if (session->outcome == OUTCOME_RESUME)
        resume_begin(session);
    if (session->outcome == OUTCOME_DETACH)
        let_go(session);
    session->is_inside = false;
    return session->outcome == OUTCOME_RESUME || session->outcome == OUTCOME_DETACH;
}

/* Ctrl-C: every hart stops at its next instruction. */
static void look_for_interrupt(void *arg, const struct machine *machine)
{
    struct session *session = arg;
    enum packet_event event;
    bool is_lost;

    (void)machine;
    while (next_event(session, false, &event, &is_lost))
        if (event == PACKET_INTERRUPT) {
            session->is_interrupted = true;
            session->pauses.every = UINT64_MAX;
        }
    if (is_lost) {
        session->outcome = OUTCOME_LOST;
        session->machine->halt = true;
    }
}

/* Runs the machine until packets must be exchanged outside an engine. */
static void run(struct session *session, const struct limits *limits)
{
    session->outcome = OUTCOME_RESUME;
    resume_begin(session);
    machine_run(session->machine, limits);
    if (session->outcome != OUTCOME_RESUME)
        return;
    travel_ended(session);
    resume_ended(session);
    session->outcome = send_stop(session) ? OUTCOME_ANSWERED : OUTCOME_LOST;
}

/* The end of the run was reported: reports it again, whatever the request. */
static void repeat_end(struct session *session)
{
    resume_ended(session);
    session->outcome = send_stop(session) ? OUTCOME_ANSWERED : OUTCOME_LOST;
}

/* On the way back to a place: repeats the writes. */
static void repeat_writes(struct session *session)
{
    session->outcome = OUTCOME_RESUME;
    if (travel_write(session))
        session->outcome = send_stop(session) ? OUTCOME_ANSWERED : OUTCOME_LOST;
}

void session_stop(struct session *session, unsigned hart)
{
    session->alarmed |= UINT64_C(1) << hart;
    session->pauses.every |= UINT64_C(1) << hart;
}

static bool attach(struct session *session, struct machine *machine)
{
    session->machine = machine;
    session->pauses = (struct pauses){.at = UINT64_MAX, .reached = reached, .arg = session};
    for (unsigned i = 0; i < machine->harts; i++)
        machine->cpu[i].pauses = &session->pauses;
    session->link.stop_request = machine->stop_request;
    machine->progress = look_for_interrupt;
    machine->progress_arg = session;
    return description_make(session);
}

static void detach(struct session *session)
{
    travel_end(session);
    for (unsigned i = 0; i < session->machine->harts; i++)
        session->machine->cpu[i].pauses = NULL;
    session->machine->progress = NULL;
}

static enum session_end finish(struct session *session, const struct limits *limits)
{
    bool has_ended = session->has_ended;

    detach(session);
    if (session->outcome == OUTCOME_DETACH && !has_ended)
        machine_run(session->machine, limits);
    if (has_ended || session->outcome == OUTCOME_DETACH)
        return SESSION_RAN;
    return session->outcome == OUTCOME_KILL ? SESSION_KILLED : SESSION_LOST;
}

enum err session_run(struct session *session, struct machine *machine, const struct limits *limits,
                     enum session_end *end, struct diag *diag)
{
    enum err err;

    if (!attach(session, machine)) {
        detach(session);
        return diag_no_memory(diag, "the debugger");
    }
    err = link_accept(&session->link, diag);
    if (err != ERR_OK || session->link.in < 0) {
        detach(session);
        *end = SESSION_LOST;
        return err;
    }
    resume_at_start(session);
    travel_begin(session);
    session->outcome = session->travel.phase == TRAVEL_NOT ? OUTCOME_ANSWERED : OUTCOME_OUTSIDE;
    while (session->outcome == OUTCOME_ANSWERED || session->outcome == OUTCOME_RESUME ||
           session->outcome == OUTCOME_OUTSIDE) {
        if (session->outcome == OUTCOME_OUTSIDE && session->travel.phase != TRAVEL_NOT)
            repeat_writes(session);
        else if (session->outcome != OUTCOME_RESUME)
            session->outcome = converse(session);
        else if (session->has_ended)
            repeat_end(session);
        else
            run(session, limits);
    }
    *end = finish(session, limits);
    return ERR_OK;
}
