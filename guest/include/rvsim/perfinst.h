/* Metadata in the source of a program, for C, C++ and assembly: the lines of a file for `--meta`,
 * in the program's section .perfinst.
 *
 * The section is not loaded: the program's code and data stay as they are, byte for byte, and other
 * machines ignore it. Each macro adds one line of a metadata file. A run refuses a line that names
 * something missing in the program. `rvsim meta convert` shows the lines. */
#ifndef RVSIM_PERFINST_H
#define RVSIM_PERFINST_H

#ifdef __ASSEMBLER__

/* perfinst "sort * counter": any line of a metadata file. */
    .macro perfinst line:vararg
    .pushsection .perfinst, "", @progbits
    .asciz \line
    .popsection
    .endm

/* perfinst_at label, length, "flags": `length` bytes, or * (all of them), from a label on. */
    .macro perfinst_at label, length, flags
    perfinst "\label \length \flags"
    .endm

/* perfinst_next label, "flags": the next instruction. The macro defines the label on it. */
    .macro perfinst_next label, flags
    perfinst "\label 2 \flags"
\label:
    .endm

/* perfinst_range I0, label, length: sets a range register. */
    .macro perfinst_range range, label, length
    perfinst "range \range \label \length"
    .endm

#else

/* PERFINST("sort * counter"); any line of a metadata file, as a string literal, inside or outside
 * of a function. */
#define PERFINST(line) \
    __asm__(".pushsection .perfinst, \"\", @progbits\n.asciz \"" line "\"\n.popsection")

/* ALL: a whole function or datum. ENTRY: the first instruction of a function. */
#define PERFINST_ALL(symbol, flags)         PERFINST(#symbol " * " flags)
#define PERFINST_ENTRY(function, flags)     PERFINST(#function " 2 " flags)
/* BRANCHES: the conditional branches of a function. CALLS: its calls and returns. */
#define PERFINST_BRANCHES(function, flags)  PERFINST("branches(" #function ") * " flags)
#define PERFINST_CALLS(function, flags)     PERFINST("calls(" #function ") * " flags)
/* The code of this source line, in a program compiled with -g. */
#define PERFINST_LINE(flags)                PERFINST_LINE_(__FILE__, __LINE__, flags)
#define PERFINST_LINE_(file, line, flags)   PERFINST_LINE__(file, line, flags)
#define PERFINST_LINE__(file, line, flags)  PERFINST(file ":" #line " * " flags)
/* PERFINST_RANGE(I0, sort); sets a range register. */
#define PERFINST_RANGE(range, symbol)       PERFINST("range " #range " " #symbol " *")

#endif
#endif
