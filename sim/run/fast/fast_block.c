/* The fast engine's blocks: storage, lookup and removal.
 *
 * Blocks lie in one arena that is never freed piecemeal: a dropped block is only unlinked, and when
 * the arena is full all blocks are dropped. A block with bytes in two pages is in the lists of
 * both. */
#include <stdlib.h>
#include <string.h>

#include "sim/run/fast/fast_decode.h"

enum {
    ARENA_BYTES = 32 << 20,
    ARENA_ALIGN = 16,
    BLOCK_BYTES_MAX = sizeof(struct block) + sizeof(struct decoded) + 256,
};

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(PHYS_PAGE_BYTES - 1);
}

/* ---- memory ---------------------------------------------------------------------------------- */

bool fast_blocks_init(struct fast *fast)
{
    uint64_t pages = fast->cpu->phys->ram_bytes >> PHYS_PAGE_BITS;

    fast->arena = malloc(ARENA_BYTES);
    fast->page = calloc(pages, sizeof fast->page[0]);
    return fast->arena != NULL && fast->page != NULL;
}

void fast_blocks_free(struct fast *fast)
{
    free(fast->arena);
    free(fast->page);
}

bool fast_blocks_are_full(const struct fast *fast)
{
    return fast->arena_used > ARENA_BYTES - BLOCK_BYTES_MAX;
}

static void *allocate(struct fast *fast, size_t bytes)
{
    void *memory = fast->arena + fast->arena_used;

    fast->arena_used += (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    return memory;
}

void fast_blocks_flush(struct fast *fast)
{
    uint64_t pages = fast->cpu->phys->ram_bytes >> PHYS_PAGE_BITS;

    if (fast->arena_used == 0)
        return;
    fast->arena_used = 0;
    memset(fast->hash, 0, sizeof fast->hash);
    memset(fast->page, 0, pages * sizeof fast->page[0]);
    fast_forget_jumps(fast);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static struct block **hash_list(struct fast *fast, uint64_t pc, uint64_t pa)
{
    uint64_t key = (pc ^ pa >> PHYS_PAGE_BITS << 5) * UINT64_C(0x9e3779b97f4a7c15);

    return &fast->hash[key >> (64 - HASH_BITS)];
}

static struct page_block **page_list(struct fast *fast, uint64_t pa)
{
    return &fast->page[(pa - PHYS_RAM_BASE) >> PHYS_PAGE_BITS];
}

static void hash_remove(struct fast *fast, const struct block *block)
{
    struct block **link = hash_list(fast, block->pc, block->pa);

    while (*link != NULL && *link != block)
        link = &(*link)->hash_next;
    if (*link != NULL)
        *link = block->hash_next;
}

static void page_add(struct fast *fast, struct block *block, uint64_t pa)
{
    struct page_block **list = page_list(fast, pa), *node = allocate(fast, sizeof *node);

    *node = (struct page_block){.block = block, .next = *list};
    *list = node;
    if ((phys_flags(fast->cpu->phys, pa) & PHYS_CODE) != 0)
        return;
    phys_mark_code(fast->cpu->phys, pa);
    for (unsigned i = 0; i < fast->peers; i++)
        if (fast->peer[i] != NULL)
            fast_forget_stores(fast->peer[i]);
}

void fast_blocks_drop_page(struct fast *fast, uint64_t page_pa)
{
    struct page_block **list = page_list(fast, page_pa);

    if (*list == NULL)
        return;
    for (struct page_block *node = *list; node != NULL; node = node->next)
        hash_remove(fast, node->block);
    *list = NULL;
    fast_forget_jumps(fast);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* True if the page after the block's first still has the same physical address. Only needed for an
 * instruction across the two. */
static bool second_page_holds(struct fast *fast, const struct block *block)
{
    uint64_t va = hart_address(&fast->cpu->hart, page_of(block->pc) + PHYS_PAGE_BYTES), pa;

    return block->second_pa == 0 ||
           (mmu_translate(&fast->cpu->mmu, va, 2, MMU_FETCH, &pa) == TRAP_NONE &&
            pa == block->second_pa);
}

static struct block *find(struct fast *fast, uint64_t pc, uint64_t pa)
{
    struct block *block = *hash_list(fast, pc, pa);

    while (block != NULL &&
           (block->pc != pc || block->pa != pa || block->context != fast->view->context ||
            !second_page_holds(fast, block)))
        block = block->hash_next;
    return block;
}

static struct block *keep(struct fast *fast, const struct decoded *decoded, uint64_t pc,
                          uint64_t pa)
{
    size_t op_bytes = decoded->ops * sizeof decoded->op[0];
    size_t insn_bytes = decoded->insns * sizeof decoded->insn[0];
    size_t tally_bytes = decoded->tallies * sizeof decoded->tally[0];
    struct block *block = allocate(fast, sizeof *block + op_bytes);
    struct block **list = hash_list(fast, pc, pa);

    *block = (struct block){
        .pc = pc,
        .pa = pa,
        .second_pa = decoded->second_pa,
        .hash_next = *list,
        .insn = allocate(fast, insn_bytes),
        .insns = (int32_t)decoded->insns,
        .tally = allocate(fast, tally_bytes),
        .context = fast->view->context,
    };
    memcpy(block->op, decoded->op, op_bytes);
    memcpy(block->tally, decoded->tally, tally_bytes);
    memcpy(block->insn, decoded->insn, insn_bytes);
    *list = block;
    page_add(fast, block, pa);
    if (block->second_pa != 0)
        page_add(fast, block, block->second_pa);
    return block;
}

struct block *fast_block_at(struct fast *fast, uint64_t pc)
{
    struct decoded decoded;
    struct block *block;
    uint64_t va = hart_address(&fast->cpu->hart, pc), pa;

    if (mmu_translate(&fast->cpu->mmu, va, 2, MMU_FETCH, &pa) != TRAP_NONE ||
        mmu_cached(&fast->cpu->mmu, va, MMU_FETCH) == NULL)
        return NULL;       /* the instruction cannot be fetched, or must run singly */
    pc = hart_value(&fast->cpu->hart, pc);
    block = find(fast, pc, pa);
    if (block != NULL)
        return block;
    if (fast_blocks_are_full(fast) || !fast_decode(fast, pc, pa, &decoded))
        return NULL;
    return keep(fast, &decoded, pc, pa);
}

struct block *fast_block_after(struct fast *fast, const struct block *from, struct link *link,
                               uint64_t pc)
{
    struct block *block = fast_block_at(fast, pc);

    if (block != NULL && page_of(pc) == page_of(from->pc) &&
        page_of(block->pa) == page_of(from->pa) && block->second_pa == 0)
        link->block = block;
    return block;
}
