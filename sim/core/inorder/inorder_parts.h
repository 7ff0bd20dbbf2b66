/* Interfaces between the files of the in-order back end, and to the front end. */
#ifndef SIM_CORE_INORDER_INORDER_PARTS_H
#define SIM_CORE_INORDER_INORDER_PARTS_H

#include "sim/core/inorder/inorder.h"
#include "sim/mem/memsys.h"

/* Waits that models use too. */
static const struct inorder_wait inorder_wait_divider = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_DIVIDER,
                                                         EVENT_CPI_DIV};
static const struct inorder_wait inorder_wait_loads = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                       EVENT_CPI_L1};

/* inorder_wait.c: the count for waiting for a result. */
struct inorder_wait inorder_wait_for(struct inorder_producer producer);

/* In inorder_units.c: for operations outside inorder_plain(). need: tests that the unit is free.
 * occupy: the operation issues and takes that many cycles (0: its latency); returns the cycle of
 * its result. operand_cycles: duration, if the operands determine it before execution; 0: they do
 * not. */
enum inorder_result inorder_need_unit(struct core *core, const struct uop *uop, unsigned class);
uint64_t inorder_occupy(struct core *core, const struct uop *uop, unsigned class, uint32_t cycles);
uint8_t inorder_operand_cycles(struct core *core, const struct uop *uop, unsigned class);

/* In inorder_repeat.c: the latency of a division that repeats the last, or 0; it becomes the last
 * one. */
uint8_t inorder_repeated_division(struct core *core, const struct uop *uop);

/* In inorder_lsu.c: a line is missing, or was: reads the cache. False: refused. found: it was
 * looked up before, and is missing. start: takes the load's place among those in flight. */
bool inorder_read(struct core *core, struct uop *uop, bool found, struct mem_response *response);
void inorder_start_load(struct core *core, struct uop *uop, uint64_t *place, unsigned level,
                        uint64_t ready);
/* In inorder_lsu.c: tests whether the load or store may start its access now; then *ready is the
 * cycle of its completion. */
enum inorder_result inorder_access(struct core *core, struct uop *uop, uint64_t *ready);

#endif
