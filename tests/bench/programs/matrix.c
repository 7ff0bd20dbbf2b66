/* Product of two integer matrices: multiplications, strided loads, predictable loops. */
#include "bench.h"

enum { SIZE = 48 };

static int32_t left[SIZE][SIZE], right[SIZE][SIZE], product[SIZE][SIZE];

static void fill(void)
{
    uint32_t state = 1;
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++) {
            left[row][column] = (int32_t)(bench_random(&state) % 2001) - 1000;
            right[row][column] = (int32_t)(bench_random(&state) % 2001) - 1000;
        }
}

static void multiply(void)
{
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++) {
            int32_t sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += left[row][k] * right[k][column];
            product[row][column] = sum;
        }
}

uint32_t bench_round(void)
{
    uint32_t sum = BENCH_BASIS;
    fill();
    multiply();
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++)
            sum = bench_mix(sum, (uint32_t)product[row][column]);
    return sum;
}

BENCH(36, UINT32_C(2191909819));
