/* Profiling schemes beside the truth, as `rvsim compare-profilers` prints them. */
#ifndef PROF_PROFILE_PROFILE_SCHEMES_H
#define PROF_PROFILE_PROFILE_SCHEMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Errors are shares of 1 (prof/compare/compare.h). */
struct profile_scheme {
    const char *name;               /* "tip" */
    double insn_error, block_error, function_error;
    bool has_bias, has_high, has_low;
    double bias;                    /* its error with a sample in every cycle */
    double low, high;               /* limits for 95 in 100 profiles with this number of samples */
    uint64_t samples, storage_bits, sample_bytes, handler_cycles;
};

struct profile_schemes {
    uint64_t period, dither;        /* cycles */
    uint64_t samples;               /* that were due */
    struct profile_scheme *scheme;
    size_t schemes;
};

#endif
