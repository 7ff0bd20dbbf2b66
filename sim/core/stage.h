/* What the pipeline's files offer each other: the stages, and the parts they share. */
#ifndef SIM_CORE_STAGE_H
#define SIM_CORE_STAGE_H

#include "sim/core/core_internal.h"

/* Functions that take `extras` are compiled twice within a stage: with the constant 0, for machines
 * without any of the parts that the stage asks for, and for the others. */
#define IN_BOTH static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))

/* One cycle of each stage, in this order. */
void resolve_step(struct core *core);
void commit_step(struct core *core);
void drain_step(struct core *core);
void issue_step(struct core *core);
void dispatch_step(struct core *core);
void decode_step(struct core *core);
void fetch_step(struct core *core);

/* fetch.c: the cache side, for ftq.c */
bool fetch_itlb_is_ready(struct core *core, uint64_t va);
bool fetch_line_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame);
bool fetch_frame_has_marks(const struct core *core, uint32_t frame, uint64_t pa);
void fetch_attach_mark(struct core *core, struct uop *uop, uint32_t frame);

/* ahead.c: perfect prediction; NULL where it is off.
 * may_fetch: asked before the instructions of a cycle. fetch: the youngest instruction fetched; sets
 * predicted_pc of a transfer. False: nothing may be fetched behind it for now. */
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

/* rename.c: operands, buffers, undo */
void rename_uop(struct core *core, struct uop *uop, uint64_t seq);
void rename_pair(struct core *core, struct uop *first, struct uop *second, uint64_t seq);
void rename_undo(struct core *core, struct uop *uop);
void rename_free(struct core *core, const struct uop *uop);

void rename_link(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                 uint64_t producer);
void rename_link_sorted(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                        uint64_t producer);
uint64_t rename_expected(const struct core *core, const struct uop *producer);

/* rename_share.c: move elimination; only with EXTRA_SHARED */
bool rename_eliminates(const struct core *core, const struct uop *uop);
void rename_share_init(struct core *core, uint32_t registers);
void rename_take(struct core *core, struct uop *uop);
void rename_join(struct core *core, struct uop *uop);
void rename_eliminate(struct core *core, struct uop *uop);
void rename_unshare(struct core *core, const struct uop *uop);
void rename_share_commit(struct core *core, const struct uop *uop);

/* fusion.c: two instructions in one operation; only with EXTRA_FUSION.
 * issued: which of the two at `seq` is issued, or the instruction itself. */
void fusion_decode(struct core *core, struct uop *first, struct uop *second);
struct uop *fusion_issued(const struct core *core, uint64_t seq);
void fusion_settle(struct core *core, struct uop *first, uint64_t seq);
void fusion_follow(struct core *core, const struct uop *second, uint64_t seq);
void fusion_undo(struct core *core, struct uop *second, uint64_t seq);
/* slots.c: positions in the issue queues; only with EXTRA_SLOTS */
bool slots_init(struct core *core);
void slots_free(struct core *core);
void slots_take(struct core *core, struct uop *uop);
void slots_give_back(struct core *core, unsigned queue, unsigned slot);
void slots_squash(struct core *core, const struct uop *uop);
void slots_end_of_squash(struct core *core);
void slots_end_of_issue(struct core *core);
uint32_t slots_ports(const struct core *core, const struct uop *uop, uint32_t ports);
uint32_t slots_order(const struct core *core, unsigned queue, uint64_t order[ISSUE_QUEUE_SIZE_MAX]);

/* issue.c, for replay.c: the operation is issued; or it leaves the queue without its operands, and
 * what waits for it is told so. wake: cycles until that is issued. port: -1 for one that comes back. */
void issue_done(struct core *core, struct uop *uop, uint32_t index);
void issue_in_vain(struct core *core, struct uop *uop, uint32_t index);
uint32_t issue_wake_cycles(const struct core *core, const struct uop *uop);
bool issue_is_iterative(unsigned latency);
void issue_on_unit(struct core *core, struct uop *uop, uint32_t index, int port);

/* issue.c: it holds no place in its issue queue, or in the replay queue, any more. */
void issue_leave(struct core *core, struct uop *uop);

/* execute.c: what an instruction does, on the speculative state */
void execute_address(struct core *core, struct uop *uop);
/* uop->pa of uop->va, without side effects on the page tables. */
enum trap_cause execute_translate(struct core *core, struct uop *uop, enum mmu_access access);
void execute_uop(struct core *core, struct uop *uop);
void execute_serial(struct core *core, struct uop *uop);

/* wheel.c: when a waiting instruction becomes ready */
void wheel_schedule(struct core *core, uint64_t seq, uint64_t cycle);
/* It is not ready any more. */
void wheel_leave_ready(struct core *core, const struct uop *uop, uint32_t index);
/* It is squashed while it waits for its turn or for its cycle. */
void wheel_forget(struct core *core, const struct uop *uop, uint32_t index);
void wheel_step(struct core *core);
uint64_t wheel_next(const struct core *core);
/* The result of `uop` can be used from `cycle`, by an integer operation from `bypass` on, which is
 * not later: tell everything that waits for it. */
void wheel_publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass);

