/* Branch target buffer: sets and ways, LRU, first-in first-out, random, or the low bits of a shift
 * register with feedback (which does not prefer empty entries, and starts at 1). In front of it is
 * a small fully associative buffer (LRU), filled by lookups of the main one. Tags are full, partial
 * or absent; with the last two an entry may match another transfer. With one entry a block, a
 * transfer replaces the one known in its block (as in front ends with one lookup a block).
 *
 * With part_btb_refill, updates go through a buffer of one entry, as in the C910 (ct_ifu_btb.v,
 * refill_buf). A transfer that missed, or had a wrong target, is put into it when fetch notices
 * that; its old content is then written to the table, but only after a miss. So an entry that
 * matches another transfer stays. A misprediction in the following stages undoes that or, a little
 * later, leaves the buffer empty.
 * Source: Lee, Smith, "Branch Prediction Strategies and Branch Target Buffer Design", 1984. */
#include "sim/core/bpred/target/targets.h"

/* Cycles after fetch: WRITE_STAGE: the buffer is written to the table; HELD_STAGE: the buffer's new
 * content, whose target has gone through a stage, can be written. */
enum { WRITE_STAGE = 2, HELD_STAGE = 4 };
enum { MANY_WAYS = 8 };
#define NO_REFILL UINT64_MAX

/* The entry is of `pc` from now on; UINT64_MAX: of none. */
static void rename_entry(struct btb_names *names, struct btb_entry *entry, uint64_t pc)
{
    if (entry->pc != UINT64_MAX)
        names->count[btb_low_bits(entry->pc)]--;
    if (pc != UINT64_MAX)
        names->count[btb_low_bits(pc)]++;
    entry->pc = pc;
}

static void rename_main(struct btb *btb, struct btb_entry *entry, uint64_t pc)
{
    if (btb_shape(btb)->has_names)
        rename_entry(&btb->in_main, entry, pc);
    entry->pc = pc;
}

static void clear(struct btb_entry *entry, uint32_t count)
{
    for (uint32_t i = 0; entry != NULL && i < count; i++)
        entry[i].pc = UINT64_MAX;
}

void btb_init(struct btb *btb, const struct config *config, struct arena *arena)
{
    struct btb_shape *shape = &btb->shape;
    shape->ways = config->bpred_btb_ways;
    shape->sets = config->bpred_btb_entries / config->bpred_btb_ways;
    shape->is_odd = (shape->sets & (shape->sets - 1)) != 0;
    shape->set_bits = (uint8_t)(log2_of(shape->sets) + shape->is_odd);
    shape->replacement = (uint8_t)config->bpred_btb_replacement;
    shape->has_tags = config->part_btb_tags != 0;
    shape->tag_bits = (uint8_t)(shape->has_tags ? config->bpred_btb_tag_bits : 0);
    shape->block_bits = (uint8_t)(config->part_btb_block_bytes == 0
                                      ? config->bpred_pc_shift
                                      : log2_of(config->part_btb_block_bytes));
    shape->skipped_bits = (uint8_t)config->part_btb_tag_skip;
    unsigned low = 0u + shape->set_bits + shape->block_bits;
    shape->name_mask = UINT64_MAX;
    if (btb_may_lie(btb))
        shape->name_mask = low_bits(UINT64_MAX, low + shape->skipped_bits + shape->tag_bits) &
                           ~(low_bits(UINT64_MAX, shape->skipped_bits) << low);
    shape->has_hints = shape->sets != 0 && (!shape->is_odd || shape->name_mask == UINT64_MAX);
    shape->has_names = shape->ways >= MANY_WAYS;
    shape->has_buffer = config->part_btb_refill != 0;
    btb->held.pc = UINT64_MAX;
    btb->refill.cycle = NO_REFILL;
    shape->first_entries = config->part_l0_kind == 0 ? config->bpred_l0_entries : 0;
    shape->is_quick = shape->has_hints && shape->first_entries == 0;
    btb->noise = shape->replacement == BTB_LFSR ? 1 : config->machine_seed * 2 + 1;
    btb->entry = arena_take(arena, config->bpred_btb_entries, sizeof btb->entry[0]);
    clear(btb->entry, config->bpred_btb_entries);
    if (shape->first_entries == 0)
        return;
    btb->first = arena_take(arena, shape->first_entries, sizeof btb->first[0]);
    clear(btb->first, shape->first_entries);
}

