/* Inside a debugging session: shared by the handlers of packets. */
#ifndef SIM_DEBUG_SESSION_INTERNAL_H
#define SIM_DEBUG_SESSION_INTERNAL_H

#include "sim/core/pause.h"
#include "sim/debug/breaks.h"
#include "sim/debug/link.h"
#include "sim/debug/packet.h"
#include "sim/debug/session.h"
#include "sim/debug/travel.h"
#include "sim/host/rewind.h"
#include "sim/host/tasks.h"

/* The state of the session after a packet. */
enum outcome {
    OUTCOME_ANSWERED,   /* session->reply has the answer */
    OUTCOME_SILENT,     /* there is none */
    OUTCOME_OUTSIDE,    /* must be handled again when no engine is inside an instruction */
    OUTCOME_RESUME,
    OUTCOME_DETACH,     /* the answer is sent, and the program runs on by itself */
    OUTCOME_KILL,
    OUTCOME_LOST,
};

struct reply { size_t length; char text[PACKET_BYTES]; };

/* Lies in memory that the copies of the process share (rewind.h). */
struct session {
    struct machine *machine;
    struct link link;
    struct packet_reader reader;
    uint8_t input[4096];
    size_t input_at, input_end;
    bool is_quiet;                  /* packets are not acknowledged: QStartNoAckMode */
    bool is_pending;                /* reader.text has a packet that is to be handled again */
    bool is_inside;                 /* called by an engine, which is inside a run */
    bool has_ended, is_dead;        /* has_ended: the run has ended, its state can still be read;
                                     * is_dead: and gdb was told */
    bool is_interrupted;            /* Ctrl-C has come */
    struct reply reply;
    char stop[128];                 /* the last stop reply */
    char *description;              /* target.xml */
    size_t description_bytes;
    struct pauses pauses;
    struct breaks breaks;
    uint64_t stepping;              /* harts, a bit each */
    uint64_t alarmed;               /* harts of session_stop that have not stopped yet */
    uint64_t stepping_user;         /* harts in `stepping` that step from user code to user code */
    struct rewind rewind;
    struct travel travel;
    int *kept;                      /* for rewind_mute; private to each process */
    unsigned hart;                  /* that stopped */
    unsigned looked_from, continued;        /* H packets: harts; `continued` may be ALL_HARTS */
    uint32_t sleeper;               /* thread selected for registers and memory; 0: a hart is */
    uint32_t step_thread;           /* thread that steps, on whatever hart; 0: harts step */
    enum outcome outcome;           /* why the conversation ended */
};

enum { ALL_HARTS = 0xffff, NO_HART = 0xfffe };

/* ---- replies --------------------------------------------------------------------------------- */

/* Appends; text that does not fit is cut. */
void reply_text(struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void reply_hex(struct session *session, const void *bytes, size_t count);
/* Appends `bytes` bytes of the value, the lowest first. */
void reply_value(struct session *session, uint64_t value, unsigned bytes);
/* Answers with a part of a text that gdb reads in pieces: NAME offset,length. */
enum outcome reply_part(struct session *session, const char *name, const char *text, size_t bytes,
                        const char *arguments, size_t length);
/* Makes the complete answer "OK", or an error. */
enum outcome reply_ok(struct session *session);
enum { FAULT_NO_MEMORY = 0x0c, FAULT_ADDRESS = 0x0e, FAULT_ARGUMENT = 0x16 };
enum outcome reply_error(struct session *session, unsigned error);

/* ---- arguments ------------------------------------------------------------------------------- */

/* Parses a hexadecimal number at *at, and moves *at past it. False: there is none, or it has more
 * than 64 bits. */
bool take_hex(const char **at, uint64_t *value);
/* Parses one character. False: another one is there. */
bool take_char(const char **at, char wanted);
/* Parses 2 * count hexadecimal digits. False: there are fewer. */
bool take_bytes(const char **at, uint8_t *bytes, size_t count);

/* ---- parts ----------------------------------------------------------------------------------- */

/* Handlers of packet.def: handle_NAME. `arguments` is the text after the name, of `length` bytes
 * and a zero. */
#define PACKET(name, id) \
    enum outcome handle_##id(struct session *session, const char *arguments, size_t length);
#define PACKET_ALONE(name, id) PACKET(name, id)
#include "sim/debug/packet.def"
#undef PACKET
#undef PACKET_ALONE

/* In session.c: sends session->reply. False: gdb is gone. */
bool session_send(struct session *session);

/* packets.c: handles the packet in session->reader. */
enum outcome packets_handle(struct session *session);

/* In description.c: makes session->description. False: no memory. */
bool description_make(struct session *session);

/* In resume.c: prepares the harts before the machine goes on: those that step, and those that stand
 * at the present stop. */
void resume_begin(struct session *session);
/* True if a stop is due in front of the instruction at pc; session->stop then has the reply. */
bool resume_stops(struct session *session, struct cpu *cpu, uint64_t pc);
/* The run is over: sets session->stop to the way it ended. */
void resume_ended(struct session *session);
/* Sets session->stop to a stop of session->hart. signal: gdb's number; why: the text after the
 * thread. */
enum { RESUME_INTERRUPT = 2, RESUME_TRAP = 5, RESUME_LIMIT = 24 };
void resume_stop(struct session *session, unsigned signal, const char *why);
/* The initial stop, of the first hart. */
void resume_at_start(struct session *session);

/* In threads.c: a thread as gdb selects it. hart NO_HART: no hart runs it, or hart `inside`, which
 * has not stopped, executes kernel code for it; its registers are those with which it will continue
 * in user code. hart ALL_HARTS: all threads. inside ALL_HARTS: none. */
struct one_thread { unsigned hart, inside; uint32_t tid; };
/* "1", "3e8", "-1" (ALL_HARTS), "0" (the stopped one); false: there is no such thread. */
bool threads_take(struct session *session, const char **at, struct one_thread *one);
/* The number of the thread that a hart runs. */
unsigned threads_id(const struct session *session, unsigned hart);
/* The guest kernel's thread that a hart runs; 0: none, or there is no guest kernel. */
uint32_t threads_on(const struct session *session, unsigned hart);
/* Finds a thread of the guest kernel. False: there is none with this number. */
struct asleep { struct task_view task; uint64_t root_pa; };     /* of its page tables */
bool threads_find(const struct session *session, uint32_t tid, struct asleep *asleep);

#endif
