/* The questions that a stage asks the model of a real core.
 *
 * The pipe (sim/core/pipe and the folders beside it) knows no core. Where cores differ, the stage
 * asks the model. The questions that any stage may ask are here; those of one part of the pipe are
 * in fetch_port.h, back_port.h, issue_port.h, lsu_port.h and inorder_port.h, in the order in which
 * an instruction meets them. Each has the answer of a machine without a model. A model's folder
 * (sim/core/model/NAME) gives other answers: its NAME.h defines the macro PORT_... and the
 * function. The pipe is compiled once for each model, so a machine that does not give an answer
 * pays nothing for it (instance/instance.h).
 *
 * A model owns core->model, a struct of its own. It may schedule redirects and change the arguments
 * of a question; it calls the pipe's functions, and no other model's. */
#ifndef SIM_CORE_PORT_H
#define SIM_CORE_PORT_H

#include "sim/core/pipe/core_state.h"

struct mem_response;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifdef MODEL_ANSWERS
#include MODEL_ANSWERS
#endif

/* 1. State. port_new: called at the end of core_new, when everything else exists, and may change
 * that; NULL: no memory. port_new and port_free exist with PORT_STATE only. port_restarts: fetch
 * begins at the hart's pc with nothing in flight; since the last cycle, warming may have executed
 * other instructions. */
#ifndef PORT_RESTARTS
static inline void port_restarts(struct core *core) { }
#endif

/* 7. True if the instruction may commit as number `place` of its cycle. For the first of a cycle
 * the answer does not depend on the clock. Used with EXTRA_COMMIT_ASKS. */
#ifndef PORT_COMMIT
static inline bool port_may_commit(const struct core *core, const struct uop *uop, uint32_t place)
{
    return true;
}
#endif
/* port_answers_for_all: true if the model knows when any instructions may commit, whatever they
 * are, and has nothing to do as they leave. port_may_all_commit: they may commit in this cycle. */
#ifndef PORT_COMMIT_ALL
static inline bool port_answers_for_all(const struct core *core) { return false; }
static inline bool port_may_all_commit(const struct core *core) { return false; }
#endif

/* 8. Further cycles until fetch continues. port_refetch_cycles: after an instruction that acts
 * alone and flushes the pipeline. port_again_cycles: after an instruction that is squashed and
 * fetched again. */
#ifndef PORT_REFETCH
static inline uint64_t port_refetch_cycles(const struct core *core) { return 0; }
static inline uint64_t port_again_cycles(const struct core *core) { return 0; }
#endif

/* 9. A store drains: the cache has answered, or had answered earlier if is_back (the store had
 * stayed). True: the store stays in the queue for now, as store->is_filling says. */
#ifndef PORT_DRAIN
static inline bool port_store_stays(struct core *core, struct store *store,
                                    const struct mem_response *response, bool is_back)
{
    return false;
}
#endif

/* 10. port_redirect: a redirect is due; true if the model has handled it. port_holds_fetch: true if
 * the stages of fetch stand still in this cycle, by the model's rules. */
#ifndef PORT_REDIRECT
static inline bool port_redirect(struct core *core, const struct redirect *redirect)
{
    return false;
}
#endif
#ifndef PORT_HOLDS_FETCH
static inline bool port_holds_fetch(const struct core *core) { return false; }
#endif

/* 33. port_undone: the youngest instruction that issued, at seq, is undone. port_squashed: a
 * squash; the first instruction that is gone is at fetch_seq. */
#ifndef PORT_UNDONE
static inline void port_undone(struct core *core, const struct uop *uop, uint64_t seq) { }
#endif
#ifndef PORT_SQUASHED
static inline void port_squashed(struct core *core, enum squash_reason reason) { }
#endif

#pragma GCC diagnostic pop

#endif
