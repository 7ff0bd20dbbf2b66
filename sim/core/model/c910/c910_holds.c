/* Cycles in which a port takes no operation, or no simple integer operation. A late result leaves
 * by the same way as the results of simple operations, so none of these may end in the same cycle.
 * An operation that makes a code address keeps its port for a while. (ct_idu_rf_ctrl.v,
 * ct_idu_is_aiq1_entry.v.) A squash does not free such a cycle.
 *
 * A jump that writes its return address is two operations (ct_idu_id_split_short.v): the address
 * waits in the first queue of simple operations, and is issued from there in program order.
 * Left out: moves between the register files, which keep ports of the other file; that readers of
 * the return address wait for it, and that the jump waits for it to commit. */

#include <string.h>

#include "isa/op.h"
#include "sim/base/cycle.h"
#include "sim/core/bpred/history.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/port.h"

static struct held_ports *held_in(struct core *core, uint64_t cycle)
{
    struct held_ports *held = &core->model->queues.held[cycle % HELD_CYCLES];
    core->model->queues.held_until = later(core->model->queues.held_until, cycle);
    if (held->cycle != cycle)
        *held = (struct held_ports){.cycle = cycle};
    return held;
}

uint32_t c910_holds_ports(const struct core *core, unsigned class)
{
    const struct held_ports *held = &core->model->queues.held[core->now % HELD_CYCLES];
    if (core->model->queues.held_until < core->now || held->cycle != core->now)
        return 0;
    return class <= CLASS_SHIFT ? held->all | held->simple : held->all;
}

static void hold_after(struct core *core, unsigned port, uint64_t cycle)
{
    for (uint32_t n = 1; n <= core_config(core)->c910_pc_holds; n++)
        held_in(core, cycle + n)->all |= 1u << port;
}

/* ---- return addresses ------------------------------------------------------------------------ */

static unsigned address_queue(const struct core *core)
{
    return (unsigned)__builtin_ctz(core_shape(core)->class_queues[CLASS_ALU]);
}

static unsigned address_port(const struct core *core)
{
    return (unsigned)__builtin_ctz(core->iq.class_ports[address_queue(core)][CLASS_ALU]);
}

/* A queue with a single place has room for both the jump and its address when it is empty. */
bool c910_holds_address_room(const struct core *core, const struct uop *uop)
{
    const struct issue_queues *iq = &core->iq;
    const struct c910_queues *own = &core->model->queues;
    unsigned queue = address_queue(core);
    uint32_t needed = uop->queue == queue ? 2 : 1;
    return own->address_count < ISSUE_QUEUE_SIZE_MAX &&
           ((core_extras(core) & EXTRA_SLOTS) || iq->queue_used[queue] == 0 ||
            iq->queue_used[queue] + needed <= iq->queue_size[queue]);
}

/* Frees the address's place in the queue, as for other operations; with slots it has none. */
static void leave_place(struct core *core, unsigned queue)
{
    if (core_extras(core) & EXTRA_SLOTS)
        return;
    if (core_extras(core) & EXTRA_RELEASE)
        places_free_at(core, queue, core->now + core_config(core)->issue_release_cycles);
    else
        core->iq.queue_used[queue]--;
}

static bool takes_port(const struct core *core, const struct uop *uop, unsigned port)
{
    return (core->iq.class_ports[uop->queue][uop->unit_class] >> port & 1) != 0 &&
           core->iq.port_busy_until[port][uop->unit_class] <= core->now;
}

/* True if the queue has a ready operation older than `seq` that the port can take. */
static bool is_wanted(const struct core *core, unsigned queue, unsigned port, uint64_t seq)
{
    if (core_ready_groups(core, queue) == 0)
        return false;
    uint32_t word = queue << core_shape(core)->words_log2;
    for (uint32_t end = word + (1u << core_shape(core)->words_log2); word != end; word++) {
        uint64_t bits = core->iq.ready[word];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t index = core_ring_place(core, word, (unsigned)__builtin_ctzll(bits));
            if (core_seq_at(core, index) < seq && takes_port(core, core_at(core, index), port))
                return true;
        }
    }
    return false;
}

static bool is_port_free(const struct core *core, unsigned port)
{
    return (c910_holds_ports(core, CLASS_ALU) >> port & 1) == 0;
}

static void make_address(struct core *core, unsigned queue, unsigned port)
{
    held_in(core, core->now)->all |= 1u << port;
    hold_after(core, port, core->now);
    leave_place(core, queue);
}

SELDOM void c910_holds_issue_address(struct core *core)
{
    struct c910_queues *own = &core->model->queues;
    unsigned queue = address_queue(core), port = address_port(core);
    core->active = true;
    if (!is_port_free(core, port) || is_wanted(core, queue, port, own->address[0]))
        return;
    make_address(core, queue, port);
    own->address_count--;
    memmove(own->address, own->address + 1, own->address_count * sizeof own->address[0]);
}

/* Like other operations, the address need not wait if its queue is empty. */
SELDOM void c910_holds_return_address(struct core *core, uint64_t seq)
{
    struct issue_queues *iq = &core->iq;
    struct c910_queues *own = &core->model->queues;
    unsigned queue = address_queue(core), port = address_port(core);
    if (core_config(core)->c910_pc_holds == 0)
        return;
    bool passes = (core_extras(core) & EXTRA_QUEUE_BYPASS) && (iq->unentered >> queue & 1) &&
                  iq->began_used[queue] == iq->began_leaving[queue] &&
                  (iq->free_ports >> port & 1) && is_port_free(core, port);
    iq->unentered &= ~(1u << queue);
    iq->queue_used[queue] += (core_extras(core) & EXTRA_SLOTS) == 0;
    if (passes)
        make_address(core, queue, port);
    else
        own->address[own->address_count++] = seq;
}

void c910_holds_undo_address(struct core *core, uint64_t seq)
{
    struct c910_queues *own = &core->model->queues;
    if (own->address_count == 0 || own->address[own->address_count - 1] != seq)
        return;
    own->address_count--;
    core->iq.queue_used[address_queue(core)] -= (core_extras(core) & EXTRA_SLOTS) == 0;
}

void c910_holds_result(struct core *core, const struct uop *uop, unsigned port)
{
    const struct config *settings = core_config(core);
    if ((uop->flags & UOP_READS_PC) && settings->c910_pc_holds != 0)
        hold_after(core, port, core->now);
    if (uop->latency == LAT_MUL && settings->c910_mul_holds != 0)
        held_in(core, core->now + settings->c910_mul_holds)->simple |= 1u << port;
    else if (uop->latency == LAT_DIV && settings->c910_div_holds != 0 &&
             core->now + settings->c910_div_holds < uop->complete_cycle)
        held_in(core, uop->complete_cycle - settings->c910_div_holds)->all |= 1u << port;
}
