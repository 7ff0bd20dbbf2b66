/* Interfaces of the files of the in-order back end, to each other and the front end. */
#ifndef SIM_CORE_INORDER_INORDER_PARTS_H
#define SIM_CORE_INORDER_INORDER_PARTS_H

#include "sim/core/inorder/inorder.h"
#include "sim/mem/memsys.h"

/* Waits that a model knows, too. */
static const struct inorder_wait inorder_wait_divider = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_DIVIDER,
                                                         EVENT_CPI_DIV};
static const struct inorder_wait inorder_wait_loads = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                       EVENT_CPI_L1};

/* inorder_wait.c: the count for waiting for a result. */
struct inorder_wait inorder_wait_for(struct inorder_producer producer);

/* inorder_units.c: of operations that inorder->plain does not name. need: is the unit free? occupy:
 * it issues and takes that many cycles (0: its latency); returns when its result is there.
 * operand_cycles: of those whose operands decide, before they execute; 0: they do not. */
enum inorder_result inorder_need_unit(struct core *core, const struct uop *uop, unsigned class);
uint64_t inorder_occupy(struct core *core, const struct uop *uop, unsigned class, uint32_t cycles);
uint8_t inorder_operand_cycles(struct core *core, const struct uop *uop, unsigned class);

/* inorder_repeat.c: the latency of a division that repeats the last, or 0; it is the last now. */
uint8_t inorder_repeated_division(struct core *core, const struct uop *uop);

/* inorder_lsu.c: a line is missing, or was: reads the cache. False: refused. found: it was looked
 * up before, and is missing. start: the load's place among those in flight is taken. */
bool inorder_read(struct core *core, struct uop *uop, bool found, struct mem_response *response);
void inorder_start_load(struct core *core, struct uop *uop, uint64_t *place, unsigned level,
                        uint64_t ready);
/* inorder_lsu.c: may the load or store start its access now? Then *ready is when it is done. */
enum inorder_result inorder_access(struct core *core, struct uop *uop, uint64_t *ready);

#endif
