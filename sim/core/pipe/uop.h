/* An instruction in flight: its effects, their times, and their undo. */
#ifndef SIM_CORE_PIPE_UOP_H
#define SIM_CORE_PIPE_UOP_H

#include <stddef.h>

#include "isa/insn.h"

enum { NO_LINK = 0xffff, UOP_LINE_BYTES = 64 };

enum uop_state { UOP_FETCHED, UOP_WAITING, UOP_ISSUED };
enum data_state { DATA_NONE, DATA_WAITING, DATA_ISSUED };   /* of a store's data, issued apart */

/* The bits of uop_flag.def; constants of 64 bits, so that ~UOP_X leaves all others. */
enum {
#define UOP_FLAG(name) UOP_BIT_##name,
#include "sim/core/pipe/uop_flag.def"
#undef UOP_FLAG
    UOP_FLAG_COUNT
};
_Static_assert(UOP_FLAG_COUNT <= 64, "a bit of uop.flags each");
#define UOP_FLAG(name) static const uint64_t UOP_##name = UINT64_C(1) << UOP_BIT_##name;
#include "sim/core/pipe/uop_flag.def"
#undef UOP_FLAG

/* Fields are grouped into cache lines by the stages that use them, since a ring of instructions is
 * larger than a host's first-level cache. */
struct uop {
    /* identity: all stages. The first are those of predecode, in its order. */
    _Alignas(UOP_LINE_BYTES) struct insn insn;
    uint64_t flags;                 /* UOP_* */
    uint8_t kind, unit, unit_class, latency, access_bytes;
    uint8_t state, trap;
    uint8_t priv;                   /* privilege in which it was fetched */
    uint64_t events;                /* EVENT_BIT mask */
    uint64_t pc, next_pc, predicted_pc;
    /* when it waits, issues and is done: dispatch, issue, commit */
    _Alignas(UOP_LINE_BYTES) uint64_t ready_at;
    uint64_t issue_cycle, complete_cycle, decode_cycle;
    uint16_t dependents;            /* head of the list of operand links: index * 4 + operand */
    uint16_t link_producer[3];      /* ring index of the producer whose list the operand is in, or
                                       NO_LINK */
    uint16_t link_next[3];
    uint16_t queue_word;            /* its word: issue_queue_word() */
    uint16_t slot;                  /* of its issue queue, where queues select by position */
    uint16_t reg, old_reg;          /* physical registers of rd now and before; see rename.c */
    uint8_t pending;                /* operands in producers' lists that it waits for */
    uint8_t wheel_slot;             /* while it waits for a cycle */
    uint8_t queue;                  /* issue queue, from dispatch on */
    uint8_t iterations;             /* cycles of a division */
    uint8_t door_cause;             /* in-order core: CPI_* event of its wait to issue */
    uint8_t level, fflags;
    /* Cause of the fetch cycles lost before it; and the LOST_*_REFILL event if it is the first of a
     * refill, or 0. */
    uint8_t fetch_cause, refill_cause;
    /* where it came from, and its effect on registers, for undo, commit and traces */
    _Alignas(UOP_LINE_BYTES) uint64_t id;   /* unique, for traces */
    uint64_t fetch_cycle, insn_pa;
    uint64_t dispatch_cycle;
    uint64_t old_value;
    uint64_t value;                 /* of rd; old_value: before it */
    uint64_t previous_writer;       /* last_writer[rd] before this one */
    uint64_t store_number;          /* store: its place in the store queue; load: the youngest older
                                       store that overlaps it, NEVER = none */
    /* its trap, data access and mark: most instructions leave this line alone */
    union {                         /* undefined until its address is known or it traps: */
        uint64_t tval;              /* of its trap */
        uint64_t translated_at;     /* when the walk that it waited for ended */
    };
    uint64_t va, pa;                /* of the data access, if uop_has_address() */
    uint64_t store_value;
    uint64_t counter_pa;            /* with UOP_MARKED: the mark only counts, in this perfinst_item;
                                     * 0: the mark is in imark[] */
    uint32_t counter_frame;         /* shadow frame in which counter_pa was found */
    uint32_t access_cycles;
    uint32_t producer_back[3];      /* traces only: id less the producer's; 0: none in flight */
    /* parts of the back end that are off in most machines */
    uint64_t true_ready;            /* with replay: when its operands really arrive; if the model
                                     * reissues: when its dependents issue */
    union {
        uint64_t source[3];         /* if the model reissues (port.h): producers of its operands,
                                       0 = none */
        uint64_t data_ready;        /* store of two micro-operations: when the data's operand is
                                       there; NEVER: not known */
    };
    uint64_t replay_from;           /* if the model reissues: not issued again before */
    union {                         /* if the model reissues: */
        uint8_t miss_register;      /* miss register that a load or store holds */
        uint8_t port;               /* port that another operation was issued to */
    };
    uint8_t data_state, data_queue, data_wheel_slot;    /* as state, queue, wheel_slot, for */
    uint16_t data_word, data_slot;                      /* store data that are issued apart */
    union {
        uint64_t data_at;           /* store issued apart from its data: when these arrive */
        uint64_t bypass_cycle;      /* integer operation: the cycle in which it can start beside
                                       the one it depends on */
        uint64_t first_ready;       /* load with UOP_SPLIT: when its first half is there */
        uint64_t value_of;          /* eliminated: the instruction whose result it renames */
    };
    struct {                        /* of a model: */
        uint32_t groups_decoded;    /* up to this one, modulo 2^32 */
        uint8_t row_left;           /* decoded together with it, from it on */
    };
};

/* True if va and pa are those of its access, or 0 because it has none. */
static inline bool uop_has_address(const struct uop *uop)
{
    return (uop->flags & (UOP_ADDRESSED | UOP_EXECUTED)) != 0;
}

_Static_assert(offsetof(struct uop, tval) == 3 * UOP_LINE_BYTES, "a line begins here");
_Static_assert(sizeof(struct uop) == 5 * UOP_LINE_BYTES, "none of its lines is too full");

#endif
