/* Shared by the parts of the call tree. */
#ifndef PMU_EXACT_CALLS_INTERNAL_H
#define PMU_EXACT_CALLS_INTERNAL_H

#include "pmu/exact/calls.h"

enum { CALLS_HASH = 1 << 14 };
#define CALLS_NONE UINT32_MAX

/* A routine that has not returned. */
struct calls_frame {
    uint64_t ret;                       /* address to which it returns; for a trap, the
                                         * instruction */
    uint64_t sp;                        /* at its entry */
    uint64_t insns, units;              /* of the processor, at its entry */
    uint64_t below_insns, below_units;  /* of ended calls below it */
    uint64_t below;                     /* sum of the watcher's numbers for them */
    uint32_t node, edge;                /* CALLS_NONE: no edge */
    uint8_t kind;
};

struct calls_stack {
    struct calls_frame *frame;
    size_t depth, capacity;
    uint64_t insns, units;              /* of the processor, when it switched to another stack */
    uint64_t thread;
    bool is_waiting;                    /* left at a switch of threads: only its own thread resumes
                                         * it */
    bool is_new;                        /* the thread's first stack, still in its scheduler's
                                         * frames */
};

/* A transfer that waits for the next charge. CALLS_GO is a jump through a register that holds no
 * return address, to the first instruction of another routine; CALLS_RESUME the same to any other
 * instruction of another routine. */
enum calls_action { CALLS_ENTER, CALLS_JUMP, CALLS_GO, CALLS_LEAVE, CALLS_RESUME, CALLS_TAKE,
                    CALLS_SERVE, CALLS_XRET, CALLS_THREAD };
struct calls_event {
    enum calls_action action;
    uint64_t at, site, target, ret, sp, trap;
};

struct calls {
    struct calls_map map;
    size_t last;                        /* routine found last */
    struct calls_node *node;
    size_t nodes, node_capacity;
    struct calls_edge *edge;
    size_t edges, edge_capacity;
    uint32_t hash[CALLS_HASH];          /* edge + 1 */
    struct calls_stack stack, parked[CALLS_PARKED];
    size_t parks;
    struct calls *peer;                 /* next in a ring of all harts */
    struct calls_event event[CALLS_QUEUE];
    size_t events;
    bool is_charged, has_sp;
    unsigned charged_event;             /* EVENT_NONE: cycles */
    uint64_t happened;                  /* occurrences reported to calls_happened */
    uint64_t sp;
    uint64_t insns, units;              /* given to nodes up to now */
    uint64_t monitor_units, cut;
    struct calls_watcher watcher;       /* functions NULL: none */
};

/* In calls_tree.c: finds or makes nodes and edges; without memory, the nearest existing one. */
uint32_t calls_child(struct calls *calls, uint32_t parent, uint64_t routine, enum calls_kind kind);
uint32_t calls_edge_of(struct calls *calls, uint64_t site, uint64_t routine, enum calls_kind kind);

/* In calls_map.c: the routine that contains the address; SIZE_MAX: none. */
size_t calls_find(const struct calls *calls, uint64_t address);
/* The first address of the routine that contains the address, or the address itself. */
uint64_t calls_routine_at(struct calls *calls, uint64_t address);
/* True if `from` is in one routine, and `to` is the first instruction of another. */
bool calls_is_entry(const struct calls *calls, uint64_t from, uint64_t to);
/* True if `to` is in a routine that does not contain `from`. */
bool calls_is_elsewhere(const struct calls *calls, uint64_t from, uint64_t to);

/* In calls_stack.c: */
void calls_apply(struct calls *calls, const struct calls_event *event);
/* Begins a routine at pc with unknown caller. */
void calls_begin(struct calls *calls, uint64_t pc);
bool calls_has_kind(const struct calls_stack *stack, enum calls_kind kind);
/* Pops the frames from `depth` on. */
void calls_pop_to(struct calls *calls, size_t depth);
/* The frame, searched from the top, that the event ends; SIZE_MAX: none. */
typedef bool calls_ends(const struct calls_frame *frame, const struct calls_event *event);
size_t calls_find_end(const struct calls_stack *stack, const struct calls_event *event,
                      calls_ends *ends);

/* In calls_parked.c: the current stack waits, unless nothing can return into it; an empty stack
 * becomes current. */
void calls_park(struct calls *calls);
/* Searches the waiting stacks of all harts for a frame that the event ends. That stack becomes
 * current, and the frame ends. False: there is none. */
bool calls_find_parked(struct calls *calls, const struct calls_event *event, calls_ends *ends);
/* The hart runs this thread from now on. */
void calls_change_thread(struct calls *calls, uint64_t thread);
/* Notes the counts up to now of entries that have not returned. */
void calls_note_open(struct calls *calls);

#endif
