/* Blocks against single steps: random programs must leave the same registers, memory, counters and
 * traps, wherever a run is cut. */
#include "tests/sim/core/board.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/run/fast/fast.h"

enum { PROGRAM_BYTES = 3 * PHYS_PAGE_BYTES, PROGRAMS = 60, INSNS = 20000 };
/* x8..x11 hold addresses of data, x12 one of code; few instructions write them. */
enum { FIRST_BASE = 8, LAST_BASE = 11, CODE_BASE = 12 };

/* ---- random programs ------------------------------------------------------------------------- */

struct random { uint64_t state; };

static uint32_t draw(struct random *random, uint32_t below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random->state >> 33) % below;
}

static unsigned any_source(struct random *random)
{
    return draw(random, 32);
}

static unsigned any_target(struct random *random)
{
    unsigned reg = draw(random, 32);
    return reg >= FIRST_BASE && reg <= CODE_BASE ? reg + 8 : reg;
}

static unsigned any_base(struct random *random)
{
    return FIRST_BASE + draw(random, LAST_BASE - FIRST_BASE + 1);
}

static int64_t any_offset(struct random *random)
{
    return (int64_t)draw(random, 8) == 0 ? (int64_t)draw(random, 4096) - 2048
                                         : 8 * (int64_t)draw(random, 64);
}

/* A short way forward, sometimes back: programs are full of loops that end by the quota only. */
static int64_t any_distance(struct random *random)
{
    return draw(random, 8) == 0 ? -4 * (int64_t)draw(random, 12)
                                : 2 * (int64_t)draw(random, 40) + 4;
}

static uint32_t any_alu(struct random *random)
{
    static const unsigned opcodes[] = {0x13, 0x1b, 0x33, 0x3b, 0x37, 0x17};
    unsigned opcode = opcodes[draw(random, 6)];
    unsigned funct7 = opcode == 0x33 || opcode == 0x3b
                          ? (unsigned)(int[]){0, 0x20, 1, 0x10, 5}[draw(random, 5)]
                          : draw(random, 128);
    return r_type(funct7, any_source(random), any_source(random), draw(random, 8),
                  any_target(random), opcode);
}

static uint32_t any_fp(struct random *random)
{
    static const unsigned funct7[] = {0,    1,    4,    5,    8,    9,    12,   13,   0x10, 0x11,
                                      0x14, 0x15, 0x50, 0x51, 0x60, 0x61, 0x68, 0x69, 0x71, 0x79};
    unsigned choice = funct7[draw(random, 20)];
    unsigned rs2 = choice >= 0x60 ? draw(random, 4) : any_source(random);
    unsigned rm = draw(random, 3) == 0 ? draw(random, 8) : 7;
    bool writes_int = (choice >= 0x50 && choice <= 0x61) || choice == 0x71;
    unsigned rd = writes_int ? any_target(random) : any_source(random);
    if (choice == 0x71 || choice == 0x79)
        rs2 = rm = 0;
    if (draw(random, 4) == 0)
        return any_source(random) << 27 | draw(random, 2) << 25 | rs2 << 20 |
               any_source(random) << 15 | rm << 12 | any_source(random) << 7 |
               (unsigned)(int[]){0x43, 0x47, 0x4b, 0x4f}[draw(random, 4)];
    return r_type(choice, rs2, any_source(random), rm, rd, 0x53);
}

static uint32_t any_access(struct random *random)
{
    int64_t offset = any_offset(random);
    switch (draw(random, 8)) {
    case 0:
        return i_type(offset, any_base(random), 2 + draw(random, 2), any_source(random), 0x07);
    case 1:
        return s_type(offset, any_source(random), any_base(random), 2 + draw(random, 2), 0x27);
    case 2:
    case 3:
        return s_type(offset, any_source(random), any_base(random), draw(random, 4), 0x23);
    case 4:
        return amo((unsigned)(int[]){0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 28}[draw(random, 11)],
                   any_target(random), any_base(random), any_source(random), 2 + draw(random, 2));
    default:
        return i_type(offset, any_base(random), draw(random, 7), any_target(random), 0x03);
    }
}

