/* Misses of fetch in a cache that answers one request at a time, and whose requests can be
 * cancelled.
 *
 * A line is requested in one cycle and found to be missing in the next (fetch.miss_delay). An event
 * in between (a misprediction, or a transfer predicted taken in the previous block) cancels the
 * request: no miss goes out, but the cycle is lost to the request that follows
 * (cva6.untaken_bubble). A miss that has gone out cannot be cancelled. With cva6.squashed_miss =
 * drop its line is discarded on arrival, the line it would have replaced stays, and fetch waits for
 * it. After a line has arrived, the cache is idle before it reads again (cva6.refill_bubble).
 *
 * If several transfers are in a block, fetch goes to the address of the first, whichever of them is
 * predicted. With cva6.empty_return, a return that finds nothing on its stack therefore sends fetch
 * to address 0 when a later transfer of its block is predicted. Nothing is cached there: each word
 * takes a read of memory, until the instruction buffer is full. Such a return is predicted to go to
 * address 0 in any case, and is mispredicted even when fetch went its way.
 * Source: CVA6, cva6_icache.sv (states READ, MISS, KILL_MISS), frontend.sv (predict_address,
 * bp_valid).
 * Left out: the block after a page's last one counts as present. */
#include "sim/base/cycle.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/fetch/fetch_line.h"
#include "sim/core/port.h"
#include "sim/core/profile/metadata.h"
#include "sim/mem/memsys.h"

enum squashed_miss { SQUASHED_KEEP, SQUASHED_DROP };    /* of cva6.squashed_miss */

bool cva6_misses(const struct core *core)
{
    const struct config *settings = core_config(core);
    return (settings->cva6_squashed_miss | settings->cva6_refill_bubble |
            settings->cva6_untaken_bubble | settings->cva6_empty_return |
            settings->cva6_transfers) != 0;
}

void cva6_line_misses(struct core *core, const struct mem_response *response)
{
    core->model->miss = (struct cva6_miss){.ready = response->ready};
}

void cva6_fetched(struct core *core)
{
    struct cva6_miss *miss = &core->model->miss;
    if (miss->is_wrong)
        core_uop(core, core->fetch_seq - 1)->predicted_pc = 0;
    miss->is_wrong = false;
    uint64_t next = core->now + 1 + core_config(core)->cva6_refill_bubble;
    if (miss->ready == core->now)
        core->fetch_stall_until = later(core->fetch_stall_until, next);
}

static uint64_t block_after(const struct core *core, const struct uop *uop)
{
    uint64_t bytes = core_config(core)->fetch_bytes, last = uop->pc + uop->insn.length - 1;
    return (last & ~(bytes - 1)) + bytes;
}

uint32_t cva6_turn_cycles(const struct core *core, const struct uop *uop)
{
    uint64_t offset = block_after(core, uop) & (PHYS_PAGE_BYTES - 1);
    if (core->model->miss.ready == core->now || offset == 0 ||
        memsys_find_iframe(core->mem, core->fetch_page_pa + offset) != MEM_NO_FRAME)
        return 0;
    return core_config(core)->cva6_untaken_bubble;
}

/* The instruction at pc; NULL if the page ends before it or in it. */
static const struct predecode_slot *slot_at(struct core *core, uint64_t pc)
{
    const struct predecode_slot *slot = fetch_slot_at(core, pc);
    return pc % PHYS_PAGE_BYTES != 0 && slot->is_valid ? slot : NULL;
}

/* True if a transfer is predicted between a return and the end of its block. *next is the address
 * at which fetch continues: the end of the block, or an instruction whose first half is in the
 * block. That half is kept even if the instructions before it are dropped (CVA6, instr_realign.sv,
 * unaligned_q). */
static bool is_followed(struct core *core, const struct uop *uop, uint64_t end, uint64_t *next)
{
    bool is_predicted = false;
    uint64_t pc = uop->pc + uop->insn.length;
    const struct predecode_slot *slot;
    for (*next = end; pc < end && (slot = slot_at(core, pc)) != NULL; pc += slot->insn.length) {
        if (pc + slot->insn.length > end)
            *next = pc;
        else
            is_predicted |= bpred_follows(core->bpred, pc, &slot->insn, slot->kind);
    }
    return is_predicted;
}

void cva6_return_unknown(struct core *core, struct uop *uop)
{
    const struct config *settings = core_config(core);
    if (!settings->cva6_empty_return)
        return;
    uint64_t end = block_after(core, uop), next;
    bool is_followed_by_one = is_followed(core, uop, end, &next);
    uop->predicted_pc = is_followed_by_one ? end : next;
    core->model->miss.is_wrong = true;
    if (!is_followed_by_one) {
        if (next != end)
            core->fetch_half_pc = next;
        return;
    }
    core->model->miss.stray = settings->fetch_buffer / settings->fetch_width;
    core->fetch_stall_until = core->now + 1 + core->config->bpred_taken_bubble +
                              settings->fetch_miss_delay;
}

bool cva6_fetches_alone(struct core *core)
{
    struct cva6_miss *miss = &core->model->miss;
    if (miss->stray == 0)
        return false;
    miss->stray--;
    miss->is_stray = true;
    miss->ready = memsys_fetch_past(core->mem, 0, core->now);
    core->fetch_stall_until = miss->stray == 0
                                  ? NEVER
                                  : miss->ready + 1 + core_config(core)->cva6_refill_bubble +
                                        core_config(core)->fetch_miss_delay;
    return true;
}

void cva6_squashed(struct core *core)
{
    const struct cva6_miss miss = core->model->miss;
    core->model->miss = (struct cva6_miss){.ready = 0};
    if (miss.ready == 0 || miss.ready + core_config(core)->cva6_refill_bubble < core->now ||
        core_config(core)->cva6_squashed_miss != SQUASHED_DROP)
        return;
    struct mem_response gone = {.changed = true};
    if (!miss.is_stray) {
        memsys_drop_fetch(core->mem);
        fetch_follow_fill(core, &gone, core->fetch_pc);
    }
    core->fetch_stall_until = later(core->fetch_stall_until,
                                    miss.ready + 1 + core_config(core)->cva6_refill_bubble);
}
