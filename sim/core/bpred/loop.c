/* Loop predictor: recognises branches that go one way a constant number of times and then once the
 * other (Seznec, "A 256 Kbits L-TAGE Branch Predictor", CBP 2006). Four ways, indexed by pc. */
#include "sim/core/bpred/corrector.h"

enum { WAYS = 4, TAG_BITS = 10, COUNT_BITS = 10, COUNT_MAX = (1 << COUNT_BITS) - 1,
       CONFIDENT = 15, AGE_MAX = 15, AGE_NEW = 7, SHORTEST = 3, NO_ENTRY = 0xffff,
       CONFIDENT_COUNT = 128 };

void loop_init(struct loop *loop, const struct config *config, struct arena *arena)
{
    loop->sets = config->bpred_loop_entries / WAYS;
    bool is_odd = (loop->sets & (loop->sets - 1)) != 0;     /* then some index pairs share a set */
    unsigned index_bits = index_bits_of(loop->sets);
    loop->shift = (uint8_t)config->bpred_pc_shift;
    loop->tag_shift = (uint8_t)(loop->shift + index_bits - is_odd);
    loop->index_mask = (uint32_t)low_bits(UINT64_MAX, index_bits);
    loop->noise = config->machine_seed * 2 + 1;
    if (loop->sets != 0)
        loop->entry = arena_take(arena, config->bpred_loop_entries, sizeof loop->entry[0]);
}

static uint32_t set_of(const struct loop *loop, uint64_t pc)
{
    uint64_t index = pc >> loop->shift & loop->index_mask;
    return (uint32_t)entry_at(index, loop->sets) * WAYS;
}

static uint16_t tag_of(const struct loop *loop, uint64_t pc)
{
    return (uint16_t)low_bits(pc >> loop->tag_shift, TAG_BITS);
}

static bool is_valid(const struct loop_entry *entry)
{
    return entry->length != 0 && (entry->confidence == CONFIDENT ||
                                  entry->confidence * entry->length > CONFIDENT_COUNT);
}

void loop_predict(const struct loop *loop, uint64_t pc, struct record *record)
{
    record->loop_entry = NO_ENTRY;
    if (loop->sets == 0)
        return;
    uint32_t first = set_of(loop, pc);
    uint16_t tag = tag_of(loop, pc);
    for (uint32_t i = first; i < first + WAYS; i++) {
        const struct loop_entry *entry = &loop->entry[i];
        if (entry->tag != tag || entry->age == 0)
            continue;
        record->loop_entry = (uint16_t)i;
        record->loop_count = entry->fetched;
        bool is_last = entry->fetched + 1 == entry->length;
        if (is_valid(entry))
            record->flags |= RECORD_LOOP_VALID;
        if (entry->body != is_last)
            record->flags |= RECORD_LOOP_TAKEN;
        return;
    }
}

void loop_advance(struct loop *loop, const struct record *record, bool taken)
{
    if (record->loop_entry == NO_ENTRY)
        return;
    struct loop_entry *entry = &loop->entry[record->loop_entry];
    entry->fetched = taken == entry->body && record->loop_count < COUNT_MAX
        ? (uint16_t)(record->loop_count + 1) : 0;
}

void loop_undo(struct loop *loop, const struct record *record)
{
    if (record->loop_entry != NO_ENTRY)
        loop->entry[record->loop_entry].fetched = record->loop_count;
}

static void forget(struct loop_entry *entry)
{
    entry->length = entry->count = 0;
    entry->confidence = entry->age = 0;
}

static void end_of_loop(struct loop_entry *entry, bool taken)
{
    if (entry->count == entry->length) {
        counter_move(&entry->confidence, true, CONFIDENT);
        if (entry->length < SHORTEST) {     /* better predicted by the history */
            forget(entry);
            entry->body = taken;
        }
    } else if (entry->length == 0) {
        entry->confidence = 0;
        entry->length = entry->count;
    } else {
        entry->length = 0;
        entry->confidence = 0;
    }
    entry->count = 0;
}

static void learn(struct loop *loop, struct loop_entry *entry, const struct record *record,
                  bool tage_taken, bool taken)
{
    bool predicted = (record->flags & RECORD_LOOP_TAKEN) != 0;
    if (record->flags & RECORD_LOOP_VALID) {
        if (predicted != taken) {
            forget(entry);
            return;
        }
        if (predicted != tage_taken || (noise_step(&loop->noise) & 7) == 0)
            counter_move(&entry->age, true, AGE_MAX);
    }
    entry->count++;
    if (entry->count > COUNT_MAX || (entry->length != 0 && entry->count > entry->length)) {
        entry->confidence = 0;
        entry->length = 0;
        entry->count &= COUNT_MAX;
    }
    if (taken != entry->body)
        end_of_loop(entry, taken);
}

/* Allocates a place for a branch that was mispredicted, at its supposed exit: one random way, if it
 * is old. */
static void allocate(struct loop *loop, uint64_t pc, bool taken)
{
    uint32_t noise = noise_step(&loop->noise);
    struct loop_entry *entry = &loop->entry[set_of(loop, pc) + noise % WAYS];
    if ((noise >> 8 & 3) != 0)
        return;
    if (entry->age != 0) {
        entry->age--;
        return;
    }
    *entry = (struct loop_entry){.tag = tag_of(loop, pc), .age = AGE_NEW, .body = !taken};
}

void loop_train(struct loop *loop, uint64_t pc, const struct record *record, bool tage_taken,
                bool mispredicted, bool taken)
{
    if (loop->sets == 0)
        return;
    if (record->loop_entry != NO_ENTRY) {
        struct loop_entry *entry = &loop->entry[record->loop_entry];
        if (entry->age != 0 && entry->tag == tag_of(loop, pc))
            learn(loop, entry, record, tage_taken, taken);
    } else if (mispredicted) {
        allocate(loop, pc, taken);
    }
}

/* Tag, length, two counts, confidence, age, direction. */
uint64_t loop_storage(const struct loop *loop)
{
    return (uint64_t)loop->sets * WAYS * (TAG_BITS + 3 * COUNT_BITS + 4 + 4 + 1);
}