static uint32_t any_system(struct random *random)
{
    static const unsigned csr[] = {CSR_cycle, CSR_instret, CSR_fflags, CSR_frm, CSR_fcsr};
    switch (draw(random, 5)) {
    case 0:
        return ECALL;
    case 1:
        return FENCE_I;
    case 2:
        return csrrwi(any_target(random), csr[2 + draw(random, 3)], draw(random, 5));
    case 3:
        return draw(random, UINT32_MAX) | 3;
    default:
        return csrrs(any_target(random), csr[draw(random, 5)], ZERO);
    }
}

static uint32_t any_insn(struct random *random)
{
    unsigned kind = draw(random, 100);
    if (kind < 40)
        return any_alu(random);
    if (kind < 65)
        return any_access(random);
    if (kind < 75)
        return any_fp(random);
    if (kind < 90)
        return b_type(any_distance(random), any_source(random), any_source(random),
                      (unsigned)(int[]){0, 1, 4, 5, 6, 7}[draw(random, 6)]);
    if (kind < 94)
        return jal(any_target(random), any_distance(random));
    if (kind < 96)
        return jalr(any_target(random), CODE_BASE, (int64_t)draw(random, 2048));
    return any_system(random);
}

static void write_program(struct board *board, struct random *random)
{
    uint8_t code[PROGRAM_BYTES + 4];
    for (unsigned at = 0; at < PROGRAM_BYTES;) {
        uint32_t word = draw(random, 4) == 0 ? draw(random, 0x10000) : any_insn(random);
        memcpy(&code[at], &word, sizeof word);
        at += insn_length(word);
    }
    assert_true(phys_copy_in(&board->phys, CODE, code, PROGRAM_BYTES));
}

/* ---- runs ------------------------------------------------------------------------------------ */

struct run {
    struct board board;
    struct fast *fast;
    uint64_t traps;             /* hash of the exceptions seen */
};

static void observe_nothing(void *arg, const struct fast_record *record)
{
    (void)arg, (void)record;
}

/* Code cannot be written: without fence.i the time at which a store to it takes effect is not
 * defined. */
static void protect_code(struct hart *hart)
{
    enum { PROTECTED_BYTES = 4 * PHYS_PAGE_BYTES };
    pmp_write_address(hart, 0, CODE >> 2 | (PROTECTED_BYTES / 8 - 1));
    pmp_write_address(hart, 1, UINT64_MAX);
    pmp_write_config(hart, 0, (PMP_R | PMP_X | PMP_NAPOT) |
                                  (uint64_t)(PMP_R | PMP_W | PMP_X | PMP_NAPOT) << 8);
}

static void start(struct run *run, uint64_t seed)
{
    struct random random = {seed};
    struct hart *hart = &run->board.cpu.hart;
    board_init(&run->board);
    run->fast = fast_new(&run->board.cpu);
    assert_non_null(run->fast);
    run->traps = 0;
    write_program(&run->board, &random);
    for (unsigned i = 1; i < REG_SINK; i++)
        hart->reg[i] = draw(&random, 2) == 0 ? draw(&random, 64) : random.state;
    for (unsigned i = FIRST_BASE; i <= LAST_BASE; i++)
        hart->reg[i] = DATA + i * PHYS_PAGE_BYTES - 64 * draw(&random, 2) + draw(&random, 2);
    hart->reg[LAST_BASE] = draw(&random, 2) == 0 ? hart->reg[FIRST_BASE]
                                                 : PHYS_RAM_BASE + BOARD_BYTES - 256;
    hart->reg[CODE_BASE] = CODE + PHYS_PAGE_BYTES;
    hart->mstatus |= MSTATUS_FS;
    hart->mcounteren = hart->scounteren = 7;
    run->board.cpu.host_serves_traps = true;
    protect_code(hart);
    hart->priv = PRIV_U;
    mmu_flush(&run->board.cpu.mmu);
    cpu_privilege_changed(&run->board.cpu);
}

