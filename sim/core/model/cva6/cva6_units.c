/* Units of CVA6 that are not free in every cycle.
 *
 *   write_ports: integer units share the ports by which results are written.
 *   divide_holds: the divider shares its port with them, too.
 *   alu_bypass: the second integer unit takes over the result of the first.
 * Source: CVA6, issue_read_operands.sv, ex_stage.sv (flu_ready). */
#include <stdlib.h>

#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/lsu/late_loads.h"
#include "sim/core/pipe/latency.h"

static const struct inorder_wait wait_for_port = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                  EVENT_CPI_INT};
static const struct inorder_wait wait_for_csr = {EVENT_SLOTS_SERIAL, 0, EVENT_CPI_SERIAL};

/* Loads that are late ask for their line by themselves. */
struct model *cva6_new(struct core *core)
{
    const struct config *settings = core_config(core);
    if (settings->cva6_write_ports != 0 || settings->cva6_csr_buffer || settings->cva6_divide_holds)
        core->inorder->plain = 0;
    if (settings->cva6_late_miss) {
        late_loads_free(core->late);
        core->late = NULL;
    }
    return calloc(1, sizeof(struct model));
}

void cva6_free(struct model *model)
{
    free(model);
}

static bool writes_integer(unsigned class)
{
    return class == INORDER_INT || class == INORDER_MUL || class == INORDER_DIV ||
           class == INORDER_BRANCH;
}

/* The number of results written in the cycle. A longer operation takes its port beforehand. */
static uint32_t *write_slot(struct model *model, uint64_t cycle)
{
    unsigned slot = (unsigned)(cycle % CVA6_WRITE_SLOTS);
    if (model->writes[slot].cycle != cycle) {
        model->writes[slot].cycle = cycle;
        model->writes[slot].count = 0;
    }
    return &model->writes[slot].count;
}

void cva6_take_port(struct core *core, uint64_t cycle)
{
    if (core_config(core)->cva6_write_ports != 0)
        ++*write_slot(core->model, cycle);
}

static bool wait_until(struct core *core, uint64_t cycle, struct inorder_wait cause)
{
    inorder_wait(core->inorder, cycle, cause);
    return false;
}

bool cva6_may_start(struct core *core, const struct uop *uop, unsigned class)
{
    const struct inorder *inorder = core->inorder;
    const struct config *settings = core_config(core);
    if (!writes_integer(class))
        return true;
    bool has_own_port = class == INORDER_INT &&
                        inorder->group.used[class] + 1u < settings->cva6_write_ports;
    if (cva6_csr_is_pending(core) && !has_own_port)
        return wait_until(core, NEVER, wait_for_csr);
    if (settings->cva6_divide_holds && inorder->divider_free[0] > core->now && !has_own_port)
        return wait_until(core, inorder->divider_free[0], inorder_wait_divider);
    if (settings->cva6_write_ports != 0 && class != INORDER_DIV &&
        *write_slot(core->model, core->now + core->latency[uop->latency]) >=
            settings->cva6_write_ports)
        return wait_until(core, core->now + 1, wait_for_port);
    return true;
}

/* The divider gives back its shared port in the cycle after that of its result. */
uint64_t cva6_ends(struct core *core, struct uop *uop, unsigned class)
{
    if (class == INORDER_DIV && core_config(core)->cva6_divide_holds) {
        core->inorder->divider_free[0]++;
        unit_count_more(core, uop, 1);
    } else if (class != INORDER_DIV && writes_integer(class)) {
        cva6_take_port(core, uop->complete_cycle);
    }
    return uop->complete_cycle;
}

/* ---- one unit after the other in a cycle ----------------------------------------------------- */

static uint64_t bypassed(const struct core *core)
{
    return core->model->bypass_cycle == core->now ? core->model->bypass : 0;
}

uint64_t cva6_slack(const struct core *core, const struct uop *uop, unsigned reg, uint64_t slack)
{
    bool takes_over = reg < REG_F0 && (bypassed(core) >> reg & 1) != 0 &&
                      inorder_is_late_capable(uop);
    return takes_over ? NEVER >> 1 : slack;
}

void cva6_issued(struct core *core, struct uop *uop)
{
    const uint64_t *ready = core->inorder->ready;
    uint64_t bit = uop->insn.rd < REG_F0 ? UINT64_C(1) << uop->insn.rd : 0;
    uint64_t bypass = bypassed(core) & ~bit;
    if (inorder_is_late_capable(uop) && ready[uop->insn.rs1] <= core->now &&
        ready[uop->insn.rs2] <= core->now)
        bypass |= bit;
    core->model->bypass = bypass;
    core->model->bypass_cycle = core->now;
}
