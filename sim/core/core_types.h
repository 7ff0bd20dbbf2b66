/* The small parts of the pipeline's state (core_internal.h): what a redirect in flight is, a
 * slot given back, and the names of settings' choices. */
#ifndef SIM_CORE_CORE_TYPES_H
#define SIM_CORE_CORE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/issue_plan.h"

#define NEVER UINT64_MAX
enum replay { REPLAY_NONE, REPLAY_SELECTIVE, REPLAY_ALL, REPLAY_FIFO };     /* of issue.replay */
enum partial { PARTIAL_DRAIN, PARTIAL_ANY, PARTIAL_REFETCH };   /* of the setting lsq.partial */
enum select { SELECT_OLDEST, SELECT_SLOT, SELECT_SLOT_STRIPES };    /* of issue.select */
enum folds { FOLDS_SIMPLE, FOLDS_COMPUTING };               /* of the setting rob.folds */
enum { STORE_DATA_MICRO_OP = 2 };                       /* of lsq.store_data */
enum rename_kind { RENAME_BUFFERS, RENAME_PHYSICAL };     /* of the setting rename.kind */
enum { RING_MAX = 1024, RING_WORDS_MAX = RING_MAX / 64, WHEEL_SLOTS = 64 };

/* What dispatch slots were lost to: the SLOTS_* event and, finer, the LOST_* event (or none). */
struct lost { uint8_t slots, leaf; };

/* What a cycle counts as besides, and whether instructions or data are marked. */
enum core_mode { CYCLES_IRQ_OFF = 1 << 0, CYCLES_MONITOR = 1 << 1, HAS_MARKS = 1 << 2 };

/* Why instructions are thrown away. */
enum squash_reason { SQUASH_BRANCH, SQUASH_ORDER, SQUASH_FLUSH };

struct redirect { uint64_t cycle, keep, pc; bool is_violation; };

/* Parts of the back end that are off in most machines: one look at `extras` says that none is
 * on. */
enum extra {
    EXTRA_SHARED = 1 << 0,          /* moves or zero idioms are eliminated: int_map is kept */
    EXTRA_FOLD = 1 << 1,            /* several instructions in a reorder-buffer entry */
    EXTRA_CHECKPOINTS = 1 << 2,
    EXTRA_DIVIDER = 1 << 3,         /* division, square root take as long as their operands need */
    EXTRA_BYPASS = 1 << 4,          /* two dependent integer operations in one cycle */
    EXTRA_UNDO = 1 << 5,            /* undoing a squash takes time */
    EXTRA_REPLAY = 1 << 6,          /* what depends on a load is issued as if it hit */
    EXTRA_STORE_DATA = 1 << 7,      /* a store's address does not wait for its data */
    EXTRA_EARLY_LOADS = 1 << 8,     /* loads commit before their values come: value_ready is kept */
    EXTRA_RELEASE = 1 << 9,         /* a place in a queue is free some cycles after issue */
    EXTRA_SLOTS = 1 << 10,          /* queues select by position */
    EXTRA_ROWS = 1 << 12,           /* in-order core: the buffer behind fetch holds rows */
    EXTRA_MISS = 1 << 17,           /* misses of fetch: see fetch_miss.c */
    EXTRA_METADATA = 1 << 16,       /* fetch and commit may wait for metadata */
    EXTRA_FUSION = 1 << 11,         /* two instructions in one operation; with EXTRA_FOLD */
    EXTRA_LOCK_STEP = 1 << 13,      /* dispatch takes groups, as they come */
    EXTRA_FIFO = 1 << 14,           /* operations are issued in vain, and again from a FIFO */
    EXTRA_STORE_UOPS = 1 << 15,     /* store data are issued too; with EXTRA_STORE_DATA */
    EXTRA_COMMIT_ROWS = 1 << 18,    /* what was decoded together is a row of the reorder buffer */
    EXTRA_WATCHED = 1 << 19,        /* now: someone looks at each instruction that commits */
    EXTRA_FETCH = 1 << 21,          /* fetch has a part that most machines are without: fetch.c */
    EXTRA_QUEUE_BYPASS = 1 << 22,   /* an empty issue queue is passed by */
    EXTRA_GROUPS = 1 << 23,         /* what was decoded together is dispatched together */
    EXTRA_HOLDS = 1 << 27,          /* results that come late leave through ports of others */
    EXTRA_ADDEND = 1 << 25,         /* latency.fma_addend */
    EXTRA_MOVES = 1 << 26,          /* rename.move_bypass */
    EXTRA_SEARCH = 1 << 28,         /* loads search the queues behind their issue: lsu_search.c */
    EXTRA_COMMIT_FIRST = 1 << 29,   /* some instructions commit first in a cycle */
    EXTRA_IN_TURN = 1 << 30,        /* issue.balance = in_turn */
    EXTRA_TRIGGERS = 1 << 20,       /* now: a debug trigger looks at what is about to commit */
    EXTRA_BESIDE = 1 << 24,         /* profiling schemes or the oracle look on, or lock step */
    EXTRAS_ELSEWHERE = EXTRA_WATCHED | EXTRA_TRIGGERS | EXTRA_BESIDE,   /* not of the back end */
};

/* A line that fetch waits for, or waited for, to go on behind instruction `seq`. */
struct fetch_line { uint64_t seq, block, ready; };
/* What holds the stages of fetch. */
struct fetch_hold {
    struct fetch_line line[2];  /* an instruction may lie in two */
    uint64_t jumps_until;       /* fetch.jumps_wait: they are not fetched before */
    uint64_t jump_cycle;        /* the youngest of them was fetched, or began to wait */
    uint64_t jumps;             /* bit n: one was n cycles before that */
    uint64_t cut_cycle;         /* fetch.branches ended a cycle of fetch */
    bool jump_waits;
};
/* A miss of fetch, with EXTRA_MISS. */
struct fetch_miss {
    uint64_t pa, due;               /* wanted, and when its miss goes out; pa NEVER: nothing */
    uint64_t ready;                 /* when the line that missed last comes; 0: it is given up */
    uint32_t stray;                 /* words still read from address 0 on */
    bool is_stray;                  /* what missed last was such a word: no line */
    uint64_t held;                  /* fetched from here on, and no room for its transfer; or 0 */
    bool is_wrong;                  /* the youngest instruction fetched goes nowhere fetch does */
};

/* Metadata that was read for fetch or commit. */
enum { METADATA_ARRIVALS = 4, COUNT_WRITES = 2 };   /* counts: of one instruction */
struct metadata_arrival { uint64_t block, ready, wanted_for; };     /* ready 0: none */

enum { QUEUE_SEVERAL = 0xff, CLASS_STRIDE = 16 };
enum { REGS_MAX = 544, REPLAY_WINDOW = 128 };
enum { NO_STOP_PC = 1 };        /* core_stop_at: no instruction is there */

#endif
