/* A small first level that chains changes of flow: as the C910's level-0 target buffer
 * (ct_ifu_l0_btb.v).
 *
 * An entry says where fetch goes from a block, by the address at which fetch enters it, and is read
 * while that address is made: a hit costs no cycle. Entries are made for blocks that the change of
 * flow before led to, for the block behind such a one when it was entered in its second half and
 * has no transfer, and nowhere else; so what counts is not how often a transfer is taken but how
 * close it is behind the one before. A branch enters when its counter is at its end. Behind a
 * misprediction the first block is fetched without, and no entry is made for what a return that hit
 * leads to. A return is entered as such, its target is what is the top of the return stack when
 * this level is read. */
#include "sim/core/bpred/targets.h"

void chain_init(struct chain *chain, const struct config *config, struct arena *arena)
{
    chain->entries = config->bpred_l0_kind != 0 ? config->bpred_l0_entries : 0;
    chain->block_mask = config->fetch_bytes - 1;
    chain->flow = NO_FLOW;
    if (chain->entries == 0)
        return;
    chain->entry = arena_take(arena, chain->entries, sizeof chain->entry[0]);
    for (uint32_t i = 0; chain->entry != NULL && i < chain->entries; i++)
        chain->entry[i].key = NO_FLOW;
}

static uint64_t block_of(const struct chain *chain, uint64_t pc)
{
    return pc & ~chain->block_mask;
}

static unsigned list_of(uint64_t key)
{
    return (unsigned)((key >> 1 ^ key >> 4 ^ key >> 9) % CHAIN_LISTS);
}

static struct chain_entry *find(const struct chain *chain, uint64_t key)
{
    uint8_t number = chain->list[list_of(key)];
    while (number != 0 && chain->entry[number - 1].key != key)
        number = chain->entry[number - 1].next;
    return number != 0 ? &chain->entry[number - 1] : NULL;
}

/* Its key is forgotten. */
static void drop(struct chain *chain, struct chain_entry *entry)
{
    uint8_t *link = &chain->list[list_of(entry->key)];
    if (entry->key == NO_FLOW)
        return;
    while (&chain->entry[*link - 1] != entry)
        link = &chain->entry[*link - 1].next;
    *link = entry->next;
    entry->key = NO_FLOW;
}

static void file(struct chain *chain, struct chain_entry *entry, uint64_t key)
{
    uint8_t *first = &chain->list[list_of(key)];
    entry->key = key;
    entry->next = *first;
    *first = (uint8_t)(entry - chain->entry + 1);
}

/* May the transfer at pc get an entry? */
static bool follows_flow(const struct chain *chain, uint64_t pc)
{
    uint64_t first = block_of(chain, chain->flow), block = block_of(chain, pc);
    if (chain->flow == NO_FLOW || chain->is_masked || chain->is_closed)
        return false;
    return block == first || (block == first + chain->block_mask + 1 && !chain->has_branch &&
                              (chain->flow & (chain->block_mask + 1) / 2) != 0);
}

static void enter(struct chain *chain, uint64_t key, const struct chain_step *step)
{
    struct chain_entry *entry = find(chain, key);
    if (entry == NULL) {
        entry = &chain->entry[chain->next++ % chain->entries];
        drop(chain, entry);
        file(chain, entry, key);
    }
    entry->pc = step->pc;
    entry->target = step->next_pc;
    entry->is_return = step->is_return;
}

static bool is_right(const struct chain_entry *entry, const struct chain_step *step)
{
    if (entry == NULL || entry->is_return != step->is_return)
        return false;
    return (step->is_return ? step->early_top : entry->target) == step->next_pc;
}

enum chain_verdict chain_take(struct chain *chain, const struct chain_step *step)
{
    bool is_first = block_of(chain, step->pc) == block_of(chain, chain->flow);
    uint64_t key = is_first ? chain->flow : block_of(chain, step->pc);
    struct chain_entry *entry = is_first && chain->is_masked ? NULL : find(chain, key);
    if (!step->is_taken) {
        bool is_wrong = entry != NULL && entry->pc == step->pc;
        if (is_wrong) {
            chain->led_to = entry->is_return ? step->early_top : entry->target;
            drop(chain, entry);
        }
        chain->has_branch = true;
        return is_wrong ? CHAIN_WRONG : CHAIN_MISS;
    }
    bool is_hit = is_right(entry, step);
    if (entry != NULL)
        chain->led_to = entry->is_return ? step->early_top : entry->target;
    if (!is_hit && step->may_enter && follows_flow(chain, step->pc))
        enter(chain, key, step);
    chain->flow = step->next_pc;
    chain->is_masked = chain->has_branch = false;
    chain->is_closed = is_hit && step->is_return;
    return is_hit ? CHAIN_HIT : entry != NULL ? CHAIN_WRONG : CHAIN_MISS;
}

void chain_restart(struct chain *chain, uint64_t pc)
{
    chain->flow = pc;
    chain->is_masked = true;
    chain->has_branch = chain->is_closed = false;
}

/* Address of the block, target within 2 MiB, valid bit, a bit for returns. */
uint64_t chain_storage(const struct chain *chain)
{
    return (uint64_t)chain->entries * (ADDRESS_BITS + 20 + 2);
}
