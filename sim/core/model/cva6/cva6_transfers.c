/* Predicted targets have a queue beside the instruction buffer (cva6.transfers). While it is full,
 * no block is requested. A block whose transfer finds no room is read again when the oldest
 * transfer has left for decode.
 * Source: CVA6, instr_queue.sv (i_fifo_address, replay_o).
 * Left out: when a transfer is fetched it is not known when the oldest one leaves; a transfer that
 * decode can take within two cycles counts as gone. */
#include "sim/base/cycle.h"
#include "sim/core/fetch/ftq.h"
#include "sim/core/port.h"

enum { SCAN_CYCLES = 2 };       /* from the request for a block until its transfers are found */

static bool is_predicted(const struct uop *uop)
{
    return uop->kind == KIND_JAL || ((uop->flags & UOP_CONTROL) != 0 &&
                                     uop->predicted_pc != uop->pc + uop->insn.length);
}

/* Transfers in the buffer from `first` on, before `end`, that were found before `cycle`. */
static uint32_t count_transfers(const struct core *core, uint64_t first, uint64_t end,
                                uint64_t cycle)
{
    uint32_t transfers = 0;
    for (uint64_t seq = first; seq < end; seq++) {
        const struct uop *uop = core_uop(core, seq);
        transfers += is_predicted(uop) && uop->fetch_cycle + SCAN_CYCLES < cycle;
    }
    return transfers;
}

/* The first instruction that was queued at the start of the cycle. Older ones are in the decoder's
 * registers, which took as many instructions as had been issued. */
static uint64_t front(const struct core *core)
{
    uint64_t first = core->dispatch_seq, decoded = core->decode_seq;
    while (first > core->commit_seq && core_uop(core, first - 1)->issue_cycle == core->now)
        first--;
    while (decoded > first && core_uop(core, decoded - 1)->decode_cycle == core->now)
        decoded--;
    return earlier(decoded, first + (uint64_t)core_config(core)->decode_width *
                                        core_config(core)->decode_stages);
}

/* There is room for the held transfer: its block is read again in the next cycle. */
static void read_again(struct core *core)
{
    uint64_t again = core->now + 1;
    for (uint64_t seq = core->model->miss.held; seq < core->fetch_seq; seq++)
        core_uop(core, seq)->fetch_cycle = again;
    core->model->miss.held = 0;
    core->fetch_stall_until = again + 1 + core->config->bpred_taken_bubble;
    core->active = true;
}

bool cva6_transfers_full(struct core *core)
{
    uint32_t limit = core_config(core)->cva6_transfers;
    uint64_t held = core->model->miss.held;
    if (limit == 0)
        return false;
    if (held == 0)
        return count_transfers(core, front(core), core->fetch_seq, core->now) >= limit;
    if (count_transfers(core, front(core), held, NOT_YET) < limit)
        read_again(core);
    return true;
}

void cva6_transfers_fetched(struct core *core, uint64_t first)
{
    const struct config *settings = core_config(core);
    uint64_t leaving = front(core) + (uint64_t)SCAN_CYCLES * settings->decode_width;
    if (settings->cva6_transfers == 0 || first == core->fetch_seq ||
        !is_predicted(core_uop(core, core->fetch_seq - 1)) ||
        count_transfers(core, leaving, first, NOT_YET) < settings->cva6_transfers)
        return;
    core->model->miss.held = first;
    for (uint64_t seq = first; seq < core->fetch_seq; seq++)
        core_uop(core, seq)->fetch_cycle = NOT_YET;
    core->fetch_stall_until = NEVER;
}
