/* Fetch by rows (biriscv.rows): the buffer between fetch and issue holds whole blocks (rows), and a
 * misprediction is noticed when the row at the head of the buffer is not the expected one.
 *
 * A misprediction therefore waits until there is a row. Fetch takes the right address in the cycle
 * of the notice, with these exceptions:
 *   - When the buffer is full, fetch takes it a cycle later.
 *   - When the buffer was full until a cycle ago, fetch has its next address already. It brings
 *     that row first, which is noticed as a second misprediction.
 *   - When a line is in flight, fetch waits for it, and then brings the right row twice. The second
 *     copy is noticed as a misprediction after the first.
 * With biriscv.lookup = row the predictor learns of a misprediction when it is noticed. If that is
 * not in the cycle after its issue, the predictor learns of the first of the instructions that
 * issued last, which need not be a branch (bpred/rows.c).
 * Source: biRISC-V, biriscv_fetch.v, biriscv_decode.v (fetch_fifo), biriscv_issue.v,
 * biriscv_npc.v. */
#include "pmu/event.h"
#include "sim/core/inorder/inorder.h"
#include "sim/core/pipe/snapshot.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/port.h"

/* The number of rows in the buffer that have not issued completely. */
static uint32_t count_rows(const struct core *core)
{
    uint64_t last = NEVER;
    uint32_t rows = 0;
    for (uint64_t seq = core->dispatch_seq; seq < core->model->row_end; seq++) {
        uint64_t cycle = core_uop(core, seq)->fetch_cycle;
        rows += cycle != last;
        last = cycle;
    }
    return rows;
}

/* Called at the end of a cycle. The buffer takes the row that the cache answers if the buffer had
 * room at the start of the cycle; otherwise the row waits in front of it. */
bool biriscv_may_fetch(struct core *core)
{
    struct model *model = core->model;
    uint64_t end = model->row_end;
    bool is_full = model->rows_held >= core_config(core)->biriscv_rows;
    if (end < core->dispatch_seq)
        end = core->dispatch_seq;
    if (!is_full && end < core->fetch_seq) {
        uint64_t cycle = core_uop(core, end)->fetch_cycle;
        while (cycle + core_config(core)->fetch_stages <= core->now && end < core->fetch_seq &&
               core_uop(core, end)->fetch_cycle == cycle)
            end++;
    }
    core->active |= model->row_end != end || (!is_full && end < core->fetch_seq);
    model->row_end = end;
    uint32_t held = count_rows(core), before = model->rows_held;
    core->active |= held != before || before != model->rows_before;
    model->rows_before = before;
    model->rows_held = held;
    model->rows_cycle = core->now + 1;
    return !is_full;
}

void biriscv_squashed(struct core *core)
{
    core->model->repeats_row = core->model->is_noticed_late = false;
    core->model->row_then = NEVER;
    core->model->rows_held = 0;
    if (core->model->row_end > core->fetch_seq)
        core->model->row_end = core->fetch_seq;
}

void biriscv_fetched(struct core *core, uint64_t pc, uint64_t first)
{
    struct model *model = core->model;
    if (core->fetch_seq == first || core->fetch_blocked)
        return;
    if (model->row_then != NEVER) {
        core->fetch_pc = model->row_then;
        model->row_then = NEVER;
    } else if (model->repeats_row) {
        struct uop *uop = core_uop(core, core->fetch_seq - 1);
        model->repeats_row = false;
        if (uop->flags & UOP_SERIAL)
            return;
        uop->flags |= UOP_REPEATED;
        core->fetch_pc = pc;
    }
}

/* ---- mispredictions -------------------------------------------------------------------------- */

/* Trains the target buffer with the first of the instructions that issued with the one at `seq`. */
static void learn_late(struct core *core, uint64_t seq)
{
    const struct uop *uop = core_uop(core, seq);
    if (seq != 0 && core_uop(core, seq - 1)->dispatch_cycle == uop->dispatch_cycle)
        uop = core_uop(core, seq - 1);
    if (core->config->part_lookup != 0)
        bpred_row_late(core->bpred, core->now, uop->pc,
                       uop->flags & UOP_CONTROL ? uop->next_pc : uop->pc + uop->insn.length);
}

/* Trains the predictor with a misprediction that is noticed at once, or late. */
static void learn(struct core *core, uint64_t seq, bool is_late)
{
    const struct uop *uop = core_uop(core, seq);
    if (is_late || (uop->flags & UOP_CONTROL) == 0)
        learn_late(core, seq);
    else
        bpred_correct(core->bpred, uop->pc, &uop->insn, uop->kind, core_snapshot(core, uop),
                      (uop->events & EVENT_BIT(BRANCHES_TAKEN)) != 0, uop->next_pc);
}

/* Notices the misprediction in a later cycle; the mispredicted instruction stays in flight until
 * then. */
static void notice_later(struct core *core, const struct redirect *redirect, uint64_t cycle)
{
    struct uop *uop = core_uop(core, redirect->keep);
    core->model->is_noticed_late = true;
    core->inorder->stalled_until = 0;
    if (uop->complete_cycle < cycle) {
        uop->complete_cycle = cycle;
        if (uop->insn.rd != REG_SINK && core->last_writer[uop->insn.rd] == redirect->keep)
            core->inorder->ready[uop->insn.rd] = cycle;
    }
    core->redirect_next = NEVER;
    redirect_schedule(core, cycle, redirect->keep, redirect->pc, false);
}

/* Fetch first brings one more row, from its present address. */
static void go_astray(struct core *core, const struct redirect *redirect, bool is_late)
{
    uint64_t stages = core_config(core)->fetch_stages + core_config(core)->decode_stages;
    squash_after(core, redirect->keep, core->fetch_pc, SQUASH_BRANCH);
    learn(core, redirect->keep, is_late);
    core->fetch_stall_until = core->now;
    core->model->row_then = redirect->pc;
    notice_later(core, redirect, core->now + stages);
}

static void notice(struct core *core, const struct redirect *redirect)
{
    struct model *model = core->model;
    uint32_t rows = core_config(core)->biriscv_rows, held = model->rows_held;
    uint32_t before = model->rows_cycle == core->now ? model->rows_before : held;
    bool is_filling = core->fetch_cause == EVENT_LOST_ICACHE, is_late = model->is_noticed_late;
    if (held == 0 && !core->fetch_blocked) {
        notice_later(core, redirect, core->now + 1);
        return;
    }
    if (!is_filling && held < rows && before >= rows) {
        go_astray(core, redirect, is_late);
        return;
    }
    uint64_t filled = core->fetch_stall_until > core->now ? core->fetch_stall_until : core->now;
    redirect_take(core, redirect);
    if (is_late || (core_uop(core, redirect->keep)->flags & UOP_CONTROL) == 0)
        learn_late(core, redirect->keep);
    core->fetch_stall_until = is_filling ? filled + 1 : core->now + (held >= rows);
    model->repeats_row = is_filling;
}

bool biriscv_redirect(struct core *core, const struct redirect *redirect)
{
    notice(core, redirect);
    return true;
}
