/* Interfaces of the files of the in-order back end, to each other and the front end. */
#ifndef SIM_CORE_INORDER_INORDER_PARTS_H
#define SIM_CORE_INORDER_INORDER_PARTS_H

#include "sim/core/inorder/inorder.h"

/* inorder_wait.c: the count for waiting for a result. */
struct inorder_wait inorder_wait_for(struct inorder_producer producer);

/* inorder_units.c: of operations that inorder->plain does not name. need: is the unit free? occupy:
 * it issues and takes that many cycles (0: its latency); returns when its result is there.
 * operand_cycles: of those whose operands decide, before they execute; 0: they do not. */
enum inorder_result inorder_need_unit(struct core *core, const struct uop *uop, unsigned class);
uint64_t inorder_occupy(struct core *core, const struct uop *uop, unsigned class, uint32_t cycles);
uint8_t inorder_operand_cycles(struct core *core, const struct uop *uop, unsigned class);

/* inorder_rules.c. has: is any set? need: may it issue as far as they are concerned? repeated: the
 * latency of a division that repeats the last, or 0; it is the last one now. */
bool inorder_has_rules(const struct config *config);
enum inorder_result inorder_need_rules(struct core *core, const struct uop *uop, unsigned class);
uint8_t inorder_repeated_division(struct core *core, const struct uop *uop);

/* inorder_rules.c: has everything committed inorder.csr_wait ago? */
bool inorder_has_waited(struct core *core);

/* inorder_rules.c: a fence is next to issue; with inorder.plain_fences it does not act alone. */
void inorder_fence(const struct core *core, struct uop *uop);

/* inorder_rules.c: when the operation that issues now ends, by the rules of the two files below;
 * cycles as of inorder_occupy. */
uint64_t inorder_ends(struct core *core, struct uop *uop, uint64_t seq, unsigned class,
                      uint32_t cycles);

/* inorder_fp.c, only with inorder.fp_place. need: is the place in front of the unit free for it?
 * issue: it goes there, and has its result in this cycle as far as is known now. refuse: the
 * result in an integer register that would be there in the cycle `ready` is not written before the
 * next. forget: the youngest that issued is undone. */
enum inorder_result inorder_fp_need(struct core *core, const struct uop *uop);
uint64_t inorder_fp_issue(struct core *core, const struct uop *uop, uint64_t seq, uint64_t ready,
                          uint32_t cycles);
uint64_t inorder_fp_forwarded(struct core *core, const struct uop *uop, const struct store *store,
                              uint64_t ready);
void inorder_fp_refuse(struct core *core, uint64_t ready);
void inorder_fp_forget(struct core *core, uint64_t seq);

/* inorder_ports.c. comes: the result of the instruction at seq, in rd, comes in the cycle `ready`
 * now. issue: only with inorder.shared_port: an integer operation that issues now and would end in
 * the cycle `ready`; when it does. need: has an older product been written to its destination?
 * forget: as above. */
void inorder_comes(struct core *core, uint64_t seq, unsigned rd, uint64_t ready);
enum inorder_result inorder_ports_need(struct core *core, const struct uop *uop, unsigned class);
uint64_t inorder_ports_issue(struct core *core, const struct uop *uop, uint64_t seq,
                             unsigned class, uint64_t ready);
void inorder_ports_forget(struct core *core, uint64_t seq);

/* inorder_csr.c, only with inorder.csr_buffer. takes: is it for the instruction? need: may that
 * issue? enter: it does. step: each cycle while one waits. forget: as above. */
bool csr_takes(const struct core *core, const struct uop *uop);
enum inorder_result csr_need(struct core *core, const struct uop *uop, uint64_t seq);
void csr_enter(struct core *core, struct uop *uop, uint64_t seq);
void csr_step(struct core *core);
void csr_forget(struct core *core, const struct uop *uop);

/* inorder_late.c, only with inorder.late_miss. has_room: may another access come to the front of
 * the cache? load: one comes; *ready NEVER: it is late. step: each cycle. next: when there is
 * something to do. is: is it late? ready: when the value of the instruction at seq comes, which may
 * have committed. forget: the youngest in flight is undone. read_outside: the load at seq is of no
 * memory; does it issue beside a mispredicted branch? */
enum inorder_result late_has_room(struct core *core, struct inorder_wait wait);
enum inorder_result late_load(struct core *core, struct uop *uop, uint64_t *place, uint64_t *ready);
void late_step(struct core *core);
uint64_t late_next(const struct inorder *inorder);
bool late_is(const struct core *core, const struct uop *uop);
uint64_t late_ready(const struct core *core, uint64_t seq);
void late_forget(struct core *core, const struct uop *uop);
/* Issues one that traps; with inorder.cancelled_loads it may read outside memory first. */
enum inorder_result late_read_outside(struct core *core, const struct uop *uop, uint64_t seq);

/* inorder_lsu.c: a line is missing, or was: reads the cache. False: refused. found: it was looked
 * up before, and is missing. start: the load's place among those in flight is taken. */
bool inorder_read(struct core *core, struct uop *uop, bool found, struct mem_response *response);
void inorder_start_load(struct core *core, struct uop *uop, uint64_t *place, unsigned level,
                        uint64_t ready);
/* inorder_lsu.c: a line that `level` answered is brought, and an access has it in cycle `ready`:
 * issue may be held meanwhile (inorder.load_miss). */
void inorder_hold_for_line(struct core *core, uint64_t ready, unsigned level);
/* inorder_lsu.c: may the load or store start its access now? Then *ready is when it is done. */
enum inorder_result inorder_access(struct core *core, struct uop *uop, uint64_t *ready);

#endif
