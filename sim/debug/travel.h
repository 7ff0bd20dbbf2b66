/* Going back in a session: to the last place before, by executing again from a copy. The places are
 * pause_position's. Values that gdb wrote on the way are written again. */
#ifndef SIM_DEBUG_TRAVEL_H
#define SIM_DEBUG_TRAVEL_H

#include "sim/core/pause.h"

struct session;

enum { TRAVEL_NOTES = 256, TRAVEL_NOTE_BYTES = 1 << 16 };

/* A packet's change at a place, or (no bytes) the harts that are held from there on. */
struct travel_note {
    uint64_t position, held;
    unsigned looked_from;
    uint32_t sleeper;
    size_t at, bytes;
};

enum travel_phase {
    TRAVEL_NOT,         /* forward */
    TRAVEL_SEARCH,      /* again, up to `limit`: which is the last place before it to stop at? */
    TRAVEL_GO,          /* again, to `target` */
};

struct travel {                     /* zero at the start */
    bool is_possible;
    enum travel_phase phase;
    bool is_step, is_user;          /* is_user: over the work of a kernel */
    unsigned hart;                  /* that steps; of the place found */
    uint64_t limit, reach;          /* a search of steps looks at `reach` places before `limit` */
    uint64_t began;                 /* where this part was woken */
    uint64_t target, start;         /* start: of the session */
    bool has_found, is_after;       /* is_after: `hart` has just passed the place */
    char why[64];                   /* of the stop */
    uint64_t next_mark, interval;
    struct travel_note note[TRAVEL_NOTES];
    size_t notes, next, bytes;
    bool has_lost;                  /* a note did not fit: there is no way back */
    char text[TRAVEL_NOTE_BYTES];
};

/* The session begins here. Returns again whenever somebody goes back to here. */
void travel_begin(struct session *session);
void travel_end(struct session *session);

/* Goes back from here: does not return, unless there is nothing before (false). */
bool travel_back(struct session *session, bool is_step, unsigned hart);
bool travel_is_possible(const struct session *session);

/* The hart stops in front of an instruction: */
enum travel_way {
    TRAVEL_ASK,         /* as usual: resume_stops decides */
    TRAVEL_ON,          /* no stop is due */
    TRAVEL_HERE,        /* session->stop tells of it */
    TRAVEL_WRITE,       /* something has to be written first: travel_write, outside */
};
enum travel_way travel_reached(struct session *session, struct cpu *cpu, uint64_t pc);
/* True: the place is reached, and session->stop tells of it. */
bool travel_write(struct session *session);
/* The run ended; a search goes on elsewhere then. */
void travel_ended(struct session *session);
/* The machine goes on: where it has to stop for this part. */
void travel_resume(struct session *session);

/* The packet in the reader was executed here, and changed the machine. */
void travel_note_packet(struct session *session);
/* From here on these harts are held. */
void travel_note_held(struct session *session, uint64_t held);
/* The program runs on without a debugger. */
void travel_let_go(struct session *session);

#endif
