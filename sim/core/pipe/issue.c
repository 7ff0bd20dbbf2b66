/* Issue: in each cycle every queue issues its oldest ready instructions to the ports that take
 * them.
 *
 * The ready instructions of a queue are a bitmap over the ring; scanned from the commit point on,
 * it is in program order. Bit masks made from the settings (issue_plan.h) say which port takes
 * which class from which queue. An instruction takes the first free port in the order of the list,
 * and queues choose in their order. A port starts one instruction a cycle; division and square root
 * keep their unit. */
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/issue_start.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/units.h"
#include "sim/core/pipe/wake.h"

/* The instruction's place in its queue becomes free. */
static inline void leave_queue(struct core *core, struct uop *uop, unsigned port)
{
    const uint64_t extras = core_extras(core);
    bool is_one = (extras & EXTRA_RELEASE) && (extras & EXTRA_STORE_UOPS) == 0;
    uint64_t cycle = port_place_until(core, uop) + core_config(core)->issue_release_cycles;
    bool is_here = port != NOT_ISSUING || (extras & EXTRA_SLOTS) == 0;
    if (!is_one || !is_here || (port_reissues(core) && (uop->flags & UOP_REPLAYING)))
        places_leave(core, uop);
    else if (extras & EXTRA_SLOTS)
        places_free_slot_at(core, (struct freed_slot){uop->queue, uop->slot}, port, cycle);
    else
        places_free_at(core, uop->queue, cycle);
}

/* port: that took it now, or NOT_ISSUING. */
IN_BOTH void issued(struct core *core, struct uop *uop, uint32_t index, unsigned port)
{
    if (!port_reissues(core) || (uop->flags & UOP_REPLAYING) == 0)
        wheel_leave_ready(core, uop, index);
    leave_queue(core, uop, port);
    core->events[EVENT_ISSUED]++;
    start(core, uop, index, uop->complete_cycle, core_extras(core));
}

/* ---- for a model that reissues --------------------------------------------------------------- */

