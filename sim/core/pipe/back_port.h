/* The questions of the out-of-order back end, and of what is between it and fetch, to the model;
 * see port.h. */
#ifndef SIM_CORE_PIPE_BACK_PORT_H
#define SIM_CORE_PIPE_BACK_PORT_H

#include "sim/core/port.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 11. Decode. Decodes: the model does in this cycle, and the pipe does not; asked with
 * EXTRA_BESIDE. Passed: `count` cycles, in which the pipeline was as it is now. Due: the cycle in
 * which the model does something by itself, or NEVER. */
#ifndef PORT_DECODE
static inline bool port_decodes(struct core *core) { return false; }
static inline void port_passed(struct core *core, uint64_t count) { }
static inline uint64_t port_due(const struct core *core) { return NEVER; }
#endif

/* 12. Group dispatched. Is whole: dispatch takes groups as they were fetched, also while a squash
 * is undone, and port_due says when one comes. Width: how many may dispatch in this cycle, of
 * `width`; if 0, *cause says why. Dispatched: those of this cycle have. All are asked with
 * EXTRA_MODEL. */
#ifndef PORT_DISPATCH
static inline bool port_is_whole(const struct core *core) { return false; }
static inline uint32_t port_width(const struct core *core, uint32_t width, unsigned *cause)
{
    return width;
}
static inline void port_dispatched(struct core *core) { }
#endif

/* 13. Operand linked: it comes from the instruction at `writer`. True: the model knows when, and
 * the pipe has nothing to wait for. Wakes: a producer wakes it with a value for `ready`. False: it
 * waits on. */
#ifndef PORT_LINK
static inline bool port_links(struct core *core, struct uop *uop, unsigned operand,
                              uint64_t writer)
{
    return false;
}
static inline bool port_wakes(struct core *core, const struct uop *producer, struct uop *consumer,
                              unsigned operand, uint64_t *ready)
{
    return true;
}
#endif

/* 14. Issue. Reissues: operations are issued by the model, which sees whether their operands are
 * there, and issues them again. Step: before the queues give any; true: they give none in this
 * cycle. Issue: the operation got a port. Place: the cycle until which it keeps its place in the
 * queue at least. */
#ifndef PORT_REISSUE
static inline bool port_reissues(const struct core *core) { return false; }
static inline bool port_issue_step(struct core *core) { return false; }
static inline void port_issue(struct core *core, struct uop *uop, uint32_t index, int port) { }
#endif
#ifndef PORT_PLACE
static inline uint64_t port_place_until(const struct core *core, const struct uop *uop)
{
    return core->now;
}
#endif

/* 15. Transfer executed. Completes: before its redirect is due, for which it does not wait but to
 * commit. Told late: the predictor hears of it only when a redirect would be due. */
#ifndef PORT_EXECUTED
static inline bool port_completes_early(const struct core *core) { return false; }
static inline bool port_is_told_late(struct core *core, const struct uop *uop) { return false; }
#endif

/* 18. Committed: all from `first` on, in this cycle. Drained: the oldest store has left the store
 * queue. The first is asked with EXTRA_BESIDE. */
#ifndef PORT_COMMITTED
static inline void port_committed(struct core *core, uint64_t first) { }
static inline void port_drained(struct core *core) { }
#endif

/* Leaves: the instruction commits; asked with EXTRA_COMMIT_ASKS. Flushes behind: one that squashes
 * what is after it does so as one that is fetched again would. */
#ifndef PORT_LEAVES
static inline void port_leaves(struct core *core, const struct uop *uop) { }
static inline bool port_flushes_behind(const struct core *core) { return false; }
#endif

/* 19. Squash. Squash: one begins; returns how many instructions are renamed and not dispatched.
 * Gone: what is younger than `keep` is undone. Undo: further cycles that this takes; undoing: it takes them. */
#ifndef PORT_SQUASH
static inline uint64_t port_squash(struct core *core) { return 0; }
static inline void port_gone(struct core *core, uint64_t keep) { }
static inline uint64_t port_undo_cycles(const struct core *core) { return 0; }
static inline void port_undoing(struct core *core) { }
#endif

/* 20. Redirected: fetch goes elsewhere after `keep`, and what was fetched before `end` is gone. */
#ifndef PORT_REDIRECTED
static inline void port_redirected(struct core *core, uint64_t keep, uint64_t end) { }
#endif

#pragma GCC diagnostic pop

#endif
