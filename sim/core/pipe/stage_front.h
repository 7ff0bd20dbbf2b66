/* Interfaces of the files of the front end: fetch, prediction ahead of it, the fetch-target
 * queue. Part of stage.h. */
#ifndef SIM_CORE_PIPE_STAGE_FRONT_H
#define SIM_CORE_PIPE_STAGE_FRONT_H

#include "sim/core/pipe/core_state.h"

/* fetch.c: has fetch parts that most machines are without? As the settings say. */
bool fetch_is_extra(const struct config *config);

static inline bool fetch_buffer_is_full(const struct core *core)
{
    return core->fetch_seq - core->decode_seq >= core_config(core)->fetch_buffer;
}

/* False: fetch_step would do nothing. Machines with such parts ask it. */
static inline bool fetch_has_work(const struct core *core)
{
    return (core_extras(core) & (EXTRA_FETCH | EXTRA_MISS)) != 0 ||
           (!core->fetch_blocked && core->fetch_stall_until <= core->now &&
            !fetch_buffer_is_full(core));
}

/* The instruction at pc, which is in the page of fetch; if it goes on in the next it is not
 * valid. */
static inline const struct predecode_slot *fetch_slot_at(struct core *core, uint64_t pc)
{
    unsigned offset = (unsigned)(pc & (PHYS_PAGE_BYTES - 1));
    const struct predecode_slot *slot = &core->fetch_page->slot[offset >> 1];
    return slot->is_valid ? slot : predecode_at(core->predecode, core->fetch_page, offset);
}

/* fetch_predict.c: a transfer has been fetched; predict: its prediction; false:
 * fetch goes elsewhere after it. follow: with perfect prediction, which has set predicted_pc: what
 * a taken one costs in any case. */
bool fetch_predict(struct core *core, struct uop *uop);
void fetch_follow(struct core *core, const struct uop *uop);
/* fetch_line.c: the cache side, for fetch.c and ftq.c. Translate: without timing. Is_ready: in this
 * cycle; else fetch waits. The line of pa is read for the instruction at pc; *frame: of its
 * marks. */
enum trap_cause fetch_translate(struct core *core, uint64_t va, uint64_t *pa);
bool fetch_itlb_is_ready(struct core *core, uint64_t va);
bool fetch_line_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame);
/* Memory that was read as code may have changed. */
void fetch_forget_code(struct core *core);

/* fetch_marks.c: the mark of one instruction; of those from `first` on, fetched from the line of
 * pa, which has that shadow frame. Instructions of another line have their marks there. */
void fetch_attach_mark(struct core *core, struct uop *uop);
void fetch_attach_marks(struct core *core, uint64_t first, uint64_t pa, uint32_t frame);

/* ahead.c: perfect prediction; NULL where it is off.
 * may_fetch: asked before the instructions of a cycle. fetch: the youngest instruction fetched;
 * sets predicted_pc of a transfer. False: nothing may be fetched after it for now. */
struct ahead *ahead_new(const struct config *config);
void ahead_free(struct ahead *ahead);
bool ahead_may_fetch(struct core *core);
bool ahead_fetch(struct core *core, struct uop *uop);

/* ftq.c: predicted blocks that wait for the instruction cache */
bool ftq_is_full(const struct core *core);
void ftq_open(struct core *core);
void ftq_add_line(struct core *core, uint64_t va, uint64_t pa);
void ftq_wait_for_decode(struct core *core, uint32_t bubble);
void ftq_squash(struct core *core, uint64_t keep);
void ftq_step(struct core *core);

#endif
