/* Loop predictor: recognises branches that go one way a constant number of times and then once the
 * other (Seznec, "A 256 Kbits L-TAGE Branch Predictor", CBP 2006). Four ways, indexed by pc. */
#include "sim/core/bpred/direction/loop_predict.h"

enum { COUNT_BITS = 10, AGE_MAX = 15, AGE_NEW = 7, SHORTEST = 3, NO_TAG = 0xffff };
_Static_assert(LOOP_COUNT_MAX == (1 << COUNT_BITS) - 1, "counts have that width");

void loop_init(struct loop *loop, const struct config *config, struct arena *arena)
{
    loop->sets = config->bpred_loop_entries / LOOP_WAYS;
    bool is_odd = (loop->sets & (loop->sets - 1)) != 0;     /* then some index pairs share a set */
    unsigned index_bits = index_bits_of(loop->sets);
    loop->shift = (uint8_t)config->bpred_pc_shift;
    loop->tag_shift = (uint8_t)(loop->shift + index_bits - is_odd);
    loop->index_mask = (uint32_t)low_bits(UINT64_MAX, index_bits);
    loop->noise = config->machine_seed * 2 + 1;
    if (loop->sets == 0)
        return;
    loop->entry = arena_take(arena, config->bpred_loop_entries, sizeof loop->entry[0]);
    loop->tags = arena_take(arena, loop->sets, sizeof loop->tags[0]);
    for (uint32_t set = 0; loop->tags != NULL && set < loop->sets; set++)
        loop->tags[set] = NO_TAG * LOOP_EACH_WAY;
}

static uint16_t tag_at(const struct loop *loop, uint32_t i)
{
    return (uint16_t)(loop->tags[i / LOOP_WAYS] >> i % LOOP_WAYS * LOOP_LANE);
}

static void set_tag(struct loop *loop, uint32_t i, uint16_t tag)
{
    uint64_t *tags = &loop->tags[i / LOOP_WAYS];
    unsigned at = i % LOOP_WAYS * LOOP_LANE;
    *tags = (*tags & ~((uint64_t)UINT16_MAX << at)) | (uint64_t)tag << at;
}

static void forget(struct loop *loop, uint32_t i)
{
    struct loop_entry *entry = &loop->entry[i];
    entry->length = entry->count = 0;
    entry->confidence = entry->age = 0;
    set_tag(loop, i, NO_TAG);
}

static void end_of_loop(struct loop *loop, uint32_t i, bool taken)
{
    struct loop_entry *entry = &loop->entry[i];
    if (entry->count == entry->length) {
        counter_move(&entry->confidence, true, LOOP_CONFIDENT);
        if (entry->length < SHORTEST) {     /* the history predicts such a branch better */
            forget(loop, i);
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

static void learn(struct loop *loop, const struct record *record, bool tage_taken, bool taken)
{
    struct loop_entry *entry = &loop->entry[record->loop_entry];
    bool predicted = (record->flags & RECORD_LOOP_TAKEN) != 0;
    if (record->flags & RECORD_LOOP_VALID) {
        if (predicted != taken) {
            forget(loop, record->loop_entry);
            return;
        }
        if (predicted != tage_taken || (noise_step(&loop->noise) & 7) == 0)
            counter_move(&entry->age, true, AGE_MAX);
    }
    entry->count++;
    if (entry->count > LOOP_COUNT_MAX || (entry->length != 0 && entry->count > entry->length)) {
        entry->confidence = 0;
        entry->length = 0;
        entry->count &= LOOP_COUNT_MAX;
    }
    if (taken != entry->body)
        end_of_loop(loop, record->loop_entry, taken);
}

/* Allocates a place for a branch that was mispredicted, at its supposed exit: one random way, if it
 * is old. */
static void allocate(struct loop *loop, uint64_t pc, bool taken)
{
    uint32_t noise = noise_step(&loop->noise);
    uint32_t i = loop_set_of(loop, pc) * LOOP_WAYS + noise % LOOP_WAYS;
    struct loop_entry *entry = &loop->entry[i];
    if ((noise >> 8 & 3) != 0)
        return;
    if (entry->age != 0) {
        if (--entry->age == 0)
            set_tag(loop, i, NO_TAG);
        return;
    }
    *entry = (struct loop_entry){.age = AGE_NEW, .body = !taken};
    set_tag(loop, i, loop_tag_of(loop, pc));
}

void loop_train(struct loop *loop, uint64_t pc, const struct record *record, bool tage_taken,
                bool mispredicted, bool taken)
{
    if (loop->sets == 0)
        return;
    if (record->loop_entry != NO_LOOP) {
        if (tag_at(loop, record->loop_entry) == loop_tag_of(loop, pc))
            learn(loop, record, tage_taken, taken);
    } else if (mispredicted) {
        allocate(loop, pc, taken);
    }
}

/* Tag, length, two counts, confidence, age, direction. */
uint64_t loop_storage(const struct loop *loop)
{
    return (uint64_t)loop->sets * LOOP_WAYS * (LOOP_TAG_BITS + 3 * COUNT_BITS + 4 + 4 + 1);
}
