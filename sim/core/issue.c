/* Issue: each cycle every class of functional unit takes its oldest ready instructions.
 *
 * Ready instructions of a queue are a bitmap over the ring; scanning it from the commit point on
 * gives program order. Pipelined units take one instruction a cycle; division and square root
 * keep theirs. */
#include "sim/core/stage.h"

static bool is_iterative(unsigned latency)
{
    return latency == LAT_DIV || latency == LAT_FDIV || latency == LAT_FSQRT;
}

static unsigned unit_count(const struct core *core, unsigned queue)
{
    const struct config *config = core->config;
    switch ((enum queue)queue) {
    case QUEUE_INT: return config->unit_ints;
    case QUEUE_BRANCH: return config->unit_branches;
    case QUEUE_COMPLEX: return config->unit_complexes;
    case QUEUE_FP: return config->unit_fps;
    default: return 0;
    }
}

static void leave_queue(struct core *core, const struct uop *uop, uint64_t seq)
{
    uint32_t index = (uint32_t)(seq & core->ring_mask);
    core->ready[uop->queue][index / 64] &= ~(UINT64_C(1) << (index % 64));
    core->ready_count[uop->queue]--;
}

static void issued(struct core *core, struct uop *uop, uint64_t seq)
{
    static const uint8_t unit_event[UNIT_COUNT] = {
        [UNIT_INT] = EVENT_UNIT_INT_BUSY, [UNIT_BRANCH] = EVENT_UNIT_BRANCH_BUSY,
        [UNIT_COMPLEX] = EVENT_UNIT_COMPLEX_BUSY, [UNIT_LOAD] = EVENT_UNIT_LOAD_BUSY,
        [UNIT_STORE] = EVENT_UNIT_STORE_BUSY, [UNIT_FP] = EVENT_UNIT_FP_BUSY,
    };
    leave_queue(core, uop, seq);
    core->queue_used[uop->queue]--;
    uop->state = UOP_ISSUED;
    core->events[EVENT_ISSUED]++;
    core->events[unit_event[uop->unit]]++;
    if (uop->dependents != NO_LINK)
        wheel_publish(core, uop, uop->complete_cycle);
    if (uop->flags & UOP_MISPREDICTED)
        redirect_schedule(core, uop->complete_cycle, seq, uop->next_pc, false);
}

/* A unit of the class that is free this cycle, or -1. */
static int free_unit(const struct core *core, unsigned queue, unsigned count)
{
    for (unsigned unit = 0; unit < count; unit++)
        if (core->unit_busy_until[queue][unit] <= core->now)
            return (int)unit;
    return -1;
}

static bool issue_to_unit(struct core *core, struct uop *uop, uint64_t seq)
{
    int unit = free_unit(core, uop->queue, unit_count(core, uop->queue));
    if (unit < 0)
        return false;
    uint32_t cycles = core->latency[uop->latency];
    uop->issue_cycle = core->now;
    uop->complete_cycle = core->now + cycles;
    core->unit_busy_until[uop->queue][unit] = core->now + (is_iterative(uop->latency) ? cycles : 1);
    issued(core, uop, seq);
    return true;
}

struct memory_ports { uint32_t loads, stores; };

/* False: nothing more of this queue can issue this cycle. */
static bool issue_to_memory(struct core *core, struct uop *uop, uint64_t seq,
                            struct memory_ports *ports)
{
    uint32_t *port = uop->flags & UOP_IS_STORE ? &ports->stores : &ports->loads;
    if (*port == 0)
        return ports->loads + ports->stores != 0;
    --*port;
    switch (lsu_issue(core, uop, seq)) {
    case ISSUE_DONE:
        issued(core, uop, seq);
        break;
    case ISSUE_SLEEP:
        leave_queue(core, uop, seq);
        break;
    case ISSUE_RETRY:
        break;
    }
    return true;
}

static bool issue_one(struct core *core, unsigned queue, uint64_t seq, struct memory_ports *ports)
{
    struct uop *uop = core_uop(core, seq);
    return queue == QUEUE_MEM ? issue_to_memory(core, uop, seq, ports)
                              : issue_to_unit(core, uop, seq);
}

/* Ready instructions of a queue in program order: the bitmap from the commit point round to it. */
static void issue_queue(struct core *core, unsigned queue)
{
    struct memory_ports ports = {core->config->unit_loads, core->config->unit_stores};
    uint32_t first = (uint32_t)(core->commit_seq & core->ring_mask), words = core->ring_words;
    for (uint32_t n = 0; n <= words; n++) {
        uint32_t word = (first / 64 + n) % words;
        uint64_t bits = core->ready[queue][word];
        if (n == 0)
            bits &= ~UINT64_C(0) << (first % 64);
        else if (n == words)
            bits &= ~(~UINT64_C(0) << (first % 64));
        for (; bits != 0; bits &= bits - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
            uint64_t seq = core->commit_seq + ((index - first) & core->ring_mask);
            if (!issue_one(core, queue, seq, &ports))
                return;
        }
    }
}

void issue_step(struct core *core)
{
    for (unsigned queue = 0; queue < QUEUE_COUNT; queue++) {
        if (core->ready_count[queue] != 0) {
            core->active = true;
            issue_queue(core, queue);
        }
    }
}