void issue_done(struct core *core, struct uop *uop, uint32_t index)
{
    issued(core, uop, index, NOT_ISSUING);
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

void issue_on_unit(struct core *core, struct uop *uop, uint32_t cycles)
{
    units_pass(core, uop, uop->port, cycles);
}

void issue_keep_unit(struct core *core, const struct uop *uop, unsigned port, uint64_t until)
{
    units_keep(core, uop, port, until);
}

/* ---- one operation --------------------------------------------------------------------------- */

/* A load that polls in every cycle could keep the port for ever from an older instruction that it
 * waits for. It therefore occupies the port only if no such instruction can come after it, that is,
 * if the port has a queue of its own in program order. */
APART bool is_contended(const struct core *core, unsigned port)
{
    unsigned queues = 0;
    for (uint32_t queue = 0; queue < core_shape(core)->queue_count; queue++)
        queues += core->iq.queue_ports[queue] >> port & 1;
    return queues > 1 || (core_extras(core) & EXTRA_SLOTS) != 0;
}

/* ---- all queues at once ---------------------------------------------------------------------- */

/* In one cycle: the ports that took nothing, and the words with instructions that stay ready. */
struct round { uint32_t ports; uint64_t left_words; };

static inline void stay_ready(struct core *core, unsigned word, uint64_t bits,
                              struct round *round)
{
    core->iq.ready[word] |= bits;
    round->left_words |= UINT64_C(1) << word;
}

/* The load or store got a port, but did not issue. */
IN_BOTH void refuse(struct core *core, enum issue_result result, unsigned word, uint64_t bit,
                    uint32_t port_bit, struct round *round)
{
    if (result == ISSUE_POLL && is_contended(core, (unsigned)__builtin_ctz(port_bit)))
        round->ports |= port_bit;
    if (result == ISSUE_RETRY)          /* it has used the port in vain */
        stay_ready(core, word, bit, round);
}

/* A store whose data are issued too got the port for its address, its data, or both. class: the
 * part that asked for the port. */
IN_BOTH void issue_parts(struct core *core, struct uop *uop, uint32_t index, unsigned word,
                         unsigned class, uint32_t port_bit, struct round *round,
                         const uint64_t extras)
{
    unsigned queue = word >> core_shape(core)->words_log2;
    store_data_issue(core, uop, queue, (unsigned)__builtin_ctz(port_bit));
    if (class != CLASS_STORE)
        return;
    enum issue_result result = ISSUE_SLEEP;
    if ((extras & EXTRA_REPLAY) && is_in_vain(core, uop))
        replay(core, uop, index);
    else
        result = lsu_issue(core, uop, core_seq_at(core, index));
    if (result == ISSUE_DONE) {
        if (!store_data_keeps_entry(uop))
            core->iq.queue_used[queue]--;
        core->events[EVENT_ISSUED]++;
        start(core, uop, index, uop->complete_cycle, extras);
    } else {
        refuse(core, result, word, wheel_ring_bit(index), port_bit, round);
    }
    if (store_data_stays(core, uop))
        stay_ready(core, word, wheel_ring_bit(index), round);
}

/* Issues the instructions `bits` of a word of the bitmaps, the oldest first, to ports that take
 * their classes. */
IN_BOTH void issue_word(struct core *core, unsigned word, uint64_t bits, struct round *round,
                        const uint64_t extras)
{
    unsigned queue = word >> core_shape(core)->words_log2;
    const uint32_t *class_ports = core->iq.class_ports[queue];
    for (; bits != 0; bits &= bits - 1) {
        uint32_t index = (word * 64 & core_ring_mask(core)) + (uint32_t)__builtin_ctzll(bits);
        struct uop *uop = core_at(core, index);
        unsigned class = uop->unit_class;
        const bool has_parts = (extras & EXTRA_STORE_UOPS) && class == CLASS_STORE;
        if (has_parts)
            class = store_data_class(core, uop, queue);
        uint32_t port_bit = units_free_port(core, class_ports[class] & round->ports, class);
        if (port_bit == 0) {
            bool goes_on = (core->iq.queue_ports[queue] & round->ports) != 0;
            stay_ready(core, word, goes_on ? bits & -bits : bits, round);
            if (!goes_on)
                return;
            continue;
        }
        round->ports ^= port_bit;
        if (has_parts) {
            issue_parts(core, uop, index, word, class, port_bit, round, extras);
            continue;
        }
        if ((extras & EXTRA_REPLAY) && is_in_vain(core, uop)) {
            replay(core, uop, index);
            continue;
        }
        uint64_t done;
        if (class == CLASS_LOAD || class == CLASS_STORE) {
            enum issue_result result = lsu_issue(core, uop, core_seq_at(core, index));
            if (result != ISSUE_DONE) {
                refuse(core, result, word, bits & -bits, port_bit, round);
                continue;
            }
            done = uop->complete_cycle;
        } else if (class == CLASS_DIV || class == CLASS_FDIV) {
            done = units_occupy(core, uop, (unsigned)__builtin_ctz(port_bit), extras);
        } else {
            done = units_pass(core, uop, (unsigned)__builtin_ctz(port_bit),
                              core->latency[uop->latency]);
        }
        core->iq.queue_used[queue]--;
        core->events[EVENT_ISSUED]++;
        start(core, uop, index, done, extras);
    }
}

/* The words of all queues as a bit mask in which those of each queue are in program order: from the
 * word of the commit point on, round the ring. That word has nothing before the commit point
 * (shape.c). */
static inline uint64_t in_order_of_age(const struct core *core, uint64_t words, unsigned first)
{
    const struct ring_shape *shape = core_shape(core);
    unsigned count = 1u << shape->words_log2;
    uint64_t front = shape->first_words * ((UINT64_C(1) << (count - first)) - 1);
    return (words >> first & front) | (words << (count - first) & ~front);
}

/* Every queue that has ready instructions, in the order of queues. All are taken out of the bitmap,
 * and those that stay go into the next cycle's, as do those that are woken meanwhile. */
IN_BOTH void issue_at_once(struct core *core, uint32_t free_ports, const uint64_t extras)
{
    struct round round = {.ports = free_ports};
    unsigned first = (unsigned)(core->commit_seq & core_ring_mask(core)) / 64;
    unsigned in_queue = (1u << core_shape(core)->words_log2) - 1;
    uint64_t rest = in_order_of_age(core, core->iq.ready_groups, first);
    uint64_t *ready = core->iq.ready;
    core->active |= rest != 0;
    core->iq.ready = core->iq.ready_next;
    core->iq.ready_next = ready;
    core->iq.ready_groups = 0;
    for (; rest != 0; rest &= rest - 1) {
        unsigned n = (unsigned)__builtin_ctzll(rest);
        unsigned word = (n & ~in_queue) | ((n + first) & in_queue);
        uint64_t bits = ready[word];
        ready[word] = 0;
        issue_word(core, word, bits, &round, extras);
    }
    core->iq.ready_groups |= round.left_words;
    core->iq.left_groups = round.left_words;
}

/* ---- an operation at a time ------------------------------------------------------------------ */

/* True: the operation has been issued. */
IN_BOTH bool issue_to_memory(struct core *core, struct uop *uop, uint32_t index, unsigned port,
                             uint32_t *free_ports)
{
    enum issue_result result = lsu_issue(core, uop, core_seq_at(core, index));
    if (result == ISSUE_DONE)
        return true;
    if (result != ISSUE_RETRY)
        wheel_leave_ready(core, uop, index);
    if (result == ISSUE_POLL)
        *free_ports |= is_contended(core, port) ? 1u << port : 0;
    return false;
}

IN_BOTH bool issue_to_unit(struct core *core, struct uop *uop, int port)
{
    units_occupy(core, uop, (unsigned)port, core_extras(core));
    return true;
}

/* The operation got a port. True: it has been issued. */
IN_BOTH bool starts(struct core *core, struct uop *uop, uint32_t index, unsigned port,
                    unsigned class, uint32_t *free_ports)
{
    const uint64_t extras = core_extras(core);
    if ((extras & EXTRA_MODEL) && port_reissues(core))
        return port_issue(core, uop, index, (int)port);
    if ((extras & EXTRA_REPLAY) && is_in_vain(core, uop)) {
        replay(core, uop, index);
        return false;
    }
    return class == CLASS_LOAD || class == CLASS_STORE
               ? issue_to_memory(core, uop, index, port, free_ports)
               : issue_to_unit(core, uop, (int)port);
}

/* free_ports: the ports of the queue that are not used yet in this cycle. An access that the cache
 * refused has used its port. False: no port is left. */
IN_BOTH bool issue_one(struct core *core, unsigned queue, uint32_t index, uint32_t *free_ports)
{
    const uint64_t extras = core_extras(core);
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
    uint32_t port_bit = units_free_port(core, ports & *free_ports, class);
    if (port_bit == 0)
        return *free_ports != 0;
    int port = __builtin_ctz(port_bit);
    *free_ports &= ~port_bit;
    core->iq.issuing = (uint8_t)port;
    if (has_data)
        store_data_issue(core, uop, queue, (unsigned)port);
    if (has_data && class != CLASS_STORE)
        return *free_ports != 0;
    if (starts(core, uop, index, (unsigned)port, class, free_ports))
        issued(core, uop, index, (unsigned)port);
    if (has_data)
        store_data_stay(core, uop, index);
    return *free_ports != 0;
}

/* Out of line: where operations may bypass their queue, two callers share the code. */
APART bool issue_shared(struct core *core, unsigned queue, uint32_t index, uint32_t *free_ports)
{
    return issue_one(core, queue, index, free_ports);
}

/* The words of a queue's bitmap in program order: from the word of the commit point on, round the
 * ring. That word has nothing before the commit point (shape.c). */
static inline uint64_t in_program_order(const struct core *core, uint64_t words, uint32_t first)
{
    uint32_t count = 1u << core_shape(core)->words_log2;
    return (words >> first | words << (count - first)) & ((UINT64_C(1) << count) - 1);
}

/* The word to count from; a single word needs no rotation. */
static inline uint32_t first_word(const struct core *core, uint64_t words)
{
    return (words & (words - 1)) == 0 ? 0
                                      : (uint32_t)(core->commit_seq & core_ring_mask(core)) / 64;
}

/* The words in these groups of a queue; if a group has several words, some may be empty. */
static uint64_t words_of(const struct core *core, uint64_t groups)
{
    uint64_t words = 0, group = (UINT64_C(1) << (1u << core_shape(core)->group_log2)) - 1;
    if (core_shape(core)->group_log2 == 0)
        return groups;
    for (; groups != 0; groups &= groups - 1)
        words |= group << ((unsigned)__builtin_ctzll(groups) << core_shape(core)->group_log2);
    return words;
}

/* Issues the ready instructions of a queue in program order. With EXTRA_BYPASS further ones may
 * become ready meanwhile. */
static void issue_by_age(struct core *core, unsigned queue, uint32_t *free_ports)
{
    bool may_join = (core_extras(core) & EXTRA_BYPASS) != 0;
    bool shares = core_always_has(core, EXTRA_QUEUE_BYPASS);
    uint64_t groups = may_join ? core_shape(core)->queue_groups : core_ready_groups(core, queue);
    uint64_t words = words_of(core, groups);
    uint32_t first = first_word(core, words);
    uint64_t rest = first == 0 ? words : in_program_order(core, words, first);
    for (; rest != 0; rest &= rest - 1) {
        uint32_t word = first + (uint32_t)__builtin_ctzll(rest);
        uint32_t index = word * 64 & core_ring_mask(core);
        const uint64_t *ready = &core->iq.ready[issue_queue_word(core_shape(core), queue, index)];
        uint64_t bits = *ready;
        while (bits != 0) {
            unsigned bit = (unsigned)__builtin_ctzll(bits);
            if (!(shares ? issue_shared(core, queue, index + bit, free_ports)
                         : issue_one(core, queue, index + bit, free_ports)))
                return;
            bits &= bits - 1;
            if (may_join)
                bits |= *ready & ~UINT64_C(1) << bit;
        }
    }
}

/* Issues the ready instructions of a queue, the lowest slot first. */
static void issue_by_slot(struct core *core, unsigned queue, uint32_t *free_ports)
{
    uint64_t ready[ISSUE_QUEUE_SIZE_MAX / 64];
    uint32_t first = issue_queue_word(core_shape(core), queue, 0);
    uint32_t words = 1u << core_shape(core)->words_log2;
    for (uint32_t i = 0; i < words; i++)
        ready[i] = core->iq.ready[first + i];
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t bits = ready[i]; bits != 0; bits &= bits - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(bits);
            if (!issue_one(core, queue, core_ring_place(core, first + i, bit), free_ports))
                return;
        }
}

