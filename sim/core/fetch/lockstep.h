/* A front end whose stages move together, or stand still together (fetch.lock_step). */
#ifndef SIM_CORE_FETCH_LOCKSTEP_H
#define SIM_CORE_FETCH_LOCKSTEP_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct uop;

/* Entries freed in a cycle that cannot be reused yet. */
enum { REUSE_CYCLES_MAX = 8 };
struct freed { uint64_t cycle; uint8_t ints, fps, entries, loads, stores; };

struct lockstep {
    bool is_on, is_held;            /* held: nothing moves in this cycle */
    uint64_t held;                  /* cycles so far: the front end's clock is late by that */
    uint64_t decode_seq;            /* next that decode has not looked at */
    bool is_redirecting, redirect_waits;                /* waits: until what it keeps is gone */
    uint64_t redirect_at, redirect_keep, redirect_pc;   /* at: on the front end's clock */
    struct freed freed[REUSE_CYCLES_MAX];               /* by cycle modulo */
};

/* Fetch: the instruction was fetched now. False: its group ends. */
bool lockstep_fetched(struct core *core, struct uop *uop, bool is_control);
/* Decode, and the redirects that it asked for a cycle before. */
void lockstep_step(struct core *core);
/* A squash sent by execution (in this cycle), or by commit (in the next): what is in decode then
 * still acts on the return-address stack. Called before it. */
void lockstep_flush(struct core *core, bool from_commit);
/* Behind it: the group fetched last before it still shifts the history. `end`: fetch_seq before. */
void lockstep_leak(struct core *core, uint64_t keep, uint64_t end);
void lockstep_squashed(struct core *core, uint64_t keep);
/* Instructions that a squash finds renamed and not dispatched. */
uint64_t lockstep_renamed(const struct core *core, bool from_commit);

/* Dispatch. due: instructions of the group that has come. room: the SLOTS_* event of what there is
 * too little of, or 0. */
uint32_t lockstep_due(const struct core *core);
unsigned lockstep_room(const struct core *core);
/* Instructions from `first` on committed in this cycle. */
void lockstep_freed(struct core *core, uint64_t first);
void lockstep_freed_store(struct core *core);

/* When the front end does something by itself, or NEVER. */
uint64_t lockstep_next(const struct core *core);

#endif
