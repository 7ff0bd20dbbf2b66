/* The operations of lanes.h as instructions of hosts with AVX2. The header of these in compilers
 * takes longer to read than all others of a file: only files that use them include it. */
#ifndef SIM_CORE_BPRED_LANES_WIDE_H
#define SIM_CORE_BPRED_LANES_WIDE_H

#include "isa/host_cpu.h"
#include "sim/core/bpred/direction/lanes.h"

/* Functions with these are called only if the running host has them. */
static inline bool lanes_are_wide(void)
{
#if defined __x86_64__ && defined __GNUC__
    return HOST_HAS_AVX2();
#else
    return false;
#endif
}

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

#define FOR_WIDE_LANES __attribute__((target("avx2")))
static inline FOR_WIDE_LANES void lanes_gather_wide(const void *base, unsigned scale,
                                                    const word_vector *at, word_vector *words)
{
    *words = scale == 1 ? (word_vector)_mm256_i32gather_epi32(base, (__m256i)*at, 1)
                        : (word_vector)_mm256_i32gather_epi32(base, (__m256i)*at, 4);
}

static inline FOR_WIDE_LANES uint32_t lanes_mask_wide(const lane_vector *lanes)
{
    return (uint32_t)_mm256_movemask_epi8((__m256i)*lanes);
}

static const struct lane_ops lane_ops_of_wide = {
    .gather = lanes_gather_wide, .mask = lanes_mask_wide,
};
#else
#define FOR_WIDE_LANES
#define lane_ops_of_wide lane_ops_of_any
#endif

#endif
