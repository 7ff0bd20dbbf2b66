/* One cpu with two megabytes of memory and no devices, and functions that its tests often use. */
#ifndef TESTS_SIM_CORE_BOARD_H
#define TESTS_SIM_CORE_BOARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/csr.h"
#include "isa/op.h"
#include "sim/core/cpu.h"
#include "tests/sim/run/encode.h"

enum { BOARD_BYTES = 2 << 20 };
#define CODE PHYS_RAM_BASE
#define DATA (PHYS_RAM_BASE + 0x10000)
#define TABLES (PHYS_RAM_BASE + 0x20000)
#define META (PHYS_RAM_BASE + 0x30000)
#define HANDLER (PHYS_RAM_BASE + 0x8000)
#define MONITOR (PHYS_RAM_BASE + 0x9000)

struct board {
    struct config config;
    struct phys phys;
    struct cpu cpu;
};

static inline void board_init(struct board *board)
{
    memset(board, 0, sizeof *board);
    config_init(&board->config);
    assert_true(phys_init(&board->phys, BOARD_BYTES));
    assert_true(cpu_init(&board->cpu, &board->config, &board->phys, 0));
    board->cpu.hart.pc = CODE;
}

static inline void board_free(struct board *board)
{
    cpu_free(&board->cpu);
    phys_free(&board->phys);
}

static inline void put64(struct board *board, uint64_t pa, uint64_t value)
{
    assert_true(phys_copy_in(&board->phys, pa, &value, sizeof value));
}

static inline void put32(struct board *board, uint64_t pa, uint32_t value)
{
    assert_true(phys_copy_in(&board->phys, pa, &value, sizeof value));
}

static inline uint64_t get64(const struct board *board, uint64_t pa)
{
    uint64_t value;
    assert_true(phys_copy_out(&board->phys, pa, &value, sizeof value));
    return value;
}

/* Writes instructions from `pa` on. */
#define PROGRAM(board, pa, ...)                                                                    \
    do {                                                                                           \
        const uint32_t words[] = {__VA_ARGS__};                                                    \
        assert_true(phys_copy_in(&(board)->phys, (pa), words, sizeof words));                      \
    } while (0)

static inline void set_privilege(struct board *board, unsigned priv)
{
    board->cpu.hart.priv = (uint8_t)priv;
    cpu_privilege_changed(&board->cpu);
}

/* Runs one instruction word through cpu_system or cpu_atomic at the hart's pc. */
struct outcome { enum trap_cause cause; uint64_t tval; unsigned effects; };

static inline struct outcome execute_word(struct board *board, uint32_t word)
{
    struct outcome outcome = {TRAP_NONE, 0, 0};
    struct insn insn;
    uint64_t va, pa;

    insn_decode(&insn, word);
    assert_int_not_equal(insn.op, OP_illegal);
    switch (insn_info[insn.op].kind) {
    case KIND_LR:
    case KIND_SC:
    case KIND_AMO:
        outcome.cause = cpu_atomic(&board->cpu, &insn, &outcome.tval, &va, &pa);
        break;
    default:
        outcome.cause = cpu_system(&board->cpu, &insn, board->cpu.hart.pc, &outcome.tval,
                                   &outcome.effects);
    }
    return outcome;
}

#endif
