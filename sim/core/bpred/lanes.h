/* A value of each tagged table, side by side: the host's vector instructions work on sixteen at
 * once, or on eight. */
#ifndef SIM_CORE_BPRED_LANES_H
#define SIM_CORE_BPRED_LANES_H

#include <stdint.h>

enum { LANES = 16, LANE_BITS = 16 };
enum { LANE_ALIGNMENT = 16 };           /* of what calloc returns */
#define LANE_VECTOR vector_size(LANES * sizeof(uint16_t)), aligned(LANE_ALIGNMENT)
typedef uint16_t lane_vector __attribute__((LANE_VECTOR));
typedef uint64_t wide_lanes __attribute__((LANE_VECTOR));

/* Into a function that is compiled twice. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* A function that is compiled twice, for hosts with vectors of 32 bytes and for all; which one is
 * called is found when the program starts. Vectors are handed over by reference. */
#if defined __x86_64__ && defined __GLIBC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define FOR_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define FOR_WIDE_VECTORS
#endif

#endif
