/* The machine of rig_core.h, and the cost of loops on it. */
#ifndef TESTS_SIM_CORE_RIG_H
#define TESTS_SIM_CORE_RIG_H

#include "tests/sim/core/rig_core.h"

static inline void rig_set_all(struct rig *rig, const char *const *settings)
{
    for (; *settings != NULL; settings++)
        rig_set(rig, *settings);
}

/* A loop of `rounds` around `body`, counted in x5; returns the number of instructions executed,
 * with those before the loop, once each. */
static inline uint64_t emit_rounds(struct rig *rig, const uint32_t *body, unsigned length,
                                   unsigned rounds)
{
    uint64_t before = rig->count;
    emit(rig, addi(5, 0, (int32_t)rounds));
    for (unsigned i = 0; i < length; i++)
        emit(rig, body[i]);
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4 * (int32_t)(length + 1)));
    return before + 1 + (uint64_t)rounds * (length + 2);
}

/* The count of an event in a loop of `rounds` around `body` with these settings (NULL ends
 * them). */
static inline uint64_t loop_events_with(const char *const *settings, const uint32_t *body,
                                        unsigned length, unsigned rounds, unsigned code)
{
    struct rig *rig = rig_new();
    if (settings != NULL)
        rig_set_all(rig, settings);
    run(rig, emit_rounds(rig, body, length, rounds));
    uint64_t count = event(rig, code);
    rig_free(rig);
    return count;
}

static inline uint64_t loop_cycles_with(const char *const *settings, const uint32_t *body,
                                        unsigned length, unsigned rounds)
{
    return loop_events_with(settings, body, length, rounds, EVENT_CYCLES);
}

/* The cycles of a loop of `rounds` around `body`, with the settings of the rig. */
static inline uint64_t loop_cycles(const uint32_t *body, unsigned length, unsigned rounds)
{
    return loop_cycles_with(NULL, body, length, rounds);
}

/* The cycles of 100 more rounds when code and predictors are warm. */
static inline uint64_t warm_cycles(const char *const *settings, const uint32_t *body,
                                   unsigned length)
{
    return loop_cycles_with(settings, body, length, 300) -
           loop_cycles_with(settings, body, length, 200);
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Runs 200 rounds of `body`; the count of `code`. */
static inline uint64_t events_of_200_rounds(const char *const *settings, unsigned code,
                                            const uint32_t *body, unsigned length)
{
    struct rig *rig = rig_new();
    for (; *settings != NULL; settings++)
        rig_set(rig, *settings);
    emit(rig, addi(5, 0, 200));
    emit(rig, addi(6, 0, 1));
    for (unsigned i = 0; i < length; i++)
        emit(rig, body[i]);
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4 * (int32_t)(length + 1)));
    run(rig, 5 + 200 * (uint64_t)(length + 2));
    uint64_t count = event(rig, code);
    rig_free(rig);
    return count;
}

#endif
