/* RSD: its differences from the pipe (the questions are in port.h).
 *
 *   rsd_front.c    a front end whose stages move together, or stand still together
 *   rsd_replay.c   operations without valid operands are issued again, from a FIFO
 *   rsd_memory.c   loads that passed stores; stores that miss
 *   rsd_recover.c  commit and further squashes while one is undone; the model's state */
#ifndef SIM_CORE_MODEL_RSD_RSD_H
#define SIM_CORE_MODEL_RSD_RSD_H

#include "sim/core/pipe/core_state.h"

/* Entries that were freed are counted in one sum with a byte for each kind: in each byte the
 * difference of two sums has the number of that kind freed in between. */
enum { REUSE_CYCLES_MAX = 8 };
enum { FREED_REGISTERS, FREED_ENTRIES = FREED_REGISTERS + POOL_COUNT, FREED_LOADS, FREED_STORES };

enum { FRONT_CLOCKS = 32 };         /* more than there are stages up to dispatch */
struct rsd_front {
    bool is_held;                   /* nothing moves in this cycle */
    uint64_t held;                  /* held cycles up to now: delay of the front end's clock */
    uint64_t decode_seq;            /* the next instruction that decode has not looked at */
    uint64_t renamed;               /* the end of the instructions renamed by this cycle */
    uint64_t fetched[FRONT_CLOCKS]; /* fetch_seq after the last cycles of the front end's clock, by
                                     * cycle % FRONT_CLOCKS */
    bool is_redirecting, redirect_waits;                /* waits: until the instructions kept have
                                                         * left */
    uint64_t redirect_at, redirect_keep, redirect_pc;   /* at: on the front end's clock */
    uint64_t freed;                 /* the sum of everything freed up to now */
    uint64_t freed_by[REUSE_CYCLES_MAX];    /* that sum at the end of the last cycles, by cycle %
                                             * REUSE_CYCLES_MAX */
    uint64_t warmed;                /* cycles of warming that freed_by includes */
};

enum { REPLAY_ENTRIES_MAX = 128, REPLAY_LANES = 16, REPLAY_DELAYS = 64, NO_REGISTER = 0xff };

/* Operations issued without valid operands in one cycle. */
struct replay_entry {
    uint64_t cycle, seq[REPLAY_LANES], id[REPLAY_LANES];
    uint32_t gap;                   /* cycles after the entry before it */
    uint8_t count;
};

struct rsd_replay {
    uint32_t head, tail, flushing;  /* flushing: entries left of those at the last squash */
    uint64_t last_push, last_pop;
    uint64_t last_failed;           /* cycle in which an operation was issued in vain */
    uint64_t late_until;            /* no value in flight comes after this cycle and later than
                                     * announced, except those of operations that wait in the
                                     * queue */
    uint64_t held_from;             /* the issue queues have stood still since then; 0: they move */
    uint64_t ready_by;              /* the issue queues select operations ready by this cycle;
                                     * NEVER: all that are ready now */
    bool is_busy;                   /* false: nothing is in the queue or on its way there, and the
                                     * issue queues select all that are ready */
    struct replay_entry failed[REPLAY_DELAYS];          /* on their way, by cycle of issue modulo */
    struct replay_entry entry[REPLAY_ENTRIES_MAX];
};

struct model {
    struct rsd_front front;
    struct rsd_replay replay;
};

/* rsd_front.c. _predict: the transfer has been fetched now; returns false if its group ends. _step:
 * decode, and the redirects that decode requested a cycle before. _width: the number of
 * instructions that dispatch, at most `width`. _next: the next cycle in which the front end acts by
 * itself, or NEVER. The others: see back_port.h and port.h. */
bool rsd_front_predict(struct core *core, struct uop *uop);
void rsd_front_step(struct core *core);
uint32_t rsd_front_width(struct core *core, uint32_t width, unsigned *cause);
void rsd_front_dispatched(struct core *core);
void rsd_front_committed(struct core *core, uint64_t first);
void rsd_front_drained(struct core *core);
void rsd_front_restarts(struct core *core);
uint64_t rsd_front_next(const struct core *core);
/* A squash begins, requested by execution (in this cycle) or by commit (for the next). Instructions
 * that are in decode in that cycle still change the return-address stack. Returns the number of
 * instructions renamed and not dispatched. */
uint64_t rsd_front_squash(struct core *core);
void rsd_front_squashed(struct core *core);
/* The group fetched last before a squash still shifts the history after it. `end`: fetch_seq before
 * the squash. */
void rsd_front_leak(struct core *core, uint64_t keep, uint64_t end);

/* rsd_replay.c. _step: a cycle of the queue, before that of the issue queues; true if these issue
 * nothing. _issue: an operation got a port; false if it is issued in vain. _next: the next cycle in
 * which the queue acts by itself, or NEVER. */
bool rsd_replay_step(struct core *core);
bool rsd_replay_issue(struct core *core, struct uop *uop, uint32_t index, int port);
void rsd_replay_undone(struct core *core, const struct uop *uop);
uint64_t rsd_replay_next(const struct core *core);

/* rsd_memory.c. _passed: the load has its value; finds the older stores that it passed. _wakes,
 * _load_after: for loads that wait for every older store (port_wakes, port_load_after). */
void rsd_memory_passed(struct core *core, struct uop *uop, uint64_t seq);
bool rsd_memory_wakes(struct core *core, struct uop *load, uint64_t ready);
uint64_t rsd_memory_load_after(const struct core *core, const struct uop *load);
bool rsd_memory_store_stays(struct core *core, struct store *store,
                            const struct mem_response *response, bool is_back);

/* rsd_recover.c. _undoing: a squash has begun, and takes time. _redirect: true if the redirect is
 * left to commit. */
struct model *rsd_new(struct core *core);
void rsd_free(struct model *model);
void rsd_recover_undoing(struct core *core);
bool rsd_recover_redirect(struct core *core, const struct redirect *redirect);

#include "sim/core/model/rsd/rsd_back.h"
#include "sim/core/model/rsd/rsd_lsu.h"

#endif
