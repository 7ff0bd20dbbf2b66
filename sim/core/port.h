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

#ifdef MODEL_ANSWERS
#include MODEL_ANSWERS
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 1. State. New: made at the end of core_new, when all else is there, which it may change; NULL:
 * there is no memory. Both are there with PORT_STATE only. */

/* 2. May fetch? Asked in each cycle, before anything is fetched. Is_in_fetch: fetch is entered even
 * in cycles in which it has nothing to do. */
#ifndef PORT_MAY_FETCH
static inline bool port_is_in_fetch(const struct core *core) { return false; }
static inline bool port_may_fetch(struct core *core) { return true; }
#endif

/* 3. The group of instructions fetched now from pc on: for how many is there room, of `room`? And,
 * fetched: its first is the instruction at `first`; or nothing came. */
#ifndef PORT_GROUP
static inline uint64_t port_group(struct core *core, uint64_t pc, uint64_t room) { return room; }
static inline void port_fetched(struct core *core, uint64_t pc, uint64_t first) { }
#endif

/* 4. Issue, in order. May the next instruction issue beside those of this cycle; may it, as far as
 * the model is concerned: if not, inorder_wait has been told; is it to be taken as not fetched?
 * Issued: it has. */
#ifndef PORT_ISSUE
static inline bool port_joins(const struct core *core, const struct uop *uop) { return true; }
static inline bool port_may_issue(struct core *core, const struct uop *uop, unsigned class)
{
    return true;
}
static inline bool port_is_starved(const struct core *core) { return false; }
static inline void port_issued(struct core *core, struct uop *uop, uint64_t seq) { }
#endif

/* 5. Mispredicted: the branch or jump at seq executes and fetch went elsewhere after it. The model
 * may take the misprediction back. */
#ifndef PORT_MISPREDICTED
static inline void port_mispredicted(struct core *core, struct uop *uop, uint64_t seq) { }
#endif

/* 6. Load searched: the cycle from which it may look for its value; a past one: now. */
#ifndef PORT_LOAD_FROM
static inline uint64_t port_load_from(const struct core *core, const struct uop *uop) { return 0; }
#endif

/* 7. Line arrived: cycles from then until the access that missed has it. */
#ifndef PORT_LINE_CYCLES
static inline uint64_t port_line_cycles(const struct core *core) { return 0; }
#endif

/* 8. Store drains: when it issues, does it reach the cache then? False: it was refused, and issues
 * later. *ready: when it may commit. Is_written: did the one that issues? */
#ifndef PORT_STORE
static inline bool port_store(struct core *core, const struct uop *uop, uint64_t *ready)
{
    return true;
}
static inline bool port_store_is_written(const struct core *core) { return false; }
#endif

/* 9. Redirect: one is due. True: the model has seen to it. */
#ifndef PORT_REDIRECT
static inline bool port_redirect(struct core *core, const struct redirect *redirect)
{
    return false;
}
#endif

/* 10. Squashed: fetch_seq is the first that is gone. */
#ifndef PORT_SQUASHED
static inline void port_squashed(struct core *core) { }
#endif

#pragma GCC diagnostic pop

#endif
