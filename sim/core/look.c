/* See look.h. */
#include "sim/core/look.h"

#include "sim/core/pipe/stage_account.h"

/* Counted as in dispatch: an instruction that shares an entry, or is dispatched with its neighbour,
 * takes none of its own. */
static uint32_t entries_used(const struct core *core)
{
    uint64_t in_flight = core->dispatch_seq - core->commit_seq;

    return core->rob_used != 0 ? core->rob_used : (uint32_t)in_flight;
}

static void look_at_queues(const struct core *core, struct core_look *look)
{
    const struct issue_queues *iq = &core->iq;

    look->queues = core_is_in_order(core) ? 0 : iq->shape.queue_count;
    if (look->queues > CORE_LOOK_QUEUES)
        look->queues = CORE_LOOK_QUEUES;
    for (unsigned i = 0; i < look->queues; i++)
        look->queue[i] = (struct core_look_place){iq->queue_used[i], iq->queue_size[i]};
}

uint64_t core_look_now(const struct core *core)
{
    return core->now;
}

uint64_t core_look_next_pc(const struct core *core)
{
    return core_is_empty(core) ? core->commit_pc : core_uop(core, core->commit_seq)->pc;
}

void core_look(const struct core *core, struct core_look *look)
{
    const struct config *config = core->config;

    *look = (struct core_look){
        .now = core->now, .next_pc = core_look_next_pc(core), .fetch_pc = core->fetch_pc,
        .fetched = {(uint32_t)(core->fetch_seq - core->decode_seq),
                    core_config(core)->fetch_buffer},
        .rob = {entries_used(core), core_config(core)->rob_entries},
        .loads = {core->loads_used, core_config(core)->lsq_loads},
        .stores = {(uint32_t)(core->sq.tail - core->sq.head), core_config(core)->lsq_stores},
    };
    look_at_queues(core, look);
    if (!bpred_is_perfect(config))
        bpred_look(core->bpred, &look->bpred);
}

static unsigned queue_of(const struct core *core, const struct uop *uop)
{
    bool is_in_queue = uop->state == UOP_WAITING && !core_is_in_order(core) &&
                       uop->queue < core->iq.shape.queue_count;

    return is_in_queue ? uop->queue : CORE_LOOK_NO_QUEUE;
}

size_t core_look_insns(const struct core *core, struct core_look_insn *insn, size_t max)
{
    size_t count = 0;

    for (uint64_t seq = core->commit_seq; seq < core->fetch_seq && count < max; seq++) {
        const struct uop *uop = core_uop(core, seq);

        insn[count++] = (struct core_look_insn){
            .record = trace_record_of(core, uop, false),
            .queue = seq < core->dispatch_seq ? queue_of(core, uop) : CORE_LOOK_NO_QUEUE,
            .cause = core_is_in_order(core) ? uop->door_cause : 0,
        };
    }
    return count;
}
