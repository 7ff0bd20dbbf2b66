/* Keys: addresses of code and data of several programs.
 *
 * A program that a process executes usually lies at the same addresses as the one before. What is
 * measured is therefore kept by keys: in user mode, an address of another program than the first
 * has that program's number from bit KEY_SHIFT on. Addresses of the kernel, those of its code in
 * machine mode too, and of the first program are their own keys. The host gives the numbers; a hart
 * has the number of its thread's program in pmu_thread.program, already shifted. */
#ifndef PMU_KEY_H
#define PMU_KEY_H

#include "pmu/abi_kernel.h"

/* Addresses of user code are below 1 << KEY_USER_BITS: the lower half of Sv39. */
enum { KEY_SHIFT = 40, KEY_USER_BITS = 38 };
/* A covering file (struct pmu_cover): a file that a process maps where its program had another file
 * before. It has a program number of its own: bit KEY_COVER, a number of the file, and modulo
 * KEY_COVERED the number of its program. */
enum { KEY_COVER = 1 << (59 - KEY_SHIFT), KEY_COVERED = 512 };
/* The program, shifted, for an address where a process had several files one after the other, and
 * it is unknown which of them is meant. */
#define KEY_UNKNOWN (((1ull << (60 - KEY_SHIFT)) - 1) << KEY_SHIFT)
#define KEY_ADDRESS ((1ull << KEY_SHIFT) - 1)

/* The key of an address in a program. */
static inline unsigned long long key_of(unsigned long long program, unsigned long long va)
{
    return va >> KEY_USER_BITS == 0 && va - KERNEL_PA >= KERNEL_BYTES ? va | program : va;
}

/* The program of a key, shifted; 0: the first one, the kernel, or an address of no program. */
static inline unsigned long long key_program(unsigned long long key)
{
    return key >> 60 == 0 && (key & KEY_ADDRESS) >> KEY_USER_BITS == 0 ? key & ~KEY_ADDRESS : 0;
}

/* As key_program, but for a covering file the program that mapped it, and for KEY_UNKNOWN 0. */
static inline unsigned long long key_whole_program(unsigned long long key)
{
    unsigned long long program = key_program(key), number = program >> KEY_SHIFT;

    if (program == KEY_UNKNOWN)
        return 0;
    return (number & KEY_COVER) != 0 ? (number & (KEY_COVERED - 1)) << KEY_SHIFT : program;
}

#endif
