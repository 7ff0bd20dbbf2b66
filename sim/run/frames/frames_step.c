/* The effect of one instruction on its frame: where the caller's sp, ra and s0 are.
 *
 * It knows the forms that compilers use: sp moved by a constant, in one instruction or through a
 * register that was loaded with one; s0 as frame pointer; ra and s0 saved to and loaded from the
 * frame. Any other write of one of these registers makes it unknown.
 *
 * A switch of contexts (longjmp, swapcontext) loads sp, ra and s0 from memory that is not the
 * frame's. Until it has loaded all of them they belong to different stacks, and the caller is cut
 * off; then the other stack's caller is that of a fresh frame. */
#include "isa/op.h"
#include "sim/run/frames/frames_internal.h"

enum { RA = UNWIND_RA, SP = UNWIND_SP, FP = UNWIND_FP };

struct frame_state frame_fresh(void)
{
    return (struct frame_state){.has = FRAME_SP | FRAME_RA_LIVE | FRAME_FP_LIVE};
}

/* ---- constants ------------------------------------------------------------------------------- */

static bool is_known(const struct frame_constants *constants, unsigned reg)
{
    return reg < 32 && (reg == 0 || (constants->known >> reg & 1) != 0);
}

static uint64_t value_of(const struct frame_constants *constants, unsigned reg)
{
    return reg < 32 && reg != 0 ? constants->value[reg] : 0;
}

static void learn(struct frame_constants *constants, const struct insn *insn, uint64_t pc)
{
    enum insn_kind kind = insn_info[insn->op].kind;
    uint64_t value;

    if (insn->rd == 0 || insn->rd >= 32)
        return;
    if (kind != KIND_ALU || !is_known(constants, insn->rs1) || !is_known(constants, insn->rs2)) {
        constants->known &= ~(1u << insn->rd);
        return;
    }
    value = insn_alu(insn, value_of(constants, insn->rs1), value_of(constants, insn->rs2), pc);
    constants->value[insn->rd] = value;
    constants->known |= 1u << insn->rd;
}

/* ---- sp and s0 ------------------------------------------------------------------------------- */

static bool is_op(const struct insn *insn, enum op op)
{
    return insn_info[insn->op].row == op;
}

/* rd = base + *distance, by a constant. */
static bool is_moved(const struct insn *insn, const struct frame_constants *constants,
                     unsigned *base, int64_t *distance)
{
    *base = insn->rs1;
    *distance = insn->imm;
    if (is_op(insn, OP_addi))
        return true;
    if (is_op(insn, OP_add) && is_known(constants, insn->rs1)) {
        *base = insn->rs2;
        *distance = (int64_t)value_of(constants, insn->rs1);
        return true;
    }
    if (!is_known(constants, insn->rs2) || (!is_op(insn, OP_add) && !is_op(insn, OP_sub)))
        return false;
    *distance = (int64_t)value_of(constants, insn->rs2);
    if (is_op(insn, OP_sub))
        *distance = -*distance;
    return true;
}

/* Computes the caller's sp relative to rd: base's distance minus the distance from base to rd. */
static bool distance_after(const struct frame_state *state, const struct insn *insn,
                           const struct frame_constants *constants, int *distance)
{
    unsigned base;
    int64_t moved;

    if (!is_moved(insn, constants, &base, &moved) || moved < -(1 << 28) || moved > 1 << 28)
        return false;
    if (base == SP && (state->has & FRAME_SP) != 0)
        *distance = state->sp - (int)moved;
    else if (base == FP && (state->has & FRAME_FP) != 0)
        *distance = state->fp - (int)moved;
    else
        return false;
    return *distance >= -(1 << 28) && *distance <= 1 << 28;
}

/* Registers saved below sp are lost. */
static void forget_below(struct frame_state *state)
{
    if ((state->has & FRAME_SP) == 0)
        return;
    if (state->ra_at < -state->sp)
        state->has &= ~(unsigned)FRAME_RA_SAVED;
    if (state->fp_at < -state->sp)
        state->has &= ~(unsigned)FRAME_FP_SAVED;
}

static void write_sp(struct frame_state *state, const struct insn *insn,
                     const struct frame_constants *constants)
{
    int distance = 0;

    if (distance_after(state, insn, constants, &distance)) {
        state->sp = distance;
        state->has |= FRAME_SP;
        forget_below(state);
    } else {
        state->sp = 0;
        state->has &= ~(unsigned)FRAME_SP;
    }
}

static void write_fp(struct frame_state *state, const struct insn *insn,
                     const struct frame_constants *constants)
{
    int distance = 0;
    bool is_known_now = distance_after(state, insn, constants, &distance);

    state->has &= ~(unsigned)(FRAME_FP | FRAME_FP_LIVE);
    state->fp = 0;
    if (is_known_now) {
        state->fp = distance;
        state->has |= FRAME_FP;
    }
}

/* ---- ra and s0 in the frame ------------------------------------------------------------------ */

/* The place, relative to the caller's sp, that a load or store accesses. */
static bool place_of(const struct frame_state *state, const struct insn *insn, unsigned xlen,
                     int *place)
{
    if (insn_info[insn->op].mem_bytes != xlen / 8)
        return false;
    if (insn->rs1 == SP && (state->has & FRAME_SP) != 0)
        *place = insn->imm - state->sp;
    else if (insn->rs1 == FP && (state->has & FRAME_FP) != 0)
        *place = insn->imm - state->fp;
    else
        return false;
    return true;
}

