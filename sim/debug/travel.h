/* Reverse execution in a session: goes back to the last position at which the run would have
 * stopped, by executing again from a copy of the process (sim/host/rewind.h). Positions are counted
 * by pause_position. Changes that gdb made on the way are repeated. */
#ifndef SIM_DEBUG_TRAVEL_H
#define SIM_DEBUG_TRAVEL_H

#include "sim/core/pause.h"

struct session;

enum { TRAVEL_NOTES = 256, TRAVEL_NOTE_BYTES = 1 << 16 };

/* A packet that changed the machine at a position; or, with 0 bytes, the harts that are held from
 * there on. */
struct travel_note {
    uint64_t position, held;
    unsigned looked_from;
    uint32_t sleeper;
    size_t at, bytes;
};

enum travel_phase {
    TRAVEL_NOT,         /* runs forward */
    TRAVEL_SEARCH,      /* executes again, in search of the last stop before `limit` */
    TRAVEL_GO,          /* executes again, up to `target` */
};

struct travel {                     /* zero at the start */
    bool is_possible;
    enum travel_phase phase;
    bool is_step, is_user;          /* is_user: steps over kernel code */
    unsigned hart;                  /* hart that steps; hart of the stop found */
    uint64_t limit, reach;          /* for a step, only the last `reach` positions before `limit`
                                     * are searched */
    uint64_t began;                 /* position at which this process was woken */
    uint64_t target, start;         /* start: of the session */
    bool has_found, is_after;       /* is_after: the stop is after the instruction of `hart` */
    char why[64];                   /* reason of the stop, for its reply */
    uint64_t next_mark, interval;
    struct travel_note note[TRAVEL_NOTES];
    size_t notes, next, bytes;
    bool has_lost;                  /* a note did not fit: going back is impossible */
    char text[TRAVEL_NOTE_BYTES];
};

/* Begins the session's first position. Returns again, in a new process, whenever gdb goes back to
 * this position. */
void travel_begin(struct session *session);
void travel_end(struct session *session);

/* Goes back from the present position. Returns only if there is no earlier position (false). */
bool travel_back(struct session *session, bool is_step, unsigned hart);
bool travel_is_possible(const struct session *session);

/* What a hart that pauses in front of an instruction must do: */
enum travel_way {
    TRAVEL_ASK,         /* ask resume_stops, as in a forward run */
    TRAVEL_ON,          /* go on: no stop is due */
    TRAVEL_HERE,        /* stop: session->stop has the reply */
    TRAVEL_WRITE,       /* leave the engine and call travel_write, which repeats changes */
};
enum travel_way travel_reached(struct session *session, struct cpu *cpu, uint64_t pc);
/* Repeats changes that gdb made here. True: the target is reached, and session->stop has the
 * reply. */
bool travel_write(struct session *session);
/* The run ended: a search then continues from another copy. */
void travel_ended(struct session *session);
/* The machine is about to go on: sets the positions at which it pauses in this phase. */
void travel_resume(struct session *session);

/* Notes the packet in the reader, which has changed the machine at the present position. */
void travel_note_packet(struct session *session);
/* Notes that these harts are held from the present position on. */
void travel_note_held(struct session *session, uint64_t held);
/* Ends reverse execution: the program runs on without a debugger. */
void travel_let_go(struct session *session);

#endif