static void finish(struct run *run)
{
    fast_free(run->fast);
    board_free(&run->board);
}

/* The host's part: notes the exception and goes on after the instruction. */
static void serve(struct run *run)
{
    struct cpu *cpu = &run->board.cpu;
    uint32_t bits = 0;
    uint64_t facts[3] = {cpu->stop_cause, cpu->stop_pc, cpu->stop_tval};
    for (unsigned i = 0; i < 3; i++)
        run->traps = (run->traps ^ facts[i]) * UINT64_C(0x100000001b3);
    if (!phys_copy_out(&run->board.phys, cpu->stop_pc, &bits, 4) ||
        cpu->stop_pc >= CODE + PROGRAM_BYTES)
        cpu->hart.pc = CODE;
    else
        cpu->hart.pc = cpu->stop_pc + insn_length(bits);
}

static void run_until(struct run *run, uint64_t insns)
{
    uint64_t *done = &run->board.cpu.pmu.events[EVENT_INSNS_RETIRED];
    while (*done < insns) {
        enum stop stop = fast_run(run->fast, insns - *done);
        if (stop == STOP_HOST_CALL)
            serve(run);
        else
            assert_int_equal(stop, STOP_QUOTA);
    }
    assert_int_equal(*done, insns);
}

static void compare(const struct run *a, const struct run *b)
{
    for (unsigned i = 0; i < REG_SINK; i++)
        assert_int_equal(a->board.cpu.hart.reg[i], b->board.cpu.hart.reg[i]);
    assert_int_equal(a->board.cpu.hart.pc, b->board.cpu.hart.pc);
    assert_int_equal(a->board.cpu.hart.fflags, b->board.cpu.hart.fflags);
    assert_int_equal(a->board.cpu.hart.frm, b->board.cpu.hart.frm);
    assert_int_equal(a->board.cpu.hart.mstatus, b->board.cpu.hart.mstatus);
    assert_int_equal(a->traps, b->traps);
    assert_memory_equal(a->board.cpu.pmu.events, b->board.cpu.pmu.events,
                        sizeof a->board.cpu.pmu.events);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void blocks_and_single_steps_agree_on_random_programs(void **state)
{
    static struct run blocks, steps;
    const struct fast_observer observer = {.step = observe_nothing};
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct random random = {seed * 977};
        start(&blocks, seed);
        start(&steps, seed);
        fast_count_events(blocks.fast, seed % 2 != 0);
        fast_count_events(steps.fast, seed % 2 != 0);
        fast_set_observer(steps.fast, &observer);
        for (uint64_t insns = 0; insns < INSNS;) {
            insns += 1 + draw(&random, draw(&random, 4) == 0 ? 2000 : 100);
            run_until(&blocks, insns);
            run_until(&steps, insns);
            compare(&blocks, &steps);
        }
        assert_memory_equal(blocks.board.phys.ram, steps.board.phys.ram, BOARD_BYTES);
        finish(&blocks);
        finish(&steps);
    }
}

/* The observer sees exactly the instructions that executed. */
struct path { uint64_t pc, insns; };

static void follow(void *arg, const struct fast_record *record)
{
    struct path *path = arg;
    path->insns++;
    path->pc = record->pc;
    assert_true(record->insn->length == 2 || record->insn->length == 4);
}

static void the_observer_sees_every_instruction(void **state)
{
    static struct run run;
    struct path path = {0, 0};
    const struct fast_observer observer = {.arg = &path, .step = follow};
    (void)state;
    start(&run, 5);
    run_until(&run, 500);
    fast_set_observer(run.fast, &observer);
    run_until(&run, 777);
    assert_int_equal(path.insns, 277);
    fast_set_observer(run.fast, NULL);
    run_until(&run, 1000);
    assert_int_equal(path.insns, 277);
    finish(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_single_steps_agree_on_random_programs),
        cmocka_unit_test(the_observer_sees_every_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
