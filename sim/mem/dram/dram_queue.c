/* See dram_queue.h. */
#include "sim/mem/dram/dram_queue.h"

#include <string.h>

#include "sim/base/cycle.h"

enum what { COLUMN, ACTIVATE, PRECHARGE, REFRESH, SINGLE_WRITE, NOTHING };

/* The next possible command, its request, and its cycle. */
struct command {
    uint64_t cycle;
    enum what what;
    unsigned queue;
    uint32_t at;
};

/* ---- queues ---------------------------------------------------------------------------------- */

struct dram_request *dram_queue_add(struct dram_queue *queue, const struct dram_request *request)
{
    uint32_t at = queue->count++;
    for (; at != 0 && queue->request[at - 1].arrival > request->arrival; at--) {
        queue->request[at] = queue->request[at - 1];
        queue->progress[at] = queue->progress[at - 1];
    }
    queue->request[at] = *request;
    queue->progress[at] = (struct dram_progress){0};
    return &queue->request[at];
}

bool dram_queue_has(const struct dram_queue *queue, uint64_t line)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->request[i].line == line && !queue->progress[i].is_done)
            return true;
    return false;
}

/* The oldest request that is not done and has arrived at `cycle`; `count` if there is none. */
static uint32_t oldest(const struct dram_queue *queue, uint64_t cycle)
{
    uint32_t at = 0;
    while (at < queue->count && queue->progress[at].is_done)
        at++;
    return at < queue->count && queue->request[at].arrival <= cycle ? at : queue->count;
}

static bool has_begun(const struct dram_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->progress[i].is_begun && !queue->progress[i].is_done)
            return true;
    return false;
}

/* True if an older request of the same bank waits for another row. */
static bool passes_another(const struct dram_queue *queue, uint32_t at)
{
    const struct dram_request *request = &queue->request[at];
    for (uint32_t i = 0; i < at; i++)
        if (!queue->progress[i].is_done && queue->request[i].bank == request->bank &&
            queue->request[i].row != request->row)
            return true;
    return false;
}

/* True if a request that has arrived by `cycle` hits the bank's open row. */
static bool is_hit_by(const struct dram_queue *queue, const struct dram_bank *bank, uint32_t number,
                      uint64_t cycle)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (!queue->progress[i].is_done && queue->request[i].bank == number &&
            queue->request[i].row == bank->row && queue->request[i].arrival <= cycle)
            return true;
    return false;
}

/* ---- when a command can be given ------------------------------------------------------------- */

static uint32_t latency(const struct dram_timing *timing, unsigned queue)
{
    return queue == DRAM_WRITE_QUEUE && timing->tcwl != 0 ? timing->tcwl : timing->tcas;
}

/* The first cycle in which pins that move data in one direction until `end` can move data in the
 * other. */
static uint64_t turned(const struct dram_timing *timing, uint64_t end)
{
    return end == 0 ? 0 : end + timing->turnaround;
}

static uint64_t column_cycle(const struct dram_lane *lane, const struct dram_bank *bank,
                             const struct dram_timing *timing, unsigned queue)
{
    uint64_t cycle = later(bank->column, lane->column);
    uint64_t free = turned(timing, queue == DRAM_READ_QUEUE ? lane->write_end : lane->read_end);
    if (queue == DRAM_READ_QUEUE && timing->twtr != 0 && lane->write_end != 0)
        cycle = later(cycle, lane->write_end + timing->twtr);
    uint64_t start = cycle + latency(timing, queue);
    return start < free ? cycle + (free - start) : cycle;
}

static uint64_t activate_cycle(const struct dram_lane *lane, const struct dram_bank *bank,
                               const struct dram_timing *timing)
{
    uint64_t last = lane->activated[lane->last];
    uint64_t fourth = lane->activated[(lane->last + 1) % DRAM_ACTIVATES];
    uint64_t cycle = later(bank->activate, lane->refresh_end);
    if (last != 0)
        cycle = later(cycle, last + timing->trrd);
    return fourth != 0 ? later(cycle, fourth + timing->tfaw) : cycle;
}

static bool is_open(const struct dram_lane *lane, const struct dram_bank *bank)
{
    return bank->is_open && bank->refreshes == lane->refreshes;
}

/* True if the bank's next request must be the oldest. */
static bool is_capped(const struct dram_timing *timing, const struct dram_bank *bank)
{
    return timing->scheduling == DRAM_FCFS ||
           (timing->row_hits != 0 && bank->overtook >= timing->row_hits);
}

/* The next command of a request; NOTHING: other requests must come first. Whether a row may be
 * closed is left to may_be_given. */
