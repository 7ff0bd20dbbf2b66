/* Runs the rounds of a program; exit status 0 only if every checksum is right. Compiled for a
 * hosted environment it is an ordinary program, so the checksums can be verified on another
 * machine. */
#include "bench.h"

int main(void)
{
    for (uint32_t round = 0; round < bench.rounds; round++)
        if (bench_round() != bench.expected)
            return 1;
    return 0;
}

#if !__STDC_HOSTED__
/* The compiler calls these of its own accord. */
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = (unsigned char)value;
    return to;
}
#endif