static struct btb_entry *set_of(const struct btb *btb, uint64_t pc)
{
    const struct btb_shape *shape = btb_shape(btb);
    uint64_t block = pc >> shape->block_bits;
    uint64_t set = shape->is_odd ? block % shape->sets : block & (shape->sets - 1);
    return &btb->entry[set * shape->ways];
}

/* The compared part of the pc: all of it, or its offset in the block and the tag above the
 * index. */
static uint64_t name_of(const struct btb *btb, uint64_t pc)
{
    return pc & btb_shape(btb)->name_mask;
}

static struct btb_entry *find_main(struct btb *btb, uint64_t pc)
{
    const struct btb_shape *shape = btb_shape(btb);
    if (shape->sets == 0)
        return NULL;
    struct btb_entry *entry = shape->has_hints ? btb_use_last(btb, pc) : NULL;
    if (entry != NULL)
        return entry;
    if (shape->has_names && btb->in_main.count[btb_low_bits(name_of(btb, pc))] == 0)
        return NULL;
    entry = set_of(btb, pc);
    const struct btb_entry *end = entry + shape->ways;
    while (entry != end && entry->pc != name_of(btb, pc))
        entry++;
    if (entry == end)
        return NULL;
    *btb_hint(btb, pc) = (uint32_t)(entry - btb->entry);
    if (shape->replacement == BTB_LRU)
        entry->used = ++btb->clock;
    return entry;
}

static struct btb_entry *least_used(struct btb_entry *set, uint32_t ways)
{
    struct btb_entry *entry = set;
    for (uint32_t way = 1; way < ways; way++)
        if (set[way].used < entry->used)
            entry = &set[way];
    return entry;
}

static struct btb_entry *find_first(struct btb *btb, uint64_t pc)
{
    uint16_t *hint = &btb->first_hint[btb_low_bits(pc)];
    if (btb->in_first.count[btb_low_bits(pc)] == 0)
        return NULL;
    if (btb->first[*hint].pc == pc)
        return &btb->first[*hint];
    for (uint32_t i = 0; i < btb_shape(btb)->first_entries; i++)
        if (btb->first[i].pc == pc) {
            *hint = (uint16_t)i;
            return &btb->first[i];
        }
    return NULL;
}

static void fill_first(struct btb *btb, uint64_t pc, uint64_t target)
{
    const struct btb_shape *shape = btb_shape(btb);
    if (shape->first_entries == 0)
        return;
    struct btb_entry *entry = least_used(btb->first, shape->first_entries);
    rename_entry(&btb->in_first, entry, pc);
    btb->first_hint[btb_low_bits(pc)] = (uint16_t)(entry - btb->first);
    entry->target = target;
    entry->used = ++btb->clock;
}

enum btb_level btb_search(struct btb *btb, uint64_t pc, uint64_t *target)
{
    struct btb_entry *entry = btb_shape(btb)->first_entries == 0 ? NULL : find_first(btb, pc);
    if (entry != NULL) {
        entry->used = ++btb->clock;
        *target = entry->target;
        return BTB_FIRST;
    }
    entry = find_main(btb, pc);
    if (entry == NULL)
        return BTB_MISS;
    *target = entry->target;
    fill_first(btb, pc, entry->target);
    return BTB_MAIN;
}

/* The way to write, of a transfer without an entry: the block's own, else an empty one, else the
 * victim of the replacement policy. A block of a halfword has none. */
static struct btb_entry *victim(struct btb *btb, uint64_t pc)
{
    const struct btb_shape *shape = btb_shape(btb);
    struct btb_entry *set = set_of(btb, pc);
    uint64_t block = name_of(btb, pc) >> shape->block_bits;
    for (uint32_t way = 0; shape->block_bits > 1 && way < shape->ways; way++)
        if (set[way].pc != UINT64_MAX && set[way].pc >> shape->block_bits == block)
            return &set[way];
    if (shape->replacement == BTB_LFSR) {
        uint32_t drawn = btb->noise;
        btb->noise = lfsr_step(drawn);
        return &set[drawn % shape->ways];
    }
    struct btb_entry *entry = least_used(set, shape->ways);
    if (shape->replacement == BTB_RANDOM && entry->pc != UINT64_MAX)
        entry = &set[noise_step(&btb->noise) % shape->ways];
    return entry;
}

