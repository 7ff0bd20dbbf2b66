/* The small parts of the pipeline's state (core_internal.h): a redirect in flight, a line that
 * fetch waits for, and the names of settings' choices. */
#ifndef SIM_CORE_PIPE_CORE_TYPES_H
#define SIM_CORE_PIPE_CORE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/unit_class.h"

#define NEVER UINT64_MAX

/* Functions that take `extras` are compiled twice within a stage: with the constant 0, for machines
 * without any of the parts that the stage asks for, and for the others. */
#define IN_BOTH static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))
/* A function of another file that is inlined into its callers where a part of the pipe is one
 * source. */
#ifdef INSTANCE
#define IN_INSTANCE inline __attribute__((always_inline))
#else
#define IN_INSTANCE
#endif
/* Functions called rarely, kept out of the code that runs in each cycle. RARELY: in any program;
 * SELDOM: in most. */
#define RARELY __attribute__((cold, noinline))
#define SELDOM __attribute__((noinline))

enum core_kind { CORE_OUT_OF_ORDER, CORE_IN_ORDER };        /* of core.kind */
enum replay { REPLAY_NONE, REPLAY_SELECTIVE, REPLAY_ALL };      /* of issue.replay */
enum partial { PARTIAL_DRAIN, PARTIAL_ANY, PARTIAL_REFETCH };   /* of the setting lsq.partial */
enum select { SELECT_OLDEST, SELECT_SLOT, SELECT_SLOT_STRIPES };    /* of issue.select */
enum { STORE_DATA_MICRO_OP = 2 };                       /* of lsq.store_data */
enum { ELIMINATES_MOVES = 1, ELIMINATES_ZEROS = 2 };    /* bits of rename.eliminates */
/* Pools of rename buffers, or physical registers, for integer and floating-point destinations.
 * Instructions without a destination take from a pool that is never empty. The pool of rd is rd /
 * REG_F0. */
enum { POOL_INT, POOL_FP, POOL_NONE, POOL_COUNT };
enum rename_kind { RENAME_BUFFERS, RENAME_PHYSICAL };     /* of the setting rename.kind */
enum { RING_MAX = 2048, RING_WORDS_MAX = RING_MAX / 64, WHEEL_SLOTS = 64 };

/* Cause of lost dispatch slots: the SLOTS_* event and, finer, the LOST_* event (or none). */
struct lost { uint8_t slots, leaf; };

/* Further events that count each cycle; and whether instructions or data are marked. */
enum core_mode { CYCLES_IRQ_OFF = 1 << 0, CYCLES_MONITOR = 1 << 1, HAS_MARKS = 1 << 2 };

/* Why instructions are squashed. */
enum squash_reason { SQUASH_BRANCH, SQUASH_ORDER, SQUASH_FLUSH };

struct redirect { uint64_t cycle, keep, pc; bool is_violation; };

/* Parts that are off in most machines: one test of `extras` shows that none is on. The bits are
 * constants of 64 bits, so that ~EXTRA_X leaves all others. */
enum {
#define EXTRA(name) EXTRA_BIT_##name,
#include "sim/core/pipe/extra.def"
#undef EXTRA
    EXTRA_COUNT
};
_Static_assert(EXTRA_COUNT <= 64, "a bit of core.extras each");
#define EXTRA(name) static const uint64_t EXTRA_##name = UINT64_C(1) << EXTRA_BIT_##name;
#include "sim/core/pipe/extra.def"
#undef EXTRA
/* EXTRAS_FREE: not decided by the settings of the pipeline. EXTRAS_ELSEWHERE: not of the back
 * end. */
#define EXTRAS_FREE (EXTRA_METADATA | EXTRA_WATCHED | EXTRA_TRIGGERS | EXTRA_BESIDE | EXTRA_TRACED)
#define EXTRAS_ELSEWHERE (EXTRA_WATCHED | EXTRA_TRIGGERS | EXTRA_BESIDE | EXTRA_TRANSFERS)

/* Committed instructions with this set of events (EVENT_BIT mask); see tally.h. */
struct tally { uint64_t set, insns; };
enum { TALLY_LOG2 = 6 };

/* A line that fetch waits for, or waited for, to continue after instruction `seq`. */
struct fetch_line { uint64_t seq, block, ready; };
/* A miss of fetch, with EXTRA_MISS. */
struct fetch_miss {
    uint64_t pa, due;               /* address wanted (NEVER: none), and the cycle in which its miss
                                     * goes out */
};

/* Metadata that was read for fetch or commit. */
enum { METADATA_ARRIVALS = 4, COUNT_WRITES = 2 };   /* counts: of one instruction */
struct metadata_arrival { uint64_t block, ready, wanted_for; };     /* ready 0: none */
enum { METADATA_MOVES = 16 };       /* transfers of metadata under way, before lines wait */

/* What became of a load or store that issue chose. Retry: it stays ready. Sleep: something will
 * wake it. Poll: it asks again in the next cycle, until older stores have done their part. */
enum issue_result { ISSUE_DONE, ISSUE_RETRY, ISSUE_SLEEP, ISSUE_POLL };

enum { QUEUE_SEVERAL = 0xff, CLASS_STRIDE = 16 };
enum { REGS_MAX = 544, REPLAY_WINDOW = 128 };
enum { NO_STOP_PC = 1 };        /* core_stop_at: no instruction is there */
enum { NO_FETCH_PAGE = 1 };     /* fetch_page_va: fetch has none */

#endif
