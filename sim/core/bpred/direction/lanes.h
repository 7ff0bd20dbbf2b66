/* A value of each tagged table, side by side: the host's vector instructions work on sixteen at
 * once, or on eight. Of two lanes in a word the even one is the lower half, as on hosts that store
 * low bytes first. */
#ifndef SIM_CORE_BPRED_LANES_H
#define SIM_CORE_BPRED_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Into a function that is compiled twice. */
#define ALWAYS_INLINE inline __attribute__((always_inline))
/* Not inlined into its caller, which then keeps fewer registers. */
#define NOT_INLINE __attribute__((noinline))

enum { LANES = 16, LANE_BITS = 16 };
enum { LANE_ALIGNMENT = 16 };           /* of memory that calloc returns */
#define LANE_VECTOR vector_size(LANES * sizeof(uint16_t)), aligned(LANE_ALIGNMENT)
typedef uint16_t lane_vector __attribute__((LANE_VECTOR));

/* Words of 32 bits of the even lanes, or of the odd ones. */
typedef uint32_t word_vector
    __attribute__((vector_size(LANES / 2 * sizeof(uint32_t)), aligned(LANE_ALIGNMENT)));

/* The even lanes of one, and the odd lanes of the other. */
#define LANES_OF(even, odd)                                                                        \
    __builtin_shufflevector(even, odd, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31)

/* The operations that hosts do in ways of their own; a function that is compiled for several hosts
 * gets one of these as a constant. */
struct lane_ops {
    /* The words at these places after base, counted in units of `scale` bytes, 1 or 4. */
    void (*gather)(const void *base, unsigned scale, const word_vector *at, word_vector *words);
    /* Two bits of each lane, which are all ones or zero. */
    uint32_t (*mask)(const lane_vector *lanes);
};

static inline void lanes_gather(const void *base, unsigned scale, const word_vector *at,
                                word_vector *words)
{
    for (unsigned i = 0; i < LANES / 2; i++) {
        uint32_t word;
        __builtin_memcpy(&word, (const char *)base + (*at)[i] * (size_t)scale, sizeof word);
        (*words)[i] = word;
    }
}

static inline uint32_t lanes_mask(const lane_vector *lanes)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < LANES; i++)
        mask |= (uint32_t)((*lanes)[i] & 3) << 2 * i;
    return mask;
}

/* Hosts with AVX2 have an instruction for each (lanes_wide.h). */
static const struct lane_ops lane_ops_of_any = {.gather = lanes_gather, .mask = lanes_mask};

#endif
