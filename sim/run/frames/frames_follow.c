/* Following the flow of control from the start of each function along branches, jumps and calls:
 * each instruction's frame (frames_step.c).
 *
 * The code after a call counts as reached once the called function is known to return: a return, or
 * a jump to a function that returns, was reached from its start. So the code after a call that does
 * not return is reached only by branches. Where two paths meet, facts on which both agree hold; if
 * they disagree on sp, the first path's holds. A jump to the start of a function that leaves no
 * frame is a tail call; any other stays in the function. */
#include "isa/op.h"
#include "sim/base/array.h"
#include "sim/run/frames/frames_flow.h"

enum { LINK_STEPS = 64 };

#define UNIMP 0xc0001073u

static bool is_fresh(const struct frame_state *state)
{
    const unsigned fresh = FRAME_SP | FRAME_RA_LIVE | FRAME_FP_LIVE;

    return (state->has & fresh) == fresh && state->sp == 0;
}

/* ---- returns --------------------------------------------------------------------------------- */

/* Pushes the places that wait for this function; functions that return with it follow. */
static void note_return(struct flow *flow, uint32_t function)
{
    size_t next = flow->function[function].waiting;

    if (flow->function[function].returns)
        return;
    flow->function[function].returns = true;
    flow->function[function].waiting = 0;
    while (next != 0) {
        const struct flow_wait wait = flow->wait[next - 1];

        next = wait.next;
        if (wait.address == 0)
            note_return(flow, wait.owner);
        else
            flow_push(flow, wait.address, wait.fact);
    }
}

static void wait_for(struct flow *flow, uint32_t function, struct flow_wait wait)
{
    struct flow_wait *grown;

    if (flow->function[function].returns) {
        if (wait.address == 0)
            note_return(flow, wait.owner);
        else
            flow_push(flow, wait.address, wait.fact);
        return;
    }
    grown = array_grow(flow->wait, flow->waits, sizeof *grown);
    flow->is_out_of_memory |= grown == NULL;
    if (grown == NULL)
        return;
    flow->wait = grown;
    wait.next = flow->function[function].waiting;
    flow->wait[flow->waits++] = wait;
    flow->function[function].waiting = flow->waits;
}

void flow_enter(struct flow *flow, uint32_t function)
{
    struct frame_state fresh = frame_fresh();
    uint64_t address = flow->function[function].address;
    size_t index;

    if (flow->function[function].is_followed || !flow_index(flow, address, &index))
        return;
    flow->function[function].is_followed = true;
    if (flow_has(flow->reached, index))
        wait_for(flow, flow->fact[flow->fact_at[index]].owner,
                 (struct flow_wait){.owner = function});
    else
        flow_push(flow, address, flow_add_fact(flow, &fresh, function));
}

/* ---- one way --------------------------------------------------------------------------------- */

/* A path: where the flow stands. */
struct way {
    uint64_t pc;
    uint32_t owner;
    struct frame_state state;
    uint32_t fact;              /* of owner and state; 0: not noted yet */
    struct frame_constants constants;
    bool is_at_end;
};

static uint32_t fact_of(struct flow *flow, struct way *way)
{
    if (way->fact == 0)
        way->fact = flow_add_fact(flow, &way->state, way->owner);
    return way->fact;
}

/* Keeps in `state` only the facts that `with` has too. True: `state` lost some. */
static bool merge(struct frame_state *state, const struct frame_state *with)
{
    unsigned both = state->has & with->has;

    if ((both & FRAME_SP) != 0 && state->sp != with->sp)
        return false;
    if ((both & FRAME_FP) != 0 && state->fp != with->fp)
        both &= ~(unsigned)FRAME_FP;
    if ((both & FRAME_RA_SAVED) != 0 && state->ra_at != with->ra_at)
        both &= ~(unsigned)FRAME_RA_SAVED;
    if ((both & FRAME_FP_SAVED) != 0 && state->fp_at != with->fp_at)
        both &= ~(unsigned)FRAME_FP_SAVED;
    if (both == state->has)
        return false;
    state->has = both;
    return true;
}