/* The same with bitmaps over the ring. */
static void issue_in_slots(struct core *core, unsigned queue, uint32_t *free_ports)
{
    struct ready_slots ready;
    slots_find_ready(core, queue, &ready);
    for (uint32_t word = 0; word < ready.words; word++)
        for (uint64_t bits = ready.used[word]; bits != 0; bits &= bits - 1) {
            unsigned slot = word * 64 + (unsigned)__builtin_ctzll(bits);
            if (!issue_one(core, queue, ready.at[slot], free_ports))
                return;
        }
}

/* Issues from every queue that has ready instructions. Returns the ports that took nothing. */
static uint32_t issue_queues(struct core *core, uint32_t free_ports)
{
    const struct ring_shape *shape = core_shape(core);
    uint64_t rest = core->iq.ready_groups;
    core->active |= rest != 0;
    while (rest != 0) {
        unsigned queue = shape->queue_count == 1
                             ? 0 : (unsigned)__builtin_ctzll(rest) >> shape->queue_groups_log2;
        uint64_t after = (shape->queue_groups + 1) << (queue << shape->queue_groups_log2);
        uint32_t ports = core->iq.queue_ports[queue] & free_ports;
        free_ports ^= ports;
        if (shape->by_slot && ports != 0)
            issue_by_slot(core, queue, &ports);
        else if ((core_extras(core) & EXTRA_SLOTS) && ports != 0)
            issue_in_slots(core, queue, &ports);
        else if (ports != 0)
            issue_by_age(core, queue, &ports);
        free_ports |= ports;
        rest = queue + 1 == shape->queue_count ? 0 : core->iq.ready_groups & -after;
    }
    return free_ports;
}

