/* See travel.h. A search runs from a copy to the position that the session left, and remembers the
 * last stop on the way; then another run from a copy goes there. A search for a step examines the
 * nearest positions first, since a pause at each instruction is slow. */
#include "sim/debug/travel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/cycle.h"
#include "sim/debug/session_internal.h"
#include "sim/debug/watch.h"

enum { REACH = 256, NEAR = 4096, INTERVAL_DETAILED = 1 << 20, INTERVAL_FAST = 1 << 24 };

static uint64_t here(const struct session *session)
{
    return pause_position(&session->machine->cpu[0]);
}

static bool is_muted(const struct session *session)
{
    return session->kept != NULL && session->kept[0] >= 0;
}

/* ---- notes ----------------------------------------------------------------------------------- */

static struct travel_note *new_note(struct session *session, size_t bytes)
{
    struct travel *travel = &session->travel;
    struct travel_note *note = &travel->note[travel->notes];

    if (travel->notes == TRAVEL_NOTES || bytes > TRAVEL_NOTE_BYTES - travel->bytes) {
        travel->has_lost = true;
        return NULL;
    }
    *note = (struct travel_note){.position = here(session), .at = travel->bytes, .bytes = bytes,
                                 .looked_from = session->looked_from, .sleeper = session->sleeper};
    travel->notes++;
    travel->bytes += bytes;
    rewind_forget(&session->rewind, note->position);
    return note;
}

void travel_note_packet(struct session *session)
{
    const struct packet_reader *packet = &session->reader;
    const struct travel_note *note =
        session->travel.is_possible ? new_note(session, packet->length) : NULL;

    if (note != NULL)
        memcpy(session->travel.text + note->at, packet->text, packet->length);
}

void travel_note_held(struct session *session, uint64_t held)
{
    struct travel_note *note = session->travel.is_possible ? new_note(session, 0) : NULL;

    if (note != NULL)
        note->held = held;
}

/* Drops the notes of positions after the target, at which the session now is. */
static void drop_notes(struct travel *travel)
{
    while (travel->notes != 0 && travel->note[travel->notes - 1].position > travel->target)
        travel->bytes = travel->note[--travel->notes].at;
}

static void repeat_packet(struct session *session, const struct travel_note *note)
{
    struct packet_reader *packet = &session->reader;

    memcpy(packet->text, session->travel.text + note->at, note->bytes);
    packet->text[note->bytes] = '\0';
    packet->length = note->bytes;
    session->looked_from = note->looked_from;
    session->sleeper = note->sleeper;
    packets_handle(session);
}

/* Repeats the changes noted up to the present position. True: the next one is a packet, for which
 * may_write is needed. */
static bool repeat_notes(struct session *session, bool may_write)
{
    struct travel *travel = &session->travel;

    for (; travel->next < travel->notes; travel->next++) {
        const struct travel_note *note = &travel->note[travel->next];

        if (note->position > here(session))
            return false;
        if (note->bytes != 0 && !may_write)
            return true;
        if (note->bytes != 0)
            repeat_packet(session, note);
        else
            session->pauses.held = note->held;
    }
    return false;
}

/* ---- where to stop --------------------------------------------------------------------------- */

/* The position from which on a search for a step pauses at every instruction. */
static uint64_t looks_from(const struct travel *travel)
{
    return travel->limit > travel->reach ? travel->limit - travel->reach : 0;
}

void travel_resume(struct session *session)
{
    const struct travel *travel = &session->travel;
    struct pauses *pauses = &session->pauses;
    uint64_t from = looks_from(travel);

    pauses->at = UINT64_MAX;
    if (travel->phase == TRAVEL_NOT) {
        if (travel->is_possible)
            pauses->at = travel->next_mark;
        if (is_muted(session))
            pauses->at = earlier(pauses->at, session->rewind.shown);
        return;
    }
    pauses->every = 0;
    if (travel->phase == TRAVEL_GO) {
        pauses->at = earlier(travel->target, travel->next_mark);
    } else if (travel->is_step && here(session) < from) {
        pauses->at = from;
    } else {
        pauses->at = travel->limit;
        if (travel->is_step)
            pauses->every = UINT64_C(1) << travel->hart;
        else if (session->breaks.has_watch)
            pauses->every = UINT64_MAX;
    }
    if (travel->next < travel->notes)
        pauses->at = earlier(pauses->at, travel->note[travel->next].position);
}

