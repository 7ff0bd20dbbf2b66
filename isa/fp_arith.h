/* Arithmetic of F and D: the host's FPU where its result is provably right, integers otherwise.
 * Part of isa/fp.h; include that. */
#ifndef ISA_FP_ARITH_H
#define ISA_FP_ARITH_H

#include "isa/fp.h"
#include "isa/fp_host.h"
#include "isa/fp_soft.h"

static inline uint32_t f32_add(uint32_t a, uint32_t b, unsigned rm, unsigned *flags)
{
    if (FP_HAS_HOST && rm == FP_RNE) {
        float x = host_f32(a), y = host_f32(b), sum = x + y;
        if (host_f32_is_sum(host_f32_bits(sum))) {
            if (!(*flags & FP_NX) && host_f32_sum_error(x, y, sum) != 0) {
                *flags |= FP_NX;
            }
            return host_f32_bits(sum);
        }
    }
    return soft_f32_add(a, b, rm, flags);
}

static inline uint64_t f64_add(uint64_t a, uint64_t b, unsigned rm, unsigned *flags)
{
    if (FP_HAS_HOST && rm == FP_RNE) {
        double x = host_f64(a), y = host_f64(b), sum = x + y;
        if (host_f64_is_sum(host_f64_bits(sum))) {
            if (!(*flags & FP_NX) && host_f64_sum_error(x, y, sum) != 0) {
                *flags |= FP_NX;
            }
            return host_f64_bits(sum);
        }
    }
    return soft_f64_add(a, b, rm, flags);
}

static inline uint32_t f32_sub(uint32_t a, uint32_t b, unsigned rm, unsigned *flags)
{
    return f32_add(a, b ^ F32_SIGN, rm, flags);
}

static inline uint64_t f64_sub(uint64_t a, uint64_t b, unsigned rm, unsigned *flags)
{
    return f64_add(a, b ^ F64_SIGN, rm, flags);
}

/* binary64 holds every product of two binary32 numbers. */
static inline uint32_t f32_mul(uint32_t a, uint32_t b, unsigned rm, unsigned *flags)
{
    if (FP_HAS_HOST && rm == FP_RNE) {
        double exact = (double)host_f32(a) * (double)host_f32(b);
        float product = (float)exact;
        if (host_f32_is_inside(host_f32_bits(product)) || exact == 0) {
            if ((double)product != exact) {
                *flags |= FP_NX;
            }
            return host_f32_bits(product);
        }
    }
    return soft_f32_mul(a, b, rm, flags);
}

static inline uint64_t f64_mul(uint64_t a, uint64_t b, unsigned rm, unsigned *flags)
{
    if (FP_HAS_HOST && rm == FP_RNE) {
        uint64_t product = host_f64_bits(host_f64(a) * host_f64(b));
        if (host_f64_is_inside(product)) {
            if (*flags & FP_NX) {
                return product;
            }
            if (host_f64_is_normal(a) && host_f64_is_normal(b)) {
                *flags |= host_f64_product_is_exact(a, b, product) ? 0 : FP_NX;
                return product;
            }
        } else if (host_f64_is_zero(product) && (host_f64_is_zero(a) || host_f64_is_zero(b))) {
            return product;
        }
    }
    return soft_f64_mul(a, b, rm, flags);
}

/* A quotient is exact if multiplying gives the dividend back. The product differs from `a` by less
 * than one unit in its last place, so if it has no bits below that place it equals `a`. */
static inline uint32_t f32_div(uint32_t a, uint32_t b, unsigned rm, unsigned *flags)
{
    if (FP_HAS_HOST && rm == FP_RNE) {
        float x = host_f32(a), y = host_f32(b), quotient = x / y;
        if (host_f32_is_inside(host_f32_bits(quotient))) {
            if ((double)quotient * (double)y != (double)x) {
                *flags |= FP_NX;
            }
            return host_f32_bits(quotient);
        }
    }
    return soft_f32_div(a, b, rm, flags);
}

static inline uint64_t f64_div(uint64_t a, uint64_t b, unsigned rm, unsigned *flags)
{
    if (FP_HAS_HOST && rm == FP_RNE) {
        uint64_t quotient = host_f64_bits(host_f64(a) / host_f64(b));
        if (host_f64_is_inside(quotient)) {
            if (*flags & FP_NX) {
                return quotient;
            }
            if (host_f64_is_normal(a) && host_f64_is_normal(b)) {
                *flags |= host_f64_product_is_exact(quotient, b, a) ? 0 : FP_NX;
                return quotient;
            }
        }
    }
    return soft_f64_div(a, b, rm, flags);
}

/* Square roots and fused multiply-adds are in isa/fp_host.c: they are longer, and seldom worth
 * inlining. */
uint32_t f32_sqrt(uint32_t a, unsigned rm, unsigned *flags);
uint64_t f64_sqrt(uint64_t a, unsigned rm, unsigned *flags);
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags);
uint64_t f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned rm, unsigned *flags);

#endif
