/* The row macros of insn.def that its includer left out: nothing, or INSN if that is defined, with
 * one argument more than the row has (so that "..." is never empty). Part of insn.def: no include
 * guard, each expansion of the table includes this anew. */
#ifndef ISA_RV32
#define RV64(...) __VA_ARGS__
#ifndef RV32
#define RV32(...)
#endif
#else
#define RV64(...)
#define RV32(...) __VA_ARGS__
#endif
#ifdef INSN
#define INSN_ROW(...) INSN(__VA_ARGS__, 0)
#else
#define INSN_ROW(...)
#endif
#ifndef ALUX
#define ALUX(...) ALU(__VA_ARGS__)
#endif
#ifndef ALU
#define ALU(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef BRANCH
#define BRANCH(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef JAL
#define JAL(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef JALR
#define JALR(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef LOAD
#define LOAD(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef STORE
#define STORE(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef LR
#define LR(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef SC
#define SC(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef AMO
#define AMO(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef FP
#define FP(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef FENCE
#define FENCE(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef SYSTEM
#define SYSTEM(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef CSR
#define CSR(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef PROFILE
#define PROFILE(...) INSN_ROW(__VA_ARGS__)
#endif
#ifndef RVC
#define RVC(...)
#endif
