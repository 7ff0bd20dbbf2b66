/* A floating-point unit after an in-order integer pipeline (c906.fp_place). FP instructions,
 * including FP loads and stores, issue when their integer operands are available, and go to a place
 * in front of the unit. There an instruction waits for its FP operands, for the write of an older
 * result to its destination, and for the unit. Integer instructions issue meanwhile; the next FP
 * instruction issues when the place is free.
 *
 * The unit is an in-order pipeline. A result leaves it after as many stages as the operation takes
 * cycles, through one write port. The port serves loads first, then the divider, then older
 * operations. A refused operation stays in its stage and holds the instructions after it. So a load
 * that issues now can delay results of older operations, which are computed again. Results for
 * integer registers are written a cycle after they leave, through the port of c906_ports.c when
 * that is shared.
 *
 * A result can be used in the cycle in which it is written. Another may be written to the same
 * register from the next cycle on, or in the same cycle if the old one was loaded.
 * Source: C906, aq_vidu_vid_ctrl_fp.v, aq_vidu_vid_split_fp.v, aq_vpu_viq_dp.v,
 * aq_vpu_fwd_wb_rbus.v. */
#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"

static const struct inorder_wait wait_for_place = {EVENT_SLOTS_OPERAND, EVENT_LOST_OPERAND,
                                                   EVENT_CPI_FP};

static struct c906_fp_op *op_at(struct c906_fp *fp, uint32_t number)
{
    return &fp->op[number % FP_OPS];
}

static bool writes_integer(const struct c906_fp_op *op)
{
    return op->rd < REG_F0 || op->rd == REG_SINK;
}

bool c906_fp_need(struct core *core, const struct uop *uop)
{
    struct c906_fp *fp = &core->model->fp;
    const struct c906_fp_op *last = op_at(fp, fp->count - 1);
    if ((uop->flags & UOP_FP) == 0 || last->from < core->now || last->from == last->issued)
        return true;
    inorder_wait(core->inorder, last->from + 1, wait_for_place);
    return false;
}

/* ---- the way of an operation ----------------------------------------------------------------- */

/* True if an operation before `number`, or a load, writes an FP register in the cycle. */
static bool is_port_taken(struct c906_fp *fp, uint32_t number, uint64_t cycle)
{
    for (unsigned i = 0; i < FP_LOADS; i++)
        if (fp->load_writes[i] == cycle)
            return true;
    for (uint32_t i = number - FP_OPS + 1; i != number; i++) {
        const struct c906_fp_op *op = op_at(fp, i);
        if (op->result == cycle && op->way != FP_ACCESS && !writes_integer(op))
            return true;
    }
    return false;
}

/* The cycle after the last older result for the register has been written; 0: there is none. */
static uint64_t older_result(struct c906_fp *fp, uint32_t number, unsigned rd)
{
    for (uint32_t i = number - 1; i != number - FP_OPS; i--)
        if (op_at(fp, i)->rd == rd && op_at(fp, i)->way != FP_ACCESS)
            return op_at(fp, i)->result + 1;
    return 0;
}

/* The cycle in which the operation leaves its place for the first stage. */
static uint64_t leaves_place(const struct core *core, struct c906_fp *fp, uint32_t number)
{
    const struct c906_fp_op *op = op_at(fp, number);
    uint64_t from = later(op->issued + 1, op->before.free[1]) - 1;
    for (unsigned i = 0; i < FP_SOURCES; i++)
        from = later(from, core->inorder->ready[op->source[i]]);
    if (op->rd < REG_F0 || op->rd == REG_SINK)
        return from;
    return later(later(from, op->load_written), older_result(fp, number, op->rd));
}

static void divide(struct c906_fp *fp, uint32_t number)
{
    struct c906_fp_op *op = op_at(fp, number);
    uint64_t start = later(op->from + 1, fp->state.free[0]);
    op->result = start - 1 + op->cycles;
    while (is_port_taken(fp, number, op->result))
        op->result++;
    fp->state.free[0] = op->result + 1;
    fp->state.free[1] = start + 1;
}

static void run_through(struct c906_fp *fp, uint32_t number)
{
    struct c906_fp_op *op = op_at(fp, number);
    uint32_t last = op->cycles < FP_STAGES ? op->cycles : FP_STAGES;
    uint64_t at = op->from + 1;
    for (uint32_t stage = 2; stage <= last; stage++) {
        at = later(at + 1, op->before.free[stage]);
        fp->state.free[stage - 1] = at;
    }
    at = later(at + op->cycles - last, op->not_before);
    while (!writes_integer(op) && is_port_taken(fp, number, at))
        at++;
    fp->state.free[last] = at + 1;
    op->result = at;
    fp->latest = later(fp->latest, at);
}

