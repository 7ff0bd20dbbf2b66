/* SRRIP and DRRIP: see replace.h. */
#include "sim/mem/cache/replace.h"

static void init(struct replace *replace)
{
    struct replace_rrip *rrip = replace->state;
    uint32_t sets = replace->sets;
    rrip->votes = REPLACE_VOTES_START;
    rrip->duel = sets / REPLACE_LEADERS > REPLACE_DUEL ? sets / REPLACE_LEADERS : REPLACE_DUEL;
}

static void touch(struct replace *replace, uint32_t set, uint32_t way)
{
    struct replace_rrip *rrip = replace->state;
    rrip->rrpv[(size_t)set * replace->ways + way] = 0;
}

static void fill_static(struct replace *replace, uint32_t set, uint32_t way)
{
    struct replace_rrip *rrip = replace->state;
    rrip->rrpv[(size_t)set * replace->ways + way] = REPLACE_LONG;
}

static uint8_t bimodal_rrpv(struct replace_rrip *rrip)
{
    return ++rrip->fills % REPLACE_BIMODAL == 0 ? REPLACE_LONG : REPLACE_DISTANT;
}

static uint8_t rrpv_of_fill(struct replace_rrip *rrip, uint32_t set)
{
    uint32_t place = set % rrip->duel;
    if (place == 0) {
        rrip->votes += rrip->votes < REPLACE_VOTES_MAX;
        return REPLACE_LONG;
    }
    if (place == rrip->duel / 2) {
        rrip->votes -= rrip->votes > 0;
        return bimodal_rrpv(rrip);
    }
    return rrip->votes > REPLACE_VOTES_START ? bimodal_rrpv(rrip) : REPLACE_LONG;
}

static void fill_dueling(struct replace *replace, uint32_t set, uint32_t way)
{
    struct replace_rrip *rrip = replace->state;
    rrip->rrpv[(size_t)set * replace->ways + way] = rrpv_of_fill(rrip, set);
}

/* The first candidate with the highest value, which then is REPLACE_DISTANT: all grow older. */
static uint32_t victim_of(struct replace *replace, uint32_t set, uint64_t candidates)
{
    struct replace_rrip *rrip = replace->state;
    uint8_t *rrpv = &rrip->rrpv[(size_t)set * replace->ways];
    uint32_t victim = (uint32_t)__builtin_ctzll(candidates);
    for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(rest);
        if (rrpv[way] > rrpv[victim])
            victim = way;
    }
    unsigned age = REPLACE_DISTANT - rrpv[victim];
    for (uint32_t way = 0; age != 0 && way < replace->ways; way++)
        rrpv[way] = (uint8_t)(rrpv[way] + age > REPLACE_DISTANT ? REPLACE_DISTANT
                                                                : rrpv[way] + age);
    return victim;
}

static size_t state_bytes(uint32_t sets, uint32_t ways)
{
    return sizeof(struct replace_rrip) + (size_t)sets * ways;
}

static uint64_t static_bits(uint32_t sets, uint32_t ways)
{
    return UINT64_C(2) * ways * sets;
}

static uint64_t dueling_bits(uint32_t sets, uint32_t ways)
{
    return static_bits(sets, ways) + 10 + 5;            /* votes, BRRIP's count */
}

const struct replacement replacement_srrip = {
    .state_bytes = state_bytes, .init = init, .touch = touch, .fill = fill_static,
    .victim = victim_of, .storage_bits = static_bits, .ages = true, .notes_first_hit = true,
};

const struct replacement replacement_drrip = {
    .state_bytes = state_bytes, .init = init, .touch = touch, .fill = fill_dueling,
    .victim = victim_of, .storage_bits = dueling_bits, .ages = true, .notes_first_hit = true,
};
