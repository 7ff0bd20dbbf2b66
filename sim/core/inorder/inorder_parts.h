/* Interfaces between the files of the in-order back end, and to the front end. */
#ifndef SIM_CORE_INORDER_INORDER_PARTS_H
#define SIM_CORE_INORDER_INORDER_PARTS_H

#include "sim/core/inorder/inorder.h"
#include "sim/core/pipe/latency.h"
#include "sim/mem/memsys.h"

/* Waits that models use, too. */
static const struct inorder_wait inorder_wait_divider = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_DIVIDER,
                                                         EVENT_CPI_DIV};
static const struct inorder_wait inorder_wait_loads = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                       EVENT_CPI_L1};

/* inorder_wait.c: the count for waiting for a result. */
struct inorder_wait inorder_wait_for(struct inorder_producer producer);

/* True for a division or a root. */
static inline bool inorder_is_iterative(const struct uop *uop, unsigned class)
{
    _Static_assert(INORDER_FP + 1 == INORDER_DIV, "other classes have none");
    return class >= INORDER_FP && issue_is_iterative(uop);
}

/* True if its unit is always free, and it takes its latency. */
static inline bool inorder_is_plain(const struct core *core, const struct uop *uop, unsigned class)
{
#ifdef MODEL_ANSWERS
    (void)class;
    return (core->inorder->plain >> uop->latency & 1) != 0;     /* as the model has changed it */
#else
    return core_config(core)->inorder_late_alu == 0 && !inorder_is_iterative(uop, class);
#endif
}

/* The cycle in which an operation that is not plain starts, issued now: the late unit and
 * branches wait for their operands. */
static inline uint64_t inorder_start(const struct core *core, const struct uop *uop,
                                     unsigned class)
{
    const uint64_t *ready = core->inorder->ready;
    bool is_late = core_config(core)->inorder_late_alu != 0 && inorder_is_late_capable(uop);
    if (!is_late && class != INORDER_BRANCH)
        return core->now;
    uint64_t first = ready[uop->insn.rs1], second = ready[uop->insn.rs2];
    uint64_t last = first > second ? first : second;
    return last > core->now ? last : core->now;
}

/* In inorder_units.c. need_unit: tests that the divider is free. take_divider: it is taken until
 * `done`. operand_cycles: the duration, if the operands determine it before execution; else 0. */
enum inorder_result inorder_need_unit(struct core *core, const struct uop *uop, unsigned class);
void inorder_take_divider(struct core *core, const struct uop *uop, unsigned class, uint64_t done);
uint8_t inorder_operand_cycles(struct core *core, const struct uop *uop, unsigned class);

/* In inorder_repeat.c: the latency of a division that repeats the last, or 0; the division becomes
 * the last one. */
uint8_t inorder_repeated_division(struct core *core, const struct uop *uop);

/* In inorder_lsu.c: reads the cache for a line that is missing, or was. False: refused. found: the
 * line was looked up before, and is missing. start: the load takes a place among those in
 * flight. */
bool inorder_read(struct core *core, struct uop *uop, bool found, struct mem_response *response);
void inorder_start_load(struct core *core, struct uop *uop, uint64_t *place, unsigned level,
                        uint64_t ready);
/* In inorder_lsu.c: tests whether the load or store may start its access now; then *ready is the
 * cycle of its completion. */
enum inorder_result inorder_access(struct core *core, struct uop *uop, uint64_t *ready);

#endif
