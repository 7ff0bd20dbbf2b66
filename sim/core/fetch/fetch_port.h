/* The questions of fetch to the model; see port.h. */
#ifndef SIM_CORE_FETCH_FETCH_PORT_H
#define SIM_CORE_FETCH_FETCH_PORT_H

#include "sim/core/port.h"

struct mem_response; struct predecode_slot; struct prediction;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 2. May fetch. port_may_fetch: asked in each cycle, before anything is fetched. port_is_in_fetch:
 * fetch is entered even in cycles in which it has no work. port_fetches: the model fetches in this
 * cycle instead of the pipe. */
#ifndef PORT_MAY_FETCH
static inline bool port_is_in_fetch(const struct core *core) { return false; }
static inline bool port_may_fetch(struct core *core) { return true; }
static inline bool port_fetches(struct core *core) { return false; }
#endif

/* 3. Group: the instructions fetched together from pc on. port_group: the number for which there is
 * room, at most `room`. port_fetched: called after the attempt; the first instruction of the group
 * has the number `first`, or nothing was fetched. */
#ifndef PORT_GROUP
static inline uint64_t port_group(struct core *core, uint64_t pc, uint64_t room) { return room; }
static inline void port_fetched(struct core *core, uint64_t pc, uint64_t first) { }
#endif

/* An instruction of the group. port_predicts: the model predicts after each instruction, instead of
 * the pipe's predictor. port_predict: an instruction was fetched; returns false if its group
 * ends. */
#ifndef PORT_PREDICT
static inline bool port_predicts(const struct core *core) { return false; }
static inline bool port_predict(struct core *core, struct uop *uop, bool is_control)
{
    return true;
}
#endif

/* port_asks_each, port_asks_transfers: the model is asked the next two questions about each
 * instruction, or about each transfer. port_may_join: true if the instruction in the slot may be
 * fetched now, after `before` others of its group. port_ends_group: the instruction was fetched;
 * true if it is the last. The block that is being fetched ends at `end`. */
#ifndef PORT_JOIN
static inline bool port_asks_each(const struct core *core) { return false; }
static inline bool port_asks_transfers(const struct core *core) { return false; }
static inline bool port_may_join(struct core *core, const struct predecode_slot *slot,
                                 uint32_t before)
{
    return true;
}
static inline bool port_ends_group(struct core *core, const struct predecode_slot *slot,
                                   uint64_t end)
{
    return false;
}
#endif

/* 4. A transfer is fetched. port_asks: the predictor is about to be asked. port_predicted: the
 * predictor has answered. Both with EXTRA_TRANSFERS. port_turn_cycles: further cycles of a transfer
 * that redirects fetch. port_return_unknown: a return found its stack empty. */
#ifndef PORT_PREDICTED
static inline void port_asks(struct core *core, const struct uop *uop) { }
static inline void port_predicted(struct core *core, const struct uop *uop,
                                  const struct prediction *prediction) { }
#endif
#ifndef PORT_TRANSFER
static inline uint32_t port_turn_cycles(const struct core *core, const struct uop *uop)
{
    return 0;
}
static inline void port_return_unknown(struct core *core, struct uop *uop) { }
#endif

/* 5. Line. port_line_misses: fetch waits for the response. port_takes_lines: the model accesses the
 * cache instead of the pipe. port_line_is_ready: true if the model has the line of pa, for the
 * instruction at pc, in this cycle; *frame is the frame with its marks. If false, fetch waits.
 * port_forget_lines: memory that was read as code may have changed. */
#ifndef PORT_CODE_LINE
static inline void port_line_misses(struct core *core, const struct mem_response *response) { }
#endif
#ifndef PORT_LINES
static inline bool port_takes_lines(const struct core *core) { return false; }
static inline bool port_line_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame)
{
    return false;
}
static inline void port_forget_lines(struct core *core) { }
#endif

/* 6. Loop: a buffer that feeds decode instead of the cache. port_has_loops: the buffer exists.
 * port_feeds: it is active now. port_feeds_at: it stays active for the instruction at pc; if not,
 * port_stops_feeding is called. port_loop_width, port_loop_room: limits of a group from the buffer.
 * port_loop_sees: an instruction other than a transfer was fetched. port_is_in_loop: a transfer has
 * been predicted; true if the buffer supplied it, so that no bubble follows. port_loop_follows: the
 * same with perfect prediction. */
#ifndef PORT_LOOP
static inline bool port_has_loops(const struct core *core) { return false; }
static inline bool port_feeds(const struct core *core) { return false; }
static inline bool port_feeds_at(struct core *core, uint64_t pc) { return false; }
static inline void port_stops_feeding(struct core *core) { }
static inline uint32_t port_loop_width(const struct core *core, uint32_t width) { return width; }
static inline uint64_t port_loop_room(const struct core *core) { return 0; }
static inline void port_loop_sees(struct core *core, const struct uop *uop) { }
static inline bool port_is_in_loop(struct core *core, const struct uop *uop,
                                   struct prediction *prediction)
{
    return false;
}
static inline void port_loop_follows(struct core *core, const struct uop *uop) { }
#endif

#pragma GCC diagnostic pop

#endif
