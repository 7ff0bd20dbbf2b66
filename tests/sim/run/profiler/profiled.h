/* A small bare-metal program under the profiler: calls a and b in turn, ROUNDS times; both have a
 * frame and call the leaf f, which stores to `datum`. */
#ifndef TESTS_SIM_RUN_PROFILED_H
#define TESTS_SIM_RUN_PROFILED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/profiler/profiler.h"
#include "tests/sim/run/encode.h"

enum { ROUNDS = 25, MEMORY_MIB = 16, HARTS_MAX = 2, INSNS = 2000, CODE_WORDS = 64 };

#define CODE  PHYS_RAM_BASE
#define DATUM (PHYS_RAM_BASE + 0x2000)
#define STACK (PHYS_RAM_BASE + 0x8000)

/* Offsets of the functions in the code. */
enum { LOOP = 0x0, SPIN = 0x10, A = 0x40, B = 0x80, F = 0xc0 };
enum { A_RETURN = A + 20, B_RETURN = B + 20 };

static uint32_t code[CODE_WORDS];

enum { GP = 3, RET = 0x8067 };
#define BNEZ_S1_BACK_12 0xfe049ae3u

/* A function with a frame that calls f. */
static void put_caller(int at)
{
    const uint32_t body[] = {addi(SP, SP, -16), sd(RA, SP, 8), sd(S0, SP, 0),
                             addi(S0, SP, 16),  jal(RA, F - (at + 16)), ld(RA, SP, 8),
                             ld(S0, SP, 0),     addi(SP, SP, 16), RET};

    memcpy(code + at / 4, body, sizeof body);
}

static void put_program(void)
{
    const uint32_t loop[] = {jal(RA, A - 0), jal(RA, B - 4), addi(S1, S1, -1), BNEZ_S1_BACK_12,
                             jal(0, 0)};
    const uint32_t leaf[] = {addi(A0, A0, 1), sd(A0, GP, 0), RET};

    memcpy(code + LOOP / 4, loop, sizeof loop);
    put_caller(A);
    put_caller(B);
    memcpy(code + F / 4, leaf, sizeof leaf);
}

/* ---- the program as the reader of metadata sees it ------------------------------------------- */

static const struct { const char *name; struct meta_place place; } names[] = {
    {"a", {CODE + A, 36, true}}, {"b", {CODE + B, 36, true}}, {"f", {CODE + F, 12, true}},
    {"datum", {DATUM, 8, false}}};

static const char *symbol(void *arg, size_t index, struct meta_place *place)
{
    (void)arg;
    if (index >= sizeof names / sizeof names[0])
        return NULL;
    *place = names[index].place;
    return names[index].name;
}

static const char *section(void *arg, size_t index, struct meta_place *place)
{
    (void)arg;
    *place = (struct meta_place){CODE, sizeof code, true};
    return index == 0 ? ".text" : NULL;
}

static bool read_code(void *arg, uint64_t address, void *bytes, size_t count)
{
    (void)arg;
    if (address - CODE >= sizeof code || count > sizeof code - (address - CODE))
        return false;
    memcpy(bytes, (const uint8_t *)code + (address - CODE), count);
    return true;
}

static const struct meta_resolver resolver = {
    .section = section, .symbol = symbol, .code = read_code};

/* ---- a run -------------------------------------------------------------------------------- */

struct run {
    struct config config;
    struct phys phys;
    struct cpu cpu[HARTS_MAX];
    struct meta meta;
    struct image image;
    struct image_segment segment[2];
    struct profiler *profiler;
    struct diag diag;
};

static char monitor_path[4096];

static inline enum err prepare(struct run *run, const char *text, enum monitor_kind monitor)
{
    struct profiler_options options = {.config = &run->config, .image = &run->image,
                                       .meta = &run->meta, .monitor = monitor,
                                       .monitor_path = monitor_path};

    put_program();
    run->segment[0] = (struct image_segment){.vaddr = CODE, .mem_bytes = sizeof code};
    run->segment[1] = (struct image_segment){.vaddr = DATUM, .mem_bytes = 0x100};
    run->image = (struct image){.segments = run->segment, .segment_count = 2, .xlen = 64};
    assert_int_equal(meta_read(&run->meta, text, strlen(text), "x.meta", &resolver, &run->diag),
                     ERR_OK);
    return profiler_new(&run->profiler, &options, &run->diag);
}

static inline struct run *begin(const char *text, enum monitor_kind monitor, unsigned harts)
{
    struct run *run = calloc(1, sizeof *run);

    config_init(&run->config);
    run->config.machine_memory_mib = MEMORY_MIB;
    run->config.machine_harts = harts;
    if (prepare(run, text, monitor) != ERR_OK)
        fail_msg("refused: %s", run->diag.text);
    assert_true(phys_init(&run->phys, (uint64_t)MEMORY_MIB << 20));
    assert_true(phys_copy_in(&run->phys, CODE, code, sizeof code));
    for (unsigned i = 0; i < harts; i++) {
        struct hart *hart = &run->cpu[i].hart;

        assert_true(cpu_init(&run->cpu[i], &run->config, &run->phys, i));
        hart->pc = CODE;
        hart->reg[SP] = STACK - 0x1000 * i;
        hart->reg[GP] = DATUM;
        hart->reg[S1] = ROUNDS;
    }
    if (profiler_attach(run->profiler, run->cpu, harts, &run->phys, &run->diag) != ERR_OK)
        fail_msg("not attached: %s", run->diag.text);
    return run;
}

static inline void end(struct run *run)
{
    profiler_free(run->profiler);
    meta_free(&run->meta);
    for (unsigned i = 0; i < run->config.machine_harts; i++)
        cpu_free(&run->cpu[i]);
    phys_free(&run->phys);
    free(run);
}

#endif
