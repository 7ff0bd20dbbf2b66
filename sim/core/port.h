/* The questions that a stage asks the model of a real core.
 *
 * The pipe (sim/core/pipe and the folders beside it) knows no core. Where a core does something of
 * its own, the stage asks; here are the questions, in the order of an instruction's way, each with
 * the answer of a machine without a model. A model's folder (sim/core/model/NAME) gives other
 * answers: its NAME.h defines the macro PORT_... and the function. The pipe is compiled once for
 * each model, so an answer costs a machine that does not give it nothing (instance/instance.h).
 *
 * A model owns core->model, a struct of its own. It may schedule redirects and change what it is
 * handed; it calls the pipe's functions, and no other model's. */
#ifndef SIM_CORE_PORT_H
#define SIM_CORE_PORT_H

#include "sim/core/pipe/core_state.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifdef MODEL_ANSWERS
#include MODEL_ANSWERS
#endif

/* 1. State. New: made at the end of core_new, when all else is there, which it may change; NULL:
 * there is no memory. Both are there with PORT_STATE only. */

/* 2. May fetch? Asked in each cycle, before anything is fetched. Is_in_fetch: fetch is entered even
 * in cycles in which it has nothing to do. Fetches: the model does in this cycle, and the pipe does
 * not. */
#ifndef PORT_MAY_FETCH
static inline bool port_is_in_fetch(const struct core *core) { return false; }
static inline bool port_may_fetch(struct core *core) { return true; }
static inline bool port_fetches(struct core *core) { return false; }
#endif

/* 3. The group of instructions fetched now from pc on: for how many is there room, of `room`? And,
 * fetched: its first is the instruction at `first`; or nothing came. */
#ifndef PORT_GROUP
static inline uint64_t port_group(struct core *core, uint64_t pc, uint64_t room) { return room; }
static inline void port_fetched(struct core *core, uint64_t pc, uint64_t first) { }
#endif

/* An instruction of it. Predicts: the model says where fetch goes after each, and the pipe does not
 * ask its predictor. Predict: one is fetched; false: its group ends. Comes first: one of those
 * flags does not follow others in a group. */
#ifndef PORT_PREDICT
static inline bool port_predicts(const struct core *core) { return false; }
static inline bool port_predict(struct core *core, struct uop *uop, bool is_control)
{
    return true;
}
static inline bool port_comes_first(const struct core *core, uint64_t flags) { return false; }
#endif

/* 4. Transfer fetched: further cycles that one costs which fetch follows. A return found nothing on
 * its stack. */
#ifndef PORT_TRANSFER
static inline uint32_t port_turn_cycles(const struct core *core, const struct uop *uop)
{
    return 0;
}
static inline void port_return_unknown(struct core *core, struct uop *uop) { }
#endif

/* 5. Line misses: fetch waits for the response. */
#ifndef PORT_CODE_LINE
static inline void port_line_misses(struct core *core, const struct mem_response *response) { }
#endif

/* 6. May commit, as the instruction of that place in its cycle? Asked with EXTRA_COMMIT_ASKS. */
#ifndef PORT_COMMIT
static inline bool port_may_commit(const struct core *core, const struct uop *uop, uint32_t place)
{
    return true;
}
#endif

/* 7. Refetched: further cycles until fetch goes on after an instruction that acts alone and flushes
 * the pipeline. */
#ifndef PORT_REFETCH
static inline uint64_t port_refetch_cycles(const struct core *core) { return 0; }
#endif

/* 8. Store drains: the cache has answered, or had before if the store is_back: it had stayed. True:
 * it stays in the queue for now, as store->is_filling says. */
#ifndef PORT_DRAIN
static inline bool port_store_stays(struct core *core, struct store *store,
                                    const struct mem_response *response, bool is_back)
{
    return false;
}
#endif

/* 9. Redirect: one is due. True: the model has seen to it. */
#ifndef PORT_REDIRECT
static inline bool port_redirect(struct core *core, const struct redirect *redirect)
{
    return false;
}
#endif

/* 10. Undone: the youngest that issued, at seq, is taken back. Squashed: fetch_seq is the first
 * that is gone. */
#ifndef PORT_UNDONE
static inline void port_undone(struct core *core, const struct uop *uop, uint64_t seq) { }
#endif
#ifndef PORT_SQUASHED
static inline void port_squashed(struct core *core) { }
#endif

#pragma GCC diagnostic pop

#endif
