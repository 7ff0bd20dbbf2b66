/* Issue: each cycle every queue gives its oldest ready instructions to the ports that take them.
 *
 * Ready instructions of a queue are a bitmap over the ring; scanning it from the commit point on
 * gives program order. Which port takes which class from which queue are bit masks made from the
 * settings (issue_plan.h); the first free one in the order of the list is taken, and queues choose
 * in their order. A port starts one instruction a cycle; division and square root keep their
 * unit. */
#include "sim/core/lsu/lsu_port.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/wake.h"

/* One cycle holds two dependent operations, not three. */
static bool can_be_bypassed(const struct core *core, const struct uop *uop)
{
    return uop->unit_class <= CLASS_SHIFT && uop->complete_cycle == core->now + 1 &&
           uop->bypass_cycle != core->now;
}

IN_BOTH void publish(struct core *core, struct uop *uop, const uint64_t extras)
{
    uint64_t cycle = uop->complete_cycle;
    if (uop->flags & UOP_IS_STORE)
        cycle = core->now + port_store_wake_cycles(core);   /* loads that wait for it */
    wake_list(core, uop, cycle, cycle - ((extras & EXTRA_BYPASS) && can_be_bypassed(core, uop)),
              extras);
}

/* A load that missed, and everything that is issued when it should have hit is issued again. */
static void lose_issue(struct core *core, const struct uop *load)
{
    uint64_t hit = core->now + core->latency[LAT_LOAD];
    if (core_config(core)->issue_replay != REPLAY_ALL || load->complete_cycle <= hit)
        return;
    for (uint64_t cycle = hit; cycle < hit + core_config(core)->issue_replay_cycles; cycle++)
        core->iq.lost_issue[cycle % REPLAY_WINDOW] = cycle;
}

/* ---- issues in vain -------------------------------------------------------------------------- */

/* The operation got a port, but an operand is not there. */
static void replay(struct core *core, struct uop *uop, uint32_t index)
{
    uint64_t ready = core->now + 1;
    if (uop->true_ready > core->now)
        ready = uop->true_ready + core_config(core)->issue_replay_cycles;
    core->events[EVENT_REPLAYS]++;
    wheel_leave_ready(core, uop, index);
    uop->true_ready = 0;
    wheel_schedule(core, index, ready);
}

