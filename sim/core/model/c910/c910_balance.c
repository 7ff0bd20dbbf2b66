/* Dispatch as in the C910 (ct_idu_ir_ctrl.v): the issue queue of an instruction with c910.balance =
 * in_turn, and the size of the group that dispatches.
 *
 * There are two families of queues, for integer and for floating-point operations, each with a
 * first and a last queue. Instructions that either queue of a family takes are dealt out in turn:
 * to the first place of the first queue, the first of the last, the second of the first and so on,
 * skipping the places of instructions that only one queue takes. When the first queue was seen to
 * hold at least two operations more than the last, the first two instructions of a cycle go to the
 * last ("dynamic load balance"). The queues of a group are chosen when it arrives; a group that
 * waits for room keeps its queues. If one queue would get too many instructions of a group, only
 * the first ones dispatch, and the rest joins the next group (ct_idu_is_ctrl.v, is_dis_pipedown2).
 * Left out: the second half of a conversion, which can go to either queue. */
#include <string.h>

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

static unsigned family_of(unsigned class)
{
    return class <= CLASS_SHIFT ? 0 : 1;
}

bool c910_balance_is_split(const struct uop *uop)
{
    return uop->latency == LAT_FCVT_X || uop->latency == LAT_FCVT_F;
}

/* Flags of the instructions that only one queue takes, while others of their class are dealt
 * out. */
#define HAS_QUEUE_OF_OWN (UOP_READS_PC | UOP_CONVERTS)

/* The only queue that takes the instruction, or QUEUE_SEVERAL. */
SELDOM static unsigned own_queue(const struct core *core, const struct uop *uop)
{
    unsigned queue = core->iq.class_queue[uop->unit_class];
    uint32_t queues = core_shape(core)->class_queues[uop->unit_class];
    if (queue != QUEUE_SEVERAL || !c910_deals(core) ||
        (uop->flags & HAS_QUEUE_OF_OWN) == 0)
        return queue;
    return family_of(uop->unit_class) != 0 ? last_of(queues) : first_of(queues);
}

