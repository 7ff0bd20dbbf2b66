/* The questions of the out-of-order back end, and of the stages between it and fetch, to the model;
 * see port.h. */
#ifndef SIM_CORE_PIPE_BACK_PORT_H
#define SIM_CORE_PIPE_BACK_PORT_H

#include "sim/core/port.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 11. Decode. port_decodes: true if the model decodes in this cycle instead of the pipe.
 * port_passed: `count` cycles have passed with the pipeline as it is now. port_due: the next cycle
 * in which the model acts by itself, or NEVER. */
#ifndef PORT_DECODE
static inline bool port_decodes(struct core *core) { return false; }
static inline void port_passed(struct core *core, uint64_t count) { }
static inline uint64_t port_due(const struct core *core) { return NEVER; }
#endif

/* The instructions from `first` on have been decoded in this cycle. */
#ifndef PORT_DECODED
static inline void port_decoded(struct core *core, uint64_t first) { }
#endif

/* True if rename and dispatch have room for one more group from decode; used with EXTRA_GROUPS. */
#ifndef PORT_GROUPS
static inline bool port_takes_group(const struct core *core) { return true; }
#endif

/* 12. Group dispatched. port_is_whole: dispatch takes groups as they were fetched, also while a
 * squash is undone, and port_due returns the cycle in which a group arrives. port_width: the number
 * of instructions that may dispatch in this cycle, at most `width`; if 0, *cause is the reason.
 * port_found_room: these are known to have room in the reorder buffer, the rename buffers and the
 * queues of loads and stores. port_dispatched: the instructions of this cycle have dispatched. All
 * are used with EXTRA_MODEL. */
#ifndef PORT_DISPATCH
static inline bool port_is_whole(const struct core *core) { return false; }
static inline uint32_t port_width(struct core *core, uint32_t width, unsigned *cause)
{
    return width;
}
static inline bool port_found_room(const struct core *core) { return false; }
static inline void port_dispatched(struct core *core) { }
#endif

/* The dispatch stage. port_dispatch_begins, port_dispatch_ends: its cycle begins, or ends; is_idle:
 * nothing dispatched, because of `cause`. port_is_settled: only an event changes where the next
 * instruction would go. */
#ifndef PORT_DISPATCH_STEP
static inline void port_dispatch_begins(struct core *core) { }
static inline void port_dispatch_ends(struct core *core, bool is_idle, unsigned cause) { }
static inline bool port_is_settled(const struct core *core) { return true; }
#endif

/* Issue queue. port_queue: the queue of the instruction; `queue` is the pipe's choice,
 * QUEUE_SEVERAL if several take it. Asked at most once in a cycle for an instruction.
 * port_has_place: true if there is a place in the queue, and in everything else that the
 * instruction needs there. port_entered: the instruction entered the queue. All with EXTRA_MODEL.
 * port_count_places: adds the places of queues that the model has taken. */
#ifndef PORT_QUEUE
static inline unsigned port_queue(const struct core *core, const struct uop *uop, unsigned queue)
{
    return queue;
}
static inline bool port_has_place(const struct core *core, const struct uop *uop) { return true; }
static inline void port_entered(struct core *core, const struct uop *uop, uint64_t seq) { }
static inline void port_count_places(const struct core *core, uint32_t used[]) { }
#endif

/* True if the instruction may share an entry of the reorder buffer with others (c910.fold). */
#ifndef PORT_FOLD
static inline bool port_folds(const struct core *core, const struct uop *uop)
{
    return uop->kind == KIND_ALU && uop->unit_class <= CLASS_SHIFT;
}
#endif

/* Instructions that act alone. port_alone_cycles: cycles from the commit of all older instructions
 * to their dispatch. port_fence_cycles: the duration of a fence. */
#ifndef PORT_SERIAL
static inline uint64_t port_alone_cycles(const struct core *core) { return 0; }
static inline uint64_t port_fence_cycles(const struct core *core)
{
    return core->latency[LAT_CSR];
}
#endif

/* 15. Transfer executed. port_completes_early: it completes before its redirect is due; only commit
 * waits for the redirect. port_resolves_all: a correctly predicted transfer waits as long as a
 * mispredicted one to commit. port_is_told_late: the predictor is trained only when a redirect
 * would be due. */
#ifndef PORT_EXECUTED
static inline bool port_completes_early(const struct core *core) { return false; }
static inline bool port_resolves_all(const struct core *core) { return false; }
static inline bool port_is_told_late(struct core *core, const struct uop *uop) { return false; }
#endif

/* 18. port_committed: the instructions from `first` on have committed in this cycle. port_drained:
 * the oldest store has left the store queue. */
#ifndef PORT_COMMITTED
static inline void port_committed(struct core *core, uint64_t first) { }
static inline void port_drained(struct core *core) { }
#endif

/* port_flushes_after: an instruction that squashes the following ones does so like one that is
 * fetched again. */
#ifndef PORT_FLUSHES
static inline bool port_flushes_after(const struct core *core) { return false; }
#endif

/* 19. Squash. port_squash: a squash begins; returns the number of instructions that are renamed and
 * not dispatched. port_gone: instructions younger than `keep` are undone. port_undo_cycles: further
 * cycles of the undoing. port_undoing: called in each of them. */
#ifndef PORT_SQUASH
static inline uint64_t port_squash(struct core *core) { return 0; }
static inline void port_gone(struct core *core, uint64_t keep) { }
static inline uint64_t port_undo_cycles(const struct core *core) { return 0; }
static inline void port_undoing(struct core *core) { }
#endif

/* 20. Fetch continues elsewhere after `keep`; the instructions fetched before `end` are gone. */
#ifndef PORT_REDIRECTED
static inline void port_redirected(struct core *core, uint64_t keep, uint64_t end) { }
#endif

#pragma GCC diagnostic pop

#endif
