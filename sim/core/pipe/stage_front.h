/* Interfaces of the files of the front end: fetch, prediction ahead of it, the fetch-target
 * queue. */
#ifndef SIM_CORE_PIPE_STAGE_FRONT_H
#define SIM_CORE_PIPE_STAGE_FRONT_H

#include "sim/core/pipe/core_state.h"

/* fetch.c: true if, by the settings, fetch has parts that most machines are without. */
bool fetch_is_extra(const struct config *config);

static inline bool fetch_buffer_is_full(const struct core *core)
{
    return core->fetch_seq - core->decode_seq >= core_config(core)->fetch_buffer;
}

/* False: fetch_step would do nothing. Machines with such parts call it in each cycle. */
static inline bool fetch_has_work(const struct core *core)
{
    return (core_extras(core) & (EXTRA_FETCH | EXTRA_MISS)) != 0 ||
           (!core->fetch_blocked && core->fetch_stall_until <= core->now &&
            !fetch_buffer_is_full(core));
}

/* fetch_predict.c: a transfer has been fetched. fetch_predict: predicts it; false if fetch goes
 * elsewhere after it. fetch_follow: for perfect prediction, which has set predicted_pc; charges the
 * cycles that a taken transfer costs in any case. */
bool fetch_predict(struct core *core, struct uop *uop);
void fetch_follow(struct core *core, const struct uop *uop);
/* fetch_marks.c: attaches the mark of one instruction; or the marks of the instructions from
 * `first` on, fetched from the line of pa, which has that shadow frame. Instructions of another
 * line find their marks there. */
void fetch_attach_mark(struct core *core, struct uop *uop);
void fetch_attach_marks(struct core *core, uint64_t first, uint64_t pa, uint32_t frame);

/* ahead.c: perfect prediction; NULL where it is off. _may_fetch: asked before the instructions of a
 * cycle are fetched. _fetch: sets predicted_pc of the youngest instruction fetched, if it is a
 * transfer. False: nothing may be fetched after it for now. */
struct ahead *ahead_new(const struct config *config);
void ahead_free(struct ahead *ahead);
bool ahead_may_fetch(struct core *core);
bool ahead_fetch(struct core *core, struct uop *uop);

/* ftq.c: predicted blocks that wait for the instruction cache. new: instructions from `first_seq`
 * on are to be read; NULL: no memory. */
struct ftq *ftq_new(uint64_t first_seq);
bool ftq_is_full(const struct core *core);
void ftq_open(struct core *core);
void ftq_add_line(struct core *core, uint64_t va, uint64_t pa);
void ftq_wait_for_decode(struct core *core, uint32_t bubble);
void ftq_squash(struct core *core, uint64_t keep);
void ftq_step(struct core *core);

#endif
