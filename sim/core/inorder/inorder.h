/* State of the in-order back end. Private to inorder*.c; other stages only test whether it exists.
 *
 * Instructions issue in program order and execute functionally in that moment, so issue and
 * dispatch are one stage: there are no issue queues, no wake-up, no renaming. Instructions in
 * flight are [commit_seq, dispatch_seq), a scoreboard of rob.entries that commits in order.
 *
 * Invariants (inorder_is_sane checks them):
 *   1. Every instruction in flight has issued, and its completion cycle is known, unless the model
 *      says that it is late.
 *   2. ready[r] is the completion cycle of r's youngest writer when that is in flight.
 *   3. wake is NEVER, or a cycle after the last one that was run. */
#ifndef SIM_CORE_INORDER_INORDER_H
#define SIM_CORE_INORDER_INORDER_H

#include "sim/core/pipe/stage_account.h"

/* Classes that the rules for issuing together distinguish: the units, divisions apart. */
enum inorder_class {
    INORDER_INT = UNIT_INT, INORDER_BRANCH = UNIT_BRANCH, INORDER_MUL = UNIT_COMPLEX,
    INORDER_LOAD = UNIT_LOAD, INORDER_STORE = UNIT_STORE, INORDER_FP = UNIT_FP,
    INORDER_DIV = UNIT_COUNT, INORDER_CLASSES
};

enum divide_holds { DIVIDE_HOLDS_UNIT, DIVIDE_HOLDS_ISSUE };

enum { INORDER_LOADS_MAX = 16 };

struct inorder {
    uint64_t ready[REG_COUNT];      /* from this cycle on an instruction that needs r may issue */
    struct inorder_producer { uint8_t unit_class, level; } producer[REG_COUNT];
    uint64_t wake;                  /* the awaited event of the last cycle has occurred; NEVER: no
                                     * clock alone ends the wait */
    uint64_t stalled_until;         /* the next instruction waits for a register; until then only a
                                     * squash changes that */
    uint64_t held_until;            /* nothing issues before, because of a register's producer: */
    uint64_t held_at;               /* except instructions that join the group of an access that
                                     * misses now */
    struct inorder_wait { uint8_t slots, lost, cpi; } held, wait;   /* wait: of the last cycle */
    uint64_t divider_free[2];       /* integer, floating point */
    uint64_t int_at[2];             /* cycles in which the first two integer units last started an
                                     * operation */
    uint64_t store_cycle;                   /* cycle in which the last store issued */
    uint64_t memory_cycle;                  /* cycle in which the last load or store counts as
                                             * issued: nothing issues in between */
    uint64_t divided[2];                    /* operands and instruction of the last division */
    uint16_t divided_by;
    uint64_t conflict_id, conflict_until;   /* the load that waits for a store: its id; and the
                                             * cycle in which it may go on after the store */
    uint64_t load_done[INORDER_LOADS_MAX];  /* cycles in which the loads in flight have their
                                             * values */
    /* fixed by the configuration, and by a model */
    uint32_t plain;                 /* inorder_plain_of() */
    bool counts;                    /* `after` does not express all limits */
    uint8_t after[INORDER_CLASSES]; /* classes that may follow in the same cycle */
    uint8_t limit[INORDER_CLASSES]; /* largest number of a class in a cycle */
    /* the instructions issued in this cycle */
    struct inorder_group {
        uint64_t full_seq;          /* the instruction for which no entry is free */
        uint32_t allowed;           /* classes that may follow; UINT8_MAX: nothing has issued */
        uint8_t memory;
        uint8_t used[INORDER_CLASSES];
    } group;
};

/* Operations whose unit is always free, and that take their latency: a bit mask of LAT_*, which a
 * model may change. */
static inline uint32_t inorder_plain_of(const struct config *config)
{
    return config->inorder_late_alu != 0 ? 0 : ~(1u << LAT_DIV | 1u << LAT_FDIV | 1u << LAT_FSQRT);
}

/* True if the machine has rules that few machines have; every machine with a model has them. */
static inline bool inorder_has_rules(const struct core *core)
{
    const struct config *settings = core_config(core);
#ifdef MODEL_ANSWERS
    bool has_model = true;
#else
    bool has_model = false;
#endif
    return has_model || settings->inorder_late_alu != 0 ||
           settings->inorder_divide_holds != DIVIDE_HOLDS_UNIT ||
           settings->inorder_store_data_late != 0 ||
           (settings->latency_div_min | settings->latency_fdiv_min) != 0 ||
           settings->latency_div_repeat != 0 || core->learns_at_issue;
}

/* True if the machine may hold issue until a cycle, held_until. */
static inline bool inorder_holds(const struct core *core)
{
#ifdef MODEL_ANSWERS
    (void)core;
    return true;
#else
    return core_config(core)->inorder_divide_holds == DIVIDE_HOLDS_ISSUE;
#endif
}

/* An operation starts: within a cycle the integer units are taken in their order. */
static inline void inorder_count(struct core *core, const struct uop *uop)
{
    uint64_t *at = core->inorder->int_at;
    issue_count(core, uop);
    if (uop->unit != UNIT_INT || at[1] == core->now)
        return;
    unsigned unit = at[0] == core->now;
    at[unit] = core->now;
    core->events[EVENT_UNIT_INT_A_BUSY + unit]++;
}

/* True if until a squash the next instruction waits for the same event as in this cycle. */
static inline bool inorder_is_stalled(const struct core *core)
{
    return core->now < core->inorder->stalled_until;
}

/* NULL: no memory. */
struct inorder *inorder_new(const struct config *config);
void inorder_free(struct inorder *inorder);

/* INORDER_WAIT: the instruction waits; if `cycle` is not NEVER, until then. */
enum inorder_result { INORDER_GO, INORDER_WAIT };
static inline enum inorder_result inorder_wait(struct inorder *inorder, uint64_t cycle,
                                               struct inorder_wait wait)
{
    inorder->wake = cycle;
    inorder->wait = wait;
    return INORDER_WAIT;
}

/* A simple integer operation: it can execute later than it issues, and passes on its result. */
static inline bool inorder_is_late_capable(const struct uop *uop)
{
    return uop->kind == KIND_ALU && uop->unit == UNIT_INT;
}

#endif