static struct command command_of(const struct dram_channel *channel,
                                 const struct dram_timing *timing, unsigned number, uint32_t at)
{
    const struct dram_queue *queue = &channel->queue[number];
    const struct dram_request *request = &queue->request[at];
    const struct dram_bank *bank = &channel->bank[request->bank];
    const struct dram_lane *lane = &channel->lane;
    struct command command = {.what = NOTHING, .queue = number, .at = at};
    if (queue->progress[at].is_begun ||
        (timing->policy == DRAM_OPEN && is_open(lane, bank) && bank->row == request->row &&
         !(is_capped(timing, bank) && passes_another(queue, at)))) {
        command.what = COLUMN;
        command.cycle = later(request->arrival, column_cycle(lane, bank, timing, number));
    } else if (bank->is_taken) {
        return command;
    } else if (!is_open(lane, bank)) {
        command.what = ACTIVATE;
        command.cycle = later(request->arrival, activate_cycle(lane, bank, timing));
    } else if (bank->row != request->row) {
        command.what = PRECHARGE;
        command.cycle = later(request->arrival, bank->precharge);
    }
    if (timing->scheduling == DRAM_FCFS)
        command.cycle = later(command.cycle, channel->lane.served);
    return command;
}

/* ---- which one is given ---------------------------------------------------------------------- */

/* True if the batch still has writes to begin. */
static bool batch_goes_on(const struct dram_lane *lane, const struct dram_timing *timing)
{
    return lane->is_writing && lane->writes - lane->begun > timing->write_low;
}

/* A row stays open if a request that has arrived by then hits it. */
static bool may_be_given(const struct dram_channel *channel, const struct dram_timing *timing,
                         const struct command *command)
{
    if (command->what != PRECHARGE)
        return true;
    const struct dram_queue *queue = &channel->queue[command->queue];
    uint32_t number = queue->request[command->at].bank;
    const struct dram_bank *bank = &channel->bank[number];
    return is_capped(timing, bank) || !is_hit_by(queue, bank, number, command->cycle);
}

static bool is_better(const struct command *command, const struct command *best)
{
    return command->what != NOTHING &&
           (best->what == NOTHING || command->cycle < best->cycle ||
            (command->cycle == best->cycle && command->what == COLUMN && best->what != COLUMN));
}

static void choose_read(const struct dram_channel *channel, const struct dram_timing *timing,
                        struct command *best)
{
    const struct dram_queue *queue = &channel->queue[DRAM_READ_QUEUE];
    const struct dram_lane *lane = &channel->lane;
    for (uint32_t i = oldest(queue, UINT64_MAX); i < queue->count; i++) {
        if (queue->progress[i].is_done)
            continue;
        struct command command = command_of(channel, timing, DRAM_READ_QUEUE, i);
        if (is_better(&command, best) &&
            (!lane->is_writing || queue->progress[i].is_begun ||
             command.cycle < lane->batch_from) &&
            may_be_given(channel, timing, &command))
            *best = command;
        if (timing->scheduling == DRAM_FCFS)
            return;
    }
}

static void choose_write(const struct dram_channel *channel, const struct dram_timing *timing,
                         struct command *best)
{
    const struct dram_queue *queue = &channel->queue[DRAM_WRITE_QUEUE];
    bool goes_on = batch_goes_on(&channel->lane, timing);
    if (!goes_on && channel->lane.begun == 0)
        return;
    for (uint32_t i = oldest(queue, UINT64_MAX); i < queue->count; i++) {
        if (queue->progress[i].is_done || (!goes_on && !queue->progress[i].is_begun))
            continue;
        struct command command = command_of(channel, timing, DRAM_WRITE_QUEUE, i);
        struct command given = command;
        if (!queue->progress[i].is_begun)
            given.cycle = later(command.cycle, channel->lane.batch_from);
        if (is_better(&given, best) && may_be_given(channel, timing, &command))
            *best = given;
        if (timing->scheduling == DRAM_FCFS)
            return;
    }
}

/* Chooses one write while no read waits. */
static void choose_single(const struct dram_channel *channel, const struct dram_timing *timing,
                          struct command *best)
{
    const struct dram_queue *writes = &channel->queue[DRAM_WRITE_QUEUE];
    const struct dram_queue *reads = &channel->queue[DRAM_READ_QUEUE];
    const struct dram_lane *lane = &channel->lane;
    if (lane->is_writing || lane->writes <= timing->write_low)
        return;
    uint32_t skip = timing->write_low, at = 0;
    for (; writes->progress[at].is_done || skip-- != 0; at++)
        ;
    struct command command = {
        .what = SINGLE_WRITE, .queue = DRAM_WRITE_QUEUE,
        .cycle = later(writes->request[at].arrival, later(lane->read_end, lane->write_next)),
    };
    if (is_better(&command, best) && oldest(reads, command.cycle) == reads->count &&
        !has_begun(reads))
        *best = command;
}

