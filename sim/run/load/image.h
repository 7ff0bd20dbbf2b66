/* A program file: an ELF executable read, checked and described. libelf underneath.
 *
 * Refuses, with one clear line: not ELF, truncated, wrong class, byte order or machine, dynamic,
 * overlapping or absurd segments. Owns its copy of the file. */
#ifndef SIM_RUN_IMAGE_H
#define SIM_RUN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

/* The load address of a user-mode static PIE. */
#define IMAGE_PIE_BASE UINT64_C(0x10000000)

/* Loadable, not empty; in the order of vaddr. */
struct image_segment {
    uint64_t vaddr, paddr, file_bytes, mem_bytes;
    const uint8_t *bytes;           /* file_bytes of them, inside `file` */
    unsigned flags;                 /* PF_R, PF_W, PF_X */
};

/* Every section with a name, including those not loaded (addr 0). content: NULL if it has none. */
struct image_section {
    char *name;
    uint64_t addr, bytes;
    const uint8_t *content;
    bool is_code;
};

/* Functions, objects and labels. A label without a size extends to the next one. */
struct image_symbol {
    char *name;
    uint64_t addr, bytes;
    bool is_function, is_weak;
    bool is_found;                  /* made by image_add_functions, not in the file */
};

struct image_function {
    uint64_t addr, bytes;
};

struct frames_store;

struct image {
    char *path;
    uint64_t entry;
    uint64_t bias;                  /* already added to every address here; 0 unless a static PIE */
    bool is_linux;                  /* user-mode program: made for an operating system */
    unsigned xlen;                  /* 32 or 64, by the class of the file */
    bool is_rvc;
    bool is_module;                 /* opened by image_open_module */
    bool is_stripped;               /* it has at most the symbols for dynamic linking */
    bool needs_exec_stack;          /* requested by PT_GNU_STACK */
    uint64_t interpreter;           /* address of PT_INTERP's path; 0: statically linked */
    uint64_t phdr_vaddr;            /* for the auxiliary vector; 0 = not in memory */
    unsigned phdr_count, phdr_bytes;
    uint64_t tohost, fromhost;      /* 0 = none */
    struct image_segment *segments;
    size_t segment_count;
    struct image_section *sections;
    size_t section_count;
    struct image_symbol *symbols;   /* sorted by address, then name */
    size_t symbol_count;
    uint64_t longest_symbol;        /* length in bytes */
    uint8_t *file;
    size_t file_bytes;
    struct frames_store *store;     /* keeps its frames and routines (sim/run/frames); NULL: none */
};

/* On failure *image is as after image_close. */
enum err image_open(struct image *image, const char *path, struct diag *diag);
/* As image_open, from memory: `file`, from malloc, becomes the image's even on failure. */
enum err image_open_memory(struct image *image, const char *path, uint8_t *file, size_t file_bytes,
                           struct diag *diag);
/* A file loaded by a dynamic linker or another program, such as a shared library; `bias` is added
 * to its addresses. */
enum err image_open_module(struct image *image, const char *path, uint64_t bias,
                           struct diag *diag);
void image_close(struct image *image);

/* Adds symbols for functions without one, named fn_ and their address: fn_0x10430. A module's have
 * the address in its file, and its name: fn_0x10ab2@libc.so.6. */
enum err image_add_functions(struct image *image, const struct image_function *function,
                             size_t count, struct diag *diag);

const struct image_symbol *image_find_symbol(const struct image *image, const char *name);
/* The function (else object) that contains addr, or NULL. */
const struct image_symbol *image_symbol_at(const struct image *image, uint64_t addr);
/* The first segment whose memory contains the virtual address; NULL: none. */
const struct image_segment *image_segment_at(const struct image *image, uint64_t vaddr);
const struct image_section *image_find_section(const struct image *image, const char *name);

#endif
