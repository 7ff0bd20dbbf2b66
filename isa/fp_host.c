/* Square roots and fused multiply-adds on the host's FPU.
 *
 * binary64 multiply-add needs a host with fused multiply-add, tested at run time. binary32 does not
 * need it, as its product is exact in binary64. */
#include "isa/fp.h"

#if FP_HAS_HOST
#include "isa/host_cpu.h"

/* Keeps a product from being fused into the sum it is used in. */
static inline double as_rounded(double value)
{
    __asm__("" : "+x"(value));
    return value;
}

/* True if x * y + z, rounded to `result`, is exact; `product` is x * y rounded. The difference
 * between the rounded sum and `result` must equal the errors of the two roundings. Each error is
 * known exactly, and so is the difference: if the sum cancelled so far that it is not within a
 * factor of two of the result, it was exact, and sum, result and rest fit in one significand. */
__attribute__((target("fma")))
static bool fma_is_exact(double x, double y, double product, double z, double result)
{
    double product_rest = __builtin_fma(x, y, -product);
    double sum = product + z;
    double sum_rest = host_f64_sum_error(product, z, sum);
    if (product_rest == 0) {
        return sum_rest == 0;
    }
    double rest = sum_rest + product_rest;
    return rest == result - sum && host_f64_sum_error(sum_rest, product_rest, rest) == 0;
}

/* Fills *result and raises FP_NX if the host's result is known to be right; else returns false. */
__attribute__((target("fma")))
static bool host_f64_fma(uint64_t a, uint64_t b, uint64_t c, uint64_t *result, unsigned *flags)
{
    double x = host_f64(a), y = host_f64(b), z = host_f64(c);
    double fused = __builtin_fma(x, y, z);
    *result = host_f64_bits(fused);
    if (host_f64_is_zero(a) || host_f64_is_zero(b)) {
        /* the addend itself, or a zero */
        return host_f64_is_inside(*result) || host_f64_is_zero(*result);
    }
    if (!host_f64_is_inside(*result)) {
        return false;
    }
    if (*flags & FP_NX) {
        return true;
    }
    /* the product's rest must not underflow, nor any sum overflow */
    double product = as_rounded(x * y);
    unsigned scale = host_f64_exponent(host_f64_bits(product));
    if (scale < 0x100 || scale > 0x7f0 || host_f64_exponent(c) > 0x7f0) {
        return false;
    }
    *flags |= fma_is_exact(x, y, product, z, fused) ? 0 : FP_NX;
    return true;
}

#endif

/* The root of a number inside the exponent range is inside too; squaring an exact root gives the
 * number back. */
uint32_t f32_sqrt(uint32_t a, unsigned rm, unsigned *flags)
{
#if FP_HAS_HOST
    if (rm == FP_RNE) {
        uint32_t root = host_f32_bits(_mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(host_f32(a)))));
        if (host_f32_is_inside(root)) {
            double value = (double)host_f32(root);
            *flags |= value * value == (double)host_f32(a) ? 0 : FP_NX;
            return root;
        }
    }
#endif
    return soft_f32_sqrt(a, rm, flags);
}

uint64_t f64_sqrt(uint64_t a, unsigned rm, unsigned *flags)
{
#if FP_HAS_HOST
    if (rm == FP_RNE && host_f64_is_normal(a) && !(a & F64_SIGN)) {
        __m128d value = _mm_set_sd(host_f64(a));
        uint64_t root = host_f64_bits(_mm_cvtsd_f64(_mm_sqrt_sd(value, value)));
        bool is_exact = host_f64(root) * host_f64(root) == host_f64(a)
                        && host_f64_product_is_exact(root, root, a);
        *flags |= is_exact ? 0 : FP_NX;
        return root;
    }
#endif
    return soft_f64_sqrt(a, rm, flags);
}

/* The sum of product and addend is rounded to binary64 first. This double rounding is wrong only if
 * the first rounding was inexact and ended halfway between two binary32 numbers. */
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags)
{
    if (FP_HAS_HOST && rm == FP_RNE) {
        double product = (double)host_f32(a) * (double)host_f32(b), addend = (double)host_f32(c);
        double sum = product + addend;
        float result = (float)sum;
        if (host_f32_is_inside(host_f32_bits(result)) || sum == 0) {
            const uint64_t dropped = (UINT64_C(1) << 29) - 1, halfway = UINT64_C(1) << 28;
            bool is_exact_sum = host_f64_sum_error(product, addend, sum) == 0;
            if (is_exact_sum || (host_f64_bits(sum) & dropped) != halfway) {
                *flags |= is_exact_sum && (double)result == sum ? 0 : FP_NX;
                return host_f32_bits(result);
            }
        }
    }
    return soft_f32_fma(a, b, c, rm, flags);
}

uint64_t f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned rm, unsigned *flags)
{
#if FP_HAS_HOST
    uint64_t result;
    if (rm == FP_RNE && HOST_HAS_FMA() && host_f64_fma(a, b, c, &result, flags)) {
        return result;
    }
#endif
    return soft_f64_fma(a, b, c, rm, flags);
}
