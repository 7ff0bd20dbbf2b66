/* Interfaces of the back ends to other files, from dispatch to completion. Part of stage.h. */
#ifndef SIM_CORE_PIPE_STAGE_BACK_H
#define SIM_CORE_PIPE_STAGE_BACK_H

#include "sim/core/pipe/core_state.h"

/* dispatch.c: nothing but an event changes where the next instruction would go. */
bool dispatch_is_settled(const struct core *core);
/* Is the reorder-buffer entry at the head, of several instructions, complete? */
bool dispatch_entry_is_due(const struct core *core);

/* With commit.redirects_first: nothing commits before it in the same cycle. */
static inline bool commits_first(const struct uop *uop)
{
    return (uop->flags & (UOP_MISPREDICTED | UOP_SQUASHES)) ||
           ((uop->flags & UOP_CONTROL) &&
            (insn_is_call(&uop->insn) || insn_is_return(&uop->insn)));
}

/* divider.c: cycles a division or square root takes, before it executes; with EXTRA_DIVIDER */
uint8_t divider_cycles(struct core *core, const struct uop *uop);

/* inorder.c: issue, in program order, in the place of dispatch, issue and wake-up. freed: what
 * commit_seq was before commit: entries freed in a cycle can be taken in the next one. */
void inorder_step(struct core *core, uint64_t freed);
/* When a clock ends what the last cycle waited for, or NEVER. */
uint64_t inorder_next(const struct core *core);
void inorder_undo(struct core *core, struct uop *uop);
bool inorder_is_sane(const struct core *core);

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
uint64_t rename_addend(const struct core *core, const struct uop *producer,
                       const struct uop *consumer, unsigned operand);

/* rename_share.c: move elimination; only with EXTRA_SHARED. operation: an integer operation. */
bool rename_eliminates_operation(const struct core *core, const struct uop *uop);
static inline bool rename_eliminates(const struct core *core, const struct uop *uop)
{
    return (core_extras(core) & EXTRA_SHARED) && uop->kind == KIND_ALU &&
           rename_eliminates_operation(core, uop);
}
void rename_share_init(struct core *core, uint32_t registers);
void rename_take(struct core *core, struct uop *uop);
void rename_join(struct core *core, struct uop *uop);
void rename_eliminate(struct core *core, struct uop *uop);
void rename_unshare(struct core *core, const struct uop *uop);
void rename_share_commit(struct core *core, const struct uop *uop);

/* fusion.c: two instructions in one operation; only with EXTRA_FUSION.
 * issued: which of the two at `seq` is issued, or the instruction itself. */
void fusion_decode(struct core *core, struct uop *first, struct uop *second);
static inline struct uop *fusion_issued(const struct core *core, uint64_t seq)
{
    struct uop *uop = core_uop(core, seq);
    return uop->flags & UOP_PAIRED ? core_uop(core, seq + 1) : uop;
}
void fusion_settle(struct core *core, struct uop *first, uint64_t seq);
void fusion_follow(struct core *core, const struct uop *second, uint64_t seq);
void fusion_undo(struct core *core, struct uop *second, uint64_t seq);

/* slots.c: positions in the issue queues; only with EXTRA_SLOTS */
bool slots_init(struct core *core);
void slots_free(struct core *core);
uint16_t slots_take(struct core *core, unsigned queue);
void slots_give_back(struct core *core, unsigned queue, unsigned slot);
void slots_pass(struct core *core, const struct uop *uop);
void slots_squash(struct core *core, unsigned queue, unsigned slot);
/* With issue.release_cycles: instructions that are renamed have their slots. */
void slots_squash_renamed(struct core *core, uint64_t count);
void slots_end_of_squash(struct core *core);
void slots_end_of_issue(struct core *core);
uint32_t slots_ports(const struct core *core, const struct uop *uop, unsigned queue,
                     uint32_t ports);
uint32_t slots_order(const struct core *core, unsigned queue, uint64_t order[ISSUE_QUEUE_SIZE_MAX]);

/* issue.c, for replay.c: the operation is issued; or it leaves the queue without its operands, and
 * what waits for it is told so. wake: cycles until that is issued. on_unit: with its operands, and
 * a division with its result. keep: no other takes the divider of the port before `until`. */
void issue_done(struct core *core, struct uop *uop, uint32_t index);
/* One that has just been dispatched and is ready, if its port is free; else it stays ready. */
void issue_past_queue(struct core *core, const struct uop *uop, uint32_t index);
void issue_in_vain(struct core *core, struct uop *uop, uint32_t index);
void issue_on_unit(struct core *core, struct uop *uop, uint32_t index);
void issue_keep_unit(struct core *core, const struct uop *uop, unsigned port, uint64_t until);

/* issue.c: it holds no place in its issue queue, or in the replay queue, any more. */
void issue_leave(struct core *core, struct uop *uop);
void issue_leave_place(struct core *core, const struct uop *uop, unsigned queue, unsigned slot);
/* The place will be free, after those of its cycle that lower ports took. */
void issue_release(struct core *core, const struct released *place);
/* With issue.release_cycles: places that are free from this cycle on. */
void issue_release_places(struct core *core);

/* store_data.c: data of stores as micro-operations; only with EXTRA_STORE_UOPS. `queue`: from which
 * the store is looked at. */
bool store_data_has_place(const struct core *core, struct uop *uop);
void store_data_enter(struct core *core, struct uop *uop, uint32_t index);
void store_data_operand(struct core *core, struct uop *uop, uint64_t cycle);
bool store_data_is_ready(const struct core *core, const struct uop *uop);
bool store_data_has_address(const struct core *core, const struct uop *uop);
unsigned store_data_class(const struct core *core, const struct uop *uop, unsigned queue);
bool store_data_keeps_entry(const struct uop *uop);
void store_data_issue(struct core *core, struct uop *uop, unsigned queue, unsigned port);
void store_data_stay(struct core *core, const struct uop *uop, uint32_t index);
void store_data_squash(struct core *core, struct uop *uop);

/* execute.c: execution of an instruction on the speculative state */
void execute_address(struct core *core, struct uop *uop);
/* uop->pa of uop->va, without side effects on the page tables. */
enum trap_cause execute_translate(struct core *core, struct uop *uop, enum mmu_access access);
void execute_uop(struct core *core, struct uop *uop);
void execute_serial(struct core *core, struct uop *uop);
/* cpu->pauses is set, and the uop at the head is about to act or to commit. True: it must not, the
 * run ends in front of it. */
bool core_pauses(struct core *core, const struct uop *uop);

/* wheel.c: when a waiting instruction becomes ready */
void wheel_schedule(struct core *core, uint64_t seq, uint64_t cycle);
/* Of store data that are issued: the same for the queue they are in. */
void wheel_schedule_data(struct core *core, uint32_t index, uint64_t cycle);
/* The word of the bitmaps is 0 now; so may be its group. */
void wheel_leave_group(struct core *core, unsigned word);
void wheel_leave_ready_word(struct core *core, unsigned word, uint32_t index);
void wheel_forget_data(struct core *core, const struct uop *uop, uint32_t index);
/* It is not ready any more. */
void wheel_leave_ready(struct core *core, const struct uop *uop, uint32_t index);
/* It is squashed while it waits for its turn or for its cycle. */
void wheel_forget(struct core *core, const struct uop *uop, uint32_t index);
void wheel_step(struct core *core);
uint64_t wheel_next(const struct core *core);
/* The result of `uop` can be used from `cycle`, by an integer operation from `bypass` on, which is
 * not later: tell everything that waits for it. */
void wheel_publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass);

#endif
