/* Random programs for the rig of rig.h: loads, stores, branches, divisions, operations between any
 * registers, in a loop without end. */
#ifndef TESTS_SIM_CORE_RANDOM_PROGRAM_H
#define TESTS_SIM_CORE_RANDOM_PROGRAM_H

#include "tests/sim/core/rig.h"

enum { LENGTH = 200 };
/* s1 (x9) points at data and is not written. */
enum { DATA_BASE = 9 };

static inline uint32_t draw(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33) % below;
}

static inline uint32_t any_target(uint64_t *random)
{
    uint32_t reg = 1 + draw(random, 31);
    return reg == DATA_BASE ? DATA_BASE + 1 : reg;
}

static inline uint32_t any_insn(uint64_t *random)
{
    static const uint8_t branches[] = {0, 1, 4, 5, 6, 7};
    uint32_t rd = any_target(random), a = draw(random, 32), b = draw(random, 32);
    switch (draw(random, 10)) {
    case 0: return load(rd, DATA_BASE, (int32_t)(8 * draw(random, 16)));
    case 1: return load(rd, DATA_BASE, (int32_t)(draw(random, 100))) ^ draw(random, 2) << 12;
    case 2: return store(a, DATA_BASE, 8 * draw(random, 16));
    case 3: return store(a, DATA_BASE, draw(random, 120)) ^ draw(random, 4) << 12;
    case 4: return branch(branches[draw(random, 6)], a, b, 4 + 4 * (int32_t)draw(random, 12));
    case 5: return draw(random, 2) == 0 ? mul(rd, a, b) : divide(rd, a, b);
    case 6: return addi(rd, a, (int32_t)draw(random, 4096) - 2048);
    default: return r_type(0, b, a, draw(random, 8), rd, 0x33);
    }
}

/* Of what `any` draws; ends in a jump back to the start. */
static inline void write_program_of(struct rig *rig, uint64_t seed,
                                    uint32_t (*any)(uint64_t *random))
{
    uint64_t random = seed;
    while (rig->count < LENGTH)
        emit(rig, any(&random));
    for (unsigned i = 0; i < 16; i++)           /* where the last branches may lead */
        emit(rig, addi(0, 0, 0));
    emit(rig, beq(0, 0, -4 * (int32_t)rig->count));
}

static inline void write_program(struct rig *rig, uint64_t seed)
{
    write_program_of(rig, seed, any_insn);
}

#endif
