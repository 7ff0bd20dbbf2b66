/* Memory with round figures, for the tests of its schedule. */
#ifndef TESTS_SIM_MEM_DRAM_RIG_H
#define TESTS_SIM_MEM_DRAM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/event.h"
#include "sim/base/config.h"
#include "sim/base/cycle.h"
#include "sim/mem/dram/dram.h"

/* Round numbers, so that the parts of a time can be seen. */
enum { WAY = 1000, TRCD = 10, TCAS = 100, TRP = 20, TRAS = 50, LINE_CYCLES = 4 };
enum { LINE = 64, ROW = 1024, BANKS = 4 };

static struct dram dram;
static uint64_t events[EVENT_COUNT];
static struct config config;

static inline int set_up(void **state)
{
    (void)state;
    memset(events, 0, sizeof events);
    config_init(&config);
    config.l2_kib = 0;
    config.dram_kind = DRAM_BANKED;
    config.dram_controller_cycles = WAY;
    config.dram_line_cycles = LINE_CYCLES;
    config.dram_row_bytes = ROW;
    config.dram_banks = BANKS;
    config.dram_trcd = TRCD;
    config.dram_tcas = TCAS;
    config.dram_trp = TRP;
    config.dram_tras = TRAS;
    config.dram_trefi = 0;
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    dram_free(&dram);
    return 0;
}

static inline void start(void)
{
    assert_true(dram_init(&dram, &config));
}

/* The address of a line in row `row` of bank `bank`. */
static inline uint64_t at(uint64_t row, uint64_t bank, uint64_t line)
{
    return (row * BANKS + bank) * ROW + line * LINE;
}

static inline uint64_t read(uint64_t pa, uint64_t now)
{
    dram.clock = now;
    return dram_read(&dram, pa, now, events);
}

static inline uint64_t write(uint64_t pa, uint64_t now)
{
    dram.clock = now;
    return dram_write(&dram, pa, now, events);
}

enum { TURN = 30 };

static inline void use_queue(uint32_t high, uint32_t low)
{
    config.dram_write_high = high;
    config.dram_write_low = low;
    config.dram_turnaround = TURN;
    start();
}

/* The cycle to which the changes since have moved the read of pa, which was reported for `told`. */
static inline uint64_t moved(uint64_t pa, uint64_t told)
{
    struct dram_change change;
    while (dram_next_change(&dram, &change))
        if (change.pa == pa) {
            assert_int_equal(change.from, told);
            told = change.to;
        }
    return told;
}

#endif
