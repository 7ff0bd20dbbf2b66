/* The questions that a stage asks the model of a real core.
 *
 * The pipe (sim/core/pipe and the folders beside it) knows no core. Where cores differ, the stage
 * asks the model. Here are the questions that any stage may ask, in fetch_port.h, back_port.h,
 * issue_port.h, lsu_port.h and inorder_port.h those of one part of the pipe, in the order of an
 * instruction's way, each with the answer of a machine without a model. A model's folder
 * (sim/core/model/NAME) gives other answers: its NAME.h defines the macro PORT_... and the
 * function. The pipe is compiled once for each model, so an answer costs a machine that does not
 * give it nothing (instance/instance.h).
 *
 * A model owns core->model, a struct of its own. It may schedule redirects and change its
 * arguments; it calls the pipe's functions, and no other model's. */
#ifndef SIM_CORE_PORT_H
#define SIM_CORE_PORT_H

#include "sim/core/pipe/core_state.h"

struct mem_response;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifdef MODEL_ANSWERS
#include MODEL_ANSWERS
#endif

/* 1. State. New: called at the end of core_new, when everything else exists, which it may change;
 * NULL: no memory. Both exist with PORT_STATE only. Restarts: fetch begins at the hart's pc with
 * nothing in flight; since the last cycle warming may have taken others. */
#ifndef PORT_RESTARTS
static inline void port_restarts(struct core *core) { }
#endif

/* 7. True if it may commit, as the instruction of that place in its cycle. For the first it depends
 * on no clock. Used with EXTRA_COMMIT_ASKS. */
#ifndef PORT_COMMIT
static inline bool port_may_commit(const struct core *core, const struct uop *uop, uint32_t place)
{
    return true;
}
#endif
/* Answers for all: true if the model knows when all may commit, whatever they are, and has nothing
 * to do as they leave. May all: they may in this cycle. */
#ifndef PORT_COMMIT_ALL
static inline bool port_answers_for_all(const struct core *core) { return false; }
static inline bool port_may_all_commit(const struct core *core) { return false; }
#endif

/* 8. Refetched: further cycles until fetch continues after an instruction that acts alone and
 * flushes the pipeline; or, again, after one that is thrown out to be fetched again. */
#ifndef PORT_REFETCH
static inline uint64_t port_refetch_cycles(const struct core *core) { return 0; }
static inline uint64_t port_again_cycles(const struct core *core) { return 0; }
#endif

/* 9. Store drains: the cache has answered, or had before if the store is_back: it had stayed. True:
 * it stays in the queue for now, as store->is_filling says. */
#ifndef PORT_DRAIN
static inline bool port_store_stays(struct core *core, struct store *store,
                                    const struct mem_response *response, bool is_back)
{
    return false;
}
#endif

/* 10. Redirect: one is due. True: the model has handled it. Holds: true if the stages of fetch
 * stand still in this cycle, by the model's rules. */
#ifndef PORT_REDIRECT
static inline bool port_redirect(struct core *core, const struct redirect *redirect)
{
    return false;
}
#endif
#ifndef PORT_HOLDS_FETCH
static inline bool port_holds_fetch(const struct core *core) { return false; }
#endif

/* 11. Undone: the youngest that issued, at seq, is taken back. Squashed: fetch_seq is the first
 * that is gone. */
#ifndef PORT_UNDONE
static inline void port_undone(struct core *core, const struct uop *uop, uint64_t seq) { }
#endif
#ifndef PORT_SQUASHED
static inline void port_squashed(struct core *core, enum squash_reason reason) { }
#endif

#pragma GCC diagnostic pop

#endif
