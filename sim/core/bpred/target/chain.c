/* A small first level that chains changes of flow: as the C910's level-0 target buffer
 * (ct_ifu_l0_btb.v, ct_ifu_ibdp.v).
 *
 * An entry has the next address of fetch after a block, by the address at which fetch enters the
 * block. It is read while that address is computed: a hit costs no cycle. An entry is made only for
 * a block that is the target of the previous change of flow, or for the block after it if the
 * target was in its second half and has no transfer. So entries depend on the distance from the
 * previous taken transfer, not on the number of times that a transfer is taken. A transfer in two
 * blocks belongs to the second, and gets an entry if the first could. A change of flow that hit
 * here, or missed in the target buffers, permits no entry, unless fetch stands still meanwhile; one
 * after a misprediction only after the flow has settled (states IDLE and WAIT). After a
 * misprediction, or a wrong entry, the first block is fetched without this level.
 *
 * A branch gets an entry when its counter is saturated, and is followed from the second such time
 * on; the entry is dropped when it is hit with another counter. An entry with a wrong target is
 * dropped, if one could have been made. When the last branch of a block is not taken, its entry was
 * wrong. A return has an entry of its own kind; its target is the top of the return stack when this
 * level is read. A block is seen up to its second branch, and then its rest: a return in the rest
 * may have been entered for the whole block, is wrong for its first part, and is dropped. */
#include "sim/core/bpred/target/targets.h"

void chain_init(struct chain *chain, const struct config *config, struct arena *arena)
{
    struct chain_shape *shape = &chain->shape;
    shape->entries = config->part_l0_kind != 0 ? config->bpred_l0_entries : 0;
    shape->block_mask = config->fetch_bytes - 1;
    chain->flow = chain->led_at = NO_FLOW;
    if (shape->entries == 0)
        return;
    chain->entry = arena_take(arena, shape->entries, sizeof chain->entry[0]);
    for (uint32_t i = 0; chain->entry != NULL && i < shape->entries; i++)
        chain->entry[i].key = NO_FLOW;
}

static uint64_t chain_block(const struct chain *chain, uint64_t pc)
{
    return pc & ~chain_shape(chain)->block_mask;
}

static unsigned list_of(uint64_t key)
{
    return (unsigned)((key >> 1 ^ key >> 4 ^ key >> 9) % CHAIN_LISTS);
}

static struct chain_entry *chain_find(const struct chain *chain, uint64_t key)
{
    uint8_t number = chain->list[list_of(key)];
    while (number != 0 && chain->entry[number - 1].key != key)
        number = chain->entry[number - 1].next;
    return number != 0 ? &chain->entry[number - 1] : NULL;
}

/* Drops the entry's key. */
void chain_drop(struct chain *chain, struct chain_entry *entry)
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

/* True if the transfer at pc may get an entry. */
static bool follows_flow(const struct chain *chain, uint64_t pc)
{
    const struct chain_shape *shape = chain_shape(chain);
    uint64_t first = chain_block(chain, chain->flow), block = chain_block(chain, pc);
    if (chain->flow == NO_FLOW || !chain->is_open)
        return false;
    return block == first || (block == first + shape->block_mask + 1 && !chain->has_branch &&
                              (chain->flow & (shape->block_mask + 1) / 2) != 0);
}

/* Replaces the oldest entry. An existing one with this key is made again. */
static void chain_enter(struct chain *chain, uint64_t key, const struct chain_step *step)
{
    struct chain_entry *old = chain_find(chain, key);
    bool was_ready = old != NULL && old->is_ready;
    if (old != NULL)
        chain_drop(chain, old);
    struct chain_entry *entry = &chain->entry[chain->next++ % chain_shape(chain)->entries];
    chain->made = (struct chain_made){.was = *entry, .cycle = step->now};
    chain_drop(chain, entry);
    file(chain, entry, key);
    entry->pc = step->pc;
    entry->target = step->next_pc;
    entry->is_return = step->is_return;
    entry->is_ready = was_ready || !step->is_branch;
}

/* Removes the entry made for a transfer of that cycle. */
static void unmake(struct chain *chain, uint64_t cycle)
{
    struct chain_entry *entry = &chain->entry[(chain->next - 1) % chain_shape(chain)->entries];
    const struct chain_entry *was = &chain->made.was;
    if (chain->made.cycle != cycle)
        return;
    chain->made.cycle = 0;
    chain->next--;
    chain_drop(chain, entry);
    if (was->key == NO_FLOW)
        return;
    file(chain, entry, was->key);
    entry->pc = was->pc;
    entry->target = was->target;
    entry->is_return = was->is_return;
    entry->is_ready = was->is_ready;
}

uint8_t chain_number(const struct chain *chain, uint64_t key)
{
    const struct chain_entry *entry = chain_find(chain, key);
    return (uint8_t)(entry != NULL ? entry - chain->entry + 1 : 0);
}

void chain_make(struct chain *chain, uint64_t key, uint64_t pc, uint64_t target, bool is_return)
{
    const struct chain_step step = {
        .pc = pc, .next_pc = target, .is_branch = !is_return, .is_return = is_return,
    };
    if (chain_shape(chain)->entries != 0)
        chain_enter(chain, key, &step);
}

static uint64_t chain_leads_to(const struct chain_entry *entry, const struct chain_step *step)
{
    return entry->is_return ? step->early_top : entry->target;
}

bool chain_returns(const struct chain *chain, uint64_t end)
{
    bool is_first = chain_block(chain, end) == chain_block(chain, chain->flow);
    const struct chain_entry *entry = NULL;
    if (chain_shape(chain)->entries != 0 && !(is_first && chain->is_masked))
        entry = chain_find(chain, is_first ? chain->flow : chain_block(chain, end));
    return entry != NULL && entry->is_ready && entry->is_return;
}

