/* A board with a fast engine on it. */
#ifndef TESTS_SIM_RUN_FAST_BENCH_H
#define TESTS_SIM_RUN_FAST_BENCH_H

#include "sim/run/fast/fast.h"
#include "tests/sim/core/board.h"

#define LINE(irq) (UINT64_C(1) << (irq))

struct bench {
    struct board board;
    struct hart *hart;
    uint64_t *reg, *events;
    struct fast *fast;
};

static inline int set_up(void **state)
{
    static struct bench bench;
    board_init(&bench.board);
    bench.hart = &bench.board.cpu.hart;
    bench.reg = bench.hart->reg;
    bench.events = bench.board.cpu.pmu.events;
    bench.hart->mtvec = HANDLER;
    bench.fast = fast_new(&bench.board.cpu);
    assert_non_null(bench.fast);
    *state = &bench;
    return 0;
}

static inline int tear_down(void **state)
{
    struct bench *b = *state;
    fast_free(b->fast);
    board_free(&b->board);
    return 0;
}

static inline void run(struct bench *b, uint64_t insns)
{
    assert_int_equal(fast_run(b->fast, insns), STOP_QUOTA);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
