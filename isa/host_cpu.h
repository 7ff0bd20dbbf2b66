/* Which instructions the host's processor has beyond the least that the compiler counts on.
 *
 * HOST_HAS_FMA(), HOST_HAS_AVX2(): from what the C library found out when the program was loaded,
 * where it tells. The compiler's own answer is found out once more before main, with an instruction
 * that takes tens of microseconds on a virtual machine. */
#ifndef ISA_HOST_CPU_H
#define ISA_HOST_CPU_H

#if defined(__has_include) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HOST_HAS_FMA() CPU_FEATURE_ACTIVE(FMA)
#define HOST_HAS_AVX2() CPU_FEATURE_ACTIVE(AVX2)
#else
#define HOST_HAS_FMA() __builtin_cpu_supports("fma")
#define HOST_HAS_AVX2() __builtin_cpu_supports("avx2")
#endif

#endif
