/* FIFO and rotate, which take the ways in turn: see replace.h. */
#include "sim/mem/cache/replace.h"

/* The first candidate from the pointer on. */
static uint32_t victim_from(unsigned first, uint64_t candidates)
{
    uint64_t from_here = candidates & ~UINT64_C(0) << first;
    return (uint32_t)__builtin_ctzll(from_here != 0 ? from_here : candidates);
}

/* ---- a pointer for each set ------------------------------------------------------------------ */

static size_t fifo_bytes(uint32_t sets, uint32_t ways)
{
    (void)ways;
    return sets;
}

static void fifo_fill(struct replace *replace, uint32_t set, uint32_t way)
{
    uint8_t *next = replace->state;
    next[set] = (uint8_t)((way + 1) % replace->ways);
}

static uint32_t fifo_victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    const uint8_t *next = replace->state;
    return victim_from(next[set], candidates);
}

static uint64_t fifo_bits(uint32_t sets, uint32_t ways)
{
    return (uint64_t)replace_way_bits(ways) * sets;
}

const struct replacement replacement_fifo = {
    .state_bytes = fifo_bytes, .fill = fifo_fill, .victim = fifo_victim,
    .storage_bits = fifo_bits,
};

/* ---- one for all ----------------------------------------------------------------------------- */

static size_t rotate_bytes(uint32_t sets, uint32_t ways)
{
    (void)sets, (void)ways;
    return 1;
}

static void rotate_fill(struct replace *replace, uint32_t set, uint32_t way)
{
    (void)set;
    fifo_fill(replace, 0, way);
}

static uint32_t rotate_victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    (void)set;
    return fifo_victim(replace, 0, candidates);
}

static uint64_t rotate_bits(uint32_t sets, uint32_t ways)
{
    (void)sets;
    return replace_way_bits(ways);
}

const struct replacement replacement_rotate = {
    .state_bytes = rotate_bytes, .fill = rotate_fill, .victim = rotate_victim,
    .storage_bits = rotate_bits, .takes_any_way = true,
};