/* The entry of pc, or the way to write it. */
static struct btb_entry *btb_way(struct btb *btb, uint64_t pc)
{
    struct btb_entry *entry = find_main(btb, pc);
    return entry != NULL ? entry : victim(btb, pc);
}

static void put(struct btb *btb, struct btb_entry *entry, uint64_t pc, uint64_t target)
{
    if (entry->pc != name_of(btb, pc)) {
        entry->used = ++btb->clock;
        rename_main(btb, entry, name_of(btb, pc));
    }
    entry->target = target;
    entry = find_first(btb, pc);
    if (entry != NULL)
        entry->target = target;
}

void btb_learn(struct btb *btb, uint64_t pc, uint64_t target)
{
    const struct btb_shape *shape = btb_shape(btb);
    struct btb_entry *entry = find_main(btb, pc);
    if (entry != NULL && shape->first_entries == 0)
        entry->target = target;
    else if (shape->sets != 0)
        put(btb, entry != NULL ? entry : victim(btb, pc), pc, target);
}

void btb_refill(struct btb *btb, uint64_t now, uint64_t pc, uint64_t target, bool is_unknown)
{
    btb->refill = (struct btb_refill){.cycle = now, .held = btb->held};
    if (is_unknown && btb->held.pc != UINT64_MAX && btb_shape(btb)->sets != 0) {
        struct btb_entry *entry = btb_way(btb, btb->held.pc);
        btb->refill.entry = entry;
        btb->refill.was = *entry;
        put(btb, entry, btb->held.pc, btb->held.target);
    }
    btb->held = (struct btb_entry){.pc = pc, .target = target};
}

void btb_squash(struct btb *btb, uint64_t now)
{
    struct btb_refill *refill = &btb->refill;
    uint64_t passed = now - refill->cycle;
    if (refill->cycle == NO_REFILL || passed > HELD_STAGE)
        return;
    if (passed > WRITE_STAGE) {
        btb->held.pc = UINT64_MAX;
    } else {
        btb->held = refill->held;
        if (refill->entry != NULL) {
            rename_main(btb, refill->entry, refill->was.pc);
            *refill->entry = refill->was;
        }
    }
    refill->cycle = NO_REFILL;
}

/* Moves the pointer over the ways of a set to one of them. */
static void point_at(struct btb *btb, struct btb_entry *set, uint32_t way)
{
    const struct btb_shape *shape = btb_shape(btb);
    for (uint32_t i = 0; i < shape->ways; i++)
        set[(way + i) % shape->ways].used = ++btb->clock;
}

void btb_forget(struct btb *btb, uint64_t pc)
{
    struct btb_entry *entry = find_main(btb, pc), *set = set_of(btb, pc);
    if (entry == NULL)
        return;
    rename_main(btb, entry, UINT64_MAX);
    *entry = (struct btb_entry){.pc = UINT64_MAX};
    if (btb_shape(btb)->replacement == BTB_FIFO)
        point_at(btb, set, (uint32_t)(entry - set));
}

/* Valid bit, tag, target; the order of use of a set's ways; in the first level the whole pc. */
uint64_t btb_storage(const struct btb *btb)
{
    const struct btb_shape *shape = btb_shape(btb);
    unsigned index = log2_of(shape->sets) + (shape->block_bits > 1 ? shape->block_bits - 1u : 0);
    unsigned full = index < ADDRESS_BITS ? ADDRESS_BITS - index : 0;
    unsigned tag = !shape->has_tags ? 0 : shape->tag_bits != 0 ? shape->tag_bits : full;
    unsigned offset = shape->block_bits > 1 ? shape->block_bits - 1u : 0;
    unsigned order = shape->replacement >= BTB_RANDOM ? 0 : log2_of(shape->ways);
    unsigned first_order = log2_of(shape->first_entries);
    unsigned held = shape->has_buffer ? 1 + ADDRESS_BITS + ADDRESS_BITS : 0;
    return held + (uint64_t)shape->sets * shape->ways * (1 + tag + offset + ADDRESS_BITS + order) +
           (uint64_t)shape->first_entries * (1 + 2 * ADDRESS_BITS + first_order);
}