/* True for a jump to the start of another function, with the frame left: all registers are as at a
 * function's start, or all but ra, which a function that does not return need not keep. */
static bool is_tail(const struct flow *flow, const struct way *way, size_t index)
{
    const unsigned left = FRAME_SP | FRAME_FP_LIVE;

    if (!flow_has(flow->starting, index) || flow->function_at[index] == way->owner)
        return false;
    return is_fresh(&way->state) || (flow->function[flow->function_at[index]].is_called &&
                                     (way->state.has & left) == left && way->state.sp == 0);
}

/* The path arrives at an instruction. False: it was followed from here before. */
static bool arrive(struct flow *flow, struct way *way, size_t index)
{
    struct flow_fact there;

    if (is_tail(flow, way, index)) {
        flow_enter(flow, flow->function_at[index]);
        wait_for(flow, flow->function_at[index], (struct flow_wait){.owner = way->owner});
        return false;
    }
    if (!flow_has(flow->reached, index)) {
        flow->fact_at[index] = fact_of(flow, way);
        flow_add(flow->reached, index);
        flow_add(flow->closed, index);
        return true;
    }
    there = flow->fact[flow->fact_at[index]];
    if (there.owner != way->owner)
        wait_for(flow, there.owner, (struct flow_wait){.owner = way->owner});
    if (!merge(&there.state, &way->state))
        return false;
    flow->fact_at[index] = flow_add_fact(flow, &there.state, there.owner);
    way->state = there.state;
    way->fact = there.owner == way->owner ? flow->fact_at[index] : 0;
    return true;
}

/* A call through t0 of a routine that saves registers for its caller: applies the routine's effect
 * on the frame. */
static void follow_link(const struct flow *flow, struct way *way, uint64_t target)
{
    way->fact = 0;
    for (unsigned i = 0; i < LINK_STEPS; i++) {
        struct insn insn;

        if (!flow_insn(flow, target, &insn))
            break;
        if (insn_info[insn.op].kind == KIND_JALR && insn.rs1 == UNWIND_T0)
            return;
        frame_step(&way->state, &way->constants, &insn, target, flow->image->xlen);
        if (insn_info[insn.op].kind == KIND_JAL)
            target += (uint64_t)(int64_t)insn.imm;
        else if (insn_info[insn.op].kind == KIND_BRANCH)
            break;
        else
            target += insn.length;
    }
    way->is_at_end = true;
}

/* Continues after a call, but not into another function. */
static void come_back(const struct flow *flow, struct way *way, uint64_t back)
{
    size_t index;

    way->constants.known = 0;
    way->pc = back;
    way->is_at_end = (flow_index(flow, back, &index) && flow_has(flow->starting, index)) ||
                     flow_is_prologue(flow, back);
}

/* A call of a known target: the path continues after it when the target returns. */
static void call(struct flow *flow, struct way *way, uint64_t target, uint64_t back)
{
    uint32_t function;

    come_back(flow, way, back);
    if (way->is_at_end || !flow_function_at(flow, target, &function))
        return;
    flow->function[function].is_called = true;
    flow_enter(flow, function);
    way->is_at_end = true;
    wait_for(flow, function, (struct flow_wait){.address = back, .fact = fact_of(flow, way)});
}

/* True if the target belongs to another function: a called function starts between the path's own
 * start and the target, or the target lies before both. */
static bool is_elsewhere(const struct flow *flow, const struct way *way, uint64_t target)
{
    uint64_t own = flow->function[way->owner].address;
    size_t index, first;

    if (!flow_index(flow, target, &index) || !flow_index(flow, own, &first))
        return false;
    for (size_t i = index; i > first; i--)
        if (flow_has(flow->starting, i) && flow->function[flow->function_at[i]].is_called)
            return true;
    return index < first;
}

/* Without symbols, the target of a jump that leaves no frame counts as the start of a function. */
static void note_tail_call(struct flow *flow, const struct way *way, uint64_t target)
{
    uint32_t function;

    if (!flow->is_named && is_fresh(&way->state) && is_elsewhere(flow, way, target) &&
        flow_function_at(flow, target, &function))
        flow->function[function].is_called = true;
}