static bool is_in_vain(const struct core *core, const struct uop *uop)
{
    return uop->true_ready > core->now ||
           core->iq.lost_issue[core->now % REPLAY_WINDOW] == core->now;
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* It is ready no more. In plain machines issue_word has seen to that. */
IN_BOTH void take(struct core *core, const struct uop *uop, uint32_t index, const uint64_t extras)
{
    if (extras != 0)
        wheel_leave_ready(core, uop, index);
}

#define ACTS_AT_ISSUE (UOP_REPLAYING | UOP_MISPREDICTED | UOP_CHECKPOINT | UOP_FUSED | UOP_CONTROL)

/* Rare further effects of an issue. */
static void issued_act(struct core *core, struct uop *uop, uint32_t index)
{
    uint64_t seq = core_seq_at(core, index);
    uop->flags &= ~UOP_REPLAYING;
    if (uop->flags & UOP_MISPREDICTED) {
        uint64_t resolved = uop->complete_cycle + core_config(core)->recover_resolve_cycles;
        if (port_completes_early(core))
            commit_not_before(core, uop, resolved);
        else
            uop->complete_cycle = resolved;
        redirect_schedule(core, resolved, seq, uop->next_pc, false);
    } else if (uop->flags & UOP_CHECKPOINT) {
        uop->flags &= ~UOP_CHECKPOINT;
        core->checkpoints_used--;
    }
    if (uop->flags & UOP_FUSED)
        fusion_follow(core, uop, seq);
    if (core->learns_at_issue && (uop->flags & UOP_CONTROL))
        control_resolve(core, uop);
    bool was_right = (uop->flags & (UOP_CONTROL | UOP_MISPREDICTED)) == UOP_CONTROL;
    if (was_right && port_resolves_all(core))
        commit_not_before(core, uop,
                          uop->complete_cycle + core_config(core)->recover_resolve_cycles);
}

IN_BOTH void issued(struct core *core, struct uop *uop, uint32_t index, const uint64_t extras)
{
    take(core, uop, index, extras);
    if (extras != 0)
        places_leave(core, uop);
    else
        core->iq.queue_used[uop->queue]--;
    uop->state = UOP_ISSUED;
    core->events[EVENT_ISSUED]++;
    issue_count(core, uop);
    if (uop->dependents != NO_LINK)
        publish(core, uop, extras);
    if ((extras & EXTRA_REPLAY) && uop->kind == KIND_LOAD)
        lose_issue(core, uop);
    if (uop->flags & ACTS_AT_ISSUE)
        issued_act(core, uop, index);
}

/* While an iterative unit is kept. */
APART int port_of_free_unit(const struct core *core, uint32_t ports, unsigned class)
{
    for (; ports != 0; ports &= ports - 1) {
        int port = __builtin_ctz(ports);
        if (core->iq.port_busy_until[port][class] <= core->now)
            return port;
    }
    return -1;
}

/* The first of the ports with a free unit, or -1. */
static inline int free_port(const struct core *core, uint32_t ports, unsigned class)
{
    if (ports == 0)
        return -1;
    if (core->iq.units_busy_until <= core->now)
        return __builtin_ctz(ports);
    return port_of_free_unit(core, ports, class);
}

/* As a bit mask; it is the lowest of the ports while no unit is kept. */
static inline uint32_t port_bit(const struct core *core, uint32_t ports, int port)
{
    return core->iq.units_busy_until <= core->now ? ports & -ports : 1u << port;
}

/* An iterative unit keeps its operation, and with it its port where the settings say so. */
static void keep_unit(struct core *core, const struct uop *uop, unsigned port, uint64_t until)
{
    unsigned class = uop->unit_class;
    unit_count_kept(core, uop, port, until);
    core->iq.units_busy_until = later(core->iq.units_busy_until, until);
    if (core_config(core)->issue_iterative_blocks_port == 0) {
        core->iq.port_busy_until[port][class] = until;
        return;
    }
    core->iq.blocked_ports |= 1u << port;
    for (unsigned other = 0; other < CLASS_COUNT; other++)
        core->iq.port_busy_until[port][other] = until;
}

static uint64_t free_again(const struct core *core, const struct uop *uop)
{
    uint64_t overlap = uop->latency == LAT_DIV ? core_config(core)->latency_div_overlap
                                               : core->config->part_fdiv_overlap;
    return later(uop->complete_cycle - overlap, core->now + 1);
}

/* ---- for a model that reissues --------------------------------------------------------------- */

void issue_done(struct core *core, struct uop *uop, uint32_t index)
{
    issued(core, uop, index, core_extras(core));
}

void issue_in_vain(struct core *core, struct uop *uop, uint32_t index)
{
    core->events[EVENT_REPLAYS]++;
    if (uop->flags & UOP_REPLAYING)
        return;
    wheel_leave_ready(core, uop, index);
    places_leave(core, uop);
    uop->flags |= UOP_REPLAYING;
    core->iq.replaying++;
    if (uop->dependents != NO_LINK)
        wake_publish(core, uop, uop->true_ready, uop->true_ready);
}

void issue_on_unit(struct core *core, struct uop *uop, uint32_t index)
{
    uop->issue_cycle = core->now;
    uop->complete_cycle = core->now + issue_wake_cycles(core, uop);
    unit_count_port(core, uop, uop->port);
    issue_done(core, uop, index);
}

void issue_keep_unit(struct core *core, const struct uop *uop, unsigned port, uint64_t until)
{
    keep_unit(core, uop, port, until);
}

/* ---- one operation --------------------------------------------------------------------------- */

IN_BOTH void issue_to_unit(struct core *core, struct uop *uop, uint32_t index, int port,
                           const uint64_t extras)
{
    uint32_t cycles = core->latency[uop->latency];
    if ((extras & EXTRA_DIVIDER) && issue_is_iterative(uop->latency))
        cycles = uop->iterations;
    uop->issue_cycle = core->now;
    uop->complete_cycle = core->now + cycles;
    if (issue_is_iterative(uop->latency))
        keep_unit(core, uop, (unsigned)port, free_again(core, uop));
    unit_count_port(core, uop, (unsigned)port);
    if (extras & EXTRA_MODEL)
        port_result(core, uop, (unsigned)port);
    issued(core, uop, index, extras);
}

/* An instruction's producer may itself wait for the port, unless only older instructions come first
 * there: a queue of its own, in program order. */
APART bool is_contended(const struct core *core, unsigned port)
{
    unsigned queues = 0;
    for (uint32_t queue = 0; queue < core_shape(core)->queue_count; queue++)
        queues += core->iq.queue_ports[queue] >> port & 1;
    return queues > 1 || (core_extras(core) & EXTRA_SLOTS) != 0;
}

/* In plain machines: these bits of a word of the bitmaps. */
static void stay_ready(struct core *core, unsigned word, uint64_t bits)
{
    core->iq.ready[word] |= bits;
    core->iq.ready_groups |= wheel_group_bit(core, word);
}

/* A load that polls in every cycle would keep the port for ever from an older instruction that it
 * waits for. It occupies the port only if no such instruction can be after it. */
IN_BOTH void issue_to_memory(struct core *core, struct uop *uop, uint32_t index, unsigned port,
                             uint32_t *free_ports, const uint64_t extras)
{
    switch (lsu_issue(core, uop, core_seq_at(core, index))) {
    case ISSUE_DONE:
        issued(core, uop, index, extras);
        break;
    case ISSUE_SLEEP:
        take(core, uop, index, extras);
        break;
    case ISSUE_POLL:
        take(core, uop, index, extras);
        if (is_contended(core, port))
            *free_ports |= 1u << port;
        break;
    case ISSUE_RETRY:
        if (extras == 0)
            stay_ready(core, uop->queue_word, wheel_ring_bit(index));
        break;
    }
}

/* free_ports: those of the queue not used yet in this cycle. An access that the cache refused has
 * used its port. In plain machines the instruction is no longer ready. False: no port is left. */
IN_BOTH bool issue_one(struct core *core, unsigned queue, uint32_t index, uint32_t *free_ports,
                       const uint64_t extras)
{
    struct uop *uop = core_at(core, index);
    unsigned class = uop->unit_class;
    bool has_data = (extras & EXTRA_STORE_UOPS) && class == CLASS_STORE;
    if (has_data)
        class = store_data_class(core, uop, queue);
    uint32_t ports = core->iq.class_ports[queue][class];
    if (extras & EXTRA_SLOTS)
        ports = slots_ports(core, uop, queue, ports);
    if (extras & EXTRA_MODEL)
        ports &= ~port_kept_ports(core, class);
    ports &= *free_ports;
    int port = free_port(core, ports, class);
    if (port >= 0) {
        *free_ports &= ~port_bit(core, ports, port);
        if (extras != 0)
            core->iq.issuing = (uint8_t)port;
        if (has_data)
            store_data_issue(core, uop, queue, (unsigned)port);
        if (has_data && class != CLASS_STORE)
            return *free_ports != 0;
        if ((extras & EXTRA_MODEL) && port_reissues(core)) {
            port_issue(core, uop, index, port);
        } else if ((extras & EXTRA_REPLAY) && is_in_vain(core, uop)) {
            replay(core, uop, index);
        } else if (class == CLASS_LOAD || class == CLASS_STORE)
            issue_to_memory(core, uop, index, (unsigned)port, free_ports, extras);
        else
            issue_to_unit(core, uop, index, port, extras);
        if (has_data)
            store_data_stay(core, uop, index);
    } else if (extras == 0) {
        stay_ready(core, uop->queue_word, wheel_ring_bit(index));
    }
    return *free_ports != 0;
}

/* Those of one word of a queue's bitmap, which begins at a place of the ring. In plain machines all
 * are taken out, and those that do not issue are put back. False: no port is left. */
IN_BOTH bool issue_word(struct core *core, unsigned queue, unsigned word, uint32_t index,
                        uint64_t mask, uint32_t *free_ports, const uint64_t extras)
{
    uint64_t *ready = &core->iq.ready[word];
    uint64_t bits = *ready & mask;
    bool has_ports = true;
    if (bits == 0)
        return true;
    if (extras == 0)
        *ready ^= bits;
    for (; bits != 0 && has_ports; bits &= bits - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(bits);
        has_ports = issue_one(core, queue, index + bit, free_ports, extras);
        if (extras & EXTRA_BYPASS)                          /* others may be ready since */
            bits |= *ready & mask & ~UINT64_C(1) << bit;
    }
    if (extras == 0 && bits != 0)
        stay_ready(core, word, bits);
    else if (extras == 0 && *ready == 0)
        wheel_leave_group(core, word);
    return has_ports;
}

/* The words of a queue's bitmap that have ready instructions, counted from the word of the commit
 * point on. That word comes once more after the last if it may have ready instructions before that
 * point (in plain machines, where none becomes ready meanwhile, only if it has). */
IN_BOTH uint64_t ready_words(const struct core *core, unsigned queue, uint32_t start,
                             uint64_t in_front, const uint64_t extras)
{
    const struct ring_shape *shape = core_shape(core);
    uint32_t count = 1u << shape->words_log2;
    uint64_t all = (UINT64_C(1) << count) - 1, words = core_ready_groups(core, queue);
    if (shape->group_log2 != 0 || (extras & EXTRA_BYPASS))
        return all | UINT64_C(1) << count;
    words = (words >> start | words << (count - start)) & all;
    if (extras != 0 || (core->iq.ready[(queue << shape->words_log2) + start] & in_front) != 0)
        words |= UINT64_C(1) << count;
    return words;
}

/* Ready instructions of a queue in program order: the bitmap from the commit point round to it. The
 * word of that comes first, and at the end once more for what is in front of it. first: of the
 * commit point, its place in the ring. */
IN_BOTH void issue_round(struct core *core, unsigned queue, uint32_t first, uint32_t *free_ports,
                         const uint64_t extras)
{
    uint32_t start = first / 64, count = 1u << core_shape(core)->words_log2;
    uint64_t from_first = ~UINT64_C(0) << first % 64;
    uint64_t words = ready_words(core, queue, start, ~from_first, extras);
    for (; words != 0; words &= words - 1) {
        uint32_t n = (uint32_t)__builtin_ctzll(words);
        uint64_t mask = n == 0 ? from_first : n == count ? ~from_first : ~UINT64_C(0);
        uint32_t index = (start + n) * 64 & core_ring_mask(core);
        unsigned word = issue_queue_word(core_shape(core), queue, index);
        if (!issue_word(core, queue, word, index, mask, free_ports, extras))
            return;
    }
}

APART void issue_whole_round(struct core *core, unsigned queue, uint32_t first,
                             uint32_t *free_ports)
{
    if (core_is_plain(core))
        issue_round(core, queue, first, free_ports, 0);
    else
        issue_round(core, queue, first, free_ports, core_extras(core));
}

/* Those in front of the commit point in its word, which come last: an issue may have made one
 * ready. */
APART void issue_last(struct core *core, unsigned queue, uint32_t first, uint32_t *free_ports)
{
    uint32_t index = first & ~63u;
    unsigned word = issue_queue_word(core_shape(core), queue, index);
    issue_word(core, queue, word, index, ~(~UINT64_C(0) << first % 64), free_ports,
               core_extras(core));
}

static inline uint64_t bits_in_front(const struct core *core, unsigned queue, uint32_t first)
{
    return core->iq.ready[issue_queue_word(core_shape(core), queue, first)] &
           ~(~UINT64_C(0) << first % 64);
}

/* Is the order of these bits that of the program? So it is if all are on one side of the commit
 * point, whose place is `first`; index: of the first bit. */
static inline bool is_in_order(uint64_t bits, uint32_t index, uint32_t first)
{
    return index != (first & ~63u) || bits >> first % 64 == 0 ||
           (bits & ((UINT64_C(1) << first % 64) - 1)) == 0;
}

static inline uint64_t group_mask(const struct core *core, unsigned queue)
{
    const struct ring_shape *shape = core_shape(core);
    return shape->queue_groups << (queue << shape->queue_groups_log2);
}

/* Most queues have ready instructions in one word only. */
IN_BOTH void issue_queue(struct core *core, unsigned queue, uint32_t first, uint32_t *free_ports,
                         const uint64_t extras)
{
    if ((extras & EXTRA_BYPASS) || core_shape(core)->group_log2 != 0) {
        issue_round(core, queue, first, free_ports, extras);
        return;
    }
    uint64_t others = core->iq.ready_groups & group_mask(core, queue);
    unsigned word = (unsigned)__builtin_ctzll(others);      /* a group is a word */
    uint32_t index = word * 64 & core_ring_mask(core);
    others &= others - 1;
    if (others != 0 || !is_in_order(core->iq.ready[word], index, first)) {
        issue_whole_round(core, queue, first, free_ports);
        return;
    }
    bool are_last = extras != 0 && index == (first & ~63u) &&
                    bits_in_front(core, queue, first) != 0;
    if (issue_word(core, queue, word, index, ~UINT64_C(0), free_ports, extras) && extras != 0 &&
        !are_last && bits_in_front(core, queue, first) != 0)
        issue_last(core, queue, first, free_ports);
}

/* Ports that an iterative operation keeps from every class: what waits for one is not looked at. */
static uint32_t blocked_ports(struct core *core)
{
    for (uint32_t ports = core->iq.blocked_ports; ports != 0; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        if (core->iq.port_busy_until[port][0] <= core->now)
            core->iq.blocked_ports &= ~(1u << port);
    }
    return core->iq.blocked_ports;
}

static void issue_by_slot(struct core *core, unsigned queue, uint32_t *free_ports)
{
    uint64_t order[ISSUE_QUEUE_SIZE_MAX];
    uint32_t count = slots_order(core, queue, order);
    for (uint32_t i = 0; i < count; i++)
        if (!issue_one(core, queue, (uint32_t)(order[i] & core_ring_mask(core)), free_ports,
                       core_extras(core)))
            return;
}

/* Every queue that has ready instructions. Returns the ports that took nothing. */
IN_BOTH uint32_t issue_queues(struct core *core, uint32_t free_ports, const uint64_t extras)
{
    const struct ring_shape *shape = core_shape(core);
    uint32_t first = (uint32_t)(core->commit_seq & core_ring_mask(core));
    uint64_t rest = core->iq.ready_groups;
    core->active |= rest != 0;
    while (rest != 0) {
        unsigned queue = (unsigned)__builtin_ctzll(rest) >> shape->queue_groups_log2;
        uint64_t after = (shape->queue_groups + 1) << (queue << shape->queue_groups_log2);
        uint32_t ports = core->iq.queue_ports[queue] & free_ports;
        free_ports ^= ports;
        if ((extras & EXTRA_SLOTS) && ports != 0)
            issue_by_slot(core, queue, &ports);
        else if (ports != 0)
            issue_queue(core, queue, first, &ports, extras);
        free_ports |= ports;
        rest = core->iq.ready_groups & -after;
    }
    return free_ports;
}

void issue_past_queue(struct core *core, const struct uop *uop, uint32_t index)
{
    issue_one(core, uop->queue, index, &core->iq.free_ports, core_extras(core));
    core->iq.issuing = NOT_ISSUING;
}

APART void issue_with_extras(struct core *core, uint32_t free_ports)
{
    if (core_extras(core) & EXTRA_RELEASE)
        places_free_due(core);
    port_search_step(core);
    if (core_extras(core) & EXTRA_QUEUE_BYPASS)
        places_begin_cycle(core);
    if (!port_issue_step(core))
        free_ports = issue_queues(core, free_ports, core_extras(core));
    core->iq.free_ports = free_ports;
    if (core_extras(core) & EXTRA_SLOTS)
        slots_end_of_issue(core);
    core->iq.issuing = NOT_ISSUING;
}

void issue_step(struct core *core)
{
    uint32_t free_ports = core->iq.ports & ~blocked_ports(core);
    if (core_is_plain(core))
        issue_queues(core, free_ports, 0);
    else
        issue_with_extras(core, free_ports);
}
