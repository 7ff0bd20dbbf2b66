/* The C910: its differences from the pipe (the questions are in port.h).
 *
 *   c910_front.c   jumps that wait for rename, and groups with a limited number of branches
 *   c910_freeze.c  an instruction buffer that, when full, stops the stages of fetch
 *   c910_refill.c  missing lines that fetch takes block by block
 *   c910_loop.c    loops taken into the loop buffer; c910_feed.c: fetch from the loop buffer
 *   c910_predict.c what the predictor is told about fetched blocks
 *   c910_recover.c dispatch after a misprediction
 *   c910_balance.c choice of an issue queue, and split of a group
 *   c910_holds.c   ports occupied by late results and by code addresses
 *   c910_operands.c    operands that arrive early or late
 *   c910_issue.c   issue of loads and stores; c910_search.c: loads search the queues some stages
 *                  after their issue; c910_wait.c: loads that wait after their search
 *   c910_data.c    store data, which have a port of their own
 *   c910_writes.c  stores between the store queue and the data cache; c910_hurry.c: when their
 *                  writes come before loads and stores; c910_run.c: runs of stores
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

/* c910_front.c. _may_join and _ends_group: see PORT_JOIN. _is_held: true if the stages of fetch
 * stand still in this cycle. _squashed: called when fetch is redirected. */
bool c910_front_may_join(struct core *core, const struct predecode_slot *slot);
bool c910_front_ends_group(struct core *core, const struct predecode_slot *slot, uint64_t end);
bool c910_front_is_held(const struct core *core);
void c910_front_squashed(struct core *core, enum squash_reason reason);

/* c910_freeze.c, with c910.buffer_halfwords. _holds: true if no stage of fetch moves in this cycle.
 * _decoded: see PORT_DECODED. */
bool c910_freeze_holds(struct core *core);
void c910_freeze_decoded(struct core *core, const struct uop *uop, uint64_t seq);

/* c910_refill.c, with c910.by_block. _step: called in each cycle from refill.due on, before
 * instructions are fetched. _is_ready, _forget: see PORT_LINES. _squash: fetch is redirected;
 * is_flush: for another reason than a misprediction. _ahead: called after a group was fetched; if
 * its predicted transfer redirects fetch only some cycles later, fetch reads the blocks after the
 * group until then. */
void c910_refill_init(struct core *core);
void c910_refill_step(struct core *core);
bool c910_refill_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame);
void c910_refill_squash(struct core *core, bool is_flush);
void c910_refill_ahead(struct core *core);
void c910_refill_forget(struct core *core);

/* c910_feed.c, with c910.loop_bytes. _look: a transfer was predicted that may belong to a loop.
 * _had does the same, and returns true if the loop buffer supplied the transfer, so that no bubble
 * follows except that of the loop's exit. */
void c910_feed_look(struct core *core, const struct uop *uop);
bool c910_feed_had(struct core *core, const struct uop *uop, struct prediction *prediction);

/* c910_predict.c. _tell: a transfer is about to be predicted. _hold: the instructions fetched in
 * this cycle arrive later, by `cycles`. _group: a block is about to be fetched. _fetched: the
 * attempt is over, whether the block arrived or not. */
void c910_predict_tell(struct core *core, const struct uop *uop);
void c910_predict_hold(struct core *core, uint8_t cycles);
void c910_predict_group(struct core *core);
void c910_predict_fetched(struct core *core);

/* c910_recover.c, with c910.rename_cycles. _begin: a branch was mispredicted; `keep` is the
 * youngest instruction that stays. _forget: the branch was squashed itself. _committed: the branch
 * has committed. */
void c910_recover_begin(struct core *core, uint64_t keep);
void c910_recover_forget(struct core *core);
void c910_recover_committed(struct core *core);

/* c910_balance.c. _init: initialises the state. c910_deals: true with c910.balance = in_turn.
 * _queue: the queue that the instruction enters if there is room. _watch: called at the start of a
 * cycle of dispatch. _is_settled: true if only an event can change what dispatch knows of the
 * queues. _hold: called at the end of a cycle; is_held: a group whose queues are chosen has to
 * wait, and keeps this choice. */
static inline bool c910_deals(const struct core *core)
{
    return core_config(core)->c910_balance != 0;
}
void c910_balance_init(struct core *core);
unsigned c910_balance_queue(const struct core *core, const struct uop *uop);
void c910_balance_watch(struct core *core);
bool c910_balance_is_settled(const struct core *core);
void c910_balance_hold(struct core *core, bool is_held);
/* With c910.groups = whole. _group: the number of instructions that enter the queues next; if 0,
 * *cause is the reason. _has_room: true if there is room for one more group from decode.
 * _begin_row: starts the counts for the instructions decoded together, from `first` on. _decoded:
 * notes one of these. */
uint32_t c910_balance_group(struct core *core, unsigned *cause);
bool c910_balance_has_room(const struct core *core);
struct c910_row c910_balance_begin_row(const struct core *core, uint64_t first);
void c910_balance_decoded(struct core *core, struct uop *uop, uint64_t seq, struct c910_row *row);
/* True for a conversion from or to integers, which is two operations. */
bool c910_balance_is_split(const struct uop *uop);

/* c910_holds.c. _ports: bit mask of the ports that take no operation of the class in this cycle.
 * _result: an operation has been issued to the port. The others concern the return address that a
 * jump writes. _address_room: true if the queue has room for it beside the jump. _return_address:
 * the jump at seq is dispatched. _issue_address: issues the oldest return address if its port is
 * free. _undo_address: the jump at seq is squashed. */
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

/* False: the instruction is certainly no register move. */
static inline bool c910_may_move(const struct insn *insn)
{
    return (insn->op == OP_addi && insn->imm == 0) || insn->op == OP_add || insn->op == OP_fsgnj_d;
}
/* c910_operands.c: see PORT_OPERAND. _source: `writer`, which writes reg, was renamed in the same
 * cycle. _late: the cycle from which the consumer can use data that arrive in cycle `ready` for a
 * load that had to wait. */
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
