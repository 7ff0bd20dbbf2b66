/* A data cache that serves one load at a time (cva6.late_miss). While a load misses, the next one
 * waits in front of the cache, and so does a third that was issued right after it; then loads and
 * stores wait at issue. Loads that wait, and loads that miss and have not asked memory yet, are
 * late: the cycle of their completion is not known. A request of fetch to memory that comes before
 * theirs is served before them.
 *
 * With cva6.cancelled_loads a late load that issued beside a mispredicted branch is undone, but its
 * access goes on: its line arrives, and the instructions after the branch commit only after that.
 * The same holds for a load from an address without memory, as through the null pointer that ends a
 * loop.
 * Source: CVA6, wt_dcache_ctrl.sv, lsu_bypass.sv. */
#include "isa/trap.h"
#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"

bool cva6_has_room(struct core *core)
{
    const struct model *model = core->model;
    if (model->late_until < core->now || core->now == model->late_held + 1)
        return true;
    inorder_wait(core->inorder, model->late_until == NEVER ? NEVER : model->late_until + 1,
                 inorder_wait_loads);
    return false;
}

/* For a load looked up in cycle `at`: the cycle in which the cache takes the next one. */
static uint64_t free_after(const struct core *core, uint64_t at, uint64_t ready)
{
    return ready > at + core_config(core)->latency_load ? ready - 1 : at + 1;
}

/* The cycle in which the cache looks up a load that comes to its front now. */
static uint64_t looked_up_at(const struct core *core)
{
    const struct model *model = core->model;
    return model->late_count != 0 ? NEVER : later(model->late_from, core->now);
}

static void push_late(struct core *core, struct cva6_late late)
{
    struct model *model = core->model;
    uint64_t at = late.at = looked_up_at(core);
    model->late[model->late_count++] = late;
    if (at == core->now)
        return;
    if (model->late_until < core->now)
        model->late_held = core->now;
    model->late_until = at == NEVER ? NEVER : at + 1;
}

void cva6_load(struct core *core, struct uop *uop, uint64_t *place, uint64_t *ready)
{
    struct model *model = core->model;
    struct mem_response response;
    bool waits = model->late_count != 0 || model->late_from > core->now;
    if (!waits && memsys_find_dframe(core->mem, uop->pa) != MEM_NO_FRAME &&
        inorder_read(core, uop, false, &response)) {
        *ready = response.ready;
        inorder_start_load(core, uop, place, response.level, *ready);
        model->late_from = free_after(core, core->now, *ready);
        return;
    }
    push_late(core, (struct cva6_late){.seq = core->dispatch_seq, .place = place});
    *place = NEVER;
    uop->level = (uint8_t)memsys_probe(core->mem, uop->pa);
    *ready = NEVER;
}

/* ---- late loads ------------------------------------------------------------------------------ */

static void complete(struct core *core, const struct cva6_late *late,
                     const struct mem_response *response)
{
    struct inorder *inorder = core->inorder;
    struct model *model = core->model;
    struct uop *uop = core_uop(core, late->seq);
    unsigned rd = uop->insn.rd;
    inorder_start_load(core, uop, late->place, response->level, response->ready);
    uop->complete_cycle = response->ready;
    if (rd != REG_SINK && core->last_writer[rd] == late->seq) {
        inorder->ready[rd] = response->ready;
        inorder->producer[rd].level = uop->level;
    }
    model->late_from = free_after(core, core->now, response->ready);
}

/* Nothing is left of a cancelled load but its access. */
static void complete_cancelled(struct core *core, const struct mem_response *response)
{
    core->recover_until = later(core->recover_until, response->ready + 1);
    core->model->late_from = free_after(core, core->now, response->ready);
}

