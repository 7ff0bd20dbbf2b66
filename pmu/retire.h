/* Data between the pipeline and the profiling hardware: the mark of an instruction or datum,
 * a committed instruction, an indicator. */
#ifndef PMU_RETIRE_H
#define PMU_RETIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/abi_register.h"

/* A mark, as returned by the shadow frame. */
struct mark {
    uint16_t flags;             /* MARK_* of the item and of its block */
    uint8_t label;
    uint8_t latency_bits;
    uint32_t latency_cycles;
    uint32_t limit;             /* of the own counter; 0 = none */
    uint8_t granule_log2;       /* bytes of the item; with MARK_AREA */
    bool only_counts;           /* it only counts in the own counter, without limit */
    uint64_t item_pa;           /* of its perfinst_item; 0: no item (block flags only) */
    uint64_t end_pa;            /* first address after the marked item */
};

/* A store that the data cache accepts after its commit is seen twice: thresholds of its marks wait
 * until its line is written, all other effects occur at commit. Other instructions are seen
 * once. */
enum retire_phase { RETIRE_WHOLE, RETIRE_COMMITS, RETIRE_WRITTEN };

/* One committed instruction, as the profiling hardware sees it. */
struct retire {
    uint64_t pc, pa;            /* virtual and physical address of the instruction */
    uint64_t next_pc;
    uint64_t va, data_pa;       /* of the data access, when access_bytes is not 0 */
    uint64_t events;            /* EVENT_BIT mask */
    uint32_t latency_cycles;    /* issue to completion */
    uint32_t access_cycles;     /* loads, atomics: from address to data; stores: 0, and with
                                 * RETIRE_WRITTEN from commit until the line was written */
    uint8_t phase;              /* enum retire_phase */
    bool is_awaited;            /* with RETIRE_COMMITS: a threshold of its marks waits for the
                                 * write */
    uint8_t access_bytes;
    uint8_t level;              /* IND_LEVEL_* that answered */
    uint8_t label;              /* of the instruction mark */
    bool is_marked;             /* the instruction or its datum signalled count */
    uint8_t slot, slots;        /* place in its issue queue, numbered as in PROF_REG_MEASURE; number
                                 * of places */
    uint64_t turn;              /* instructions before it, in units of a turn */
    uint64_t group;             /* the same number for all instructions that commit together; not
                                 * 0 */
    uint64_t sp;                /* before it; valid if a mark needs it */
    uint8_t priv;               /* mode in which it was fetched */
};

/* The fields of an indicator interrupt: CSR_IND_*. */
struct indicator { uint64_t iaddr, daddr, count, cycles, flags, level, insns; };

/* Gates 1.. of PROF_REG_GATE; pmu/gate.h. */
struct pmu_gate { uint64_t open, starts; };

/* Limits on functions that a hart has for its running thread (limit.h). */
struct pmu_limit {
    uint64_t function, sp;
    uint64_t cycles, counted;       /* counted: up to pmu_limits.since */
    uint64_t began, expired;        /* of events[EVENT_CYCLES] */
    uint8_t state;                  /* PROF_LIMIT_IS_* */
    uint8_t priv;                   /* mode in which the function runs */
    uint8_t waits_for;              /* PROF_LIMIT_IS_STILL: number of the limit it waits for */
};

struct pmu_limits {
    struct pmu_limit limit[PROF_LIMITS];
    unsigned depth;                 /* limits that have begun and not ended, outermost first */
    bool is_used;                   /* a limit has begun at some time */
    uint64_t since;                 /* value of the clock up to which `counted` is right */
    uint64_t index;                 /* CSR_PROF_LIMIT */
    uint64_t begun, expired, refused;   /* refused: because PROF_LIMITS were in use */
};

#endif