/* ---- waking ---------------------------------------------------------------------------------- */

static _Noreturn void wake(struct session *session)
{
    struct travel *travel = &session->travel;
    uint64_t before = travel->phase == TRAVEL_GO ? travel->target + 1 : travel->limit;

    rewind_wake(&session->rewind, rewind_before(&session->rewind, before));
}

/* Sets up the process that a woken copy made. notes: the number of notes when the copy was left. */
static void woken(struct session *session, size_t notes)
{
    struct machine *machine = session->machine;
    struct travel *travel = &session->travel;

    session->has_ended = session->is_dead = session->is_interrupted = false;
    session->is_pending = session->is_inside = false;
    travel->began = here(session);
    travel->next = notes;
    travel->next_mark = travel->target > travel->began + 2 * NEAR ? travel->target - NEAR
                                                                  : UINT64_MAX;
    session->pauses.held = 0;
    for (size_t i = 0; i < notes; i++)
        if (travel->note[i].bytes == 0)
            session->pauses.held = travel->note[i].held;
    for (unsigned i = 0; i < machine->harts; i++) {
        session->pauses.last[i].insns = UINT64_MAX;
        if (machine->fast[i] != NULL)
            fast_flush(machine->fast[i]);
    }
    if (travel->began < session->rewind.shown)
        rewind_mute(session->kept);
    travel_resume(session);
}

static void mark(struct session *session)
{
    size_t notes = session->travel.phase == TRAVEL_NOT ? session->travel.notes
                                                       : session->travel.next;

    if (rewind_mark(&session->rewind, here(session)))
        woken(session, notes);
}

void travel_begin(struct session *session)
{
    struct travel *travel = &session->travel;

    session->kept = malloc(2 * sizeof session->kept[0]);
    if (session->kept == NULL)
        return;
    session->kept[0] = session->kept[1] = -1;
    session->rewind.stop_request = session->machine->stop_request;
    travel->is_possible = rewind_begin(&session->rewind);
    travel->start = here(session);
    travel->interval = session->machine->engine == ENGINE_DETAILED ? INTERVAL_DETAILED
                                                                   : INTERVAL_FAST;
    travel->next_mark = travel->start + travel->interval;
    if (travel->is_possible)
        mark(session);
}

void travel_end(struct session *session)
{
    if (session->kept != NULL)
        rewind_unmute(session->kept);
    free(session->kept);
    session->kept = NULL;
}

void travel_let_go(struct session *session)
{
    session->travel.is_possible = false;
    session->travel.phase = TRAVEL_NOT;
    travel_resume(session);
}

bool travel_is_possible(const struct session *session)
{
    return session->travel.is_possible && !session->travel.has_lost;
}

bool travel_back(struct session *session, bool is_step, unsigned hart)
{
    struct travel *travel = &session->travel;
    uint64_t position = here(session);

    if (rewind_before(&session->rewind, position) == NULL)
        return false;
    if (session->rewind.shown < position)
        session->rewind.shown = position;
    travel->phase = TRAVEL_SEARCH;
    travel->is_step = is_step;
    travel->is_user = session->machine->cpu[hart].hart.priv == PRIV_U;
    travel->hart = hart;
    travel->limit = position;
    travel->reach = is_step ? REACH : UINT64_MAX;
    travel->has_found = false;
    travel->target = 0;
    wake(session);
}

/* ---- on the way ------------------------------------------------------------------------------ */

static void find(struct travel *travel, uint64_t position, unsigned hart, const char *why)
{
    travel->has_found = true;
    travel->is_after = false;
    travel->target = position;
    travel->hart = hart;
    snprintf(travel->why, sizeof travel->why, "%s", why);
}

/* A watchpoint stops one position after its access: gdb assumes that this architecture reports the
 * access before it, when running backwards after it, and then steps back once by itself. */
