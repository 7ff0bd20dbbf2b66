/* See dram.h. */
#include "sim/mem/dram/dram.h"

#include <stdlib.h>

#include "pmu/event.h"
#include "sim/base/config.h"
#include "sim/base/cycle.h"

static uint32_t longest_line(const struct config *config)
{
    if (config->l3_kib != 0)
        return config->l2_line_bytes;
    if (config->l2_kib != 0)
        return config->l2_line_bytes;
    return config->l1d_line_bytes > config->l1i_line_bytes ? config->l1d_line_bytes
                                                           : config->l1i_line_bytes;
}

static struct dram_timing timing_of(const struct config *config)
{
    return (struct dram_timing){
        .policy = (enum dram_policy)config->dram_policy,
        .scheduling = (enum dram_scheduling)config->dram_scheduling,
        .banks = config->dram_banks * config->dram_ranks, .reads = config->dram_queue,
        .row_hits = config->dram_row_hits, .write_high = config->dram_write_high,
        .write_low = config->dram_write_low, .line = config->dram_line_cycles,
        .turnaround = config->dram_turnaround, .trcd = config->dram_trcd,
        .tcas = config->dram_tcas, .trp = config->dram_trp, .tras = config->dram_tras,
        .trfc = config->dram_trfc, .trefi = config->dram_trefi, .tcwl = config->dram_tcwl,
        .trtp = config->dram_trtp, .twr = config->dram_twr, .twtr = config->dram_twtr,
        .trrd = config->dram_trrd, .tfaw = config->dram_tfaw,
    };
}

bool dram_init(struct dram *dram, const struct config *config)
{
    *dram = (struct dram){
        .kind = (enum dram_kind)config->dram_kind, .latency_cycles = config->dram_cycles,
        .slot_cycles = config->part_slot_cycles,
        .line_cycles = config->dram_line_cycles,
        .line_write_cycles = config->part_line_write_cycles,
        .controller_cycles = config->dram_controller_cycles,
        .channels = config->dram_channels, .row_bytes = config->dram_row_bytes,
        .line_bytes = longest_line(config), .timing = timing_of(config),
    };
    if (dram->kind == DRAM_FIXED)
        return true;
    dram->channel = calloc(dram->channels, sizeof dram->channel[0]);
    return dram->channel != NULL;
}

void dram_free(struct dram *dram)
{
    free(dram->channel);
    dram->channel = NULL;
}

/* ---- where a line is ------------------------------------------------------------------------- */

static struct dram_channel *channel_of(const struct dram *dram, uint64_t pa)
{
    return &dram->channel[pa / dram->line_bytes % dram->channels];
}

static struct dram_request request_for(const struct dram *dram, uint64_t pa, uint64_t arrival)
{
    uint64_t line = pa / dram->line_bytes, lines = dram->row_bytes / dram->line_bytes;
    uint64_t rows = line / dram->channels / lines;
    return (struct dram_request){
        .line = line, .row = rows / dram->timing.banks, .arrival = arrival,
        .bank = (uint32_t)(rows % dram->timing.banks), .is_new = true,
    };
}

/* ---- counting rows --------------------------------------------------------------------------- */

static void count(struct dram *dram, enum dram_row found, uint64_t *events)
{
    static const uint8_t event[DRAM_ROWS] = {
        [DRAM_ROW_HIT] = EVENT_DRAM_ROW_HIT, [DRAM_ROW_CLOSED] = EVENT_DRAM_ROW_CLOSED,
        [DRAM_ROW_CONFLICT] = EVENT_DRAM_ROW_CONFLICT,
    };
    for (unsigned instead = 0; dram->owed[found] > 0 && instead < DRAM_ROWS; instead++)
        if (dram->owed[instead] < 0) {
            dram->owed[found]--;
            dram->owed[instead]++;
            found = (enum dram_row)instead;
            break;
        }
    events[event[found]]++;
}

/* An access found its row in a state other than the counted one. */
static void correct(struct dram *dram, enum dram_row counted, enum dram_row found)
{
    dram->owed[counted]++;
    dram->owed[found]--;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Removes completed requests from the queue. */
static void retire(struct dram *dram, struct dram_queue *queue, uint64_t *events)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->count; i++) {
        const struct dram_request *request = &queue->request[i];
        const struct dram_progress *progress = &queue->progress[i];
        if (!progress->is_done) {
            queue->request[kept] = *request;
            queue->progress[kept++] = *progress;
        } else if (request->is_new) {
            count(dram, (enum dram_row)progress->found, events);
        } else {
            correct(dram, request->counted, (enum dram_row)progress->found);
        }
    }
    queue->count = kept;
}