/* Deals an instruction of the class to the queue that got the fewest; of equals, to the first. */
static inline unsigned deal(const struct core *core, struct c910_dealt *dealt, unsigned class)
{
    uint32_t queues = core_shape(core)->class_queues[class];
    unsigned family = family_of(class), queue = first_of(queues);
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

static inline struct c910_dealt begin_dealing(unsigned lopsided)
{
    struct c910_dealt dealt = {.to_last = {0}};
    for (unsigned family = 0; family < QUEUE_FAMILIES; family++)
        dealt.to_last[family] = lopsided >> family & 1 ? MOVED : 0;
    return dealt;
}

/* True if the queues of a group are chosen before it dispatches. Not with fusion: a fused pair
 * enters the queue of its second instruction, which may belong to a later group. */
static bool knows_queue(const struct core *core)
{
    return core_config(core)->c910_groups != 0 && (core_extras(core) & EXTRA_FUSION) == 0;
}

/* Where groups are not whole, instructions are dealt out as they dispatch; one that finds no room
 * ends the cycle. The queues of a whole group have been chosen before. */
unsigned c910_balance_queue(const struct core *core, const struct uop *uop)
{
    struct c910_queues *own = &core->model->queues;
    if (knows_queue(core))
        return own->chosen[core->dispatch_seq - own->chosen_from];
    unsigned queue = own_queue(core, uop);
    return queue != QUEUE_SEVERAL ? queue : deal(core, &own->dealt, uop->unit_class);
}

/* The first and the last queue of a family; 0: it has none. */
static inline unsigned first_queue(const struct core *core, unsigned family)
{
    uint32_t queues = core_shape(core)->class_queues[family != 0 ? CLASS_FADD : CLASS_ALU];
    return queues != 0 ? first_of(queues) : 0;
}

static inline unsigned last_queue(const struct core *core, unsigned family)
{
    uint32_t queues = core_shape(core)->class_queues[family != 0 ? CLASS_FADD : CLASS_ALU];
    return queues != 0 ? last_of(queues) : 0;
}

/* ---- as the queues were ---------------------------------------------------------------------- */

/* The families whose first queue is far fuller than the last, as a bit mask. */
static inline unsigned find_lopsided(const struct core *core)
{
    const uint32_t *used = core->iq.queue_used;
    unsigned found = 0;
    for (unsigned family = 0; family < QUEUE_FAMILIES; family++) {
        bool is = used[first_queue(core, family)] >= used[last_queue(core, family)] + LOPSIDED;
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
        own->dealt = begin_dealing(own->lopsided);
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

static uint32_t stages_of(const struct core *core)
{
    return core_config(core)->decode_stages + core_config(core)->rename_stages;
}

/* What an instruction adds to groups_decoded: one for the first of a group; for a CSR instruction,
 * which lets no group into a stage, more than there is room for. */
static inline uint32_t weight_of(const struct core *core, const struct uop *uop, bool is_first)
{
    return uop->kind == KIND_CSR ? stages_of(core) + 1 : is_first;
}

/* A group between decode and dispatch is the instructions with the same decode_cycle. Each stage
 * holds one group of any size. A CSR instruction stays in decode until it has acted (openc910,
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
        .first = first, .groups = core_uop(core, first - 1)->groups_decoded + 1,
    };
}

/* The way of an instruction is the number of the only queue that takes it, or one of these.
 * TO_DEALT: plus its class; any queue of the class takes it. TO_NONE: it enters no queue, or one
 * that is not known when its group arrives. WITH_ADDRESS: added if its return address enters the
 * first queue. */
enum { TO_DEALT = 0x10, TO_NONE = 0x20, WITH_ADDRESS = 0x40 };
_Static_assert((int)CLASS_COUNT <= (int)TO_DEALT && (int)ISSUE_QUEUES_MAX <= (int)TO_DEALT,
               "a way is a class or a queue");

/* Finds the way that most instructions of each class have. */
static void find_class_ways(const struct core *core, struct c910_queues *own)
{
    for (unsigned class = 0; class < CLASS_COUNT; class++) {
        unsigned first = 0, queue = core->iq.class_queue[class];
        while (core_shape(core)->class_queues[first] != core_shape(core)->class_queues[class] ||
               family_of(first) != family_of(class))
            first++;
        own->class_way[class] = (uint8_t)(queue != QUEUE_SEVERAL ? queue
                                          : c910_deals(core) ? TO_DEALT | first : TO_NONE);
    }
}

/* Flags of the instructions whose way may be another than that of their class. */
#define HAS_OWN_WAY (HAS_QUEUE_OF_OWN | UOP_SERIAL | UOP_LINKS)

SELDOM static uint8_t own_way(const struct core *core, const struct uop *uop)
{
    unsigned way = core->model->queues.class_way[uop->unit_class];
    if ((way & TO_DEALT) && (uop->flags & HAS_QUEUE_OF_OWN))
        way = own_queue(core, uop);
    if ((uop->flags & UOP_SERIAL) || rename_eliminates(core, uop))
        way = TO_NONE;
    return (uint8_t)(way | (c910_deals(core) && (uop->flags & UOP_LINKS) ? WITH_ADDRESS : 0));
}

static inline uint8_t way_of(const struct core *core, const struct uop *uop)
{
    bool has_own = (uop->flags & HAS_OWN_WAY) || rename_eliminates(core, uop);
    return has_own ? own_way(core, uop) : core->model->queues.class_way[uop->unit_class];
}

/* Ways are read several at a time, so those of the first places are repeated after the last. */
static inline void note_way(struct core *core, uint64_t seq, uint8_t way)
{
    uint32_t index = (uint32_t)seq & core_ring_mask(core);
    core->model->queues.way[index] = way;
    if (index < GROUP_MOST)
        core->model->queues.way[index + core_ring_mask(core) + 1] = way;
}

void c910_balance_decoded(struct core *core, struct uop *uop, uint64_t seq, struct c910_row *row)
{
    bool is_first = seq == row->first;
    if (uop->kind == KIND_CSR)
        row->groups += weight_of(core, uop, is_first) - is_first;
    uop->groups_decoded = row->groups;
    uop->row_left = (uint8_t)(core->decode_seq - seq);
    note_way(core, seq, way_of(core, uop));
}

void c910_balance_init(struct core *core)
{
    find_class_ways(core, &core->model->queues);
}

/* The number of arrived instructions, from this one on, that were decoded together; at most the
 * width of dispatch. A squash removes all of them or none. */
static uint32_t row_at(const struct core *core, uint64_t first)
{
    const struct uop *uop = core_uop(core, first);
    if (first == core->decode_seq || uop->decode_cycle + stages_of(core) > core->now)
        return 0;
    return (uint32_t)earlier(uop->row_left, core_config(core)->dispatch_width);
}

/* The size of the next group. The rest of a split group goes together with the next group if
 * dispatch.width has room for both. */
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

/* The ways of a group, a byte each, as noted at decode. Fusion and elimination are known only now.
 * Otherwise a way has changed only for an access found to act alone, which is then the first. */
static inline uint64_t ways_of(struct core *core, uint32_t size)
{
    uint32_t index = (uint32_t)core->dispatch_seq & core_ring_mask(core);
    uint64_t ways;
    if (core_extras(core) & (EXTRA_FUSION | EXTRA_SHARED))
        for (uint32_t n = 0; n < size; n++)
            note_way(core, core->dispatch_seq + n,
                     way_of(core, core_uop(core, core->dispatch_seq + n)));
    else if (core_at(core, index)->flags & UOP_SERIAL)
        note_way(core, core->dispatch_seq, way_of(core, core_at(core, index)));
    memcpy(&ways, &core->model->queues.way[index], sizeof ways);
    return ways & UINT64_MAX >> (64 - 8 * size);
}

/* Counts the instructions of a group that only one queue takes. Returns the largest count. */
static uint32_t count_own(const struct core *core, const struct c910_shape *shape,
                          struct c910_dealt *dealt)
{
    uint32_t most = 0;
    for (uint32_t n = 0; n < shape->size; n++) {
        unsigned way = shape->ways >> 8 * n & 0xff, queue = way % WITH_ADDRESS;
        if (queue < TO_DEALT)
            most = larger(most, ++dealt->count[queue]);
        if (way & WITH_ADDRESS)
            most = larger(most, ++dealt->count[first_queue(core, 0)]);
    }
    return most;
}

/* Deals the group out, and notes the places that it needs in each queue. */
static void choose_queues(const struct core *core, struct c910_shape *shape,
                          struct c910_dealt *dealt)
{
    uint8_t needed[ISSUE_QUEUES_MAX] = {0}, asked[ISSUE_QUEUES_MAX] = {0};
    for (uint32_t n = 0; n < shape->count; n++) {
        unsigned way = shape->ways >> 8 * n & 0xff, queue = way % WITH_ADDRESS;
        if (queue & TO_NONE) {
            shape->queues[n] = QUEUE_SEVERAL;
            continue;
        }
        if (queue & TO_DEALT)
            queue = deal(core, dealt, queue % TO_DEALT);
        shape->queues[n] = (uint8_t)queue;
        if (way & WITH_ADDRESS)
            needed[first_queue(core, 0)]++;
        asked[queue] = ++needed[queue];
    }
    for (unsigned queue = 0; queue < ISSUE_QUEUES_MAX; queue++)
        if (asked[queue] != 0)
            shape->place[shape->places++] = (struct c910_place_asked){
                .queue = (uint8_t)queue,
                .most_used = (uint16_t)cycles_before(core->iq.queue_size[queue], asked[queue]),
            };
}

/* If one queue would get more than c910.per_queue, only that number of instructions dispatch. */
APART void find_shape(const struct core *core, struct c910_shape *shape, uint64_t ways,
                      uint32_t size, unsigned lopsided)
{
    uint32_t most = core_config(core)->c910_per_queue;
    struct c910_dealt dealt = begin_dealing(lopsided);
    *shape = (struct c910_shape){.ways = ways, .size = (uint8_t)size,
                                 .lopsided = (uint8_t)lopsided};
    shape->is_split = count_own(core, shape, &dealt) > most && most != 0 && size > most;
    shape->count = (uint8_t)(shape->is_split ? most : size);
    shape->dealt = dealt;
    choose_queues(core, shape, &dealt);
}

/* Looks up how a group enters the queues, as the same groups recur. */
static inline const struct c910_shape *shape_of(struct core *core, uint64_t ways, uint32_t size)
{
    struct c910_queues *own = &core->model->queues;
    uint64_t hash = (ways ^ (uint64_t)own->lopsided << 62) * UINT64_C(0x9e3779b97f4a7c15);
    struct c910_shape *shape = &own->shape[hash >> (64 - SHAPES_LOG2)];
    if (shape->ways != ways || shape->size != size || shape->lopsided != own->lopsided)
        find_shape(core, shape, ways, size, own->lopsided);
    return shape;
}

static void note_split(struct core *core, uint32_t count)
{
    uint64_t seq = core->dispatch_seq + count;
    core->model->queues.rest =
        (struct group_rest){.seq = seq, .decode_cycle = core_uop(core, seq)->decode_cycle};
}

/* True if each instruction finds a place in its queue, or the queue is empty. */
static inline bool has_places(const struct core *core, const struct c910_shape *shape)
{
    for (unsigned i = 0; i < shape->places; i++)
        if (core->iq.queue_used[shape->place[i].queue] > shape->place[i].most_used)
            return false;
    return true;
}

uint32_t c910_balance_group(struct core *core, unsigned *cause)
{
    struct c910_queues *own = &core->model->queues;
    uint32_t size = balanced_size(core);
    const struct c910_shape *shape = shape_of(core, ways_of(core, size), size);
    if (shape->is_split)
        note_split(core, shape->count);
    if (!knows_queue(core))
        own->dealt = shape->dealt;
    memcpy(own->chosen, shape->queues, sizeof own->chosen);
    own->chosen_from = core->dispatch_seq;
    if (has_places(core, shape))
        return shape->count;
    *cause = EVENT_SLOTS_QUEUE_FULL;
    return 0;
}
