/* The functions used in rows of insn.def: rotation, counting, multiplication and division, with the
 * manual's results for corner cases (chapters 4, 13 and 28); and values as memory has them. No
 * undefined behaviour for any argument; rotation amounts count modulo the width. */
#ifndef ISA_BITS_H
#define ISA_BITS_H

#include <stdint.h>

__extension__ typedef __int128 bits_i128;
__extension__ typedef unsigned __int128 bits_u128;

static inline uint64_t sext32(uint64_t v)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)v;
}

/* The low `xlen` bits, 32 or 64, as an unsigned number. */
static inline uint64_t zext(uint64_t v, unsigned xlen)
{
    return v << (64 - xlen) >> (64 - xlen);
}

/* The low `bytes` bytes as an unsigned number; from 8 on all of it. */
static inline uint64_t low_bytes(uint64_t v, unsigned bytes)
{
    return bytes >= 8 ? v : v & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* ---- Zbb: of the low `xlen` bits; higher bits of a result are not defined -------------------- */

static inline uint64_t rol(uint64_t v, uint64_t n, unsigned xlen)
{
    return v << (n & (xlen - 1)) | zext(v, xlen) >> (-n & (xlen - 1));
}

static inline uint64_t ror(uint64_t v, uint64_t n, unsigned xlen)
{
    return rol(v, -n, xlen);
}

static inline uint64_t clz(uint64_t v, unsigned xlen)
{
    v = zext(v, xlen);
    return v == 0 ? xlen : (uint64_t)__builtin_clzll(v) - (64 - xlen);
}

static inline uint64_t ctz(uint64_t v, unsigned xlen)
{
    v = zext(v, xlen);
    return v == 0 ? xlen : (uint64_t)__builtin_ctzll(v);
}

static inline uint64_t cpop(uint64_t v, unsigned xlen)
{
    return (uint64_t)__builtin_popcountll(zext(v, xlen));
}

/* Each byte that is not zero becomes 0xff. */
static inline uint64_t orc_b(uint64_t v)
{
    uint64_t result = 0;

    for (unsigned i = 0; i < 64; i += 8)
        if ((v >> i & 0xff) != 0)
            result |= UINT64_C(0xff) << i;
    return result;
}

/* ---- M: division by zero and overflow have results ------------------------------------------- */

/* The upper `xlen` bits of a product of 2 * xlen bits; operands are already sign- or
 * zero-extended. */
static inline uint64_t mulh(uint64_t a, uint64_t b, unsigned xlen)
{
    return (uint64_t)((bits_i128)(int64_t)a * (int64_t)b >> xlen);
}

static inline uint64_t mulhu(uint64_t a, uint64_t b, unsigned xlen)
{
    return (uint64_t)((bits_u128)a * b >> xlen);
}

static inline uint64_t mulhsu(uint64_t a, uint64_t b, unsigned xlen)
{
    return (uint64_t)((bits_i128)(int64_t)a * (bits_i128)b >> xlen);
}

/* Division by -1 is negation, which cannot trap as INT64_MIN / -1 does on hosts. */
static inline uint64_t div64(uint64_t a, uint64_t b)
{
    if (b == 0)
        return UINT64_MAX;
    return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t rem64(uint64_t a, uint64_t b)
{
    if (b == 0)
        return a;
    return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static inline uint64_t divu64(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a / b;
}

static inline uint64_t remu64(uint64_t a, uint64_t b)
{
    return b == 0 ? a : a % b;
}

static inline uint64_t div32(uint64_t a, uint64_t b)
{
    return sext32(div64(sext32(a), sext32(b)));
}

static inline uint64_t rem32(uint64_t a, uint64_t b)
{
    return sext32(rem64(sext32(a), sext32(b)));
}

static inline uint64_t divu32(uint64_t a, uint64_t b)
{
    return sext32(divu64((uint32_t)a, (uint32_t)b));
}

static inline uint64_t remu32(uint64_t a, uint64_t b)
{
    return sext32(remu64((uint32_t)a, (uint32_t)b));
}

#endif
