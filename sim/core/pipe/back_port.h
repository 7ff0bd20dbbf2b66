/* The questions of the out-of-order back end, and of the stages between it and fetch, to the model;
 * see port.h. */
#ifndef SIM_CORE_PIPE_BACK_PORT_H
#define SIM_CORE_PIPE_BACK_PORT_H

#include "sim/core/port.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 11. Decode. Decodes: true if the model decodes in this cycle, instead of the pipe; used with
 * EXTRA_BESIDE. Passed: `count` cycles have passed, with the pipeline as it is now. Due: the cycle
 * in which the model acts by itself, or NEVER. */
#ifndef PORT_DECODE
static inline bool port_decodes(struct core *core) { return false; }
static inline void port_passed(struct core *core, uint64_t count) { }
static inline uint64_t port_due(const struct core *core) { return NEVER; }
#endif

/* Decoded: the instructions from `first` on, in this cycle. */
#ifndef PORT_DECODED
static inline void port_decoded(struct core *core, uint64_t first) { }
#endif

/* Takes group: true if dispatch and rename take one more group of decode; used with
 * EXTRA_GROUPS. */
#ifndef PORT_GROUPS
static inline bool port_takes_group(const struct core *core) { return true; }
#endif

/* 12. Group dispatched. Is whole: dispatch takes groups as they were fetched, also while a squash
 * is undone, and port_due returns the cycle in which one comes. Width: the number that may dispatch
 * in this cycle, of `width`; if 0, *cause is the reason. Found room: for these, in the reorder
 * buffer, the rename buffers and the queues of loads and stores. Dispatched: the instructions of
 * this cycle have dispatched. All are used with EXTRA_MODEL. */
#ifndef PORT_DISPATCH
static inline bool port_is_whole(const struct core *core) { return false; }
static inline uint32_t port_width(struct core *core, uint32_t width, unsigned *cause)
{
    return width;
}
static inline bool port_found_room(const struct core *core) { return false; }
static inline void port_dispatched(struct core *core) { }
#endif

/* The stage. Begins, ends: its cycle; is_idle: nothing went, for this cause. Is settled: nothing
 * but an event changes where the next instruction would go. */
#ifndef PORT_DISPATCH_STEP
static inline void port_dispatch_begins(struct core *core) { }
static inline void port_dispatch_ends(struct core *core, bool is_idle, unsigned cause) { }
static inline bool port_is_settled(const struct core *core) { return true; }
#endif

/* Issue queue of an instruction: the pipe's choice; QUEUE_SEVERAL if several hold it. Asked at most
 * once in a cycle for an instruction. Has place: true if the queue, and everything else it needs
 * there, has a place. Entered: it entered the queue. All with EXTRA_MODEL. Count places: also
 * counts places of queues that the model has taken. */
#ifndef PORT_QUEUE
static inline unsigned port_queue(const struct core *core, const struct uop *uop, unsigned queue)
{
    return queue;
}
static inline bool port_has_place(const struct core *core, const struct uop *uop) { return true; }
static inline void port_entered(struct core *core, const struct uop *uop, uint64_t seq) { }
static inline void port_count_places(const struct core *core, uint32_t used[]) { }
#endif

/* Folds: it may share an entry of the reorder buffer with others (c910.fold). */
#ifndef PORT_FOLD
static inline bool port_folds(const struct core *core, const struct uop *uop)
{
    return uop->kind == KIND_ALU && uop->unit_class <= CLASS_SHIFT;
}
#endif

/* Instructions that act alone: cycles from the commit of all older instructions to their dispatch;
 * a fence's duration. */
#ifndef PORT_SERIAL
static inline uint64_t port_alone_cycles(const struct core *core) { return 0; }
static inline uint64_t port_fence_cycles(const struct core *core)
{
    return core->latency[LAT_CSR];
}
#endif

/* 15. Transfer executed. Completes: its cycle of completion, before its redirect is due; only
 * commit waits for the redirect. Resolves all: a correctly predicted one waits as long to commit.
 * Told late: the predictor is trained only when a redirect would be due. */
#ifndef PORT_EXECUTED
static inline bool port_completes_early(const struct core *core) { return false; }
static inline bool port_resolves_all(const struct core *core) { return false; }
static inline bool port_is_told_late(struct core *core, const struct uop *uop) { return false; }
#endif

/* 18. Committed: all from `first` on, in this cycle. Drained: the oldest store has left the store
 * queue. Committed is used with EXTRA_BESIDE. */
#ifndef PORT_COMMITTED
static inline void port_committed(struct core *core, uint64_t first) { }
static inline void port_drained(struct core *core) { }
#endif

/* Leaves: the instruction commits; used with EXTRA_COMMIT_ASKS. Flushes after: an instruction that
 * squashes the following ones does so like one that is fetched again. */
#ifndef PORT_LEAVES
static inline void port_leaves(struct core *core, const struct uop *uop) { }
static inline bool port_flushes_after(const struct core *core) { return false; }
#endif

/* 19. Squash. Squash: one begins; returns the number of instructions that are renamed and not
 * dispatched. Gone: instructions younger than `keep` are undone. Undo: further cycles of undoing;
 * undoing: true during them. */
#ifndef PORT_SQUASH
static inline uint64_t port_squash(struct core *core) { return 0; }
static inline void port_gone(struct core *core, uint64_t keep) { }
static inline uint64_t port_undo_cycles(const struct core *core) { return 0; }
static inline void port_undoing(struct core *core) { }
#endif

/* 20. Redirected: fetch continues elsewhere after `keep`, and instructions fetched before `end` are
 * gone. */
#ifndef PORT_REDIRECTED
static inline void port_redirected(struct core *core, uint64_t keep, uint64_t end) { }
#endif

#pragma GCC diagnostic pop

#endif
