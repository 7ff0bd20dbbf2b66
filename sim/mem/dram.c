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
        activate = precharge + dram->trp;
    } else {
        events[EVENT_DRAM_ROW_CLOSED]++;
    }
    bank->row = row;
    bank->is_open = true;
    bank->activated = activate;
    return activate + dram->trcd;
}

static uint64_t access_bank(const struct dram *dram, struct dram_bank *bank, uint64_t row,
                            uint64_t now, uint64_t *events)
{
    now = refresh(dram, bank, now);
    if (bank->old_row == row && later(now, bank->old_ready) < bank->old_until) {
        uint64_t read = later(now, bank->old_ready);        /* before the row is closed */
        events[EVENT_DRAM_ROW_HIT]++;
        bank->old_ready = read + dram->line_cycles;
        bank->ready += dram->line_cycles;
        return read + dram->tcas;
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
    return read + dram->tcas;
}

uint64_t dram_access(struct dram *dram, uint64_t pa, uint64_t now, uint64_t *events)
{
    if (dram->kind == DRAM_FIXED)
        return now + dram->latency_cycles;
    uint64_t line = pa / dram->line_bytes, lines = dram->row_bytes / dram->line_bytes;
    struct dram_channel *channel = &dram->channel[line % dram->channels];
    line = line / dram->channels / lines;
    uint64_t ready = access_bank(dram, &channel->bank[line % dram->banks], line / dram->banks,
                                 now + dram->controller_cycles, events);
    return take_pins(dram, channel, ready);
}
