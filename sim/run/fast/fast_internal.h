/* Private to the parts of the fast engine.
 *
 * A block is a run of instructions in one page that are executed from its first to its last, unless
 * a taken branch leaves it on the way. Its key is its virtual and physical address and the context
 * it was decoded under. A block ends before a rare instruction, and fast_step takes over.
 *
 * Invariants
 *   1. A link joins two blocks of the same virtual and physical page and of the same context, so it
 *      holds whatever happens to translation; the blocks of a page live and die together.
 *   2. Blocks and views know addresses as registers hold them; translation drops what exceeds XLEN.
 *   3. A view is valid as long as translation stays, no block is dropped and no page gets a duty or
 *      a mark. None of this happens inside fast_execute, except for new code pages, which
 *      fast_block.c handles. */
#ifndef SIM_RUN_FAST_INTERNAL_H
#define SIM_RUN_FAST_INTERNAL_H

#include <assert.h>

#include "sim/core/fetch/predecode.h"
#include "sim/run/fast/fast.h"

enum {
    BLOCK_INSNS = 64,
    BLOCK_OPS = 3 * BLOCK_INSNS + 3,
    JUMP_ENTRIES = 1 << 11,
    TLB_ENTRIES = 1 << 8,
    SLOT_BITS = 12,
    HASH_BITS = 15,
    HASH_ENTRIES = 1 << HASH_BITS,
};
/* Never equal to an address that is looked up: it is odd, and neither a page nor a misalignment. */
#define NO_PC UINT64_C(1)
#define NO_PAGE UINT64_C(8)

/* State, other than a block's bytes, on which its meaning depends. */
enum fast_context {
    CONTEXT_FP = 1,     /* mstatus.FS is Dirty and frm is RNE: FP instructions need not look */
    CONTEXT_MARKS = 2,  /* marked instructions, and hints, are left to fast_step */
    CONTEXT_COUNTS = 4, /* the block has tallies */
};

/* An op: one instruction, or several executed at once. */
struct fast_op {
    const void *run;    /* address of its code in fast_execute */
    int32_t imm;
    uint8_t rd, rs1, rs2;
    uint8_t slot;       /* index of its (last) instruction in the block */
};

struct block {
    uint64_t pc, pa;
    uint64_t second_pa;             /* of the second half of an instruction across pages, or 0 */
    struct block *hash_next;
    struct insn *insn;              /* [insns] */
    struct tally *tally;            /* with CONTEXT_COUNTS */
    int32_t insns;                  /* number executed when the block is left at its end */
    uint32_t context;
    struct fast_op op[];
};

/* Follows an op that can leave the block for a fixed target. */
struct link { struct block *block; uint64_t unused; };
static_assert(sizeof(struct fast_op) == sizeof(struct link), "a link takes the place of an op");

/* A block with bytes in a page. */
struct page_block { struct block *block; struct page_block *next; };

struct jump { uint64_t pc; struct block *block; };
struct tlb { uint64_t page; uint64_t offset; };     /* host address = virtual address + offset */

/* Cached facts about memory in one privilege mode. */
struct view {
    struct tlb load[TLB_ENTRIES], store[TLB_ENTRIES];
    struct jump jump[JUMP_ENTRIES];
    bool is_used;
    uint32_t context;               /* context of the blocks in jump */
    unsigned data_key;              /* privilege and rules under which load and store were filled */
};

enum { VIEW_MONITOR = 2, VIEW_COUNT = 4 };     /* the others are numbered by privilege */

struct fast {
    struct cpu *cpu;
    const struct fast_observer *observer;
    struct core *warming;           /* NULL = none */
    struct fast *const *peer;       /* [peers] engines on the same memory, including this one */
    unsigned peers;
    bool leaves_stale;
    struct fast *self;
    uint64_t stop_pc;               /* fast_stop_at: blocks end there; NO_PC = nowhere */
    uint64_t stopped_at;            /* instructions retired at the last such stop; UINT64_MAX: none
                                     * yet */
    const void *const *run;         /* code of every op, by enum run */
    struct view *view;              /* the current view */
    int64_t budget;                 /* instructions fast_execute may still execute */
    bool is_short;                  /* the next block has more instructions than the budget */
    bool counts;                    /* fast_count_events */
    struct tally *touched;          /* tallies entered in this run of blocks */
    const struct block *left;       /* block left in front of its instruction left_at, or NULL */
    unsigned left_at;
    uint64_t misaligned;            /* accesses in this run of blocks */
    uint8_t *arena; size_t arena_used;
    struct page_block **page;       /* by RAM page */
    struct block *hash[HASH_ENTRIES];
    struct predecode_slot slot[1 << SLOT_BITS];     /* of fast_step, by encoding */
    struct view views[VIEW_COUNT];
};

/* In fast_step.c: executes one instruction at hart->pc, with all rare cases: observer, marks,
 * filtered counters, traps. Counts it. */
struct fast_result { bool retired; unsigned effects; };
enum stop fast_step(struct fast *fast, struct fast_result *result);

void fast_count(struct fast *fast, uint64_t insns);     /* retired since the last call */

/* In fast_exec.c: runs blocks from hart->pc until the budget is too small for the next block, or
 * fast_step must go on at hart->pc. The budget decreases by the instructions executed. With fast
 * NULL it only returns the table of its code. */
const void *const *fast_execute(struct fast *fast);

/* In fast_block.c: the blocks in memory. */
bool fast_blocks_init(struct fast *fast);
void fast_blocks_free(struct fast *fast);
void fast_blocks_flush(struct fast *fast);
bool fast_blocks_are_full(const struct fast *fast);
void fast_blocks_drop_page(struct fast *fast, uint64_t page_pa);
/* The block at pc, decoded if necessary; NULL: fast_step must go on there. */
struct block *fast_block_at(struct fast *fast, uint64_t pc);
/* As fast_block_at, for a target of `from`; links the two if the link will always hold. */
struct block *fast_block_after(struct fast *fast, const struct block *from, struct link *link,
                               uint64_t pc);

/* In fast_view.c: selects and refreshes the view for the hart's state. */
void fast_select_view(struct fast *fast);
void fast_forget_all(struct fast *fast);
void fast_forget_jumps(struct fast *fast);
void fast_forget_stores(struct fast *fast);
/* The host address of [va, va+size) in plain RAM, or NULL: left to fast_step. */
void *fast_data_address(struct fast *fast, uint64_t va, unsigned size, enum mmu_access access);
/* Stores to RAM, including pages with duties. False: nothing happened, left to fast_step. */
bool fast_store(struct fast *fast, uint64_t va, unsigned size, uint64_t value);
/* LR, SC, AMO in plain RAM. False: nothing happened, left to fast_step. */
bool fast_atomic(struct fast *fast, const struct insn *insn);

#endif
