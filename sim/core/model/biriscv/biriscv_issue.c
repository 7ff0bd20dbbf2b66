/* Issue in biRISC-V, beside operands, units and the group of a cycle:
 *
 *   aligned_pairs: instructions that issue together are of one row.
 *   raw_fields: the scoreboard is read at the places of rs1, rs2 and rd in the instruction word
 *       whatever its format, so an immediate can name a register whose result is pending.
 *   waw_stall: a register is written again when its older result has arrived.
 *   miss_stalls: a miss in the data cache stalls the pipeline.
 *   after_memory: classes that do not issue first in the cycle after a load or store.
 *   store_load_cycles: a load that follows a store to its word waits.
 *   stores = at_issue: stores are in the data cache when they issue, unless they cross lines.
 * Source: biRISC-V, biriscv_issue.v (scoreboard_r, pipe0_load_e1_w), dcache_core.v. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/cpu.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/profile/metadata.h"

enum stores { STORES_AT_COMMIT, STORES_AT_ISSUE };     /* of biriscv.stores */

struct model *biriscv_new(struct core *core)
{
    struct model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return NULL;
    model->row_then = NEVER;
    (void)core;
    return model;
}

void biriscv_free(struct model *model)
{
    free(model);
}

/* ---- together -------------------------------------------------------------------------------- */

/* A row that was cut in two is fetched in two cycles. */
bool biriscv_joins(const struct core *core, const struct uop *uop)
{
    const struct model *model = core->model;
    uint64_t block = ~(uint64_t)(core_config(core)->fetch_bytes - 1);
    if (!core_config(core)->biriscv_aligned_pairs || core->inorder->group.allowed == UINT8_MAX)
        return true;
    return ((model->group_pc ^ uop->pc) & block) == 0 &&
           (core_config(core)->biriscv_rows == 0 || model->group_row == uop->fetch_cycle);
}

void biriscv_issued(struct core *core, struct uop *uop, uint64_t seq)
{
    if (core->inorder->group.allowed == UINT8_MAX) {
        core->model->group_pc = uop->pc;
        core->model->group_row = uop->fetch_cycle;
    }
    if ((uop->flags & UOP_REPEATED) == 0)
        return;
    if (uop->flags & UOP_SERIAL)        /* an access to a device, found out now */
        uop->flags |= UOP_FLUSH_AFTER;
    else if ((uop->flags & UOP_MISPREDICTED) == 0)
        redirect_schedule(core, core->now + 1, seq, uop->next_pc, false);
}

/* ---- one after the other --------------------------------------------------------------------- */

/* The instruction word; 0 for compressed instructions, which have no such fields, and for an
 * instruction that could not be fetched. */
static uint32_t word_of(const struct core *core, const struct uop *uop)
{
    uint32_t word = 0;
    if (uop->insn.length == 4 && uop->insn_pa != NEVER && uop->insn_pa % 4 == 0)
        memcpy(&word, phys_host(core->cpu->phys, uop->insn_pa), sizeof word);
    return word;
}

static enum inorder_result need_fields(struct core *core, const struct uop *uop)
{
    struct inorder *inorder = core->inorder;
    uint32_t word = word_of(core, uop);
    const unsigned field[3] = {word >> 15 & 31, word >> 20 & 31, word >> 7 & 31};
    for (unsigned i = 0; i < 3; i++)
        if (inorder->ready[field[i]] > core->now)
            return inorder_wait(inorder, inorder->ready[field[i]],
                                inorder_wait_for(inorder->producer[field[i]]));
    return INORDER_GO;
}

static const struct inorder_wait wait_after_memory = {EVENT_SLOTS_PAIRING, EVENT_LOST_PAIRING,
                                                       EVENT_CPI_INT};

bool biriscv_may_issue(struct core *core, const struct uop *uop, unsigned class)
{
    struct inorder *inorder = core->inorder;
    if ((core_config(core)->biriscv_after_memory >> class & 1) == 0 &&
        inorder->group.allowed == UINT8_MAX && inorder->memory_cycle + 1 == core->now) {
        inorder_wait(inorder, core->now + 1, wait_after_memory);
        return false;
    }
    return !core_config(core)->biriscv_raw_fields || need_fields(core, uop) == INORDER_GO;
}

/* False for a second write to a register whose first write is pending. */
bool biriscv_may_write(struct core *core, const struct uop *uop)
{
    struct inorder *inorder = core->inorder;
    unsigned rd = uop->insn.rd;
    if (rd == REG_SINK || inorder->ready[rd] <= core->now)
        return true;
    inorder_wait(inorder, inorder->ready[rd], inorder_wait_for(inorder->producer[rd]));
    return false;
}

/* ---- loads and stores ------------------------------------------------------------------------ */

uint64_t biriscv_load_from(const struct core *core, const struct uop *uop)
{
    uint32_t cycles = core_config(core)->biriscv_store_load_cycles;
    bool is_near = cycles != 0 && uop->pa >> 2 == core->model->store_word;
    return is_near ? core->inorder->store_cycle + 1 + cycles : 0;
}

/* Only instructions of the access's group issue until the line has arrived. */
void biriscv_hold_for_line(struct core *core, uint64_t ready, unsigned level)
{
    struct inorder *inorder = core->inorder;
    inorder->held_at = core->now;
    inorder->held_until = ready - core_config(core)->latency_load + 1;
    inorder->memory_cycle = inorder->held_until - 1;
    inorder->held = inorder_wait_for(
        (struct inorder_producer){.unit_class = CLASS_LOAD, .level = (uint8_t)level});
}

/* False: the cache refused the store. */
static bool write_now(struct core *core, const struct uop *uop, uint64_t *ready)
{
    struct mem_response response;
    uint64_t line = core->config->l1d_line_bytes, last = uop->pa + uop->access_bytes - 1u;
    core->model->is_written = ((uop->pa ^ last) & ~(line - 1)) == 0;
    if (!core->model->is_written)
        return true;
    if (!memsys_store(core->mem, uop->pc, uop->pa, core->now, &response))
        return false;
    lsu_follow_fill(core, &response, NULL);
    uint64_t found = core->now + core_config(core)->latency_load;
    if (response.ready <= found)
        return true;
    response.ready += core_config(core)->biriscv_relookup_cycles;
    port_line_awaited(core, response.ready, response.level);
    *ready += response.ready - found;
    return true;
}

bool biriscv_store(struct core *core, const struct uop *uop, uint64_t *ready)
{
    core->model->store_word = uop->pa >> 2;
    return core_config(core)->biriscv_stores == STORES_AT_COMMIT || write_now(core, uop, ready);
}