static void store(struct frame_state *state, const struct insn *insn, unsigned xlen)
{
    int place = 0;

    if (!place_of(state, insn, xlen, &place))
        return;
    if (insn->rs2 == RA && (state->has & FRAME_RA_LIVE) != 0) {
        state->ra_at = place;
        state->has |= FRAME_RA_SAVED;
    }
    if (insn->rs2 == FP && (state->has & FRAME_FP_LIVE) != 0) {
        state->fp_at = place;
        state->has |= FRAME_FP_SAVED;
    }
}

static void load(struct frame_state *state, const struct insn *insn, unsigned xlen)
{
    bool is_ra = insn->rd == RA;
    unsigned saved = is_ra ? FRAME_RA_SAVED : FRAME_FP_SAVED;
    int place = 0, kept = is_ra ? state->ra_at : state->fp_at;
    bool is_back = place_of(state, insn, xlen, &place) && (state->has & saved) != 0 &&
                   place == kept;

    state->has &= ~(unsigned)(is_ra ? FRAME_RA_LIVE : FRAME_FP_LIVE | FRAME_FP);
    if (!is_ra)
        state->fp = 0;
    if (is_back)
        state->has |= is_ra ? FRAME_RA_LIVE : FRAME_FP_LIVE;
}

/* ---- a switch of contexts -------------------------------------------------------------------- */

static unsigned other_of(unsigned reg)
{
    return reg == SP ? FRAME_SP_OTHER : reg == RA ? FRAME_RA_OTHER : reg == FP ? FRAME_FP_OTHER : 0;
}

/* rd was written. A load from outside the frame gives it a value of another stack, unless the frame
 * has the caller's value of rd: then the code uses rd for other data, or reads the frame through
 * another register. With sp, ra and s0 all from another stack, a fresh frame begins. */
static void switch_stack(struct frame_state *state, const struct insn *insn)
{
    const unsigned all = FRAME_SP_OTHER | FRAME_RA_OTHER | FRAME_FP_OTHER;
    const unsigned saved = insn->rd == RA ? FRAME_RA_SAVED : insn->rd == FP ? FRAME_FP_SAVED : 0;
    bool is_frame = insn->rs1 == SP || (insn->rs1 == FP && (state->has & FRAME_FP) != 0);

    state->has &= ~other_of(insn->rd);
    if (insn_info[insn->op].kind == KIND_LOAD && !is_frame && (state->has & saved) == 0)
        state->has |= other_of(insn->rd);
    if ((state->has & all) != all)
        return;
    state->has = frame_fresh().has;
    state->sp = 0;
}

/* The instruction writes rd: sp, ra or s0. */
static void write_register(struct frame_state *state, const struct frame_constants *constants,
                           const struct insn *insn, unsigned xlen)
{
    if (insn_info[insn->op].kind == KIND_LOAD && insn->rd != SP)
        load(state, insn, xlen);
    else if (insn->rd == RA)
        state->has &= ~(unsigned)FRAME_RA_LIVE;
    else if (insn->rd == FP)
        write_fp(state, insn, constants);
    else
        write_sp(state, insn, constants);
    switch_stack(state, insn);
}

bool frame_step(struct frame_state *state, struct frame_constants *constants,
                const struct insn *insn, uint64_t pc, unsigned xlen)
{
    bool is_store = insn_info[insn->op].kind == KIND_STORE;
    bool is_of_frame = is_store ? insn->rs2 == RA || insn->rs2 == FP : other_of(insn->rd) != 0;

    if (is_of_frame && is_store)
        store(state, insn, xlen);
    else if (is_of_frame)
        write_register(state, constants, insn, xlen);
    learn(constants, insn, pc);
    return is_of_frame;
}

/* Prefers memory to the register: a call is looked up at its own address, but after it the register
 * belongs to another function. */
struct monitor_frame frame_rule(const struct frame_state *state)
{
    bool is_by_sp = (state->has & FRAME_SP) != 0;
    int base = is_by_sp ? state->sp : state->fp;
    struct monitor_frame rule = {.sp = base, .flags = UNWIND_RULE_KEPT};

    if ((state->has & (FRAME_RA_OTHER | FRAME_FP_OTHER)) != 0)
        return (struct monitor_frame){.flags = UNWIND_RULE_KEPT | UNWIND_RULE_LOST};
    if ((state->has & (FRAME_SP | FRAME_FP)) == 0 ||
        (state->has & (FRAME_RA_LIVE | FRAME_RA_SAVED)) == 0)
        return (struct monitor_frame){.flags = 0};
    if (!is_by_sp)
        rule.flags |= UNWIND_RULE_SP_BY_FP;
    if ((state->has & FRAME_RA_SAVED) != 0) {
        rule.ra = base + state->ra_at;
        rule.flags |= UNWIND_RULE_HAS_RA | (is_by_sp ? 0 : UNWIND_RULE_RA_BY_FP);
    }
    if ((state->has & FRAME_FP_SAVED) != 0) {
        rule.fp = base + state->fp_at;
        rule.flags |= UNWIND_RULE_HAS_FP | (is_by_sp ? 0 : UNWIND_RULE_FP_BY_FP);
    }
    return rule;
}