/* The refresh, at a multiple of tREFI, that precedes the command; NOTHING: none does. */
static struct command refresh_before(const struct dram_channel *channel,
                                     const struct dram_timing *timing,
                                     const struct command *command)
{
    const struct dram_lane *lane = &channel->lane;
    struct command refresh = {.what = NOTHING};
    if (timing->trefi == 0 || command->what == NOTHING ||
        command->cycle < (lane->refreshes + 1) * timing->trefi ||
        (lane->refreshes != 0 && command->cycle == lane->refresh_end) ||
        (command->what == COLUMN &&
         channel->queue[command->queue].progress[command->at].is_begun))
        return refresh;
    refresh.what = REFRESH;
    refresh.cycle = command->cycle / timing->trefi * timing->trefi;
    return refresh;
}

static struct command next_command(const struct dram_channel *channel,
                                   const struct dram_timing *timing)
{
    struct command best = {.what = NOTHING};
    choose_read(channel, timing, &best);
    if (channel->lane.writes != 0) {
        choose_write(channel, timing, &best);
        choose_single(channel, timing, &best);
    }
    struct command refresh = refresh_before(channel, timing, &best);
    return refresh.what == REFRESH ? refresh : best;
}

/* ---- issue of requests ----------------------------------------------------------------------- */

static void activate(struct dram_lane *lane, struct dram_bank *bank,
                     const struct dram_timing *timing, uint64_t row, uint64_t cycle)
{
    lane->last = (lane->last + 1) % DRAM_ACTIVATES;
    lane->activated[lane->last] = cycle;
    bank->row = row;
    bank->is_open = bank->is_taken = true;
    bank->refreshes = lane->refreshes;
    bank->overtook = 0;
    bank->column = cycle + timing->trcd;
    bank->precharge = cycle + timing->tras;
}

/* From a column command until the row may be closed. */
static uint64_t recovery(const struct dram_timing *timing, unsigned queue)
{
    if (queue == DRAM_WRITE_QUEUE && timing->twr != 0)
        return (uint64_t)latency(timing, queue) + timing->line + timing->twr;
    return later(timing->line, timing->trtp);
}

static void leave_write_queue(struct dram_lane *lane, const struct dram_timing *timing,
                              uint64_t cycle)
{
    lane->writes--;
    lane->write_next = cycle + timing->line;
    if (lane->writes <= timing->write_low)
        lane->is_writing = false;
}

static void move_line(struct dram_channel *channel, const struct dram_timing *timing,
                      const struct command *command)
{
    struct dram_lane *lane = &channel->lane;
    struct dram_queue *queue = &channel->queue[command->queue];
    struct dram_progress *progress = &queue->progress[command->at];
    struct dram_bank *bank = &channel->bank[queue->request[command->at].bank];
    uint64_t start = command->cycle + latency(timing, command->queue);
    bank->overtook += passes_another(queue, command->at);
    if (progress->is_begun)
        bank->is_taken = false;
    if (command->queue == DRAM_WRITE_QUEUE)
        lane->begun -= progress->is_begun;
    progress->is_done = true;
    progress->start = start;
    bank->precharge = later(bank->precharge, command->cycle + recovery(timing, command->queue));
    if (timing->policy == DRAM_CLOSED) {
        bank->is_open = false;
        bank->activate = bank->precharge + timing->trp;
    }
    lane->served = command->cycle;
    lane->column = command->cycle + timing->line;
    uint64_t *end = command->queue == DRAM_READ_QUEUE ? &lane->read_end : &lane->write_end;
    *end = later(*end, start + timing->line);
    if (command->queue == DRAM_WRITE_QUEUE)
        leave_write_queue(lane, timing, command->cycle);
}

static void give(struct dram_channel *channel, const struct dram_timing *timing,
                 const struct command *command);

