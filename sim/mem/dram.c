/* See dram.h. */
#include "sim/mem/dram.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/pmu.h"
#include "sim/base/config.h"
#include "sim/base/cycle.h"

static uint32_t longest_line(const struct config *config)
{
    if (config->l3_kib != 0)
        return config->l3_line_bytes;
    if (config->l2_kib != 0)
        return config->l2_line_bytes;
    return config->l1d_line_bytes > config->l1i_line_bytes ? config->l1d_line_bytes
                                                           : config->l1i_line_bytes;
}

bool dram_init(struct dram *dram, const struct config *config)
{
    *dram = (struct dram){
        .kind = (enum dram_kind)config->dram_kind, .policy = (enum dram_policy)config->dram_policy,
        .latency_cycles = config->dram_cycles, .line_cycles = config->dram_line_cycles,
        .controller_cycles = config->dram_controller_cycles, .channels = config->dram_channels,
        .banks = config->dram_banks * config->dram_ranks, .row_bytes = config->dram_row_bytes,
        .line_bytes = longest_line(config), .trcd = config->dram_trcd, .tcas = config->dram_tcas,
        .trp = config->dram_trp, .tras = config->dram_tras, .trfc = config->dram_trfc,
        .trefi = config->dram_trefi,
        .scheduling = (enum dram_scheduling)config->dram_scheduling,
        .row_hits = config->dram_row_hits, .write_high = config->dram_write_high,
        .write_low = config->dram_write_low, .turnaround = config->dram_turnaround,
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

/* ---- data pins ------------------------------------------------------------------------------- */

/* The first gap of line_cycles not before `ready`. The oldest promise is forgotten for the new one:
 * nothing is put before it any more. */
static uint64_t take_pins(const struct dram *dram, struct dram_channel *channel, uint64_t ready)
{
    uint64_t start = later(ready, channel->pins[0].end);
    unsigned at = 1;
    while (at < DRAM_PINS && channel->pins[at].start < start + dram->line_cycles) {
        start = later(start, channel->pins[at].end);
        at++;
    }
    memmove(&channel->pins[0], &channel->pins[1], (at - 1) * sizeof channel->pins[0]);
    channel->pins[at - 1].start = start;
    channel->pins[at - 1].end = start + dram->line_cycles;
    return start;
}

/* ---- banks ----------------------------------------------------------------------------------- */

/* Waits for a refresh under way; one that has been closed the row. */
static uint64_t refresh(const struct dram *dram, struct dram_bank *bank, uint64_t now)
{
    if (dram->trefi == 0)
        return now;
    uint64_t count = now / dram->trefi;
    if (count > bank->refreshes) {
        bank->refreshes = count;
        bank->is_open = false;
        bank->old_until = 0;
    }
    return count == 0 ? now : later(now, count * dram->trefi + dram->trfc);
}

/* Opens the row; returns the cycle in which it is. */
static uint64_t open_row(const struct dram *dram, struct dram_bank *bank, uint64_t row,
                         uint64_t now, uint64_t *events)
{
    uint64_t activate = now;
    if (bank->is_open) {
        events[EVENT_DRAM_ROW_CONFLICT]++;
        uint64_t precharge = later(now, bank->activated + dram->tras);
        bank->old_row = bank->row;
        bank->old_ready = now;
        bank->old_until = precharge;
        bank->overtook = 0;
        activate = precharge + dram->trp;
    } else {
        events[EVENT_DRAM_ROW_CLOSED]++;
    }
    bank->row = row;
    bank->is_open = true;
    bank->activated = activate;
    return activate + dram->trcd;
}

/* The row that a read before closes is hit by a read while it is open. */
static bool can_overtake(const struct dram *dram, const struct dram_bank *bank, uint64_t row,
                         uint64_t now)
{
    return bank->old_row == row && later(now, bank->old_ready) < bank->old_until &&
           dram->scheduling == DRAM_FR_FCFS &&
           (dram->row_hits == 0 || bank->overtook < dram->row_hits);
}

/* The cycle of the column command. */
static uint64_t access_bank(const struct dram *dram, struct dram_bank *bank, uint64_t row,
                            uint64_t now, uint64_t *events)
{
    now = refresh(dram, bank, now);
    if (can_overtake(dram, bank, row, now)) {
        uint64_t read = later(now, bank->old_ready);        /* before the row is closed */
        events[EVENT_DRAM_ROW_HIT]++;
        bank->old_ready = read + dram->line_cycles;
        bank->ready += dram->line_cycles;
        bank->overtook++;
        return read;
    }
    uint64_t read = later(now, bank->ready);
    if (bank->is_open && bank->row == row)
        events[EVENT_DRAM_ROW_HIT]++;
    else
        read = open_row(dram, bank, row, read, events);
    bank->ready = read + dram->line_cycles;
    if (dram->policy == DRAM_CLOSED) {
        bank->is_open = false;
        bank->ready = later(bank->ready, bank->activated + dram->tras) + dram->trp;
    }
    return read;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Where a line is. */
struct place {
    struct dram_channel *channel;
    uint64_t line, row;
    uint32_t bank;
};

static struct place locate(const struct dram *dram, uint64_t pa)
{
    uint64_t line = pa / dram->line_bytes, lines = dram->row_bytes / dram->line_bytes;
    uint64_t rows = line / dram->channels / lines;
    return (struct place){
        .channel = &dram->channel[line % dram->channels], .line = line,
        .row = rows / dram->banks, .bank = (uint32_t)(rows % dram->banks),
    };
}

/* The next cycle in which pins that move data one way until `end` can move them the other way. */
static uint64_t turned(const struct dram *dram, uint64_t end)
{
    return end == 0 ? 0 : end + dram->turnaround;
}

static uint64_t read_now(struct dram *dram, const struct place *place, uint64_t now,
                         uint64_t *events)
{
    struct dram_channel *channel = place->channel;
    if (dram->scheduling == DRAM_FCFS)
        now = later(now, channel->served);
    channel->served = access_bank(dram, &channel->bank[place->bank], place->row, now, events);
    uint64_t start = take_pins(dram, channel, later(channel->served + dram->tcas,
                                                    turned(dram, channel->write_end)));
    channel->read_end = later(channel->read_end, start + dram->line_cycles);
    return start;
}

/* ---- the write queue ------------------------------------------------------------------------- */

/* Which of the writes goes first: the oldest hit of an open row, else the oldest. */
static uint32_t first_write(const struct dram *dram, const struct dram_channel *channel)
{
    if (dram->scheduling == DRAM_FCFS ||
        (dram->row_hits != 0 && channel->passed >= dram->row_hits))
        return 0;
    for (uint32_t i = 0; i < channel->writes; i++) {
        const struct dram_bank *bank = &channel->bank[channel->write[i].bank];
        if (bank->is_open && bank->row == channel->write[i].row)
            return i;
    }
    return 0;
}

/* Its data move behind the reads that were promised. */
static void write_one(const struct dram *dram, struct dram_channel *channel, uint64_t now,
                      uint64_t *events)
{
    uint32_t first = first_write(dram, channel);
    const struct dram_write write = channel->write[first];
    channel->passed = first == 0 ? 0 : channel->passed + 1;
    memmove(&channel->write[first], &channel->write[first + 1],
            (--channel->writes - first) * sizeof write);
    struct dram_bank *bank = &channel->bank[write.bank];
    bank->old_until = 0;                        /* writes are in the order in which they go ... */
    uint64_t column = access_bank(dram, bank, write.row, now, events);
    bank->old_until = 0;                        /* ... and nothing goes before one */
    uint64_t start = take_pins(dram, channel, later(column + dram->tcas,
                                                    turned(dram, channel->read_end)));
    channel->write_end = start + dram->line_cycles;
    channel->write_next = column + dram->line_cycles;
}

/* What the controller wrote until now because there was nothing to read. */
static void write_idly(const struct dram *dram, struct dram_channel *channel, uint64_t now,
                       uint64_t *events)
{
    while (channel->writes > dram->write_low) {
        uint64_t start = later(channel->write[dram->write_low].arrival,
                               later(channel->read_end, channel->write_next));
        if (start >= now)
            break;
        write_one(dram, channel, start, events);
    }
}

static bool is_waiting(const struct dram_channel *channel, uint64_t line)
{
    for (uint32_t i = 0; i < channel->writes; i++)
        if (channel->write[i].line == line)
            return true;
    return false;
}

uint64_t dram_read(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events)
{
    if (dram->kind == DRAM_FIXED)
        return now + dram->latency_cycles;
    const struct place place = locate(dram, pa);
    now += dram->controller_cycles;
    if (dram->write_high != 0) {
        write_idly(dram, place.channel, now, events);
        if (is_waiting(place.channel, place.line))
            return now;
    }
    return read_now(dram, &place, now, events);
}

uint64_t dram_write(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events)
{
    if (dram->kind == DRAM_FIXED || dram->write_high == 0)
        return dram_read(dram, pa, now, events);
    const struct place place = locate(dram, pa);
    struct dram_channel *channel = place.channel;
    now += dram->controller_cycles;
    write_idly(dram, channel, now, events);
    if (is_waiting(channel, place.line))
        return now;
    channel->write[channel->writes++] =
        (struct dram_write){place.line, place.row, now, place.bank};
    if (channel->writes >= dram->write_high)
        while (channel->writes > dram->write_low)
            write_one(dram, channel, now, events);
    return now;
}
