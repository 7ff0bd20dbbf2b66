/* CVA6: its differences from the in-order pipe (the questions are in port.h).
 *
 *   cva6_fetch.c       misses of fetch
 *   cva6_transfers.c   predicted targets in a queue of their own
 *   cva6_units.c       write ports; the second integer unit; the divider
 *   cva6_csr.c         CSR instructions and fences in a buffer
 *   cva6_late.c        a data cache that serves one load at a time */
#ifndef SIM_CORE_MODEL_CVA6_CVA6_H
#define SIM_CORE_MODEL_CVA6_CVA6_H

#include "sim/core/inorder/inorder.h"
#include "sim/core/pipe/core_state.h"

enum { CVA6_WRITE_SLOTS = 64, CVA6_STORE_BLOCK = 8 };

struct cva6_miss {                  /* misses of fetch */
    uint64_t ready;                 /* cycle in which the last line that missed arrives; 0: none, or
                                     * dropped */
    uint32_t stray;                 /* words still to be read, from address 0 on */
    bool is_stray;                  /* the last miss was for such a word: no line arrives */
    uint64_t held;                  /* first instruction of a block to be read again, as its
                                     * transfer had no room; 0: none */
    bool is_wrong;                  /* the youngest fetched instruction is mispredicted, wherever
                                     * fetch goes */
};

struct model {
    struct cva6_miss miss;
    struct cva6_late {              /* loads that wait for the cache, oldest first */
        uint64_t seq, *place;       /* seq NEVER: cancelled; pa and pc: of a cancelled load */
        uint64_t pa, pc;
        uint64_t at;                /* cycle from which the cache looks it up; NEVER: not known
                                     * yet */
        uint64_t due;               /* cycle in which it asks memory; 0: not looked up yet */
        bool is_outside;            /* no memory at its address: cancelled, and no line */
    } late[INORDER_LOADS_MAX];
    uint32_t late_count;
    uint32_t csr_waits;             /* 1: the instruction in the CSR buffer has not acted */
    uint64_t csr_seq;               /* the instruction in the buffer, unless it has committed */
    uint64_t late_from;             /* the cache looks up another load from this cycle on */
    uint64_t late_held, late_until; /* loads wait in front of the cache between these; until NEVER:
                                     * no end is known */
    struct { uint64_t cycle; uint32_t count; } writes[CVA6_WRITE_SLOTS];
    uint64_t bypass_cycle, bypass;  /* registers whose value, in that cycle, the other integer unit
                                     * can take over */
};

struct mem_response;
struct store;

/* cva6_units.c. cva6_take_port: a result will be written in `cycle`. */
struct model *cva6_new(struct core *core);
void cva6_free(struct model *model);
uint64_t cva6_slack(const struct core *core, const struct uop *uop, unsigned reg, uint64_t slack);
bool cva6_may_start(struct core *core, const struct uop *uop, unsigned class);
uint64_t cva6_ends(struct core *core, struct uop *uop, unsigned class);
void cva6_issued(struct core *core, struct uop *uop);
void cva6_take_port(struct core *core, uint64_t cycle);

/* cva6_fetch.c. cva6_misses: true if any setting of that file is set. */
bool cva6_misses(const struct core *core);
void cva6_line_misses(struct core *core, const struct mem_response *response);
void cva6_fetched(struct core *core);
uint32_t cva6_turn_cycles(const struct core *core, const struct uop *uop);
void cva6_return_unknown(struct core *core, struct uop *uop);
bool cva6_fetches_alone(struct core *core);
void cva6_squashed(struct core *core);

/* cva6_transfers.c. _full: true if fetch waits in this cycle. _fetched: the instructions from
 * `first` on have been fetched in this cycle. */
bool cva6_transfers_full(struct core *core);
void cva6_transfers_fetched(struct core *core, uint64_t first);

/* cva6_csr.c. _takes: true if the instruction uses the buffer. _need: true if it may issue. _enter:
 * it issues. _step: called each cycle while one waits in the buffer. _forget: the youngest issued
 * instruction is undone. */
bool cva6_csr_takes(const struct core *core, const struct uop *uop);
bool cva6_csr_need(struct core *core, const struct uop *uop, uint64_t seq);
void cva6_csr_enter(struct core *core, struct uop *uop, uint64_t seq);
void cva6_csr_step(struct core *core);
void cva6_csr_forget(struct core *core, const struct uop *uop);
static inline bool cva6_csr_is_pending(const struct core *core)
{
    return core->model->csr_seq >= core->commit_seq;
}

/* True if it has yet to write the register. */
static inline bool cva6_csr_gives(const struct core *core, unsigned reg)
{
    return core->model->csr_waits != 0 && core->last_writer[reg] == core->model->csr_seq;
}

/* cva6_late.c. cva6_has_room: true if another access may come to the front of the cache. cva6_load:
 * an access comes; *ready is NEVER if it is late. _step: called each cycle. _next: the next cycle
 * in which _step has work. cva6_trapped: the instruction at seq traps; with cva6.cancelled_loads it
 * may first read an address without memory. _forget: the youngest issued instruction is undone. */
bool cva6_has_room(struct core *core);
void cva6_load(struct core *core, struct uop *uop, uint64_t *place, uint64_t *ready);
void cva6_late_step(struct core *core);
uint64_t cva6_late_next(const struct model *model);
bool cva6_is_late(const struct core *core, const struct uop *uop);
void cva6_trapped(struct core *core, const struct uop *uop, uint64_t seq);
void cva6_late_forget(struct core *core, const struct uop *uop);

#include "sim/core/model/cva6/cva6_answers.h"

#endif
