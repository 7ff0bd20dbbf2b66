/* Instruction set extensions of the host's processor, tested at run time.
 *
 * HOST_HAS_FMA(), HOST_HAS_AVX2() ask the C library, which detects the processor when the program
 * is loaded. Where it does not offer that, they use the compiler's test, which executes CPUID again
 * before main: tens of microseconds on a virtual machine. */
#ifndef ISA_HOST_CPU_H
#define ISA_HOST_CPU_H

#ifdef __has_include
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

#ifdef CPU_FEATURE_ACTIVE
#define HOST_HAS_FMA() CPU_FEATURE_ACTIVE(FMA)
#define HOST_HAS_AVX2() CPU_FEATURE_ACTIVE(AVX2)
#else
#define HOST_HAS_FMA() __builtin_cpu_supports("fma")
#define HOST_HAS_AVX2() __builtin_cpu_supports("avx2")
#endif

#endif