/* Serves a single write without interruption: the oldest that hits an open row, else the oldest. */
static void write_single(struct dram_channel *channel, const struct dram_timing *timing,
                         uint64_t cycle)
{
    const struct dram_queue *queue = &channel->queue[DRAM_WRITE_QUEUE];
    uint32_t first = oldest(queue, UINT64_MAX);
    for (uint32_t i = first; timing->scheduling == DRAM_FR_FCFS && i < queue->count; i++)
        if (!queue->progress[i].is_done && queue->request[i].arrival <= cycle &&
            command_of(channel, timing, DRAM_WRITE_QUEUE, i).what == COLUMN) {
            first = i;
            break;
        }
    struct dram_bank *bank = &channel->bank[queue->request[first].bank];
    if (is_open(&channel->lane, bank) && bank->row != queue->request[first].row) {
        const struct command close = {
            .cycle = later(cycle, bank->precharge), .what = PRECHARGE,
            .queue = DRAM_WRITE_QUEUE, .at = first,
        };
        give(channel, timing, &close);
    }
    while (!queue->progress[first].is_done) {
        struct command command = command_of(channel, timing, DRAM_WRITE_QUEUE, first);
        command.cycle = later(command.cycle, cycle);
        give(channel, timing, &command);
    }
}

static void give(struct dram_channel *channel, const struct dram_timing *timing,
                 const struct command *command)
{
    struct dram_lane *lane = &channel->lane;
    if (command->what == REFRESH) {
        lane->refreshes = command->cycle / timing->trefi;
        lane->refresh_end = command->cycle + timing->trfc;
        return;
    }
    if (command->what == SINGLE_WRITE) {
        write_single(channel, timing, command->cycle);
        return;
    }
    struct dram_queue *queue = &channel->queue[command->queue];
    const struct dram_request *request = &queue->request[command->at];
    struct dram_progress *progress = &queue->progress[command->at];
    struct dram_bank *bank = &channel->bank[request->bank];
    if (command->what == COLUMN) {
        move_line(channel, timing, command);
    } else if (command->what == PRECHARGE) {
        progress->found = DRAM_ROW_CONFLICT;
        bank->is_open = false;
        bank->activate = command->cycle + timing->trp;
    } else {
        if (progress->found == DRAM_ROW_HIT)
            progress->found = DRAM_ROW_CLOSED;
        progress->is_begun = true;
        lane->begun += command->queue == DRAM_WRITE_QUEUE;
        activate(lane, bank, timing, request->row, command->cycle);
    }
}

/* ---- for good, and on trial ------------------------------------------------------------------ */

void dram_channel_settle(struct dram_channel *channel, const struct dram_timing *timing,
                         uint64_t until)
{
    struct command command = next_command(channel, timing);
    while (command.what != NOTHING && command.cycle < until) {
        give(channel, timing, &command);
        command = next_command(channel, timing);
    }
}

uint64_t dram_channel_settle_one(struct dram_channel *channel, const struct dram_timing *timing,
                                 unsigned queue)
{
    for (;;) {
        const struct command command = next_command(channel, timing);
        give(channel, timing, &command);
        if ((command.what == COLUMN || command.what == SINGLE_WRITE) && command.queue == queue)
            return channel->lane.served;
    }
}

static void save_banks(const struct dram_channel *channel, unsigned queue, struct dram_bank *saved)
{
    for (uint32_t i = 0; i < channel->queue[queue].count; i++)
        saved[i] = channel->bank[channel->queue[queue].request[i].bank];
}

static void restore_banks(struct dram_channel *channel, unsigned queue,
                          const struct dram_bank *saved)
{
    for (uint32_t i = 0; i < channel->queue[queue].count; i++)
        channel->bank[channel->queue[queue].request[i].bank] = saved[i];
}

void dram_channel_plan(struct dram_channel *channel, const struct dram_timing *timing,
                       struct dram_progress at[DRAM_READS_MAX])
{
    struct dram_queue *reads = &channel->queue[DRAM_READ_QUEUE];
    struct dram_queue *writes = &channel->queue[DRAM_WRITE_QUEUE];
    struct dram_bank of_reads[DRAM_READS_MAX], of_writes[DRAM_WRITES_MAX];
    struct dram_progress read[DRAM_READS_MAX], write[DRAM_WRITES_MAX];
    const struct dram_lane lane = channel->lane;
    size_t read_bytes = reads->count * sizeof read[0];
    size_t write_bytes = writes->count * sizeof write[0];
    save_banks(channel, DRAM_READ_QUEUE, of_reads);
    save_banks(channel, DRAM_WRITE_QUEUE, of_writes);
    memcpy(read, reads->progress, read_bytes);
    memcpy(write, writes->progress, write_bytes);
    while (oldest(reads, UINT64_MAX) != reads->count) {
        const struct command command = next_command(channel, timing);
        give(channel, timing, &command);
    }
    memcpy(at, reads->progress, read_bytes);
    memcpy(reads->progress, read, read_bytes);
    memcpy(writes->progress, write, write_bytes);
    restore_banks(channel, DRAM_READ_QUEUE, of_reads);
    restore_banks(channel, DRAM_WRITE_QUEUE, of_writes);
    channel->lane = lane;
}
