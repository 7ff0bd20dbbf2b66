/* Profiling schemes as virtual hardware: the reports of all schemes for the same run.
 *
 * They receive events of the pipeline, cycle by cycle, and change nothing: all sample in the same
 * cycles, and neither disturb each other nor the machine. Their reports are kept by instruction
 * address, in units of 1/SCHEME_UNITS sample, so that no share is rounded. Results do not depend on
 * the number of cycles passed in one call.
 *
 * The attribution of each scheme is in scheme.c, or in a file of its own (scheme_model.h);
 * docs/profiling/comparison.md describes it for users. Their storage and bandwidth are in
 * scheme_cost.h. Memory is allocated as instructions are seen for the first time.
 * Sources: Gottschall, Eeckhout and Jahre, "TIP: Time-Proportional Instruction Profiling", MICRO
 * 2021; the same, "TEA: Time-Proportional Event Analysis", ISCA 2023; RISC-V Smctr 1.0. */
#ifndef PMU_SCHEME_SCHEME_H
#define PMU_SCHEME_SCHEME_H

#include "pmu/scheme/scheme_table.h"

/* The schemes with a name in the code. A scheme is a number below scheme_count(). */
enum scheme_id {
#define SCHEME(id, name, text, kind, help) SCHEME_##id,
#include "pmu/scheme/scheme.def"
#undef SCHEME
    SCHEMES_MAX = 32
};
enum scheme_kind { SCHEME_SAMPLED, SCHEME_COUNTED };
struct scheme_row { const char *name, *help; enum scheme_kind kind; };
unsigned scheme_count(void);
struct scheme_row scheme_row(unsigned id);

/* Bits of a signature: SCHEME_DR_L1, ... */
enum scheme_event_bit {
#define SCHEME_EVENT(id, name, meaning) SCHEME_BIT_##id,
#include "pmu/scheme/scheme_event.def"
#undef SCHEME_EVENT
    SCHEME_EVENTS
};
enum scheme_event {
#define SCHEME_EVENT(id, name, meaning) SCHEME_##id = 1 << SCHEME_BIT_##id,
#include "pmu/scheme/scheme_event.def"
#undef SCHEME_EVENT
};
enum { SCHEME_SIGNATURE_TEXT = 80 };
/* "ST-L1 ST-LLC", or "-" without any event. Returns text. */
const char *scheme_signature_text(unsigned signature, char text[SCHEME_SIGNATURE_TEXT]);

/* State of the commit stage in a cycle. */
enum scheme_state {
#define SCHEME_STATE(id, name, meaning) SCHEME_##id,
#include "pmu/scheme/scheme_state.def"
#undef SCHEME_STATE
    SCHEME_STATES
};
const char *scheme_state_name(enum scheme_state state);

enum { SCHEME_UNITS = 840, SCHEME_TRANSFERS_MAX = 256 };

enum scheme_interrupt {
    SCHEME_AT_COMMIT,       /* the next instruction to commit is squashed, with all younger ones */
    SCHEME_AT_DECODE,       /* the next instruction decoded carries the interrupt to commit */
    SCHEME_AT_FETCH,        /* the next instruction fetched carries it */
};

struct scheme_settings {
    uint64_t period;                /* cycles between samples, at least 1 */
    uint64_t dither;                /* largest random delay of a sample, in cycles; at most
                                     * period */
    uint64_t seed;
    enum scheme_interrupt interrupt;
    uint64_t interrupt_cycles;      /* from the sample until the pipeline sees the interrupt */
    bool is_maskable;               /* the interrupt waits while interrupts are off */
    unsigned transfers;             /* control-transfer records, at most SCHEME_TRANSFERS_MAX */
};

/* An address; bit 0: in the resident monitor. NOWHERE: not in memory (its fetch faulted). */
enum { SCHEME_MONITOR = 1 };
#define SCHEME_NOWHERE (UINT64_MAX - 1)

enum scheme_flag {
    SCHEME_FLUSHES = 1 << 0,        /* it squashed all younger instructions */
    SCHEME_SERIAL = 1 << 1,         /* alone in the pipeline; no interrupt is taken meanwhile */
    SCHEME_TAKEN = 1 << 2,          /* its successor is not the next instruction in memory */
};

struct scheme_insn {
    uint64_t place, next_pc;
    uint64_t id;                    /* not 0; increases in the order of fetch, on wrong paths too */
    uint64_t fetch_cycle, decode_cycle, dispatch_cycle;
    uint32_t latency_cycles;        /* from issue to completion */
    uint16_t signature;             /* SCHEME_DR_L1, ... up to now */
    uint16_t flags;                 /* enum scheme_flag */
};

/* The commit stage in one cycle, or in `count` identical cycles without commit. */
struct scheme_cycle {
    uint64_t cycle, count;          /* number of the first; how many */
    const struct scheme_insn *insn; /* [commits], oldest first */
    unsigned commits;
    const struct scheme_insn *head; /* without commits: the oldest in flight; NULL: none is */
    bool is_masked;                 /* interrupts are off, before anything commits */
    uint64_t dispatched;            /* id of the first instruction that dispatches; 0: none, as
                                     * always when count > 1 */
};

struct schemes;
/* NULL: no memory. */
struct schemes *schemes_new(const struct scheme_settings *settings);
void schemes_free(struct schemes *schemes);

/* Cycles come in order; cycles between two calls do not count (the machine did other work). */
void schemes_cycle(struct schemes *schemes, const struct scheme_cycle *cycle);
/* After the last reported cycle all instructions in flight were squashed. culprit: the oldest of
 * them, if it trapped or must be fetched again; NULL: an interrupt or the host was the cause. */
void schemes_flush(struct schemes *schemes, const struct scheme_insn *culprit);
/* The hart waits in this instruction (WFI), which may have committed before the first reported
 * cycle, or whose wait a monitor has interrupted: the cycles to come, without any instruction, are
 * its. */
void schemes_wait(struct schemes *schemes, const struct scheme_insn *waiting);

/* schemes_due: samples up to now. schemes_taken: samples that the scheme has charged; the rest came
 * while an earlier one was pending, or are under way. */
uint64_t schemes_due(const struct schemes *schemes);
uint64_t schemes_taken(const struct schemes *schemes, unsigned id);

/* Cycles in which the commit stage was in the state. */
uint64_t schemes_cycles(const struct schemes *schemes, enum scheme_state state);

/* By (place, 0): [scheme_count()] units. COUNTS: commits; LATENCY: cycles; CTR: none (segments). */
const struct scheme_table *schemes_places(const struct schemes *schemes);
/* By (place, signature): units of TEA; and of the truth, SCHEME_UNITS a cycle, every cycle. */
enum { SCHEME_STACK_TEA, SCHEME_STACK_TRUTH, SCHEME_STACKS };
const struct scheme_table *schemes_stacks(const struct schemes *schemes);
/* By (first, last) instruction of a stretch of code without taken transfer: records of CTR. The
 * units are of samples, each divided by the cycles of its records. */
enum { SCHEME_SEGMENT_UNITS, SCHEME_SEGMENT_CYCLES, SCHEME_SEGMENT_COUNT, SCHEME_SEGMENTS };
const struct scheme_table *schemes_segments(const struct schemes *schemes);
/* True if counts are missing for lack of memory. */
bool schemes_have_failed(const struct schemes *schemes);

#endif
