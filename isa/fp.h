/* Floating point of the F and D extensions, bit by bit.
 *
 * Values are the raw bits of IEEE 754 binary32 and binary64. Functions are pure but for `*flags`,
 * which is OR-ed into and never cleared. Every NaN result is the canonical one. Tininess is
 * detected after rounding. `rm` is an effective rounding mode, FP_RNE..FP_RMM; the caller handles
 * reserved encodings, the dynamic mode and, with the helpers here, NaN boxing.
 *
 * Arithmetic and conversions exist twice and agree in every bit and flag: soft_* (isa/fp_soft.h) in
 * integers, and in front of it short paths on the host's FPU (isa/fp_arith.h, isa/fp_cast.h). A
 * short path is shortest when the caller passes the hart's accumulated flags: once FP_NX is set,
 * exactness need not be computed.
 *
 * Left out: sign injection, moves, and negation of operands (fsub is here; fmsub, fnmadd, fnmsub
 * are f*_fma with sign bits flipped by the caller). No conversion raises a trap. Source: RISC-V
 * Unprivileged Architecture 20240411, chapters 20 and 21. */
#ifndef ISA_FP_H
#define ISA_FP_H

#include <stdbool.h>
#include <stdint.h>

/* Rounding modes as frm encodes them. */
enum fp_rm { FP_RNE = 0, FP_RTZ = 1, FP_RDN = 2, FP_RUP = 3, FP_RMM = 4 };

/* Exception flags as fflags holds them. */
enum fp_flag { FP_NX = 1, FP_UF = 2, FP_OF = 4, FP_DZ = 8, FP_NV = 16 };

#define F32_SIGN UINT32_C(0x80000000)
#define F64_SIGN UINT64_C(0x8000000000000000)
#define F32_NAN UINT32_C(0x7fc00000)
#define F64_NAN UINT64_C(0x7ff8000000000000)

/* A binary32 in a 64-bit register is valid only with all upper bits set (section 21.2). */
static inline uint32_t f32_unbox(uint64_t reg)
{
    return reg >> 32 == UINT32_MAX ? (uint32_t)reg : F32_NAN;
}

static inline uint64_t f32_box(uint32_t value)
{
    return UINT64_C(0xffffffff00000000) | value;
}

/* minimumNumber, maximumNumber: a NaN loses against a number, -0 is less than +0. */
uint32_t f32_min(uint32_t a, uint32_t b, unsigned *flags);
uint32_t f32_max(uint32_t a, uint32_t b, unsigned *flags);
uint64_t f64_min(uint64_t a, uint64_t b, unsigned *flags);
uint64_t f64_max(uint64_t a, uint64_t b, unsigned *flags);

/* eq raises FP_NV for signaling NaNs only, lt and le for any NaN. */
bool f32_eq(uint32_t a, uint32_t b, unsigned *flags);
bool f32_lt(uint32_t a, uint32_t b, unsigned *flags);
bool f32_le(uint32_t a, uint32_t b, unsigned *flags);
bool f64_eq(uint64_t a, uint64_t b, unsigned *flags);
bool f64_lt(uint64_t a, uint64_t b, unsigned *flags);
bool f64_le(uint64_t a, uint64_t b, unsigned *flags);

/* The 10-bit mask of fclass; exactly one bit is set. */
unsigned f32_classify(uint32_t a);
unsigned f64_classify(uint64_t a);

#include "isa/fp_arith.h"
#include "isa/fp_cast.h"

#endif