/* lsu.c: timing of loads and stores */
enum issue_result { ISSUE_DONE, ISSUE_RETRY, ISSUE_SLEEP };
enum issue_result lsu_issue(struct core *core, struct uop *uop, uint64_t seq);
/* The cycle at which the access's translation is known. */
uint64_t lsu_translate(struct core *core, struct uop *uop);
/* IND_LEVEL_* of enum mem_level. */
uint8_t lsu_indicator_level(unsigned level);
/* The events of an access that this level answered (enum mem_level). */
uint64_t lsu_level_events(const struct core *core, unsigned level);
uint64_t lsu_serial_cycles(struct core *core, struct uop *uop);
/* The data of a store that issued without them come at `cycle`. */
void lsu_take_data(struct core *core, struct uop *uop, uint64_t cycle);

/* metadata.c: a line was filled, or frames changed; the response may be delayed by its metadata */
void lsu_follow_fill(struct core *core, struct mem_response *response, const struct uop *uop);
void fetch_follow_fill(struct core *core, struct mem_response *response, uint64_t pc);

/* commit.c: the data access is on a page where some datum is marked */
bool commit_touches_marks(const struct core *core, const struct uop *uop);

/* store_queue.c: stores from dispatch until the cache took them */
bool store_queue_is_full(const struct core *core);
struct store *store_queue_at(const struct core *core, uint64_t number);
uint64_t store_queue_find(const struct core *core, uint64_t pa, unsigned bytes);
uint64_t store_queue_read(const struct core *core, uint64_t pa, unsigned bytes, uint64_t memory);
void store_queue_push(struct core *core, struct uop *uop, uint64_t seq);
void store_queue_undo(struct core *core);
void store_queue_commit(struct core *core, const struct uop *uop);
void store_queue_forget_violators(struct core *core, uint64_t keep_seq);

/* squash.c */
void squash_after(struct core *core, uint64_t keep_seq, uint64_t pc, enum squash_reason reason);
void squash_all(struct core *core, uint64_t pc);
void redirect_schedule(struct core *core, uint64_t cycle, uint64_t keep, uint64_t pc,
                       bool violation);
/* Squashes behind redirect->keep and repairs the predictor; fetch goes on at redirect->pc. */
void redirect_take(struct core *core, const struct redirect *redirect);

/* account.c: what slots and cycles went to.
 * `cause`: the SLOTS_* event of what the next instruction lacks, or the LOST_* event of why there
 * is none (account_starved). */
void account_slots(struct core *core, unsigned cause, uint64_t slots);
/* LOST_* and CPI_* events of waiting for a load that enum mem_level serves. */
unsigned account_lost_to_level(unsigned level);
unsigned account_cpi_of_level(unsigned level);
/* Slots lost whose events are both known. */
void account_lost(struct core *core, struct lost lost, uint64_t slots);
unsigned account_starved(const struct core *core);
void account_skipped(struct core *core, uint64_t cycles);
void account_squash(struct core *core, enum squash_reason reason, uint64_t slots);
/* Instructions from `first` to commit_seq committed in this cycle. */
void account_commit(struct core *core, uint64_t first);
/* Cycles up to `cycle` went by and what is in flight will not commit. `culprit`: the instruction
 * that trapped, or NULL. */
void account_flush(struct core *core, uint64_t cycle, const struct uop *culprit);
void account_idle(struct core *core, uint64_t cycles);

/* sampling.c: the profiling schemes (pmu/scheme.h) look on; only with core->sampling.
 * step: behind the back end, before decode. skip: that many cycles from `now` on in which nothing
 * happens. flush: everything in flight will go, as with account_flush. */
struct sampling *sampling_new(const struct config *config);
void sampling_free(struct sampling *sampling);
void sampling_step(struct core *core);
void sampling_skip(struct core *core, uint64_t cycles);
void sampling_flush(struct core *core, uint64_t cycle, const struct uop *culprit);

/* dispatch.c: cycles the division takes, before it executes; only with EXTRA_DIVIDER */
uint8_t dispatch_division_cycles(const struct core *core, const struct uop *uop);

/* inorder.c: issue, in program order, in the place of dispatch, issue and wake-up */
void inorder_step(struct core *core);
/* When a clock ends what the last cycle waited for, or NEVER. */
uint64_t inorder_next(const struct core *core);
void inorder_undo(struct core *core, struct uop *uop);
bool inorder_is_sane(const struct core *core);

/* control.c: branches and jumps, when they execute and when they commit */
void control_resolve(struct core *core, const struct uop *uop);
void control_commit(struct core *core, const struct uop *uop);

/* isolate.c: the monitor's own structures, if it has any. Follow: the monitor may have been entered
 * or left, and nothing is in flight. Apart: it runs now on caches of its own, beside which there are
 * no shadow frames. */
bool isolation_init(struct core *core);
void isolation_free(struct isolation *isolation);
void isolation_follow(struct core *core);
bool isolation_is_apart(const struct core *core);

/* trace.c: an instruction left the pipeline */
void trace_leave(struct core *core, const struct uop *uop, bool committed);

/* Marks and PMU filters may have changed: does commit have to build retire records? */
void core_profiling_changed(struct core *core);

/* dispatch.c: is the reorder-buffer entry at the head, of several instructions, complete? */
/* Nothing but an event changes where the next instruction would go. */
bool dispatch_is_settled(const struct core *core);
bool dispatch_entry_is_due(const struct core *core);

bool core_is_sane(const struct core *core);

#endif
