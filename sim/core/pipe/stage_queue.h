/* Interfaces of the issue queues: their places, store data, the event wheel, wake-up. */
#ifndef SIM_CORE_PIPE_STAGE_QUEUE_H
#define SIM_CORE_PIPE_STAGE_QUEUE_H

#include "sim/base/cycle.h"
#include "sim/core/pipe/core_state.h"

/* places.c. _leave: the instruction gives up its place in its issue queue, or in the replay queue.
 * _leave_at: its place in that queue. | |Further with issue.release_cycles. With slots,
 * _free_later: the place will be free, after those of its cycle that lower ports took;
 * _free_slot_at: the same for a place that issue to `port` leaves now. Without slots, _free_at: a
 * place of the queue will be free at `cycle`, in less than RELEASE_CYCLES, at the earliest in the
 * next cycle. _count_leaving: true if `leaving` is kept. _free_due: frees the places due in this
 * cycle. _pass: the next `cycles` cycles have no _free_due. _next: the cycle in which the next
 * place is free, or NEVER. _forget: drops all that was noted. */
void places_leave(struct core *core, struct uop *uop);
void places_leave_at(struct core *core, const struct uop *uop, unsigned queue, unsigned slot);
static inline uint64_t places_order(uint64_t cycle, unsigned port)
{
    return cycle << 8 | port;
}
void places_free_later(struct core *core, const struct released *place);
void places_free_otherwise(struct core *core, struct freed_slot place, uint64_t cycle);
static inline bool places_count_leaving(const struct core *core)
{
    return (core_extras(core) & EXTRA_SLOTS) == 0 || (core_extras(core) & EXTRA_QUEUE_BYPASS) != 0;
}
static inline void places_free_slot_at(struct core *core, struct freed_slot place, unsigned port,
                                       uint64_t cycle)
{
    unsigned at = (unsigned)(cycle % RELEASE_CYCLES);
    if (cycle - core->now - 1 >= RELEASE_CYCLES - 1 ||
        (core->iq.release_ports[at] >> port & 1) != 0) {
        places_free_otherwise(core, place, cycle);
        return;
    }
    if (places_count_leaving(core))
        core->iq.leaving[place.queue]++;
    core->iq.release_cycles |= 1u << at;
    core->iq.release_ports[at] |= 1u << port;
    core->iq.release_slot[at][port] = place;
}
static inline void places_free_at(struct core *core, unsigned queue, uint64_t cycle)
{
    unsigned at = (unsigned)(later(cycle, core->now + 1) % RELEASE_CYCLES);
    struct releases *releases = &core->iq.releases[at];
    core->iq.leaving[queue]++;
    core->iq.release_cycles |= 1u << at;
    releases->queues |= 1u << queue;
    releases->count[queue]++;
}
void places_free_due(struct core *core);
void places_pass(struct core *core, uint64_t cycles);
void places_forget(struct core *core);
uint64_t places_next(const struct core *core);
/* With c910.queue_bypass: notes the number of places used as the cycle begins. */
void places_begin_cycle(struct core *core);

/* slots.c: positions in the issue queues; only with EXTRA_SLOTS */
void slots_init(struct core *core);
uint16_t slots_take(struct core *core, unsigned queue);
void slots_give_back(struct core *core, unsigned queue, unsigned slot);
void slots_return(struct core *core, unsigned queue, unsigned slot);
void slots_pass(struct core *core, const struct uop *uop);
void slots_squash(struct core *core, unsigned queue, unsigned slot);
/* With issue.release_cycles: `count` renamed instructions already have their slots. */
void slots_squash_renamed(struct core *core, uint64_t count);
void slots_end_of_squash(struct core *core);
void slots_end_of_issue(struct core *core);
uint32_t slots_ports(const struct core *core, const struct uop *uop, unsigned queue,
                     uint32_t ports);
void slots_find_ready(const struct core *core, unsigned queue, struct ready_slots *ready);

/* store_data.c: data of stores as micro-operations; only with EXTRA_STORE_UOPS. `queue`: the queue
 * from which the store is looked at. */
bool store_data_has_place(const struct core *core, struct uop *uop);
void store_data_enter(struct core *core, struct uop *uop, uint32_t index);
void store_data_operand(struct core *core, struct uop *uop, uint64_t cycle);
bool store_data_is_ready(const struct core *core, const struct uop *uop);
bool store_data_has_address(const struct core *core, const struct uop *uop);
/* The data of a store that issued without them arrive at `cycle`; also without EXTRA_STORE_UOPS. */
void store_data_come(struct core *core, struct uop *uop, uint64_t cycle);
unsigned store_data_class(const struct core *core, const struct uop *uop, unsigned queue);
static inline bool store_data_keeps_entry(const struct uop *uop)
{
    return uop->data_state == DATA_WAITING && uop->data_word == uop->queue_word;
}
void store_data_issue(struct core *core, struct uop *uop, unsigned queue, unsigned port);
/* True if the data stay ready in the queue of the address. */
bool store_data_stays(const struct core *core, const struct uop *uop);
void store_data_stay(struct core *core, const struct uop *uop, uint32_t index);
void store_data_squash(struct core *core, struct uop *uop);

/* wheel.c: when a waiting instruction becomes ready; _data: those of a store that are issued */
void wheel_schedule(struct core *core, uint64_t seq, uint64_t cycle);
void wheel_schedule_data(struct core *core, uint32_t index, uint64_t cycle);
void wheel_leave_ready_word(struct core *core, unsigned word, uint32_t index);
void wheel_forget_data(struct core *core, const struct uop *uop, uint32_t index);
/* The instruction is not ready any more. */
void wheel_leave_ready(struct core *core, const struct uop *uop, uint32_t index);
/* The instruction is squashed while it waits for a port or for its cycle. */
void wheel_forget(struct core *core, const struct uop *uop, uint32_t index);
void wheel_step(struct core *core);
uint64_t wheel_next(const struct core *core, uint64_t end);
/* wake.c: the result of `uop` can be used from `cycle` on; by an integer operation from `bypass`
 * on, which is not later. Wakes everything that waits for it. */
void wake_publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass);

#endif
