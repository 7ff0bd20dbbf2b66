/* The exact call tree of one processor: callers and callees, with their calls, instructions and
 * cycles. Like the oracle profile, a reference for profiles made by hardware.
 *
 * Fed with the transfers of control that committed, in their order: calls, returns, jumps from
 * routine to routine (tail calls), traps and returns from them. It keeps the stack like the
 * program: a return is recognised by its address and the stack pointer, so that longjmp and
 * exceptions find the routine in which they end, and a switch to another stack finds that stack's
 * routines. A signal handler of a thread stands below the interrupted routine, on whatever stack it
 * runs. A routine entered by a jump has a frame of its own (CALLS_TAIL), which ends with its
 * caller.
 *
 * With the oracle profile, cycles are charged as there, in its units: an instruction's share goes
 * to the routine in which it committed. A transfer therefore acts only when the instruction after
 * it is charged.
 *
 * A stack belongs to the thread that the scheduler names (CSR_PROF_THREAD), and moves with the
 * thread to another hart: a call that begins on one hart and ends on another is one call, with its
 * thread's instructions and cycles on both. Without a scheduler that names threads, only their
 * stacks distinguish them.
 *
 * Frames deeper than CALLS_DEPTH and nodes beyond CALLS_NODES belong to the last one that is kept;
 * edges count them nonetheless. Owned by the machine; NULL while no tool uses it. */
#ifndef PMU_EXACT_CALLS_H
#define PMU_EXACT_CALLS_H

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

/* A routine with one particular stack above it. routine: its first address, or calls_trap_routine()
 * for a trap. */
struct calls_node {
    uint64_t routine;
    uint64_t calls, insns, units;       /* entries; the routine's own instructions and units */
    uint32_t parent, child, sibling;    /* node 0: above all roots; 0: none */
    uint8_t kind;
};

/* Calls from one site to a routine, in any stack, including everything below. site: an instruction;
 * for a handler, the trap. */
struct calls_edge {
    uint64_t site, routine;
    uint64_t calls, insns, units;
    uint64_t open_insns, open_units;    /* in addition, of entries that have not returned */
    uint32_t next, active;              /* next edge with the same hash; frames in the current
                                         * stack */
    uint8_t kind;
};

struct calls;

/* base: number of instructions committed before. NULL: no memory. The map stays the caller's. */
struct calls *calls_new(const struct calls_map *map, uint64_t base);
void calls_free(struct calls *calls);
/* Lets threads move between the harts of these two, and of all joined before. */
void calls_join(struct calls *calls, struct calls *other);
/* Sets another map, which has at least the routines of the old one. */
void calls_set_map(struct calls *calls, const struct calls_map *map);

/* Represents a trap in place of a routine's address. kind: IND_KIND_EXCEPTION, _INTERRUPT or
 * _SYSCALL; number: of the system call. CALLS_SIGNAL: the delivery of a signal, which has neither
 * cause nor number. */
enum { CALLS_SIGNAL = 7 };
uint64_t calls_trap_routine(unsigned kind, uint32_t cause, uint32_t number);

/* True if the instruction may enter or leave a routine; others need not be reported. */
bool calls_concern(const struct calls *calls, const struct insn *insn, uint64_t pc);

/* The instruction at pc, the `at`th of the processor, transferred control to next_pc. sp: the stack
 * pointer at that time. */
void calls_transfer(struct calls *calls, const struct insn *insn, uint64_t pc, uint64_t next_pc,
                    uint64_t sp, uint64_t at);
/* After the `at`th instruction a trap was taken in place of the instruction at pc. handler 0: the
 * host serves it. */
struct calls_trap { uint64_t routine, pc, handler, sp, at; };
void calls_take_trap(struct calls *calls, const struct calls_trap *trap);
/* The `at`th instruction set the thread that the hart runs from then on; 0: the hart's own, which
 * never moves. */
void calls_name_thread(struct calls *calls, uint64_t thread, uint64_t at);
/* Sets the stack pointer for the next trap, if the registers are ahead of commit. */
void calls_set_sp(struct calls *calls, uint64_t sp);
uint64_t calls_take_sp(struct calls *calls, uint64_t sp);

/* A routine that has ended, or was open at the end of the run. */
struct calls_passage {
    uint64_t routine;
    uint32_t node;
    uint64_t insns, units;          /* including everything below it */
    uint64_t own_insns, own_units;
    uint64_t below;                 /* sum of the watcher's numbers for the routines directly below
                                     * it */
};
/* A watcher is called for each entry and each end, in order, when it acts; in a tree without
 * charges, right after the instruction has executed. For an end it may return a number, which is
 * added to `below` of the calling routine. */
struct calls_watcher {
    void (*entered)(void *arg, const struct calls *calls, uint32_t node);
    uint64_t (*ended)(void *arg, const struct calls_passage *passage);
    void *arg;
};
void calls_watch(struct calls *calls, const struct calls_watcher *watcher);

/* Charges cycles, as the oracle profile does: to the `at`th instruction, which is at pc and may
 * trap instead; or to an instruction of the resident monitor. */
void calls_charge(struct calls *calls, uint64_t at, uint64_t pc, uint64_t units);
void calls_charge_monitor(struct calls *calls, uint64_t units);
/* Announces charges. */
void calls_expect_charges(struct calls *calls);
/* Charges are occurrences of this event, in the same units, in place of cycles: those of the
 * committed instruction, or all since the instruction before. EVENT_NONE: cycles. For the caller
 * that charges. */
void calls_charge_event(struct calls *calls, unsigned event);
unsigned calls_event(const struct calls *calls);
/* For an event not tied to instructions: occurrences since the last call. `count`: all up to
 * now. */
uint64_t calls_happened(struct calls *calls, uint64_t count);

/* Brings nodes and edges up to the `at`th instruction, which is followed by pc. */
void calls_update(struct calls *calls, uint64_t pc, uint64_t at);
/* After calls_update, at the end of a run: ends all entries that have not returned, and calls the
 * watcher. */
void calls_end_open(struct calls *calls);
bool calls_is_watched(const struct calls *calls);
/* All nodes; [0] is above all roots, and a parent has a smaller number than its children. */
size_t calls_nodes(const struct calls *calls, const struct calls_node **node);
size_t calls_edges(const struct calls *calls, const struct calls_edge **edge);
/* The number of entries without a node of their own. */
uint64_t calls_cut(const struct calls *calls);

#endif
