/* A memory system of two harts, or FIXTURE_HARTS, with small caches and round times, for tests. */
#ifndef TESTS_SIM_MEM_MEMSYS_FIXTURE_H
#define TESTS_SIM_MEM_MEMSYS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/event.h"
#include "sim/base/config_read.h"
#include "sim/mem/memsys.h"
#include "sim/mem/cache/prefetch.h"

#ifndef FIXTURE_HARTS
#define FIXTURE_HARTS 2
#endif

/* Round numbers, so that the parts of a time can be seen. */
enum { LOAD = 3, L2 = 10, DRAM = 100, BUS = 8, L2TLB = 5, LINE = 64, HARTS = FIXTURE_HARTS };
enum { TRANSFER = 20, INVALIDATE = 30 };
#define A UINT64_C(0x80000000)
#define PC UINT64_C(0x80100000)

struct system {
    struct config config;
    struct memshared *shared;
    struct memsys *mem[HARTS];
    uint64_t events[HARTS][EVENT_COUNT];
    struct mem_response response;
};

static struct system sys;

static inline void use_config(void)
{
    struct config *config = &sys.config;
    config_init(config);
    config->latency_load = LOAD;
    config->l2_cycles = L2;
    config->dram_cycles = DRAM;
    config->dram_line_cycles = BUS;
    config->l2tlb_cycles = L2TLB;
    config->coherence_transfer_cycles = TRANSFER;
    config->coherence_invalidate_cycles = INVALIDATE;
    config->l1i_prefetch = config->l1d_prefetch = PREFETCH_NONE;
    config->l1d_kib = config->l1i_kib = 1;      /* 8 sets of 2 lines */
    config->l1d_ways = config->l1i_ways = 2;
    config->l1d_mshrs = 4;
    config->l1i_mshrs = 2;
    config->l2_kib = 16;                        /* 128 sets of 2 lines */
    config->l2_ways = 2;
    config->l2_mshrs = 4;
}

static inline void start(void)
{
    struct diag diag;
    assert_int_equal(config_check(&sys.config, &diag), ERR_OK);
    sys.shared = memshared_new(&sys.config);
    assert_non_null(sys.shared);
    for (unsigned i = 0; i < HARTS; i++) {
        sys.mem[i] = memsys_new(&sys.config, sys.shared, sys.events[i]);
        assert_non_null(sys.mem[i]);
    }
}

static inline int set_up(void **state)
{
    (void)state;
    memset(&sys, 0, sizeof sys);
    use_config();
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HARTS; i++)
        memsys_free(sys.mem[i]);
    memshared_free(sys.shared);
    return 0;
}

static inline bool load_of(unsigned hart, uint64_t pa, uint64_t now)
{
    return memsys_load(sys.mem[hart], PC, pa, now, &sys.response);
}

static inline bool store_of(unsigned hart, uint64_t pa, uint64_t now)
{
    return memsys_store(sys.mem[hart], PC, pa, now, &sys.response);
}

static inline void assert_load(uint64_t pa, uint64_t now, uint64_t ready, unsigned level)
{
    assert_true(load_of(0, pa, now));
    assert_int_equal(sys.response.ready, ready);
    assert_int_equal(sys.response.level, level);
}

static inline void assert_fetch(uint64_t pa, uint64_t now, uint64_t ready, enum mem_level level)
{
    assert_true(memsys_fetch(sys.mem[0], pa, now, &sys.response));
    assert_int_equal(sys.response.ready, ready);
    assert_int_equal(sys.response.level, level);
}

#define ASSERT_EVENT(id, count) assert_int_equal(sys.events[0][EVENT_##id], count)

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
