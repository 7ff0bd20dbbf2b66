/* Interfaces of the back ends to other files, from dispatch to completion. */
#ifndef SIM_CORE_PIPE_STAGE_BACK_H
#define SIM_CORE_PIPE_STAGE_BACK_H

#include "sim/core/pipe/core_state.h"

/* divider.c: cycles a division or square root takes, before it executes; with EXTRA_DIVIDER */
uint8_t divider_cycles(struct core *core, const struct uop *uop);

/* inorder.c: issue in program order, instead of dispatch, issue and wake-up. freed: commit_seq
 * before commit, as entries freed in a cycle can be taken in the next one. */
void inorder_step(struct core *core, uint64_t freed);
/* The cycle in which a clock ends the wait of the last cycle, or NEVER. */
uint64_t inorder_next(const struct core *core);
void inorder_undo(struct core *core, struct uop *uop);
bool inorder_is_sane(const struct core *core);

/* rename.c: operands, buffers, undo */
void rename_uop(struct core *core, struct uop *uop, uint64_t seq);
void rename_pair(struct core *core, struct uop *first, struct uop *second, uint64_t seq);
void rename_undo(struct core *core, struct uop *uop);
void rename_free_with_extras(struct core *core, const struct uop *uop);
static inline uint32_t *rename_pool(struct core *core, unsigned rd)
{
    return &core->buffers_free[rd / REG_F0];
}
/* The rename buffer of a fused pair is the first instruction's. */
static inline bool rename_has_buffer(const struct core *core, const struct uop *uop)
{
    return (core_extras(core) & EXTRA_FUSION) == 0 || (uop->flags & UOP_FUSED) == 0;
}
/* Frees the buffer of an instruction that commits. */
static inline void rename_free(struct core *core, const struct uop *uop)
{
    if (core_extras(core) & (EXTRA_EARLY_LOADS | EXTRA_SHARED))
        rename_free_with_extras(core, uop);
    else if (rename_has_buffer(core, uop))
        ++*rename_pool(core, uop->insn.rd);
}
void rename_link(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                 uint64_t producer);
void rename_link_sorted(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                        uint64_t producer);
uint64_t rename_expected(const struct core *core, const struct uop *producer);

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

/* fusion.c: two instructions in one operation; only with EXTRA_FUSION. fusion_issued: the
 * instruction at `seq`; of a fused pair, the second, which is issued. */
void fusion_decode(struct core *core, struct uop *first, struct uop *second);
static inline struct uop *fusion_issued(const struct core *core, uint64_t seq)
{
    struct uop *uop = core_uop(core, seq);
    return uop->flags & UOP_PAIRED ? core_uop(core, seq + 1) : uop;
}
void fusion_settle(struct core *core, struct uop *first, uint64_t seq);
void fusion_undo(struct core *core, struct uop *second, uint64_t seq);
/* The first half is done when the operation is. */
static inline void fusion_follow(struct core *core, const struct uop *second, uint64_t seq)
{
    struct uop *first = core_uop(core, seq - 1);
    first->issue_cycle = second->issue_cycle;
    first->complete_cycle = second->complete_cycle;
    first->flags |= second->flags & UOP_RETIRES_EARLY;
}

/* issue.c, for a model that reissues. issue_done: the operation has been issued. issue_in_vain: it
 * leaves its queue without its operands, and its consumers are woken as if it had them.
 * issue_on_unit: it is issued with its operands; a division, with its result. issue_keep_unit: the
 * divider of the port takes no other operation before `until`. */
void issue_done(struct core *core, struct uop *uop, uint32_t index);
/* Issues an operation that has just been dispatched and is ready, if its port is free; otherwise it
 * stays ready. */
void issue_past_queue(struct core *core, const struct uop *uop, uint32_t index);
void issue_in_vain(struct core *core, struct uop *uop, uint32_t index);
void issue_on_unit(struct core *core, struct uop *uop, uint32_t cycles);
void issue_keep_unit(struct core *core, const struct uop *uop, unsigned port, uint64_t until);

#endif
