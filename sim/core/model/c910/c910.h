/* The C910: its differences from the pipe (the questions are in port.h).
 *
 *   c910_front.c   jumps that wait for rename, and groups of one branch
 *   c910_freeze.c  an instruction buffer that holds the stages of fetch
 *   c910_refill.c  missing lines that fetch takes block by block
 *   c910_loop.c    loops taken into the loop buffer; c910_feed.c: fetch out of it
 *   c910_predict.c input of the predictor about blocks
 *   c910_recover.c dispatch after a misprediction
 *   c910_balance.c choice of an issue queue, and split of a group
 *   c910_holds.c   ports kept by late results and addresses
 *   c910_operands.c    operands that arrive early or late
 *   c910_issue.c   issue of loads and stores; c910_search.c: loads search the queues some stages
 *                  after it; c910_wait.c: loads that wait after that
 *   c910_data.c    store data, which have a port of their own
 *   c910_writes.c  stores between their leaving the store queue and the data cache;
 *                  c910_hurry.c: when they come first; c910_run.c: runs of stores
 *   c910_state.c   the model's state */
#ifndef SIM_CORE_MODEL_C910_C910_H
#define SIM_CORE_MODEL_C910_C910_H

#include "isa/op.h"
#include "sim/core/model/c910/c910_state.h"
#include "sim/core/pipe/core_state.h"

struct predecode_slot; struct prediction;

/* c910_state.c */
struct model *c910_new(struct core *core);
void c910_free(struct model *model);

/* c910_front.c. May join, ends group: port.h. Is held: the stages of fetch stand still. Squashed:
 * fetch goes elsewhere. */
bool c910_front_may_join(struct core *core, const struct predecode_slot *slot);
bool c910_front_ends_group(struct core *core, const struct predecode_slot *slot, uint64_t end);
bool c910_front_is_held(const struct core *core);
void c910_front_squashed(struct core *core, enum squash_reason reason);

/* c910_freeze.c, with c910.buffer_halfwords. Holds: no stage of fetch moves in this cycle. Decoded:
 * port.h. */
bool c910_freeze_holds(struct core *core);
void c910_freeze_decoded(struct core *core, const struct uop *uop, uint64_t seq);

/* In c910_refill.c, with c910.by_block. Step: called in each cycle from `due` on, before
 * instructions are fetched. Is ready, forget: port.h. Squash: fetch goes elsewhere; is_flush: not
 * because of a branch. Ahead: after the instructions fetched in this cycle fetch may go elsewhere,
 * as predicted; until then it reads the next blocks. */
void c910_refill_init(struct core *core);
void c910_refill_step(struct core *core);
bool c910_refill_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame);
void c910_refill_squash(struct core *core, bool is_flush);
void c910_refill_ahead(struct core *core);
void c910_refill_forget(struct core *core);

/* In c910_feed.c, with c910.loop_bytes. Look: a transfer was predicted, which may belong to a loop.
 * Had: the same; true if the loop buffer held it, so that only the bubble of the loop's end
 * follows. */
void c910_feed_look(struct core *core, const struct uop *uop);
bool c910_feed_had(struct core *core, const struct uop *uop, struct prediction *prediction);

/* In c910_predict.c. Tell: a transfer is about to be predicted. Hold: the instructions fetched in
 * this cycle arrive later. Group, fetched: a block is about to be fetched, and has been, or not. */
void c910_predict_tell(struct core *core, const struct uop *uop);
void c910_predict_hold(struct core *core, uint8_t cycles);
void c910_predict_group(struct core *core);
void c910_predict_fetched(struct core *core);

/* c910_recover.c, with c910.rename_cycles. Begin: a branch was mispredicted, the youngest that
 * stays is `keep`. Forget: it is gone. Committed: it did. */
void c910_recover_begin(struct core *core, uint64_t keep);
void c910_recover_forget(struct core *core);
void c910_recover_committed(struct core *core);

/* In c910_balance.c. Init: of the state. Deals: true with c910.balance. Queue: that of the
 * instruction, which goes there if it has room; watch: a cycle begins; is settled: only an event
 * changes what dispatch knows of the queues; hold: at the end of a cycle, true if a group whose
 * queues are chosen is kept, with its choice. */
static inline bool c910_deals(const struct core *core)
{
    return core_config(core)->c910_balance != 0;
}
void c910_balance_init(struct core *core);
unsigned c910_balance_queue(const struct core *core, const struct uop *uop);
void c910_balance_watch(struct core *core);
bool c910_balance_is_settled(const struct core *core);
void c910_balance_hold(struct core *core, bool is_held);
/* With c910.groups: the number of the next group that goes to the queues; if 0, *cause is the
 * reason. Has room: one more comes from decode. Decoded: port.h. */
uint32_t c910_balance_group(struct core *core, unsigned *cause);
bool c910_balance_has_room(const struct core *core);
struct c910_row c910_balance_begin_row(const struct core *core, uint64_t first);
void c910_balance_decoded(struct core *core, struct uop *uop, uint64_t seq, struct c910_row *row);
/* A conversion from or to integers, which is two operations. */
bool c910_balance_is_split(const struct uop *uop);

/* In c910_holds.c. Ports: those that take no operation of the class in this cycle, as a bit mask.
 * Result: an operation has been issued to the port. A jump that writes its return address is
 * dispatched, and needs room beside the jump's own; addresses wait; the jump is squashed. */
static inline bool c910_keeps_ports(const struct core *core)
{
    const struct config *settings = core_config(core);
    return (settings->c910_mul_holds | settings->c910_div_holds | settings->c910_pc_holds) != 0;
}
uint32_t c910_holds_ports(const struct core *core, unsigned class);
void c910_holds_result(struct core *core, const struct uop *uop, unsigned port);
bool c910_holds_address_room(const struct core *core, const struct uop *uop);
void c910_holds_return_address(struct core *core, uint64_t seq);
void c910_holds_issue_address(struct core *core);
void c910_holds_undo_address(struct core *core, uint64_t seq);

/* False: it is no register move. */
static inline bool c910_may_move(const struct insn *insn)
{
    return (insn->op == OP_addi && insn->imm == 0) || insn->op == OP_add || insn->op == OP_fsgnj_d;
}
/* In c910_operands.c: port.h; source: `writer`, of reg, was renamed in the same cycle; late: data
 * for which a load had to wait arrive in cycle `ready`. */
unsigned c910_operands_source(const struct core *core, unsigned reg, uint64_t writer);
uint64_t c910_operands_ready(const struct core *core, const struct uop *producer,
                             const struct uop *consumer, unsigned operand);
uint64_t c910_operands_late(const struct core *core, const struct uop *consumer, uint64_t ready);

#include "sim/core/model/c910/c910_memory.h"
#include "sim/core/model/c910/c910_answers.h"
#include "sim/core/model/c910/c910_dispatch.h"
#include "sim/core/model/c910/c910_back.h"
#include "sim/core/model/c910/c910_lsu.h"

#endif
