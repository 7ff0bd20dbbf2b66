/* ITTAGE: the indirect jump's TAGE. A base table by pc and tagged tables with geometrically longer
 * histories hold targets; the longest match predicts, or the next when the longest has never been
 * right (Seznec, "A 64-Kbytes ITTAGE indirect branch predictor", CBP 2011). The history is that of
 * directions, and two bits of each indirect jump's target. */
#include "sim/core/bpred/target/targets.h"

enum { CONFIDENCE_MAX = 3, TICK_LIMIT = 256, PATH_BITS = 16 };

struct ittage_entry { uint64_t target; uint16_t tag; uint8_t confidence, useful; };
struct ittage {
    uint64_t *base;                     /* [base_entries] by pc; NULL: none */
    struct ittage_entry *entry[ITTAGE_TABLES];
    struct history *history;
    uint32_t base_entries, tables, first_fold, index_bits, tag_bits, entries;
    int tick;
    uint32_t noise;
};

static void init(void *self, const struct predictor_parts *parts)
{
    struct ittage *ittage = self;
    const struct config *config = parts->config;
    struct history *history = parts->history;
    struct arena *arena = parts->arena;
    uint16_t length[ITTAGE_TABLES];
    ittage->history = history;
    ittage->tables = config->bpred_ittage_tables;
    ittage->entries = config->bpred_ittage_entries;
    ittage->index_bits = index_bits_of(config->bpred_ittage_entries);
    ittage->tag_bits = config->bpred_ittage_tag_bits;
    ittage->noise = config->machine_seed * 2 + 1;
    ittage->first_fold = history->tables;
    ittage->base_entries = config->bpred_indirect_entries;
    if (ittage->base_entries != 0)
        ittage->base = arena_take(arena, ittage->base_entries, sizeof ittage->base[0]);
    history_lengths(ittage->tables, config->bpred_tage_min_history,
                    config->bpred_tage_max_history, length);
    for (uint32_t t = 0; t < ittage->tables; t++) {
        history_add(history, length[t], ittage->index_bits, ittage->tag_bits);
        ittage->entry[t] = arena_take(arena, ittage->entries, sizeof ittage->entry[t][0]);
    }
}

static void hash(const struct ittage *ittage, uint64_t pc, struct record *record)
{
    const struct history *history = ittage->history;
    pc >>= 1;
    for (uint32_t t = 0; t < ittage->tables; t++) {
        uint32_t at = ittage->first_fold + t;
        unsigned length = history->length[at];
        uint64_t path = low_bits(history->at.path, length < PATH_BITS ? length : PATH_BITS);
        uint64_t index = pc ^ pc >> (t + 2) ^ history_fold(history, 0, at) ^ path;
        record->index.of[t] = (uint16_t)entry_at(low_bits(index, ittage->index_bits),
                                              ittage->entries);
        record->tag.of[t] = (uint16_t)low_bits(pc ^ history_fold(history, 1, at) ^
                                               (uint64_t)history_fold(history, 2, at) << 1,
                                               ittage->tag_bits);
    }
}

static struct ittage_entry *entry_of(const struct ittage *ittage, const struct record *record,
                                     unsigned table)
{
    return &ittage->entry[table][record->index.of[table]];
}

/* A target of 0 marks an entry that was never written. */
static unsigned match_below(const struct ittage *ittage, const struct record *record,
                            unsigned table)
{
    while (table-- != 0) {
        const struct ittage_entry *entry = entry_of(ittage, record, table);
        if (entry->target != 0 && entry->tag == record->tag.of[table])
            return table;
    }
    return NO_TABLE;
}

/* NULL: there is no base table. */
static uint64_t *base_of(const struct ittage *ittage, uint64_t pc)
{
    uint64_t index = low_bits(pc >> 1, index_bits_of(ittage->base_entries));
    return ittage->base == NULL ? NULL : &ittage->base[entry_at(index, ittage->base_entries)];
}

static uint64_t base_target(const struct ittage *ittage, uint64_t pc)
{
    const uint64_t *base = base_of(ittage, pc);
    return base == NULL ? 0 : *base;
}

static uint64_t predict(void *self, uint64_t pc, uint64_t directions, uint32_t path,
                        struct record *record)
{
    const struct ittage *ittage = self;
    (void)directions, (void)path;
    hash(ittage, pc, record);
    record->provider = (uint8_t)match_below(ittage, record, ittage->tables);
    record->alternate = NO_TABLE;
    record->target = base_target(ittage, pc);
    if (record->provider == NO_TABLE)
        return record->target;
    record->alternate = (uint8_t)match_below(ittage, record, record->provider);
    const struct ittage_entry *entry = entry_of(ittage, record, record->provider);
    uint64_t alternate = record->alternate == NO_TABLE
        ? record->target : entry_of(ittage, record, record->alternate)->target;
    record->target = entry->confidence != 0 || alternate == 0 ? entry->target : alternate;
    return record->target;
}

static void train_entry(struct ittage_entry *entry, uint64_t target)
{
    if (entry->target == target)
        counter_move(&entry->confidence, true, CONFIDENCE_MAX);
    else if (entry->confidence != 0)
        entry->confidence--;
    else
        entry->target = target;
}

static void age_useful(struct ittage *ittage)
{
    for (uint32_t t = 0; t < ittage->tables; t++)
        for (uint32_t i = 0; i < ittage->entries; i++)
            ittage->entry[t][i].useful = 0;
}

static void allocate(struct ittage *ittage, const struct record *record, uint64_t target)
{
    uint32_t first = record->provider == NO_TABLE ? 0 : record->provider + 1u;
    if ((noise_step(&ittage->noise) & 127) < 32)
        first++;
    for (uint32_t t = first; t < ittage->tables; t++) {
        struct ittage_entry *entry = entry_of(ittage, record, t);
        if (entry->useful == 0) {
            *entry = (struct ittage_entry){.target = target, .tag = record->tag.of[t]};
            ittage->tick -= ittage->tick > 0;
            return;
        }
        ittage->tick++;
    }
    if (ittage->tick >= TICK_LIMIT) {
        ittage->tick = 0;
        age_useful(ittage);
    }
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, uint64_t target)
{
    struct ittage *ittage = self;
    (void)snapshot;
    bool wrong = record->target != target;
    if (record->provider != NO_TABLE) {
        struct ittage_entry *entry = entry_of(ittage, record, record->provider);
        uint64_t alternate = record->alternate == NO_TABLE
            ? base_target(ittage, pc) : entry_of(ittage, record, record->alternate)->target;
        if (entry->target == target && alternate != target)
            entry->useful = 1;
        else if (entry->target != target && entry->confidence == 0)
            entry->useful = 0;
        wrong = wrong && entry->target != target;
        train_entry(entry, target);
    }
    if (record->provider == NO_TABLE || record->alternate == NO_TABLE)
        if (ittage->base != NULL)
            *base_of(ittage, pc) = target;
    if (wrong)
        allocate(ittage, record, target);
}

static uint64_t storage(const void *self)
{
    const struct ittage *ittage = self;
    uint64_t base = (uint64_t)ittage->base_entries * ADDRESS_BITS;
    return base + ittage->tables * (uint64_t)ittage->entries *
                      (ADDRESS_BITS + ittage->tag_bits + 2 + 1);
}

const struct indirect_predictor indirect_ittage = {
    .state_bytes = sizeof(struct ittage), .has_record = true, .has_long_history = true,
    .init = init, .predict = predict, .train = train, .storage = storage,
};
