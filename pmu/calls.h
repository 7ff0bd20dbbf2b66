/* The exact call tree of one processor: callers and callees, with their calls, instructions and
 * cycles. Beside the oracle profile, what hardware-based profiles are compared with.
 *
 * Fed with the transfers of control that committed, in their order: calls, returns, jumps from
 * routine to routine (tail calls), traps and returns from them. It keeps the stack as the program
 * does: a return is recognised by its address and the stack pointer, so that longjmp and exceptions
 * find the routine they end in, and a switch to another stack the routines it had there. A routine
 * that is entered by a jump is a frame of its own (CALLS_TAIL), which ends with its caller.
 *
 * With the oracle profile the cycles go to the same places as there, in its units: an instruction's
 * share to the routine that it committed in. A transfer therefore acts when the instruction after
 * it is charged, and not before.
 *
 * A stack belongs to the thread that the scheduler names (CSR_PROF_THREAD). It goes with the thread
 * to another hart: a call that begins on one hart and ends on another is one call, of its thread's
 * instructions and cycles on both. Where no scheduler names threads, stacks alone tell them apart.
 *
 * Frames deeper than CALLS_DEPTH and nodes beyond CALLS_NODES belong to the last one that is kept;
 * edges count them nonetheless. Owned by the machine; NULL while no tool uses it. */
#ifndef PMU_CALLS_H
#define PMU_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"

enum { CALLS_NODES = 1 << 20, CALLS_DEPTH = 1 << 20, CALLS_PARKED = 4096, CALLS_QUEUE = 64 };

/* Routines of the program, by address; none overlaps another. */
struct calls_routine { uint64_t start, end; };
struct calls_map { const struct calls_routine *routine; size_t routines; };

enum calls_kind {
    CALLS_ROOT,             /* running at the first transfer, or its caller is unknown */
    CALLS_CALL,
    CALLS_TAIL,             /* entered by a jump */
    CALLS_TRAP,             /* no code: the exception, interrupt or system call */
    CALLS_HANDLER,          /* of the trap above it */
};

/* A routine with one stack above it. Its first address; of a trap calls_trap_routine(). */
struct calls_node {
    uint64_t routine;
    uint64_t calls, insns, units;       /* entries; of its own */
    uint32_t parent, child, sibling;    /* node 0: above all roots; 0: none */
    uint8_t kind;
};

/* From one place to a routine, in whatever stacks; with all below it. site: an instruction; of a
 * handler the trap. */
struct calls_edge {
    uint64_t site, routine;
    uint64_t calls, insns, units;
    uint64_t open_insns, open_units;    /* besides, of entries that have not returned */
    uint32_t next, active;              /* of one hash; in the current stack */
    uint8_t kind;
};

struct calls;

/* base: instructions that committed before. NULL: no memory. The map stays the caller's. */
struct calls *calls_new(const struct calls_map *map, uint64_t base);
void calls_free(struct calls *calls);
/* Threads go from the hart of one to that of the other, or of any joined before. */
void calls_join(struct calls *calls, struct calls *other);
/* Another map, which has at least the routines of the one before. */
void calls_set_map(struct calls *calls, const struct calls_map *map);

/* Represents a trap in place of a routine's address. kind: IND_KIND_EXCEPTION, _INTERRUPT or
 * _SYSCALL; number: of the system call. */
uint64_t calls_trap_routine(unsigned kind, uint32_t cause, uint32_t number);

/* Might the instruction enter or leave a routine? Others need not be told. */
bool calls_concern(const struct calls *calls, const struct insn *insn, uint64_t pc);

/* The instruction at pc, the `at`th of the processor, transferred control to next_pc. sp: the stack
 * pointer when it did. */
void calls_transfer(struct calls *calls, const struct insn *insn, uint64_t pc, uint64_t next_pc,
                    uint64_t sp, uint64_t at);
/* Behind the `at`th instruction a trap was taken in place of the one at pc. handler 0: the host
 * serves it. */
struct calls_trap { uint64_t routine, pc, handler, sp, at; };
void calls_take_trap(struct calls *calls, const struct calls_trap *trap);
/* The `at`th instruction named the thread that the hart runs from then on; 0: none of those that
 * go to other harts. */
void calls_name_thread(struct calls *calls, uint64_t thread, uint64_t at);
/* The stack pointer for the next trap, where the registers are ahead of commit. */
void calls_set_sp(struct calls *calls, uint64_t sp);
uint64_t calls_take_sp(struct calls *calls, uint64_t sp);

/* A routine that has ended, or was still open at the end of the run. */
struct calls_passage {
    uint64_t routine;
    uint32_t node;
    uint64_t insns, units;          /* with all below it */
    uint64_t own_insns, own_units;
    uint64_t below;                 /* what the watcher said of those directly below it, added */
};
/* A watcher is told of each entry and each end, in order, when it acts: of a tree without
 * charges, when the instruction has just been executed. It may say a number of an end, which the
 * routine around it has in `below`. */
struct calls_watcher {
    void (*entered)(void *arg, const struct calls *calls, uint32_t node);
    uint64_t (*ended)(void *arg, const struct calls_passage *passage);
    void *arg;
};
void calls_watch(struct calls *calls, const struct calls_watcher *watcher);

/* Cycles, as the oracle profile charges them: to the `at`th instruction, which is at pc and may
 * trap instead; to one of the resident monitor. */
void calls_charge(struct calls *calls, uint64_t at, uint64_t pc, uint64_t units);
void calls_charge_monitor(struct calls *calls, uint64_t units);
/* Charges will come. */
void calls_expect_charges(struct calls *calls);
/* Charges are the occurrences of this event of committed instructions, in the same units, in place
 * of cycles, or all occurrences since the instruction before; EVENT_NONE: cycles. For who
 * charges. */
void calls_charge_event(struct calls *calls, unsigned event);
unsigned calls_event(const struct calls *calls);
/* Of an event that is no instruction's: occurrences since the last call; `count`: all so far. */
uint64_t calls_happened(struct calls *calls, uint64_t count);

/* Brings nodes and edges up to the `at`th instruction, after which pc comes. */
void calls_update(struct calls *calls, uint64_t pc, uint64_t at);
/* After calls_update, at the end of a run: entries that have not returned end, and the watcher is
 * told. */
void calls_end_open(struct calls *calls);
bool calls_is_watched(const struct calls *calls);
/* [0] is above all roots; a parent has a smaller number than its children. */
size_t calls_nodes(const struct calls *calls, const struct calls_node **node);
size_t calls_edges(const struct calls *calls, const struct calls_edge **edge);
/* Entries that have no node of their own. */
uint64_t calls_cut(const struct calls *calls);

#endif
