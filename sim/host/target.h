/* A program as the tools use it: ELF file, symbols and lines, modules, identity. */
#ifndef SIM_HOST_TARGET_H
#define SIM_HOST_TARGET_H

#include "prof/symbols/symbols.h"
#include "shadowcache/meta.h"
#include "sim/run/load/image.h"

enum { TARGET_ID = 72 };
#define META_SECTION ".perfinst"     /* in which a program carries metadata, as text */

struct profiler;

/* A library that the program has loaded, its dynamic linker, or another program, with libraries of
 * its own; addresses of such a program are keys (pmu/key.h). */
struct target_module {
    struct image image;
    struct symbols *symbols;
    char id[TARGET_ID];
};

/* The contents of the program's memory: the program, its modules, the guest kernel. This is the
 * one list of modules; a profile keeps their paths, identities and addresses. */
struct target {
    struct image image;
    struct symbols *symbols;
    char id[TARGET_ID];             /* build-id in hexadecimal, else "crc32:..." of the file */
    struct target_module **module;  /* [modules] target_add_module */
    size_t modules;
    struct frames_store *store;     /* keeps frames and routines of modules; NULL: none does */
    char **covered;                 /* [covereds] paths of files that lay at addresses of others */
    size_t covereds;
    struct image kernel;            /* target_add_kernel */
    struct symbols *kernel_symbols;
    char *kernel_names;
};

/* After a failure nothing is left to close. */
enum err target_open(struct target *target, const char *path, struct diag *diag);
/* Adds the names of the guest kernel, under which the program runs; with_lines: also its source
 * lines, which take as long to read as the rest of a short run. target_close is due also after a
 * failure. */
enum err target_add_kernel(struct target *target, bool with_lines, struct diag *diag);
/* Adds an ELF file that is mapped at its addresses plus bias. *module is NULL if it is the program
 * itself or was added before. ERR_USAGE: it is no ELF file, or another module lies there. */
enum err target_add_module(struct target *target, const char *path, uint64_t bias,
                           const struct target_module **module, struct diag *diag);
/* The addresses of an ELF file that is about to be mapped; is_covering: another module lies there
 * already. False: it is no ELF file. */
struct target_span { uint64_t start, end; bool is_covering; };
bool target_find_span(const struct target *target, const char *path, uint64_t bias,
                      struct target_span *span);
/* Adds the modules that a profile lists. If a file is missing or has changed since, its addresses
 * have no names, and a note on stderr says so. */
struct profile;
enum err target_add_modules(struct target *target, const struct profile *profile,
                            struct diag *diag);
void target_close(struct target *target);
/* Reads bytes of an image (arg) from a segment of its file. False: no segment has them. */
bool target_read_code(void *arg, uint64_t address, void *bytes, size_t count);

/* The resolver that answers the reader of metadata from the target, which must outlive it. */
struct meta_resolver target_resolver(struct target *target);
/* As target_resolver, for a run: lines with unknown names wait for libraries and for programs that
 * the program executes (target_mark_module). */
struct meta_resolver target_open_resolver(struct target *target);
/* Reads the files, and the section .perfinst of the program if it has one (the same text). */
enum err target_read_meta(struct target *target, const char *const *file, size_t files,
                          struct meta *meta, struct diag *diag);
/* Sets the marks and ranges of waiting lines that name routines of this module (meta_read_late,
 * profiler_add_late). */
enum err target_mark_module(const struct target_module *module, struct meta *meta,
                            struct profiler *profiler, struct diag *diag);

#endif