/* Computes the ways of the operations from `number` on again. */
static void run_from(struct core *core, uint32_t number)
{
    struct c906_fp *fp = &core->model->fp;
    fp->state = op_at(fp, number)->before;
    for (; number != fp->count; number++) {
        struct c906_fp_op *op = op_at(fp, number);
        op->before = fp->state;
        if (op->from >= core->now)
            op->from = leaves_place(core, fp, number);
        if (op->way == FP_ACCESS) {
            fp->state.free[1] = op->from + 2;
            continue;
        }
        op->way == FP_DIVIDER ? divide(fp, number) : run_through(fp, number);
        c906_comes(core, op->seq, op->rd, op->result + writes_integer(op));
    }
}

/* A load writes in the cycle, so a result of an operation that is due then waits. */
static void give_way(struct core *core, uint64_t cycle)
{
    struct c906_fp *fp = &core->model->fp;
    fp->load_writes[fp->loads++ % FP_LOADS] = cycle;
    for (uint32_t i = fp->count - FP_OPS; i != fp->count; i++) {
        const struct c906_fp_op *op = op_at(fp, i);
        if (op->result == cycle && op->way != FP_ACCESS && !writes_integer(op)) {
            run_from(core, i);
            return;
        }
    }
}

void c906_fp_refuse(struct core *core, uint64_t ready)
{
    struct c906_fp *fp = &core->model->fp;
    if (fp->latest + 1 < ready)
        return;
    for (uint32_t i = fp->count - FP_OPS; i != fp->count; i++) {
        struct c906_fp_op *op = op_at(fp, i);
        if (op->result + 1 == ready && op->way == FP_PIPELINE && writes_integer(op)) {
            op->not_before = ready;
            run_from(core, i);
            return;
        }
    }
}

/* A load found a store whose data are due in cycle `data`; without the wait for them it would
 * complete in cycle `ready`. It is retried after the data, two cycles after the lookup that finds
 * them. */
static uint64_t after_data(uint64_t data, uint64_t ready)
{
    return ready > data + 2 ? ready : data + 4;
}

uint64_t c906_fp_forwarded(struct core *core, const struct uop *uop, const struct store *store,
                              uint64_t ready)
{
    uint64_t data = store->data_ready - 1;
    if ((uop->flags & UOP_FP) == 0)
        return after_data(data, ready);
    core->model->fp.data = data;
    return ready;
}

/* ---- issue ----------------------------------------------------------------------------------- */

static uint64_t load_written(const struct core *core, const struct uop *uop)
{
    const struct inorder *inorder = core->inorder;
    unsigned rd = uop->insn.rd;
    bool is_loaded = rd != REG_SINK && inorder->producer[rd].unit_class == CLASS_LOAD;
    return is_loaded && uop->kind != KIND_LOAD ? inorder->ready[rd] : 0;
}

/* The data cache tries a load every other cycle until the load has left its place. */
static uint64_t tried_again(struct core *core, uint64_t waited)
{
    uint64_t cycles = (waited + 1) / 2 * 2;
    if (cycles != 0)
        core->model->memory_free = core->now + cycles + 1;
    return cycles;
}

uint64_t c906_fp_issue(struct core *core, const struct uop *uop, uint64_t seq, uint64_t ready,
                          uint32_t cycles)
{
    struct c906_fp *fp = &core->model->fp;
    uint32_t number = fp->count++;
    struct c906_fp_op *op = op_at(fp, number);
    bool is_store = uop->kind == KIND_STORE;
    bool is_iterative = uop->latency == LAT_FDIV || uop->latency == LAT_FSQRT;
    core->inorder->divider_free[1] = 0;         /* users of the result wait in the place */
    *op = (struct c906_fp_op){
        .seq = seq, .issued = core->now, .from = core->now, .rd = uop->insn.rd,
        .way = uop->kind != KIND_FP ? FP_ACCESS : is_iterative ? FP_DIVIDER : FP_PIPELINE,
        .cycles = (uint16_t)(cycles != 0 ? cycles : core->latency[uop->latency]),
        .load_written = load_written(core, uop), .before = fp->state,
        .source = {uop->insn.rs1, is_store ? 0 : uop->insn.rs2, uop->insn.rs3},
    };
    run_from(core, number);
    if (op->way != FP_ACCESS)
        return op->result + writes_integer(op);
    if (is_store)
        return ready;
    op->result = ready + tried_again(core, op->from - op->issued);
    if (fp->data != 0)
        op->result = after_data(fp->data, op->result);
    fp->data = 0;
    give_way(core, op->result);
    return op->result;
}

void c906_fp_forget(struct core *core, uint64_t seq)
{
    struct c906_fp *fp = &core->model->fp;
    struct c906_fp_op *last = op_at(fp, fp->count - 1);
    if (fp->count == 0 || last->seq != seq)
        return;
    fp->state = last->before;
    if (last->way == FP_ACCESS && last->rd != REG_SINK)
        fp->load_writes[--fp->loads % FP_LOADS] = 0;
    *last = (struct c906_fp_op){.seq = NEVER, .rd = REG_SINK};
    fp->count--;
}
