/* Parts of the predictors' tables: one block of memory, saturating counters, hashes. */
#ifndef SIM_CORE_BPRED_TABLES_H
#define SIM_CORE_BPRED_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All memory of a predictor is one block. It is laid out twice: first without a base, to find its
 * size, then in the zeroed block. */
struct arena { uint8_t *base; size_t used; };

/* NULL in the first pass. */
static inline void *arena_take(struct arena *arena, size_t count, size_t size)
{
    size_t at = arena->used;
    arena->used = (at + count * size + 63) & ~(size_t)63;
    return arena->base == NULL ? NULL : arena->base + at;
}

/* Unsigned counter 0..max. */
static inline void counter_move(uint8_t *counter, bool up, unsigned max)
{
    if (up && *counter < max)
        ++*counter;
    else if (!up && *counter > 0)
        --*counter;
}

/* Signed counter of `bits` bits; taken when not negative. */
static inline void weight_move(int8_t *weight, bool up, unsigned bits)
{
    int limit = 1 << (bits - 1);
    if (up && *weight < limit - 1)
        ++*weight;
    else if (!up && *weight > -limit)
        --*weight;
}

/* Weakest state of a signed counter: 0 or -1. */
static inline bool weight_is_weak(int weight)
{
    return weight == 0 || weight == -1;
}

static inline uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* 0 for 0 and 1. */
static inline unsigned log2_of(uint64_t power)
{
    return power < 2 ? 0 : 63u - (unsigned)__builtin_clzll(power);
}

/* Bits of an index into a table of `entries` entries, which need not be a power of two. */
static inline unsigned index_bits_of(uint64_t entries)
{
    return entries < 2 ? 0 : 64u - (unsigned)__builtin_clzll(entries - 1);
}

/* The entry for an index of index_bits_of(entries) bits: indices past the last entry wrap
 * around. */
static inline uint64_t entry_at(uint64_t index, uint64_t entries)
{
    return index < entries ? index : index - entries;
}

/* The value's bits, folded to `width` bits by exclusive or. */
static inline uint64_t folded(uint64_t value, unsigned width)
{
    uint64_t result = 0;
    if (width == 0)
        return 0;
    for (; value != 0; value = width >= 64 ? 0 : value >> width)
        result ^= value;
    return low_bits(result, width);
}

/* Deterministic noise for allocation and replacement: a 32-bit linear feedback register. */
static inline uint32_t noise_step(uint32_t *state)
{
    uint32_t value = *state;
    value ^= value << 13;
    value ^= value >> 17;
    value ^= value << 5;
    return *state = value;
}

/* A linear feedback shift register of 16 bits and full period. */
static inline uint32_t lfsr_step(uint32_t state)
{
    return state >> 1 ^ ((state & 1) != 0 ? UINT32_C(0xb400) : 0);
}

#endif
