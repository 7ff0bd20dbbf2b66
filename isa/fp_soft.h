/* Floating point in integers alone: the reference, and the path for cases the host's FPU is not
 * used for: directed rounding, ties away from zero, NaNs, infinities, results near either end of
 * the exponent range. Contract as in isa/fp.h. */
#ifndef ISA_FP_SOFT_H
#define ISA_FP_SOFT_H

#include <stdint.h>

uint32_t soft_f32_add(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint32_t soft_f32_sub(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint32_t soft_f32_mul(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint32_t soft_f32_div(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint32_t soft_f32_sqrt(uint32_t a, unsigned rm, unsigned *flags);
uint32_t soft_f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags);

uint64_t soft_f64_add(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
uint64_t soft_f64_sub(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
uint64_t soft_f64_mul(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
uint64_t soft_f64_div(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
uint64_t soft_f64_sqrt(uint64_t a, unsigned rm, unsigned *flags);
uint64_t soft_f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned rm, unsigned *flags);

/* Results have the form of an x register: 32-bit ones sign-extended, unsigned ones too. Values that
 * do not fit saturate and raise only FP_NV; NaN counts as plus infinity. binary32 is converted
 * through binary64, and 32-bit integers below through 64-bit ones, without loss. */
uint64_t soft_f64_to_i32(uint64_t a, unsigned rm, unsigned *flags);
uint64_t soft_f64_to_u32(uint64_t a, unsigned rm, unsigned *flags);
uint64_t soft_f64_to_i64(uint64_t a, unsigned rm, unsigned *flags);
uint64_t soft_f64_to_u64(uint64_t a, unsigned rm, unsigned *flags);

uint32_t soft_i64_to_f32(int64_t value, unsigned rm, unsigned *flags);
uint32_t soft_u64_to_f32(uint64_t value, unsigned rm, unsigned *flags);
uint64_t soft_i64_to_f64(int64_t value, unsigned rm, unsigned *flags);
uint64_t soft_u64_to_f64(uint64_t value, unsigned rm, unsigned *flags);

uint64_t soft_f32_to_f64(uint32_t a, unsigned *flags);
uint32_t soft_f64_to_f32(uint64_t a, unsigned rm, unsigned *flags);

#endif
