/* AES-128 in counter mode, with one table of words: table loads, shifts, exclusive-ors.
 * Source: NIST FIPS 197; the example of its appendix C.1 is checked first. */
#include "bench.h"

enum { ROUNDS = 10, BLOCKS = 512 };

static uint8_t sbox[256];
static uint32_t mix[256];               /* MixColumns of S(x) in row 0, columns big-endian */
static uint32_t schedule[4 * (ROUNDS + 1)];

static uint8_t times_two(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b);
}

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

/* S is the inverse in GF(2^8), found by walking its powers of 3 both ways, then an affine map. */
static void make_tables(void)
{
    uint8_t power = 1, inverse = 1;
    do {
        power = (uint8_t)(power ^ times_two(power));
        inverse ^= (uint8_t)(inverse << 1);
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= (uint8_t)((inverse >> 7) * 0x09);
        uint32_t twice = inverse * 0x0101u;
        sbox[power] = (uint8_t)(twice ^ twice >> 4 ^ twice >> 5 ^ twice >> 6 ^ twice >> 7 ^ 0x63);
    } while (power != 1);
    sbox[0] = 0x63;
    for (int x = 0; x < 256; x++) {
        uint8_t s = sbox[x], two = times_two(s);
        mix[x] = (uint32_t)two << 24 | (uint32_t)s << 16 | (uint32_t)s << 8 | (uint8_t)(two ^ s);
    }
}

static uint32_t substitute(uint32_t word)
{
    return (uint32_t)sbox[word >> 24] << 24 | (uint32_t)sbox[word >> 16 & 255] << 16 |
           (uint32_t)sbox[word >> 8 & 255] << 8 | sbox[word & 255];
}

static void expand_key(const uint32_t key[4])
{
    uint8_t constant = 1;
    for (int i = 0; i < 4; i++)
        schedule[i] = key[i];
    for (int i = 4; i < 4 * (ROUNDS + 1); i++) {
        uint32_t word = schedule[i - 1];
        if (i % 4 == 0) {
            word = substitute(rotate(word, 24)) ^ (uint32_t)constant << 24;
            constant = times_two(constant);
        }
        schedule[i] = schedule[i - 4] ^ word;
    }
}

static void encrypt(uint32_t block[4])
{
    uint32_t state[4], next[4];
    for (int i = 0; i < 4; i++)
        state[i] = block[i] ^ schedule[i];
    for (int round = 1; round < ROUNDS; round++) {
        for (int i = 0; i < 4; i++)
            next[i] = mix[state[i] >> 24] ^ rotate(mix[state[(i + 1) % 4] >> 16 & 255], 8) ^
                      rotate(mix[state[(i + 2) % 4] >> 8 & 255], 16) ^
                      rotate(mix[state[(i + 3) % 4] & 255], 24) ^ schedule[4 * round + i];
        for (int i = 0; i < 4; i++)
            state[i] = next[i];
    }
    for (int i = 0; i < 4; i++)
        block[i] = substitute((state[i] & 0xff000000) | (state[(i + 1) % 4] & 0xff0000) |
                              (state[(i + 2) % 4] & 0xff00) | (state[(i + 3) % 4] & 0xff)) ^
                   schedule[4 * ROUNDS + i];
}

uint32_t bench_round(void)
{
    static const uint32_t key[4] = {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f};
    uint32_t block[4] = {0x00112233, 0x44556677, 0x8899aabb, 0xccddeeff}, sum = BENCH_BASIS;
    make_tables();
    expand_key(key);
    encrypt(block);
    if (block[0] != 0x69c4e0d8 || block[1] != 0x6a7b0430 || block[2] != 0xd8cdb780 ||
        block[3] != 0x70b4c55a)
        return 0;
    for (uint32_t counter = 0; counter < BLOCKS; counter++) {
        block[3] ^= counter;
        encrypt(block);
        sum = bench_mix(sum, block[0] ^ block[1] ^ block[2] ^ block[3]);
    }
    return sum;
}

BENCH(32, UINT32_C(4262040548));