/* The ports that an iterative operation keeps from every class. */
static uint32_t blocked_ports(struct core *core)
{
    for (uint32_t ports = core->iq.blocked_ports; ports != 0; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        if (core->iq.port_busy_until[port][0] <= core->now)
            core->iq.blocked_ports &= ~(1u << port);
    }
    return core->iq.blocked_ports;
}

/* Slots that issue freed are noted by port, so they return before a port can take another
 * instruction. */
static inline void end_of_issue(struct core *core)
{
    if ((core_extras(core) & (EXTRA_SLOTS | EXTRA_RELEASE)) == EXTRA_SLOTS)
        slots_end_of_issue(core);
    core->iq.issuing = NOT_ISSUING;
}

void issue_past_queue(struct core *core, const struct uop *uop, uint32_t index)
{
    issue_shared(core, uop->queue, index, &core->iq.free_ports);
    end_of_issue(core);
}

IN_BOTH void issue_by_extras(struct core *core, uint32_t free_ports)
{
    if (core_extras(core) & EXTRA_RELEASE)
        places_free_due(core);
    port_search_step(core);
    if (core_extras(core) & EXTRA_QUEUE_BYPASS)
        places_begin_cycle(core);
    if (!port_issue_step(core))
        free_ports = issue_queues(core, free_ports);
    core->iq.free_ports = free_ports;
    end_of_issue(core);
    core->iq.left_groups = core->iq.ready_groups;
}

IN_BOTH void issue_otherwise(struct core *core, uint32_t free_ports)
{
    if (issue_is_at_once(core_extras(core)))
        issue_at_once(core, free_ports, core_extras(core));
    else
        issue_by_extras(core, free_ports);
}

APART void issue_with_extras(struct core *core, uint32_t free_ports)
{
    issue_otherwise(core, free_ports);
}

void issue_step(struct core *core)
{
    uint32_t free_ports = core->iq.ports & ~blocked_ports(core);
    if (core_always_has(core, ~EXTRAS_ELSEWHERE))
        issue_otherwise(core, free_ports);
    else if (core_is_plain(core))
        issue_at_once(core, free_ports, 0);
    else
        issue_with_extras(core, free_ports);
}
