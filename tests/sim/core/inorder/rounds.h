/* Loops on an in-order machine, to the cycle: the cost of one more round, derived by hand.
 *
 * Every loop ends with `addi x5, x5, -1; bne x5, x0`; the front end is wider than the back end, so
 * only issue counts. With two instructions a cycle the branch, which needs x5, issues one cycle
 * after the addition, and beside the first instruction of the next round. */
#ifndef TESTS_SIM_CORE_INORDER_ROUNDS_H
#define TESTS_SIM_CORE_INORDER_ROUNDS_H

#include "tests/sim/core/rig.h"

enum { ROUNDS = 100 };
#define LENGTH(body) (sizeof(body) / sizeof(body)[0])

struct machine_choice { const char *setting[8]; };

static inline void in_order(struct config *config, unsigned width,
                            const struct machine_choice *choice)
{
    struct diag diag;
    config->core_kind = 1;
    config->dispatch_width = width;
    for (unsigned i = 0; choice != NULL && choice->setting[i] != NULL; i++)
        assert_true(part_set(config, choice->setting[i]) ||
                    config_set(config, choice->setting[i], &diag) == ERR_OK);
}

/* Cycles of another hundred rounds, when caches and predictors are warm. */
static inline uint64_t round_cycles(const uint32_t *body, unsigned length, unsigned width,
                                    const struct machine_choice *choice)
{
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        unsigned rounds = (2 + i) * ROUNDS;
        in_order(&rig->config, width, choice);
        emit(rig, addi(5, 0, (int32_t)rounds));
        emit(rig, addi(12, 9, 0));
        for (unsigned k = 0; k < length; k++)
            emit(rig, body[k]);
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -4 * (int32_t)(length + 1)));
        cycles[i] = run(rig, 5 + (uint64_t)rounds * (length + 2));
        rig_free(rig);
    }
    return cycles[1] - cycles[0];
}

/* CYCLES(body, width, setting, ...) */
#define CYCLES(...) CYCLES_UNTIL(__VA_ARGS__, NULL)
#define CYCLES_UNTIL(body, width, ...) \
    round_cycles(body, LENGTH(body), width, &(struct machine_choice){{__VA_ARGS__}})

#endif
