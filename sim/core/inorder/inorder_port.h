/* The questions of the in-order back end to the model; see port.h. */
#ifndef SIM_CORE_INORDER_INORDER_PORT_H
#define SIM_CORE_INORDER_INORDER_PORT_H

#include "sim/core/port.h"

struct mem_response;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 21. Issue, in order. port_joins: the next instruction may issue beside those of this cycle.
 * port_may_issue: the model lets it issue; if not, it has called inorder_wait. port_is_starved: the
 * instruction counts as not fetched. port_trapped: the instruction issues in order to trap.
 * port_issued: the instruction has issued. */
#ifndef PORT_ISSUE
static inline bool port_joins(const struct core *core, const struct uop *uop) { return true; }
static inline bool port_may_issue(struct core *core, const struct uop *uop, unsigned class)
{
    return true;
}
static inline bool port_is_starved(const struct core *core) { return false; }
static inline void port_trapped(struct core *core, const struct uop *uop, uint64_t seq) { }
static inline void port_issued(struct core *core, struct uop *uop, uint64_t seq) { }
#endif

/* 22. Operands, in order. port_slack: cycles after its issue in which the instruction can still
 * receive the register; `slack` is the pipe's value. port_may_write: the instruction may write its
 * destination now; if not, the model has called inorder_wait. */
#ifndef PORT_OPERANDS
static inline uint64_t port_slack(const struct core *core, const struct uop *uop, unsigned reg,
                                  bool is_data, uint64_t slack)
{
    return slack;
}
static inline bool port_may_write(struct core *core, const struct uop *uop) { return true; }
#endif

/* 23. Units, in order. port_may_start: the instruction may start in its unit; if not, the model has
 * called inorder_wait. port_cycles: its duration with these operands; 0: its latency. port_ends:
 * the cycle of its result; the pipe's answer is in uop->complete_cycle. */
#ifndef PORT_UNIT
static inline bool port_may_start(struct core *core, const struct uop *uop, unsigned class)
{
    return true;
}
static inline uint8_t port_cycles(const struct core *core, const struct uop *uop, unsigned class)
{
    return 0;
}
static inline uint64_t port_ends(struct core *core, struct uop *uop, uint64_t seq, unsigned class,
                                 uint32_t cycles)
{
    return uop->complete_cycle;
}
#endif

/* 24. Instructions that act alone. port_fence: a fence comes to issue, which the model may make an
 * ordinary operation. port_csr_may_act: a CSR access is the oldest, and may act. */
#ifndef PORT_ALONE
static inline void port_fence(const struct core *core, struct uop *uop) { }
static inline bool port_csr_may_act(struct core *core) { return true; }
#endif

/* 25. Buffer: an instruction that acts alone may wait in a buffer of the model (port_buffers).
 * port_may_buffer: it may enter, else the model has called inorder_wait. port_buffered: it enters.
 * port_goes_on: others issue while it waits. port_gives: it has yet to write the register. */
#ifndef PORT_BUFFER
static inline bool port_buffers(const struct core *core, const struct uop *uop) { return false; }
static inline bool port_may_buffer(struct core *core, const struct uop *uop, uint64_t seq)
{
    return true;
}
static inline void port_buffered(struct core *core, struct uop *uop, uint64_t seq) { }
static inline bool port_goes_on(const struct core *core) { return false; }
static inline bool port_gives(const struct core *core, unsigned reg) { return false; }
#endif

/* 26. Late instructions, whose completion is unknown. port_knows_all: there is none. port_is_late:
 * it is one. port_step: called each cycle, before issue. port_next: next cycle with work for it. */
#ifndef PORT_LATE
static inline bool port_knows_all(const struct core *core) { return true; }
static inline bool port_is_late(const struct core *core, const struct uop *uop, uint64_t seq)
{
    return false;
}
static inline void port_step(struct core *core) { }
static inline uint64_t port_next(const struct core *core) { return NEVER; }
#endif

/* 27. Mispredicted: the branch or jump at seq executes, and fetch took another path. The model may
 * cancel the misprediction. */
#ifndef PORT_MISPREDICTED
static inline void port_mispredicted(struct core *core, struct uop *uop, uint64_t seq) { }
#endif

/* 28. The first cycle in which the load may look for its value; a past cycle means now. */
#ifndef PORT_LOAD_FROM
static inline uint64_t port_load_from(const struct core *core, const struct uop *uop) { return 0; }
#endif

/* 29. A load or store comes to the cache. port_has_room: there is room; if not, the model has
 * called inorder_wait. port_takes_load: the model takes loads there. port_load: it takes this load.
 * *ready: the cycle of its value; NEVER: it is late. *place: the load is in flight until then. */
#ifndef PORT_LOAD
static inline bool port_has_room(struct core *core) { return true; }
static inline bool port_takes_load(const struct core *core) { return false; }
static inline void port_load(struct core *core, struct uop *uop, uint64_t *place, uint64_t *ready)
{ }
#endif

/* 30. Forwarding. port_compared_bytes: loads and older stores are compared by aligned blocks of
 * that size; 0: by bytes. port_covers: the load finds a store that covers it; true if it may take
 * the value. port_forwarded: the cycle of the value, by default `ready`. port_load_waits: the load
 * waits for a store, for the first time or again. */
#ifndef PORT_FORWARD
static inline unsigned port_compared_bytes(const struct core *core) { return 0; }
static inline bool port_covers(const struct core *core, const struct store *store,
                               const struct uop *uop)
{
    return true;
}
static inline uint64_t port_forwarded(struct core *core, const struct uop *uop,
                                      const struct store *store, uint64_t ready)
{
    return ready;
}
static inline void port_load_waits(struct core *core, bool is_first) { }
#endif

/* 31. A line that missed. port_line_cycles: cycles from the line's arrival until the access has it.
 * port_line_awaited: an access needs the line and has it in the cycle `ready`; `level` answers. */
#ifndef PORT_LINE
static inline uint64_t port_line_cycles(const struct core *core) { return 0; }
static inline void port_line_awaited(struct core *core, uint64_t ready, unsigned level) { }
#endif

/* 32. A store issues. port_store: false if it is refused and issues later; *ready is the cycle in
 * which it may commit. port_store_is_written: the issuing store reached the cache. */
#ifndef PORT_STORE
static inline bool port_store(struct core *core, const struct uop *uop, uint64_t *ready)
{
    return true;
}
static inline bool port_store_is_written(const struct core *core) { return false; }
#endif

#pragma GCC diagnostic pop

#endif
