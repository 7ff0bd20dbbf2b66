/* Loads whose line arrives at another time than was reported at their issue: banked memory or the
 * bus arbiter has delayed the line in favour of later requests (sim/mem/dram/dram.h, arbiter.h).
 *
 * A load that waits for a line in flight is noted with the reported cycle, once for each line. A
 * miss of this hart checks whether lines have moved. If the last line of a load is delayed, so are
 * its value, its place among the loads in flight, and its consumers; a line that arrives earlier
 * changes nothing. Delays by other harts' requests are noticed at the next miss.
 * Left out: page walks; atomics, after which this hart requests only code; in the out-of-order
 * core, consumers after a move that is eliminated or bypassed, and all consumers if decode fuses.
 * Loads that are replayed from a FIFO, or late in a model, look up their line again themselves. */
#include "sim/core/lsu/late_loads.h"

#include <stdlib.h>

#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/mem/dram/arbiter.h"
#include "sim/mem/dram/dram.h"
#include "sim/mem/memsys.h"

enum { NOTES = 64 };

struct note {
    uint64_t seq, id, block;
    uint64_t told;                      /* reported cycle in which the line arrives */
    uint32_t frame;
    uint8_t rd;
};

struct late_loads {
    uint64_t moves;                     /* number of moves at the last check */
    uint32_t next;                      /* of the ring */
    struct note note[NOTES];
};

bool late_loads_are_followed(const struct config *config)
{
    bool moves = config->dram_kind == DRAM_BANKED || config->part_arbitration != ARBITER_FCFS;
    return moves && config->decode_fusion == 0;
}

struct late_loads *late_loads_new(void)
{
    return calloc(1, sizeof(struct late_loads));
}

void late_loads_free(struct late_loads *late)
{
    free(late);
}

void late_loads_note(struct core *core, const struct uop *uop, const struct mem_response *response)
{
    struct late_loads *late = core->late;
    late->note[late->next++ % NOTES] = (struct note){
        .seq = core_seq_of(core, uop), .id = uop->id,
        .block = response->block, .frame = response->frame, .rd = uop->insn.rd,
        .told = memsys_arrival(core->mem, response->block, response->frame),
    };
}

/* ---- out of order ---------------------------------------------------------------------------- */

/* An operand that was to arrive at `was` arrives at `comes`. */
static void delay_operand(struct core *core, struct uop *uop, uint64_t seq, uint64_t was,
                          uint64_t comes)
{
    if ((core_extras(core) & EXTRA_REPLAY) && uop->true_ready >= was)
        uop->true_ready = later(uop->true_ready, comes);
    if (uop->ready_at < was || uop->ready_at >= comes)     /* the instruction will be issued in
                                                            * vain, or already waits */
        return;
    if (uop->pending != 0) {
        uop->ready_at = comes;
        return;
    }
    wheel_forget(core, uop, (uint32_t)(seq & core->ring_mask));
    wheel_schedule(core, seq, comes);
}

/* The same for the data of a store that issue separately. */
static void delay_data(struct core *core, struct uop *uop, uint64_t was, uint64_t comes)
{
    if (core_extras(core) & EXTRA_STORE_UOPS) {
        if (uop->data_state != DATA_WAITING || uop->data_ready < was || uop->data_ready >= comes)
            return;
        wheel_forget_data(core, uop, (uint32_t)(uop - core->ring));
        store_data_operand(core, uop, comes);
    } else if (uop->data_at >= was && uop->data_at < comes) {
        store_data_come(core, uop, comes);
    }
}

/* Delays instructions after the load that read its register, up to the next that writes it. */
static void delay_consumers(struct core *core, const struct note *note, uint64_t was,
                            uint64_t comes)
{
    for (uint64_t seq = note->seq + 1; seq < core->dispatch_seq; seq++) {
        struct uop *uop = core_uop(core, seq);
        bool has_data = (core_extras(core) & EXTRA_STORE_DATA) && uop->kind == KIND_STORE;
        if (has_data && uop->insn.rs2 == note->rd)
            delay_data(core, uop, was, comes);
        if ((uop->insn.rs1 == note->rd || (uop->insn.rs2 == note->rd && !has_data) ||
             uop->insn.rs3 == note->rd) &&
            uop->state == UOP_WAITING && (uop->flags & UOP_SERIAL) == 0)
            delay_operand(core, uop, seq, was, comes);
        if (uop->insn.rd == note->rd)
            return;
    }
}

/* ---- in order -------------------------------------------------------------------------------- */

static void delay_in_order(struct core *core, const struct note *note, uint64_t was, uint64_t comes)
{
    struct inorder *inorder = core->inorder;
    uint64_t place = was - core_config(core)->latency_load + 1, cycles = comes - was;
    if (inorder->ready[note->rd] == was && core->last_writer[note->rd] == note->seq)
        inorder->ready[note->rd] = comes;
    for (uint32_t i = 0; i < core_config(core)->inorder_loads_in_flight; i++)
        if (inorder->load_done[i] == place) {
            inorder->load_done[i] += cycles;
            break;
        }
    if (inorder->held_until == place)
        inorder->held_until += cycles;
}

/* ---- following ------------------------------------------------------------------------------- */

static void delay(struct core *core, const struct note *note, uint64_t cycles)
{
    struct uop *uop = core_uop(core, note->seq);
    uint64_t was = uop->complete_cycle, comes = was + cycles;
    if (was <= core->now || was == NEVER)
        return;
    uop->complete_cycle = comes;
    uop->access_cycles += (uint32_t)cycles;
    if (core_is_in_order(core))
        delay_in_order(core, note, was, comes);
    else if (note->rd != REG_SINK)
        delay_consumers(core, note, was, comes);
}

/* The reported arrival of the instruction's other line; 0: there is none. */
static uint64_t other_line(const struct late_loads *late, const struct note *note)
{
    for (uint32_t i = 0; i < NOTES; i++) {
        const struct note *other = &late->note[i];
        if (other->id == note->id && other->block != note->block)
            return other->told;
    }
    return 0;
}

void late_loads_follow(struct core *core)
{
    struct late_loads *late = core->late;
    uint64_t moves = memsys_moves(core->mem);
    if (moves == late->moves)
        return;
    late->moves = moves;
    for (uint32_t i = 0; i < NOTES; i++) {
        struct note *note = &late->note[i];
        const struct uop *uop = core_living(core, note->seq, note->id);
        if (note->told <= core->now || uop == NULL || uop->state != UOP_ISSUED)
            continue;
        uint64_t arrival = memsys_arrival(core->mem, note->block, note->frame);
        if (arrival <= note->told)
            continue;
        uint64_t other = other_line(late, note), was = later(note->told, other);
        note->told = arrival;
        if (arrival > was)
            delay(core, note, arrival - was);
    }
}