static void consider_break(struct session *session, struct cpu *cpu, uint64_t pc)
{
    struct travel *travel = &session->travel;
    const struct breaking *point = breaks_find(&session->breaks, pc);
    const struct breaking *access = watch_find(session, cpu, pc);
    uint64_t position = pause_position(cpu);
    char why[BREAKS_WHY];

    if (point == NULL && access == NULL)
        return;
    breaks_why(access != NULL ? access : point, why);
    find(travel, position + (access != NULL), (unsigned)cpu->hart.id, why);
    travel->is_after = access != NULL;
}

static void consider(struct session *session, struct cpu *cpu, uint64_t pc)
{
    struct travel *travel = &session->travel;
    unsigned hart = (unsigned)cpu->hart.id;
    uint64_t position = pause_position(cpu);

    if (position >= travel->limit)
        return;
    if (!travel->is_step)
        consider_break(session, cpu, pc);
    else if (hart == travel->hart && position >= looks_from(travel) && !cpu->hart.in_monitor &&
             (!travel->is_user || cpu->hart.priv == PRIV_U))
        find(travel, position, hart, "");
}

/* The search has reached its end: goes to the stop found, or searches an earlier part. */
static _Noreturn void conclude(struct session *session)
{
    struct travel *travel = &session->travel;

    if (travel->has_found) {
        travel->phase = TRAVEL_GO;
    } else if (travel->is_step && looks_from(travel) > travel->began) {
        travel->reach *= REACH;
    } else {
        travel->limit = travel->began;
        travel->reach = travel->is_step ? REACH : UINT64_MAX;
    }
    if (!travel->has_found && rewind_before(&session->rewind, travel->limit) == NULL) {
        find(travel, travel->start, 0, "replaylog:begin;");
        travel->phase = TRAVEL_GO;
    }
    wake(session);
}

static void arrive(struct session *session)
{
    struct travel *travel = &session->travel;

    travel->phase = TRAVEL_NOT;
    drop_notes(travel);
    travel->next_mark = here(session) + travel->interval;
    session->hart = session->looked_from = travel->hart;
    resume_stop(session, RESUME_TRAP, travel->why);
}

bool travel_write(struct session *session)
{
    repeat_notes(session, true);
    if (session->travel.phase != TRAVEL_GO || here(session) < session->travel.target)
        return false;
    arrive(session);
    return true;
}

void travel_ended(struct session *session)
{
    if (session->travel.phase == TRAVEL_SEARCH)
        conclude(session);
}

/* Leaves copies at intervals, and one shortly before the target of a travel. */
static void mark_when_due(struct session *session, uint64_t position)
{
    struct travel *travel = &session->travel;

    if (!travel->is_possible || position < travel->next_mark || travel->phase == TRAVEL_SEARCH)
        return;
    travel->next_mark = travel->phase == TRAVEL_NOT ? position + travel->interval : UINT64_MAX;
    mark(session);
    travel_resume(session);
}

static enum travel_way go_on(struct session *session, struct cpu *cpu, uint64_t pc)
{
    struct travel *travel = &session->travel;
    uint64_t position = pause_position(cpu);

    if (travel->phase == TRAVEL_SEARCH)
        consider(session, cpu, pc);
    if (travel->phase == TRAVEL_SEARCH && position >= travel->limit)
        conclude(session);
    session->hart = (unsigned)cpu->hart.id;
    if (repeat_notes(session, false))
        return TRAVEL_WRITE;
    if (travel->phase == TRAVEL_GO && position >= travel->target &&
        (position > travel->target || travel->is_after || cpu->hart.id == travel->hart)) {
        arrive(session);
        return TRAVEL_HERE;
    }
    travel_resume(session);
    return TRAVEL_ON;
}

enum travel_way travel_reached(struct session *session, struct cpu *cpu, uint64_t pc)
{
    uint64_t position = pause_position(cpu);

    if (is_muted(session) && position >= session->rewind.shown) {
        rewind_unmute(session->kept);
        travel_resume(session);
    }
    mark_when_due(session, position);
    if (session->travel.phase == TRAVEL_NOT)
        return TRAVEL_ASK;
    pause_note(cpu, pc);
    return go_on(session, cpu, pc);
}