static void settle(struct dram *dram, struct dram_channel *channel, uint64_t *events)
{
    dram_channel_settle(channel, &dram->timing, dram->clock + dram->controller_cycles);
    retire(dram, &channel->queue[DRAM_READ_QUEUE], events);
    retire(dram, &channel->queue[DRAM_WRITE_QUEUE], events);
}

/* Returns the first cycle, not before `arrival`, in which the queue has room. */
static uint64_t make_room(struct dram *dram, struct dram_channel *channel, unsigned queue,
                          uint32_t size, uint64_t arrival, uint64_t *events)
{
    while (channel->queue[queue].count >= size) {
        arrival = later(arrival, dram_channel_settle_one(channel, &dram->timing, queue));
        retire(dram, &channel->queue[DRAM_READ_QUEUE], events);
        retire(dram, &channel->queue[DRAM_WRITE_QUEUE], events);
    }
    return arrival;
}

static void tell(struct dram *dram, struct dram_request *request,
                 const struct dram_progress *progress, uint64_t *events)
{
    if (request->is_new) {
        request->is_new = false;
        request->told = progress->start;
        request->counted = (enum dram_row)progress->found;
        count(dram, request->counted, events);
        return;
    }
    uint64_t start = progress->start;
    if (start == request->told)
        return;
    if (!request->is_write)
        dram->change[dram->changes++] =
            (struct dram_change){request->line * dram->line_bytes, request->told, start};
    request->told = start;
}

/* Plans all reads, and notes those whose time has changed. */
static void schedule(struct dram *dram, struct dram_channel *channel, uint64_t *events)
{
    struct dram_queue *reads = &channel->queue[DRAM_READ_QUEUE];
    struct dram_progress at[DRAM_READS_MAX];
    dram_channel_plan(channel, &dram->timing, at);
    for (uint32_t i = 0; i < reads->count; i++)
        tell(dram, &reads->request[i], &at[i], events);
}

static uint64_t put_read(struct dram *dram, uint64_t pa, bool is_write, uint64_t arrival,
                         uint64_t *events)
{
    struct dram_channel *channel = channel_of(dram, pa);
    struct dram_request request = request_for(dram, pa, arrival);
    dram->changes = 0;
    settle(dram, channel, events);
    if (dram_queue_has(&channel->queue[DRAM_WRITE_QUEUE], request.line))
        return arrival;
    request.is_write = is_write;
    request.arrival = make_room(dram, channel, DRAM_READ_QUEUE, dram->timing.reads, arrival,
                                events);
    const struct dram_request *place =
        dram_queue_add(&channel->queue[DRAM_READ_QUEUE], &request);
    schedule(dram, channel, events);
    return place->told;
}

/* The begin of the time slot that a read at `now` gets. */
static uint64_t take_slot(struct dram *dram, uint64_t now)
{
    uint64_t start = later(now, dram->slot_free) + dram->slot_cycles - 1;
    start -= start % dram->slot_cycles;
    dram->slot_free = start + 1;
    return start;
}

uint64_t dram_read(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events)
{
    if (dram->kind == DRAM_FIXED)
        return (dram->slot_cycles == 0 ? now : take_slot(dram, now)) + dram->latency_cycles;
    return put_read(dram, pa, false, now + dram->controller_cycles, events);
}

static uint64_t put_write(struct dram *dram, uint64_t pa, uint64_t arrival, uint64_t *events)
{
    struct dram_channel *channel = channel_of(dram, pa);
    struct dram_request request = request_for(dram, pa, arrival);
    struct dram_lane *lane = &channel->lane;
    dram->changes = 0;
    settle(dram, channel, events);
    if (dram_queue_has(&channel->queue[DRAM_WRITE_QUEUE], request.line))
        return arrival;
    make_room(dram, channel, DRAM_WRITE_QUEUE, DRAM_WRITES_MAX, arrival, events);
    dram_queue_add(&channel->queue[DRAM_WRITE_QUEUE], &request);
    lane->writes++;
    if (lane->writes >= dram->timing.write_high && !lane->is_writing) {
        lane->is_writing = true;
        lane->batch_from = arrival;
    }
    if (channel->queue[DRAM_READ_QUEUE].count != 0)
        schedule(dram, channel, events);
    return arrival;
}

uint64_t dram_write(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events)
{
    if (dram->kind == DRAM_FIXED)
        return now + dram->latency_cycles;
    if (dram->timing.write_high == 0)
        return put_read(dram, pa, true, now + dram->controller_cycles, events);
    return put_write(dram, pa, now + dram->controller_cycles, events);
}

bool dram_next_change(struct dram *dram, struct dram_change *change)
{
    if (dram->changes == 0)
        return false;
    *change = dram->change[--dram->changes];
    return true;
}
