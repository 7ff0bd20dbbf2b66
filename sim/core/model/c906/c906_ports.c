/* One port for integer results (c906.shared_port). Operations of one cycle write when they
 * complete; products, quotients, and FP results for integer registers use the port only in a cycle
 * without such a write.
 *
 * A product can be used while it waits for the port; meanwhile it holds the next product, and
 * instructions that write the same register. Quotients and FP results can be used when they are
 * written.
 * Source: C906, aq_rtu_rbus.v, aq_rtu_wb.v, aq_iu_mul.v (mul_ex3_stall). */
#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"

void c906_comes(struct core *core, uint64_t seq, unsigned rd, uint64_t ready)
{
    struct inorder *inorder = core->inorder;
    if (rd == REG_SINK || seq >= core->dispatch_seq)    /* the issuing instruction receives the
                                                         * answer itself */
        return;
    if (core->last_writer[rd] == seq)
        inorder->ready[rd] = ready;
    if (seq >= core->commit_seq)
        core_uop(core, seq)->complete_cycle = ready;
}

/* An operation of one cycle issues now, and takes the port in the next cycle. */
static void take_port(struct core *core)
{
    struct c906_ports *ports = &core->model->ports;
    struct c906_product *product = ports->product;
    uint64_t cycle = core->now + 1;
    if (product[0].written == cycle) {
        product[0].written++;
        if (product[1].ready == product[0].written) {
            product[1].ready++;
            product[1].written++;
            c906_comes(core, product[1].seq, product[1].rd, product[1].ready);
        }
    } else if (product[1].written == cycle) {
        product[1].written++;
    }
    if (ports->quotient.ready == cycle + 1)
        c906_comes(core, ports->quotient.seq, ports->quotient.rd, ++ports->quotient.ready);
    if (core_config(core)->c906_fp_place)
        c906_fp_refuse(core, cycle + 1);
}

bool c906_ports_need(struct core *core, const struct uop *uop, unsigned class)
{
    struct inorder *inorder = core->inorder;
    unsigned rd = uop->insn.rd;
    if (class == INORDER_MUL || rd == REG_SINK)
        return true;
    for (unsigned i = 0; i < PRODUCTS; i++) {
        const struct c906_product *product = &core->model->ports.product[i];
        if (product->rd == rd && product->written >= core->now &&
            core->last_writer[rd] == product->seq) {
            inorder_wait(inorder, product->written + 1, inorder_wait_for(inorder->producer[rd]));
            return false;
        }
    }
    return true;
}

static uint64_t push_product(struct core *core, const struct uop *uop, uint64_t seq,
                             uint64_t ready)
{
    struct c906_product *product = core->model->ports.product;
    ready = later(ready, product[1].written + 1);
    product[0] = product[1];
    product[1] = (struct c906_product){seq, ready, ready, uop->insn.rd};
    return ready;
}

uint64_t c906_ports_issue(struct core *core, const struct uop *uop, uint64_t seq,
                             unsigned class, uint64_t ready)
{
    if (class == INORDER_INT || (class == INORDER_BRANCH && uop->insn.rd != REG_SINK))
        take_port(core);
    else if (class == INORDER_MUL)
        return push_product(core, uop, seq, ready);
    else if (class == INORDER_DIV)
        core->model->ports.quotient = (struct c906_quotient){seq, ready, uop->insn.rd};
    return ready;
}

/* The instruction at seq is undone: it writes nothing. */
void c906_ports_forget(struct core *core, uint64_t seq)
{
    struct c906_ports *ports = &core->model->ports;
    if (ports->product[1].seq == seq && ports->product[1].ready != 0) {
        ports->product[1] = ports->product[0];
        ports->product[0] = (struct c906_product){.rd = REG_SINK};
    }
    if (ports->quotient.seq == seq)
        ports->quotient = (struct c906_quotient){.rd = REG_SINK};
}