static bool is_right(const struct chain_entry *entry, const struct chain_step *step)
{
    return entry->is_return == step->is_return && chain_leads_to(entry, step) == step->next_pc;
}

/* From now on the flow continues at pc, which fetch requests in `cycle`. */
static void lead(struct chain *chain, uint64_t pc, uint64_t cycle, bool is_open)
{
    chain->flow = pc;
    chain->is_open = is_open;
    chain->has_branch = chain->is_masked = false;
    if (is_open)
        chain->settled = cycle + 2;
}

/* The block is cut in front of its next branch, and the part before the cut has no return: fetch
 * returns for the rest, redirected by the stage that also redirects returns. */
static enum chain_verdict chain_come_back(struct chain *chain, struct chain_entry *entry,
                                          const struct chain_step *step)
{
    chain->led_to = chain_leads_to(entry, step);
    chain_drop(chain, entry);
    lead(chain, step->next_pc, step->now + 1 + step->back_bubble, true);
    return CHAIN_BACK;
}

/* Fetch stands still with the transfer of that cycle in the stage that redirects to targets of
 * branches and jumps, and is redirected in each cycle; from the second on this counts as the flow
 * in front of the transfer itself. A return is redirected a stage later, and then there is no such
 * flow. */
bool chain_waits(struct chain *chain, uint64_t cycle)
{
    const struct chain_step *step = &chain->last;
    if (chain_shape(chain)->entries == 0 || step->now != cycle || !step->is_taken)
        return false;
    if (step->is_return) {
        unmake(chain, cycle);
        return false;
    }
    if (!step->may_enter)
        return false;
    struct chain_entry *entry = chain_find(chain, chain->last_key);
    if (entry == NULL || entry->is_return) {
        if (!step->is_branch || step->is_sure)
            chain_enter(chain, chain->last_key, step);
    } else if (entry->is_ready && !is_right(entry, step)) {
        chain_drop(chain, entry);
    }
    bool was_hit = !chain->is_open;
    chain->is_open = true;
    return was_hit;
}

static enum chain_verdict stay(struct chain *chain, struct chain_entry *entry,
                               const struct chain_step *step)
{
    if (entry != NULL && entry->is_return && entry->is_ready && step->is_cut)
        return chain_come_back(chain, entry, step);
    chain->has_branch |= chain_block(chain, step->end) == chain_block(chain, chain->flow);
    if (entry == NULL || !entry->is_ready || entry->is_return)
        return CHAIN_MISS;
    chain->led_to = chain_leads_to(entry, step);
    if (!step->is_last)
        return CHAIN_AHEAD;
    chain_drop(chain, entry);
    lead(chain, chain_block(chain, step->end) + chain_shape(chain)->block_mask + 1, 0, false);
    chain->is_masked = true;
    return CHAIN_WRONG;
}

/* Updates an entry, or makes one, after a taken transfer. */
static void chain_learn(struct chain *chain, struct chain_entry *entry, uint64_t key,
                        const struct chain_step *step)
{
    bool is_plain = entry != NULL && !entry->is_return && !step->is_return;
    if (entry != NULL && !entry->is_ready) {
        entry->is_ready = step->is_branch && step->is_sure && is_right(entry, step);
    } else if (is_plain && is_right(entry, step)) {
        if (step->is_branch && !step->is_sure)
            chain_drop(chain, entry);
    } else if (follows_flow(chain, step->pc)) {
        if (is_plain)
            chain_drop(chain, entry);
        else if (step->may_enter && (!step->is_branch || step->is_sure) &&
                 (entry == NULL || entry->is_return != step->is_return))
            chain_enter(chain, key, step);
    }
}

enum chain_verdict chain_take(struct chain *chain, const struct chain_step *step)
{
    bool is_first = chain_block(chain, step->end) == chain_block(chain, chain->flow);
    uint64_t key = is_first ? chain->flow : chain_block(chain, step->end);
    struct chain_entry *entry = is_first && chain->is_masked ? NULL : chain_find(chain, key);
    chain->last = *step;
    chain->last_key = key;
    if (!step->is_taken)
        return stay(chain, entry, step);
    bool is_followed = entry != NULL && entry->is_ready;
    bool is_hit = is_followed && is_right(entry, step);
    if (is_followed) {
        chain->led_to = chain_leads_to(entry, step);
        chain->led_at = step->now;
    }
    chain_learn(chain, entry, key, step);
    if (is_hit && step->now >= chain->settled)
        chain->settled = step->now + 2;
    lead(chain, step->next_pc, step->now + 1 + step->bubble, !is_hit && !step->is_unknown);
    chain->is_masked = step->is_unknown;
    return is_hit ? CHAIN_HIT : is_followed ? CHAIN_WRONG : CHAIN_MISS;
}

void chain_restart(struct chain *chain, uint64_t now, uint64_t pc, bool is_branch)
{
    chain->last.is_taken = false;
    lead(chain, pc, now + 1, is_branch && now >= chain->settled);
    chain->is_masked = true;
}

void chain_leave_loop(struct chain *chain, uint64_t cycle, uint64_t pc)
{
    lead(chain, pc, cycle, true);
}

/* Address of the block, target within 2 MiB, and bits: valid, a return, followed. */
uint64_t chain_storage(const struct chain *chain)
{
    return (uint64_t)chain_shape(chain)->entries * (ADDRESS_BITS + 20 + 3);
}
