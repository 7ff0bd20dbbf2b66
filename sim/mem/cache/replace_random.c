/* Random, and the shift register that seems random: see replace.h. */
#include "sim/mem/cache/replace.h"

enum { LFSR_START = 0xff, LFSR_TAPS = 0xfa, LFSR_BITS = 8, RANDOM_BITS = 64 };

/* ---- random ---------------------------------------------------------------------------------- */

/* Marsaglia, "Xorshift RNGs", 2003; multiplied as Vigna, 2016, proposes. */
static uint32_t draw(struct replace *replace, uint32_t below)
{
    uint64_t x = replace->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    replace->random = x;
    return (uint32_t)((x * UINT64_C(0x2545f4914f6cdd1d) >> 32) * below >> 32);
}

static uint32_t random_victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    uint32_t n = draw(replace, (uint32_t)__builtin_popcountll(candidates));
    (void)set;
    for (; n != 0; n--)
        candidates &= candidates - 1;
    return (uint32_t)__builtin_ctzll(candidates);
}

static uint64_t random_bits(uint32_t sets, uint32_t ways)
{
    (void)sets, (void)ways;
    return RANDOM_BITS;
}

const struct replacement replacement_random = {
    .victim = random_victim, .storage_bits = random_bits,
};

/* ---- shift register -------------------------------------------------------------------------- */

static void start_register(struct replace *replace)
{
    replace->random = LFSR_START;
}

static uint32_t lfsr_victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    uint32_t way = (uint32_t)(replace->random % replace->ways);
    (void)set;
    replace->random = replace->random >> 1 ^ (replace->random & 1 ? LFSR_TAPS : 0);
    return candidates >> way & 1 ? way : (uint32_t)__builtin_ctzll(candidates);
}

static uint64_t lfsr_bits(uint32_t sets, uint32_t ways)
{
    (void)sets, (void)ways;
    return LFSR_BITS;
}

const struct replacement replacement_lfsr = {
    .init = start_register, .victim = lfsr_victim, .storage_bits = lfsr_bits,
};