/* Takes the oldest late load one step further. True: it is no longer late. */
static bool advance(struct core *core, struct cva6_late *late)
{
    bool is_cancelled = late->seq == NEVER;
    struct uop cancelled = {.pa = late->pa, .pc = late->pc, .access_bytes = 1};
    struct uop *uop = is_cancelled ? &cancelled : core_uop(core, late->seq);
    struct mem_response response;
    if (!is_cancelled && uop->complete_cycle != NEVER) {            /* it traps */
        *late->place = core->now;
        core->model->late_from = core->now;
        return true;
    }
    if (late->due == 0 && (late->is_outside ||
                           memsys_find_dframe(core->mem, uop->pa) == MEM_NO_FRAME)) {
        late->due = late->at + core_config(core)->latency_load + core->config->l1d_miss_cycles;
        return false;
    }
    if (late->is_outside) {
        response.ready = memsys_load_past(core->mem, late->pa, sizeof(uint64_t), core->now);
    } else if (!inorder_read(core, uop, late->due != 0, &response)) {
        *(late->due != 0 ? &late->due : &late->at) = core->now + 1;
        return false;
    }
    if (is_cancelled)
        complete_cancelled(core, &response);
    else
        complete(core, late, &response);
    return true;
}

static uint64_t next_step(const struct cva6_late *late)
{
    return late->due != 0 ? late->due : late->at;
}

/* If two or more loads are left, it is not known how long the last one waits. */
static void set_until(struct model *model)
{
    model->late_until = model->late_count == 0   ? 0
                          : model->late_count == 1 ? model->late[0].at + 1 : NEVER;
}

static void take_out(struct model *model, uint32_t number)
{
    model->late_count--;
    for (uint32_t i = number; i < model->late_count; i++)
        model->late[i] = model->late[i + 1];
}

static void drop_oldest(struct model *model)
{
    take_out(model, 0);
    if (model->late_count == 0)
        return;                         /* the load that waited is still before the cache */
    model->late[0].at = model->late_from;
    set_until(model);
}

void cva6_late_step(struct core *core)
{
    struct model *model = core->model;
    while (model->late_count != 0 && next_step(&model->late[0]) <= core->now) {
        core->active = true;
        if (advance(core, &model->late[0]))
            drop_oldest(model);
    }
}

uint64_t cva6_late_next(const struct model *model)
{
    return model->late_count != 0 ? next_step(&model->late[0]) : NEVER;
}

bool cva6_is_late(const struct core *core, const struct uop *uop)
{
    const struct model *model = core->model;
    for (uint32_t i = 0; i < model->late_count; i++)
        if (model->late[i].seq != NEVER && core_uop(core, model->late[i].seq) == uop)
            return true;
    return false;
}

/* True if the load issued together with a mispredicted branch right before it. */
static bool is_beside_branch(const struct core *core, uint64_t seq)
{
    const struct uop *before = core_uop(core, seq - 1);
    return seq > core->commit_seq && (before->flags & UOP_MISPREDICTED) != 0 &&
           before->dispatch_cycle == core_uop(core, seq)->dispatch_cycle;
}

void cva6_trapped(struct core *core, const struct uop *uop, uint64_t seq)
{
    struct inorder *inorder = core->inorder;
    struct model *model = core->model;
    const struct uop *before = core_uop(core, seq - 1);
    if (!core_config(core)->cva6_cancelled_loads || uop->trap != TRAP_LOAD_ACCESS ||
        seq == core->commit_seq || (before->flags & UOP_MISPREDICTED) == 0 ||
        before->dispatch_cycle != core->now || inorder->ready[uop->insn.rs1] > core->now ||
        model->late_until >= core->now)
        return;
    push_late(core, (struct cva6_late){.seq = NEVER, .pa = uop->va, .pc = uop->pc,
                                     .is_outside = true});
}

void cva6_late_forget(struct core *core, const struct uop *uop)
{
    struct model *model = core->model;
    uint32_t number = model->late_count;
    while (number != 0 && model->late[number - 1].seq == NEVER)
        number--;                       /* cancelled loads, which are younger */
    struct cva6_late *late = &model->late[number == 0 ? 0 : number - 1];
    if (number == 0 || core_uop(core, late->seq) != uop)
        return;
    if (core_config(core)->cva6_cancelled_loads != 0 && is_beside_branch(core, late->seq)) {
        *late = (struct cva6_late){.seq = NEVER, .place = late->place, .at = late->at,
                                      .due = late->due, .pa = uop->pa, .pc = uop->pc};
        *late->place = core->now;
        return;
    }
    *late->place = 0;
    take_out(model, number - 1);
    model->late_from = later(model->late_from, core->now);
    if (number == 1 && model->late_count != 0)
        late->at = model->late_from;
    set_until(model);
}
