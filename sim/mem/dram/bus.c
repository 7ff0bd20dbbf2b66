/* See bus.h. */
#include "sim/mem/dram/bus.h"

#include "pmu/event.h"
#include "sim/base/config.h"
#include "sim/base/cycle.h"

bool bus_init(struct bus *bus, const struct config *config)
{
    enum arbitration kind = (enum arbitration)config->part_arbitration;
    *bus = (struct bus){
        .data = {.kind = kind}, .write = {.kind = ARBITER_FCFS},
        .bytes = config->bus_bytes, .beat_cycles = config->bus_beat_cycles,
        .write_beat_cycles = config->part_write_beat_cycles != 0 ? config->part_write_beat_cycles
                                                                : config->bus_beat_cycles,
        .reply_slots = config->part_reply_slots,
        .reads = config->bus_reads, .has_write_channel = config->bus_write_channel != 0,
    };
    return dram_init(&bus->dram, config);
}

void bus_free(struct bus *bus)
{
    dram_free(&bus->dram);
}

static uint64_t transfer_cycles(const struct bus *bus, uint32_t bytes, uint32_t beat_cycles)
{
    if (bus->bytes == 0)
        return bus->dram.line_cycles;
    return (uint64_t)((bytes + bus->bytes - 1) / bus->bytes) * beat_cycles;
}

/* Notes the lines whose arrival has moved: see dram_next_change. */
static void tell_moves(struct bus *bus, const struct arbiter *arbiter)
{
    for (uint32_t i = 0; i < arbiter->moves && bus->dram.changes < DRAM_READS_MAX; i++)
        bus->dram.change[bus->dram.changes++] = (struct dram_change){
            arbiter->moved[i].pa, arbiter->moved[i].from, arbiter->moved[i].to,
        };
}

/* The read's line occupies the bus from `start` on, and arrives at `arrival`. */
static void take_data(struct bus *bus, const struct bus_request *request, uint64_t now,
                      uint64_t start, uint64_t cycles, uint64_t arrival)
{
    struct promise *promise = arbiter_take(&bus->data, now, start, cycles, request->is_fetch);
    if (promise == NULL)
        return;
    promise->is_told = true;
    promise->pa = request->pa;
    promise->arrival = arrival;
    tell_moves(bus, &bus->data);
}

/* A read leaves at `now`; returns the cycle of its first beat. */
static uint64_t move_line(struct bus *bus, const struct bus_request *request, uint64_t now,
                          uint64_t cycles)
{
    if (bus->bytes == 0 && bus->dram.kind == DRAM_FIXED) {  /* the bus is occupied from the request
                                                             * on */
        uint64_t start = arbiter_start(&bus->data, now, request->is_fetch);
        uint64_t first = dram_read(&bus->dram, request->pa, start, request->events);
        take_data(bus, request, now, start, cycles, first);
        return first;
    }
    if (bus->bytes == 0)                                    /* memory's data pins are the bus */
        return dram_read(&bus->dram, request->pa, now, request->events) + cycles;
    uint64_t ready = dram_read(&bus->dram, request->pa, now, request->events);
    uint64_t start = arbiter_start(&bus->data, ready, request->is_fetch);
    take_data(bus, request, ready, start, cycles, start);
    return start;
}

/* One read at a time: it occupies the bus from its request to its last beat. */
static uint64_t move_serially(struct bus *bus, const struct bus_request *request, uint64_t cycles)
{
    uint64_t start = arbiter_start(&bus->data, request->now, request->is_fetch);
    uint64_t first = dram_read(&bus->dram, request->pa, start, request->events);
    uint64_t end = bus->bytes != 0 ? first + cycles : later(first, start + cycles);
    take_data(bus, request, request->now, start, end - start, first);
    return first;
}

enum { REPLY_NOTHING, REPLY_READ, REPLY_WRITE_EVEN, REPLY_WRITE_ODD };

/* Returns the previous content of the slot. */
static uint8_t take_reply_slot(struct bus *bus, uint8_t what)
{
    uint8_t *slot = &bus->reply[bus->reply_next++ % bus->reply_slots], was = *slot;
    *slot = what;
    return was;
}

bool bus_write_seems_done(struct bus *bus)
{
    if (bus->reply_slots == 0)
        return false;
    uint8_t write = bus->write_is_odd ? REPLY_WRITE_ODD : REPLY_WRITE_EVEN;
    bus->write_is_odd = !bus->write_is_odd;
    return take_reply_slot(bus, write) == write;
}

uint64_t bus_read(struct bus *bus, const struct bus_request *request)
{
    uint64_t cycles = transfer_cycles(bus, request->bytes, bus->beat_cycles), now = request->now;
    request->events[EVENT_BUS_BUSY] += cycles;
    if (bus->reply_slots != 0)
        take_reply_slot(bus, REPLY_READ);
    if (bus->reads == 0)
        return move_line(bus, request, now, cycles);
    if (bus->reads == 1)
        return move_serially(bus, request, cycles);
    uint64_t *slot = first_free(bus->slot, bus->reads);
    uint64_t first = move_line(bus, request, later(now, *slot), cycles);
    *slot = first + cycles;
    return first;
}

uint64_t bus_write_start(const struct bus *bus, uint64_t now)
{
    return arbiter_start(bus->has_write_channel ? &bus->write : &bus->data, now, false);
}

uint64_t bus_write(struct bus *bus, const struct bus_request *request)
{
    uint64_t cycles = transfer_cycles(bus, request->bytes, bus->write_beat_cycles);
    if (bus->bytes == 0 && bus->dram.line_write_cycles != 0)
        cycles = bus->dram.line_write_cycles;
    request->events[EVENT_BUS_BUSY] += cycles;
    if (bus->dram.kind == DRAM_BANKED) {
        uint64_t ready = dram_write(&bus->dram, request->pa, request->now, request->events);
        if (bus->bytes == 0)
            return ready + cycles;
    }
    struct arbiter *arbiter = bus->has_write_channel ? &bus->write : &bus->data;
    uint64_t end = arbiter_occupy(arbiter, request->now, cycles, request->is_fetch) + cycles;
    tell_moves(bus, arbiter);
    return end;
}

uint64_t bus_metadata(struct bus *bus, uint64_t now, uint64_t cycles, uint64_t *events)
{
    const struct dram *dram = &bus->dram;
    uint32_t latency = dram->kind == DRAM_FIXED
                           ? dram->latency_cycles
                           : dram->controller_cycles + dram->timing.trcd + dram->timing.tcas;
    events[EVENT_BUS_BUSY] += cycles;
    uint64_t start = arbiter_occupy(&bus->data, now, cycles, false);
    tell_moves(bus, &bus->data);
    return start + cycles + latency;
}
