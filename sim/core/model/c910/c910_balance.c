/* The issue queue of an instruction with c910.balance = in_turn, and the number of a group that
 * goes: dispatch as in the C910 (ct_idu_ir_ctrl.v).
 *
 * Two families of queues, those of integer operations and those of floating point, have each a
 * first and a last queue. What can go to either is dealt out: to the first place of the first
 * queue, the first of the last, the second of the first and so on, but for the places of what has
 * to go to one of them. When the first queue was seen to hold two more than the last, a cycle's
 * first two go to the last ("dynamic load balance"). A group's queues are chosen as it comes; when
 * it has to wait for a place it keeps them. Of a group of which one queue would get too many the
 * first go, and the rest joins the next group (ct_idu_is_ctrl.v, is_dis_pipedown2).
 * Left out: the second half of a conversion, which can go to either queue. */
#include "isa/op.h"
#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/port.h"

enum { LOPSIDED = 2, MOVED = 2 };

static unsigned first_of(uint32_t queues)
{
    return (unsigned)__builtin_ctz(queues);
}

static unsigned last_of(uint32_t queues)
{
    return 31u - (unsigned)__builtin_clz(queues);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static unsigned family_of(const struct uop *uop)
{
    return uop->unit_class <= CLASS_SHIFT ? 0 : 1;
}

bool c910_balance_is_split(const struct uop *uop)
{
    return uop->latency == LAT_FCVT_X || uop->latency == LAT_FCVT_F;
}

static bool is_conversion(const struct uop *uop)
{
    return c910_balance_is_split(uop) || uop->insn.op == OP_fcvt_s_d || uop->insn.op == OP_fcvt_d_s;
}

/* The only queue that takes it, or QUEUE_SEVERAL. */
static inline unsigned own_queue(const struct core *core, const struct uop *uop)
{
    unsigned queue = core->iq.class_queue[uop->unit_class];
    if (queue != QUEUE_SEVERAL)
        return queue;
    if (family_of(uop) != 0)
        return is_conversion(uop) ? last_of(core->iq.class_queues[uop->unit_class]) : QUEUE_SEVERAL;
    return uop->insn.op == OP_auipc ? first_of(core->iq.class_queues[uop->unit_class])
                                    : QUEUE_SEVERAL;
}

/* Deals the instruction to the queue that got the fewest, the first of equals. */
static inline unsigned deal(const struct core *core, struct c910_dealt *dealt,
                            const struct uop *uop)
{
    uint32_t queues = core->iq.class_queues[uop->unit_class];
    unsigned family = family_of(uop), queue = first_of(queues);
    if (dealt->to_last[family] != 0) {
        dealt->to_last[family]--;
        queue = last_of(queues);
    } else {
        for (uint32_t rest = queues & (queues - 1); rest != 0; rest &= rest - 1)
            if (dealt->count[first_of(rest)] < dealt->count[queue])
                queue = first_of(rest);
    }
    dealt->count[queue]++;
    return queue;
}

static inline void begin_dealing(const struct c910_queues *own, struct c910_dealt *dealt)
{
    *dealt = (struct c910_dealt){.to_last = {0}};
    if (own->lopsided != 0)
        for (unsigned family = 0; family < QUEUE_FAMILIES; family++)
            dealt->to_last[family] = own->lopsided >> family & 1 ? MOVED : 0;
}

/* A fused pair goes by its second instruction, which its group may not have. */
static bool knows_queue(const struct core *core)
{
    return core_config(core)->c910_groups != 0 && (core_extras(core) & EXTRA_FUSION) == 0;
}

/* What is dealt out takes its turn: if it finds no room the cycle ends with it. Of a group all have
 * been dealt out together. */
unsigned c910_balance_queue(const struct core *core, const struct uop *uop)
{
    if (knows_queue(core))
        return uop->only_queue;
    unsigned queue = own_queue(core, uop);
    return queue != QUEUE_SEVERAL ? queue : deal(core, &core->model->queues.dealt, uop);
}

/* ---- as the queues were ---------------------------------------------------------------------- */

void c910_balance_init(struct core *core)
{
    static const uint8_t class[QUEUE_FAMILIES] = {CLASS_ALU, CLASS_FADD};
    struct c910_queues *own = &core->model->queues;
    for (unsigned family = 0; family < QUEUE_FAMILIES; family++) {
        uint32_t queues = core->iq.class_queues[class[family]];
        own->first[family] = (uint8_t)(queues != 0 ? first_of(queues) : 0);
        own->last[family] = (uint8_t)(queues != 0 ? last_of(queues) : 0);
    }
}

/* The families whose first queue is far fuller than the last, as a bit mask. */
static inline unsigned find_lopsided(const struct core *core)
{
    const struct c910_queues *own = &core->model->queues;
    const uint32_t *used = core->iq.queue_used;
    unsigned found = 0;
    for (unsigned family = 0; family < QUEUE_FAMILIES; family++) {
        bool is = used[own->first[family]] >= used[own->last[family]] + LOPSIDED;
        found |= (unsigned)is << family;
    }
    return found;
}

void c910_balance_watch(struct core *core)
{
    struct c910_queues *own = &core->model->queues;
    if (!own->is_group_held)
        own->lopsided = own->was_lopsided;
    own->was_lopsided = (uint8_t)find_lopsided(core);
    if (!knows_queue(core))
        begin_dealing(own, &own->dealt);
}

void c910_balance_hold(struct core *core, bool is_held)
{
    core->model->queues.is_group_held = is_held;
}

bool c910_balance_is_settled(const struct core *core)
{
    const struct c910_queues *own = &core->model->queues;
    return (own->was_lopsided == own->lopsided || own->is_group_held) &&
           own->was_lopsided == find_lopsided(core);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static inline bool leaves_address(const struct uop *uop)
{
    return (uop->kind == KIND_JAL || uop->kind == KIND_JALR) && uop->insn.rd != REG_SINK;
}

static uint32_t stages_of(const struct core *core)
{
    return core_config(core)->decode_stages + core_config(core)->rename_stages;
}

/* Of groups_decoded: the first instruction of a group counts one, and a CSR instruction, which lets
 * none into a stage, more than there is room for. */
static inline uint32_t weight_of(const struct core *core, const struct uop *uop, bool is_first)
{
    return uop->kind == KIND_CSR ? stages_of(core) + 1 : is_first;
}

static inline unsigned only_queue(const struct core *core, const struct uop *uop)
{
    if (c910_deals(core))
        return own_queue(core, uop);
    return core->iq.class_queue[uop->unit_class];
}

/* Groups between decode and dispatch: instructions with the same decode_cycle. Each stage holds one
 * group of any size; a CSR instruction stays in decode until it has acted (openc910,
 * ct_idu_id_fence.v). */
bool c910_balance_has_room(const struct core *core)
{
    if (core->serial_in_flight && core_uop(core, core->dispatch_seq - 1)->kind == KIND_CSR)
        return false;
    if (core->dispatch_seq == core->decode_seq)
        return true;
    const struct uop *first = core_uop(core, core->dispatch_seq);
    uint32_t groups = core_uop(core, core->decode_seq - 1)->groups_decoded - first->groups_decoded;
    return groups + weight_of(core, first, true) <= stages_of(core);
}

struct c910_row c910_balance_begin_row(const struct core *core, uint64_t first)
{
    return (struct c910_row){
        .groups = core_uop(core, first - 1)->groups_decoded + 1,
        .left = (uint8_t)(core->decode_seq - first), .is_first = true,
    };
}

void c910_balance_decoded(const struct core *core, struct uop *uop, struct c910_row *row)
{
    if (uop->kind == KIND_CSR)
        row->groups += weight_of(core, uop, row->is_first) - row->is_first;
    row->is_first = false;
    uop->groups_decoded = row->groups;
    uop->row_left = row->left--;
    uop->own_queue = (uint8_t)only_queue(core, uop);
    uop->leaves_address = leaves_address(uop);
}

static inline bool needs_queue(const struct core *core, const struct uop *uop)
{
    return (uop->flags & UOP_SERIAL) == 0 && !rename_eliminates(core, uop);
}

/* The number of arrived instructions that were decoded together from this one on, at most the width
 * of dispatch. A squash leaves none of them, or all. */
static uint32_t row_at(const struct core *core, uint64_t first)
{
    const struct uop *uop = core_uop(core, first);
    if (first == core->decode_seq || uop->decode_cycle + stages_of(core) > core->now)
        return 0;
    return (uint32_t)earlier(uop->row_left, core_config(core)->dispatch_width);
}

/* The number of instructions decoded with the next one. The rest of a split group goes with the
 * next group, if that finds room beside it. */
static uint32_t balanced_size(const struct core *core)
{
    uint64_t first = core->dispatch_seq;
    const struct group_rest *rest = &core->model->queues.rest;
    uint32_t count = row_at(core, first);
    if (rest->seq != first || rest->decode_cycle != core_uop(core, first)->decode_cycle)
        return count;
    uint32_t next = row_at(core, first + count);
    return count + next <= core_config(core)->dispatch_width ? count + next : count;
}

/* Counts those of a group that only one queue can hold, and notes that queue in each. Returns the
 * largest number of one queue. A fused pair is known only now. */
static inline uint32_t look_at_group(struct core *core, uint32_t count, struct c910_dealt *dealt)
{
    const struct c910_queues *own = &core->model->queues;
    uint32_t most = 0;
    for (uint32_t n = 0; n < count; n++) {
        struct uop *uop = core_uop(core, core->dispatch_seq + n);
        unsigned queue = core_extras(core) & EXTRA_FUSION ? only_queue(core, uop) : uop->own_queue;
        if (!needs_queue(core, uop))
            queue = QUEUE_SEVERAL;
        uop->only_queue = (uint8_t)queue;
        if (queue != QUEUE_SEVERAL)
            most = larger(most, ++dealt->count[queue]);
        if (c910_deals(core) && uop->leaves_address)
            most = larger(most, ++dealt->count[own->first[0]]);
    }
    return most;
}

/* As many of a group's first instructions as a queue takes that would get more. */
static uint32_t split_group(struct core *core, uint32_t most)
{
    uint64_t seq = core->dispatch_seq + most;
    core->model->queues.rest =
        (struct group_rest){.seq = seq, .decode_cycle = core_uop(core, seq)->decode_cycle};
    return most;
}

static inline uint32_t due_of_group(struct core *core, struct c910_dealt *dealt)
{
    uint32_t count = balanced_size(core), most = core_config(core)->c910_per_queue;
    bool is_split = look_at_group(core, count, dealt) > most && most != 0 && count > most;
    return is_split ? split_group(core, most) : count;
}

/* Deals the group out. True if each finds a place in the queue that it goes to. */
static inline bool find_places(struct core *core, uint32_t count, struct c910_dealt *dealt)
{
    uint8_t needed[ISSUE_QUEUES_MAX] = {0};
    const struct issue_queues *iq = &core->iq;
    const struct c910_queues *own = &core->model->queues;
    for (uint32_t n = 0; n < count; n++) {
        struct uop *uop = core_uop(core, core->dispatch_seq + n);
        unsigned queue = uop->only_queue;
        if (queue == QUEUE_SEVERAL) {
            if (!c910_deals(core) || !needs_queue(core, uop))
                continue;
            queue = deal(core, dealt, uop);
            if (knows_queue(core))
                uop->only_queue = (uint8_t)queue;
        }
        if (c910_deals(core) && uop->leaves_address)
            needed[own->first[0]]++;
        uint32_t used = iq->queue_used[queue];
        if (used + ++needed[queue] > iq->queue_size[queue] && used != 0)
            return false;
    }
    return true;
}

uint32_t c910_balance_group(struct core *core, unsigned *cause)
{
    struct c910_dealt dealt;
    begin_dealing(&core->model->queues, &dealt);
    uint32_t count = due_of_group(core, &dealt);
    if (!knows_queue(core))
        core->model->queues.dealt = dealt;
    if (find_places(core, count, &dealt))
        return count;
    *cause = EVENT_SLOTS_QUEUE_FULL;
    return 0;
}
