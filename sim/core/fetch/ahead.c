/* Perfect prediction (bpred.kind = perfect): every instruction is executed when it is fetched, on a
 * copy of the registers, so that fetch takes the path of execution.
 *
 * While no instruction is between fetch and dispatch, hart->reg is the state at fetch, and the copy
 * is made again; so it is right after every squash. Loads read memory overlaid with the stores in
 * the store queue, and then with stores fetched but not dispatched. Instructions that act at the
 * head of the reorder buffer (CSRs, fences, atomics, system calls, devices, accesses across pages)
 * or trap have no result yet: fetch waits after them until they are dispatched, which they are
 * alone. Their cost counts as fetch latency, not as a misprediction.
 *
 * The prediction can still be wrong, and is then an ordinary misprediction, if another hart, the
 * host, or a store to page tables without a fence changes state between fetch and execution. */
#include <stdlib.h>

#include "sim/core/bpred/bpred.h"
#include "sim/core/cpu.h"
#include "sim/core/pipe/execute.h"
#include "sim/core/pipe/stage_front.h"
#include "sim/core/pipe/stage_stores.h"


struct ahead_store { uint64_t seq, pa, value; unsigned bytes; };

struct ahead {
    uint64_t reg[REG_COUNT];
    bool waits;                         /* after an instruction without a result */
    uint64_t head, tail;                /* stores fetched and possibly not dispatched */
    struct ahead_store stores[RING_MAX];
};

struct ahead *ahead_new(const struct config *config)
{
    return bpred_is_perfect(config) ? calloc(1, sizeof(struct ahead)) : NULL;
}

void ahead_free(struct ahead *ahead)
{
    free(ahead);
}

bool ahead_may_fetch(struct core *core)
{
    struct ahead *ahead = core->ahead;
    if (core->dispatch_seq == core->fetch_seq) {
        memcpy(ahead->reg, core->hart->reg, sizeof ahead->reg);
        ahead->head = ahead->tail;
        ahead->waits = false;
    }
    return !ahead->waits;
}

/* Fetch continues when the last fetched instruction has been dispatched. */
static void ahead_wait(struct core *core)
{
    core->ahead->waits = true;
    core->fetch_cause = core->refill_cause = EVENT_LOST_FLUSH_REFILL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool locate(struct core *core, struct uop *access, const uint64_t *reg)
{
    access->va = hart_address(core->hart, reg[access->insn.rs1] +
                                              (uint64_t)(int64_t)access->insn.imm);
    if ((access->va & (PHYS_PAGE_BYTES - 1)) + access->access_bytes > PHYS_PAGE_BYTES)
        return false;
    return execute_translate(core, access, access->kind == KIND_STORE ? MMU_STORE : MMU_LOAD) ==
               TRAP_NONE &&
           phys_is_ram(core->cpu->phys, access->pa, access->access_bytes);
}

/* `value`, read at pa, overlaid with the store. */
static uint64_t overlay(const struct ahead_store *store, uint64_t pa, unsigned bytes,
                        uint64_t value)
{
    for (unsigned i = 0; i < store->bytes; i++) {
        uint64_t at = store->pa + i - pa;
        if (at < bytes) {
            value &= ~(UINT64_C(0xff) << (8 * at));
            value |= (store->value >> (8 * i) & 0xff) << (8 * at);
        }
    }
    return value;
}

static uint64_t read_memory(struct core *core, const struct uop *load)
{
    struct ahead *ahead = core->ahead;
    uint64_t value = 0;
    memcpy(&value, phys_host(core->cpu->phys, load->pa), load->access_bytes);
    value = store_queue_read(core, load->pa, load->access_bytes, value);
    while (ahead->head != ahead->tail &&
           ahead->stores[ahead->head % RING_MAX].seq < core->dispatch_seq)
        ahead->head++;
    for (uint64_t n = ahead->head; n != ahead->tail; n++)
        value = overlay(&ahead->stores[n % RING_MAX], load->pa, load->access_bytes, value);
    return insn_extend(&load->insn, value);
}

static bool access_memory(struct core *core, const struct uop *uop)
{
    struct ahead *ahead = core->ahead;
    struct uop access = {
        .insn = uop->insn, .kind = uop->kind, .access_bytes = uop->access_bytes,
    };
    if (!locate(core, &access, ahead->reg))
        return false;
    if (uop->kind == KIND_LOAD)
        ahead->reg[uop->insn.rd] = read_memory(core, &access);
    else
        ahead->stores[ahead->tail++ % RING_MAX] = (struct ahead_store){
            .seq = core->fetch_seq - 1, .pa = access.pa, .value = ahead->reg[uop->insn.rs2],
            .bytes = uop->access_bytes,
        };
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool compute_fp(struct core *core, const struct insn *insn, uint64_t *reg)
{
    unsigned rm = insn->rm == 7 ? core->hart->frm : insn->rm, fflags = 0;
    if (rm > 4 && (insn_info[insn->op].flags & INSN_HAS_RM))
        return false;
    reg[insn->rd] = insn_fp(insn, reg[insn->rs1], reg[insn->rs2], reg[insn->rs3], rm, &fflags);
    return true;
}

static uint64_t transfer(const struct core *core, const struct uop *uop, uint64_t *reg)
{
    const struct insn *insn = &uop->insn;
    uint64_t offset = (uint64_t)(int64_t)insn->imm, next = uop->pc + insn->length;
    if (uop->kind == KIND_BRANCH)
        return insn_is_taken(insn, reg[insn->rs1], reg[insn->rs2])
                   ? hart_address(core->hart, uop->pc + offset) : next;
    uint64_t base = uop->kind == KIND_JAL ? uop->pc : reg[insn->rs1];
    reg[insn->rd] = hart_value(core->hart, next);
    return hart_address(core->hart, (base + offset) & ~UINT64_C(1));
}

static bool has_result(struct core *core, struct uop *uop)
{
    uint64_t *reg = core->ahead->reg;
    if ((insn_info[uop->insn.op].flags & INSN_IS_FP) && (core->hart->mstatus & MSTATUS_FS) == 0)
        return false;
    switch (uop->kind) {
    case KIND_ALU:
        reg[uop->insn.rd] = insn_alu(&uop->insn, reg[uop->insn.rs1], reg[uop->insn.rs2], uop->pc);
        return true;
    case KIND_BRANCH:
    case KIND_JAL:
    case KIND_JALR:
        uop->predicted_pc = transfer(core, uop, reg);
        return true;
    case KIND_LOAD:
    case KIND_STORE:
        return access_memory(core, uop);
    case KIND_FP:
        return compute_fp(core, &uop->insn, reg);
    default:
        return false;
    }
}

bool ahead_fetch(struct core *core, struct uop *uop)
{
    if (has_result(core, uop))
        return true;
    ahead_wait(core);
    return false;
}
