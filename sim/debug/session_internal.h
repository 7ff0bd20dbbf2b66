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

/* In memory that copies of the process share (rewind.h). */
struct session {
    struct machine *machine;
    struct link link;
    struct packet_reader reader;
    uint8_t input[4096];
    size_t input_at, input_end;
    bool is_quiet;                  /* packets are not acknowledged: QStartNoAckMode */
    bool is_pending;                /* reader.text has a packet that is to be handled again */
    bool is_inside;                 /* an engine runs, and has called */
    bool has_ended, is_dead;        /* the run; its state can still be looked at */
    bool is_interrupted;            /* Ctrl-C has come */
    struct reply reply;
    char stop[128];                 /* the last stop, as it was told */
    char *description;              /* target.xml */
    size_t description_bytes;
    struct pauses pauses;
    struct breaks breaks;
    uint64_t stepping;              /* harts, a bit each */
    uint64_t alarmed;               /* harts of session_stop that have not stopped yet */
    uint64_t stepping_user;         /* those of them that step from user code to user code */
    struct rewind rewind;
    struct travel travel;
    int *kept;                      /* rewind_mute's; of this process alone */
    unsigned hart;                  /* that stopped */
    unsigned looked_from, continued;        /* H packets: harts; `continued` may be ALL_HARTS */
    uint32_t sleeper;               /* the thread that registers and memory are of; 0: the hart */
    uint32_t step_thread;           /* steps, wherever it runs next; 0: harts do */
    enum outcome outcome;           /* why the conversation ended */
};

enum { ALL_HARTS = 0xffff, NO_HART = 0xfffe };

/* ---- replies --------------------------------------------------------------------------------- */

/* Appends; text that does not fit is cut. */
void reply_text(struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void reply_hex(struct session *session, const void *bytes, size_t count);
/* `bytes` bytes of the value, the lowest first. */
void reply_value(struct session *session, uint64_t value, unsigned bytes);
/* Of a text that gdb reads in pieces: NAME offset,length. */
enum outcome reply_part(struct session *session, const char *name, const char *text, size_t bytes,
                        const char *arguments, size_t length);
/* The whole answer. */
enum outcome reply_ok(struct session *session);
enum { FAULT_NO_MEMORY = 0x0c, FAULT_ADDRESS = 0x0e, FAULT_ARGUMENT = 0x16 };
enum outcome reply_error(struct session *session, unsigned error);

/* ---- arguments ------------------------------------------------------------------------------- */

/* A number of hexadecimal digits at *at, which moves on; false: there is none, or it has more than
 * 64 bits. */
bool take_hex(const char **at, uint64_t *value);
/* This character; false: another one is there. */
bool take_char(const char **at, char wanted);
/* 2 * count digits; false: fewer. */
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

/* description.c: false: no memory. */
bool description_make(struct session *session);

/* In resume.c: the machine is about to go on: selects the harts that step, are held or are stopped
 * already. */
void resume_begin(struct session *session);
/* A stop is due in front of the instruction at pc? Then session->stop tells of it. */
bool resume_stops(struct session *session, struct cpu *cpu, uint64_t pc);
/* The run is over: session->stop tells how. */
void resume_ended(struct session *session);
/* session->stop reports a stop of session->hart: gdb's number of a signal, and the text after the
 * thread. */
enum { RESUME_INTERRUPT = 2, RESUME_TRAP = 5, RESUME_LIMIT = 24 };
void resume_stop(struct session *session, unsigned signal, const char *why);
/* The first hart is where the session begins. */
void resume_at_start(struct session *session);

/* threads.c: gdb's view of threads. NO_HART: it is shown as it will go on in user code, because no
 * hart runs it or `inside`, which has not stopped, does so in the kernel; else ALL_HARTS. */
struct one_thread { unsigned hart, inside; uint32_t tid; };
/* "1", "3e8", "-1" (ALL_HARTS), "0" (the stopped one); false: there is no such thread. */
bool threads_take(struct session *session, const char **at, struct one_thread *one);
/* The number of the thread that a hart runs. */
unsigned threads_id(const struct session *session, unsigned hart);
/* The guest kernel's thread that a hart runs; 0: none, or there is no guest kernel. */
uint32_t threads_on(const struct session *session, unsigned hart);
/* A thread of the guest kernel. False: there is none of this number. */
struct asleep { struct task_view task; uint64_t root_pa; };     /* of its page tables */
bool threads_find(const struct session *session, uint32_t tid, struct asleep *asleep);

#endif
