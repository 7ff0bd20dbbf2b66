/* RSD: its differences from the pipe (the questions are in port.h).
 *
 *   rsd_front.c    a front end whose stages move together, or stand still together
 *   rsd_replay.c   operations without valid operands are issued again, from a FIFO
 *   rsd_memory.c   loads that passed stores; stores that miss
 *   rsd_recover.c  commit and further squashes while one is undone; the model's state */
#ifndef SIM_CORE_MODEL_RSD_RSD_H
#define SIM_CORE_MODEL_RSD_RSD_H

#include "sim/core/pipe/core_state.h"

/* Entries that were freed are counted in one sum, those of a kind in units of its byte: the
 * difference of two sums has in each byte the number freed in between. */
enum { REUSE_CYCLES_MAX = 8 };
enum { FREED_REGISTERS, FREED_ENTRIES = FREED_REGISTERS + POOL_COUNT, FREED_LOADS, FREED_STORES };

enum { FRONT_CLOCKS = 32 };         /* more than there are stages up to dispatch */
struct rsd_front {
    bool is_held;                   /* nothing moves in this cycle */
    uint64_t held;                  /* held cycles up to now: delay of the front end's clock */
    uint64_t decode_seq;            /* next that decode has not looked at */
    uint64_t renamed;               /* the end of what is renamed in this cycle */
    uint64_t fetched[FRONT_CLOCKS]; /* fetch_seq after the last cycles of that clock, by cycle
                                     * modulo */
    bool is_redirecting, redirect_waits;                /* waits: until the kept instructions have
                                                         * gone */
    uint64_t redirect_at, redirect_keep, redirect_pc;   /* at: on the front end's clock */
    uint64_t freed;                 /* up to now, the sum of all kinds */
    uint64_t freed_by[REUSE_CYCLES_MAX];    /* the same at the end of the last cycles, by cycle
                                             * modulo */
    uint64_t warmed;                /* cycles of warming that these know of */
};

enum { REPLAY_ENTRIES_MAX = 128, REPLAY_LANES = 16, REPLAY_DELAYS = 64, NO_REGISTER = 0xff };

/* Operations issued without valid operands in one cycle. */
struct replay_entry {
    uint64_t cycle, seq[REPLAY_LANES], id[REPLAY_LANES];
    uint32_t gap;                   /* cycles after the entry before it */
    uint8_t count;
};

struct rsd_replay {
    uint32_t head, tail, flushing;  /* flushing: entries that were there at the last squash */
    uint64_t last_push, last_pop;
    uint64_t last_failed;           /* cycle in which an operation was issued in vain */
    uint64_t late_until;            /* no value in flight comes after this cycle and later than was
                                     * said, except those of operations that wait in the queue */
    uint64_t held_from;             /* issue queues have stood still since then; 0: they do not */
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

/* In rsd_front.c. Predict: the transfer was fetched now; false: its group ends. Step: decode, and
 * the redirects it requested a cycle before. Width: the number that dispatch, at most `width`.
 * Next: the next cycle in which the front end acts by itself, or NEVER. */
bool rsd_front_predict(struct core *core, struct uop *uop);
void rsd_front_step(struct core *core);
uint32_t rsd_front_width(struct core *core, uint32_t width, unsigned *cause);
void rsd_front_dispatched(struct core *core);
void rsd_front_committed(struct core *core, uint64_t first);
void rsd_front_drained(struct core *core);
void rsd_front_restarts(struct core *core);
uint64_t rsd_front_next(const struct core *core);
/* A squash begins, sent by execution (in this cycle) or by commit (in the next). Instructions in
 * decode then still change the return-address stack. Returns the number that are renamed and not
 * dispatched. */
uint64_t rsd_front_squash(struct core *core);
void rsd_front_squashed(struct core *core);
/* After it the group fetched last before it still shifts the history. `end`: fetch_seq before. */
void rsd_front_leak(struct core *core, uint64_t keep, uint64_t end);

/* rsd_replay.c. Step: a cycle of the queue, before the issue queues'; true: these issue nothing.
 * Issue: an operation got a port; false: in vain. Next: as above. */
bool rsd_replay_step(struct core *core);
bool rsd_replay_issue(struct core *core, struct uop *uop, uint32_t index, int port);
void rsd_replay_undone(struct core *core, const struct uop *uop);
uint64_t rsd_replay_next(const struct core *core);

/* In rsd_memory.c. Passed: the load has its value; finds the older stores that it passed. Wakes and
 * after: loads that wait for every older store (port.h). */
void rsd_memory_passed(struct core *core, struct uop *uop, uint64_t seq);
bool rsd_memory_wakes(struct core *core, struct uop *load, uint64_t ready);
uint64_t rsd_memory_load_after(const struct core *core, const struct uop *load);
bool rsd_memory_store_stays(struct core *core, struct store *store,
                            const struct mem_response *response, bool is_back);

/* rsd_recover.c. Undoing: a squash has been sent, and takes time. Redirect: true: it is left to
 * commit. */
struct model *rsd_new(struct core *core);
void rsd_free(struct model *model);
void rsd_recover_undoing(struct core *core);
bool rsd_recover_redirect(struct core *core, const struct redirect *redirect);

#include "sim/core/model/rsd/rsd_back.h"
#include "sim/core/model/rsd/rsd_lsu.h"

#endif