static void jump(struct flow *flow, struct way *way, unsigned rd, uint64_t target, uint64_t back)
{
    if (rd == UNWIND_RA) {
        call(flow, way, target, back);
    } else if (rd == UNWIND_T0) {
        follow_link(flow, way, target);
        way->pc = back;
    } else {
        note_tail_call(flow, way, target);
        way->constants.known = 0;
        way->pc = target;
    }
}

/* A jump through a register of unknown value: a return, a call, one of several places, or a tail
 * call. */
static void jump_anywhere(struct flow *flow, struct way *way, const struct insn *insn,
                          size_t index)
{
    if (insn->rd == UNWIND_RA || insn->rd == UNWIND_T0) {
        come_back(flow, way, way->pc + insn->length);
        return;
    }
    way->is_at_end = true;
    if (insn->rs1 != UNWIND_RA && insn->rd >= 32)
        flow_add(flow->dispatching, index);
    if (insn->rs1 == UNWIND_RA || is_fresh(&way->state))
        note_return(flow, way->owner);
}

/* `base`: the register's value before the instruction; NULL: unknown. */
static void jump_register(struct flow *flow, struct way *way, const struct insn *insn,
                          size_t index, const uint64_t *base)
{
    if (base != NULL)
        jump(flow, way, insn->rd, *base + (uint64_t)(int64_t)insn->imm, way->pc + insn->length);
    else
        jump_anywhere(flow, way, insn, index);
}

/* Ends the path: after a trap return, or an instruction meant to trap, nothing follows. */
static void leave(struct flow *flow, struct way *way, const struct insn *insn)
{
    bool is_return = insn->op == OP_mret || insn->op == OP_sret;
    size_t next;

    if (is_return)
        flow->function[way->owner].is_root = true;
    way->pc += insn->length;
    way->is_at_end = is_return || (insn->op == OP_ebreak && flow_index(flow, way->pc, &next) &&
                                   (flow_has(flow->starting, next) ||
                                    flow_is_prologue(flow, way->pc)));
}

static void follow_insn(struct flow *flow, struct way *way, const struct insn *insn, size_t index)
{
    enum insn_kind kind = insn_info[insn->op].kind;
    uint64_t target = way->pc + (uint64_t)(int64_t)insn->imm, base = 0;
    bool has_base = insn->rs1 != 0 && insn->rs1 < 32 &&
                    (way->constants.known >> insn->rs1 & 1) != 0;

    if (has_base)
        base = way->constants.value[insn->rs1];
    if (insn->length == 4)
        flow_add(flow->closed, index + 1);
    if (frame_step(&way->state, &way->constants, insn, way->pc, flow->image->xlen))
        way->fact = 0;
    if (kind == KIND_JAL) {
        jump(flow, way, insn->rd, target, way->pc + insn->length);
    } else if (kind == KIND_JALR) {
        jump_register(flow, way, insn, index, has_base ? &base : NULL);
    } else if (kind == KIND_SYSTEM) {
        leave(flow, way, insn);
    } else {
        if (kind == KIND_BRANCH) {
            flow_push(flow, target, fact_of(flow, way));
            way->constants.known = 0;
        }
        way->pc += insn->length;
        way->is_at_end = insn->bits == UNIMP;
    }
}

void flow_run(struct flow *flow)
{
    while (flow->works != 0) {
        const struct flow_work *work = &flow->work[--flow->works];
        const struct flow_fact *fact = &flow->fact[work->fact];
        const struct flow_piece *piece;
        struct way way;                 /* values of unknown constants stay as they are */
        struct insn insn;

        way.pc = work->address;
        way.owner = fact->owner;
        way.state = fact->state;
        way.fact = work->fact;
        way.constants.known = 0;
        way.is_at_end = false;
        while (!way.is_at_end && (piece = flow_piece_at(flow, way.pc)) != NULL &&
               arrive(flow, &way, flow_place(piece, way.pc)) &&
               flow_insn_of(flow, piece, way.pc, &insn))
            follow_insn(flow, &way, &insn, flow_place(piece, way.pc));
    }
}
