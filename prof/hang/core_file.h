/* An ELF core file of a RISC-V program, as Linux writes it: gdb opens it with the program
 * beside it. Notes: NT_PRSTATUS and NT_FPREGSET of each thread, NT_PRPSINFO, NT_AUXV, NT_FILE.
 *
 * The file is sparse where the file system allows it: pages of zeros take no room. With a name in
 * .zst or .gz it is compressed, for `zstd -d` or `gzip -d` before gdb reads it.
 * Source: ELF gABI, chapter 5; Linux fs/binfmt_elf.c, include/uapi/linux/elfcore.h. */
#ifndef PROF_CORE_FILE_H
#define PROF_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

struct core_thread {
    uint32_t tid;
    int signal;                         /* that ended the process; Linux reports it for every
                                         * thread */
    uint64_t run_ns;                    /* its processor time */
    const uint64_t *reg;                /* pc, x1..x31 */
    const uint64_t *fp;                 /* f0..f31, fcsr */
};

enum { CORE_READ = 1, CORE_WRITE = 2, CORE_EXEC = 4, CORE_PAGE = 4096 };
struct core_piece { uint64_t start, end; unsigned prot; bool is_zero; };    /* whole pages */
struct core_mapped { uint64_t start, end, offset; const char *path; };

struct core_file {
    const char *name, *arguments;       /* of the program; arguments with blanks between them */
    bool is_32;                         /* a program of 32 bits */
    uint32_t flags;                     /* e_flags of its file: a soft-float program has no FP
                                         * registers */
    uint32_t pid, parent, group, session;
    const struct core_thread *thread;   /* [threads] gdb begins with the first */
    size_t threads;
    const struct core_piece *piece;     /* of memory, rising, disjoint */
    size_t pieces;
    const struct core_mapped *mapped;
    size_t mappings;
    const void *vector;                 /* the auxiliary vector, as it is in memory; NULL: none */
    size_t vector_bytes;
    bool (*read)(void *arg, uint64_t va, void *bytes, size_t count);
    void *arg;
};

/* ERR_IO, ERR_NO_MEMORY, ERR_USAGE: more pieces than a core file can have, or more bytes. */
enum err core_file_write(const struct core_file *core, const char *path, struct diag *diag);

#endif
